/* transport_engine_http.c - tests of an engine's answers, as their bytes come. */
#include "support/unit.h"

#include "transport/engine_http.h"

#include <stdio.h>
#include <string.h>

static const char counted[] = "HTTP/1.1 201 Created\r\nApi-Version: 1.41\r\n"
                              "CONTENT-LENGTH:  5 \r\n\r\nhello";
static const char chunked[] =
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n"
    "3\r\nhel\r\n002;name=value\r\nlo\r\n0\r\nTrailer: x\r\n\r\n";

static void expect_hello(struct sbi_engine_http *answer, int status)
{
    ck_assert_int_eq(answer->stage, SBI_HTTP_DONE);
    ck_assert_int_eq(answer->status, status);
    ck_assert_uint_eq(answer->body.length, 5);
    ck_assert_str_eq(answer->body.data, "hello");
    sbi_engine_http_clear(answer);
}

START_TEST(a_body_is_taken_by_its_length_and_what_follows_is_left)
{
    struct sbi_engine_http answer = {0};
    char text[sizeof(counted) + 4];

    (void)snprintf(text, sizeof(text), "%smore", counted);
    ck_assert_uint_eq(sbi_engine_http_take(&answer, text, strlen(text)),
                      sizeof(counted) - 1);
    ck_assert(!answer.closes);
    expect_hello(&answer, 201);
}
END_TEST

START_TEST(a_body_comes_in_chunks)
{
    struct sbi_engine_http answer = {0};

    ck_assert_uint_eq(sbi_engine_http_take(&answer, chunked, sizeof(chunked) - 1),
                      sizeof(chunked) - 1);
    expect_hello(&answer, 200);
}
END_TEST

START_TEST(bytes_may_come_one_by_one)
{
    const char *const texts[] = {counted, chunked};
    const int statuses[] = {201, 200};
    size_t i, at;

    for (i = 0; i < 2; i++) {
        struct sbi_engine_http answer = {0};

        for (at = 0; at < strlen(texts[i]); at++) {
            ck_assert_int_lt(answer.stage, SBI_HTTP_DONE);
            ck_assert_uint_eq(sbi_engine_http_take(&answer, texts[i] + at, 1), 1);
        }
        expect_hello(&answer, statuses[i]);
    }
}
END_TEST

START_TEST(a_connection_that_is_handed_over_has_no_body)
{
    static const char text[] = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 101 UPGRADED\r\n"
                               "Connection: Upgrade\r\nUpgrade: tcp\r\n\r\n\001rest";
    struct sbi_engine_http answer = {0};
    size_t used = sbi_engine_http_take(&answer, text, sizeof(text) - 1);

    ck_assert_int_eq(answer.stage, SBI_HTTP_DONE);
    ck_assert_int_eq(answer.status, 101);
    ck_assert_str_eq(text + used, "\001rest");
    sbi_engine_http_clear(&answer);
}
END_TEST

START_TEST(a_body_without_a_length_goes_to_the_end)
{
    static const char text[] = "HTTP/1.0 200 OK\n\nhello";
    struct sbi_engine_http answer = {0};

    ck_assert_uint_eq(sbi_engine_http_take(&answer, text, sizeof(text) - 1),
                      sizeof(text) - 1);
    ck_assert_int_lt(answer.stage, SBI_HTTP_DONE);
    ck_assert(answer.closes);
    sbi_engine_http_end(&answer);
    expect_hello(&answer, 200);
}
END_TEST

START_TEST(an_answer_that_is_cut_is_broken)
{
    const char *const texts[] = {counted, chunked};
    size_t i, length;

    for (i = 0; i < 2; i++)
        for (length = 0; length < strlen(texts[i]); length++) {
            struct sbi_engine_http answer = {0};

            (void)sbi_engine_http_take(&answer, texts[i], length);
            sbi_engine_http_end(&answer);
            ck_assert_int_eq(answer.stage, SBI_HTTP_BROKEN);
            sbi_engine_http_clear(&answer);
        }
}
END_TEST

START_TEST(what_is_no_answer_is_broken)
{
    static const char *const texts[] = {
        "SSH-2.0-OpenSSH\r\n",
        "HTTP/2 200\r\n",
        "HTTP/1.1 2000 OK\r\nContent-Length: -1\r\n",
        "HTTP/1.1 0 OK\r\n",
        "HTTP/1.1 200 OK\r\nno field\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1e3\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
    };
    size_t i;

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct sbi_engine_http answer = {0};

        (void)sbi_engine_http_take(&answer, texts[i], strlen(texts[i]));
        ck_assert_msg(answer.stage == SBI_HTTP_BROKEN, "%s", texts[i]);
        sbi_engine_http_clear(&answer);
    }
}
END_TEST

START_TEST(the_clock_of_the_server_is_read)
{
    static const struct {
        const char *date;
        int64_t seconds;
    } cases[] = {
        {"Thu, 01 Jan 1970 00:00:00 GMT", 0},
        {"Mon, 30 Nov 2026 13:52:56 GMT", 1796046776},
        {"Tue, 29 Feb 2028 23:59:59 GMT", 1835481599},
        {"Fri, 01 Mar 2100 00:00:00 GMT", 4107542400},
        {"Mon, 30 Xyz 2026 13:52:56 GMT", 0},
        {"Monday, 30-Nov-26 13:52:56 GMT", 0},
        {"", 0},
    };
    char text[128];
    size_t i;

    for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct sbi_engine_http answer = {0};

        (void)snprintf(text, sizeof(text), "HTTP/1.1 204 No\r\nDate: %s\r\n\r\n",
                       cases[i].date);
        (void)sbi_engine_http_take(&answer, text, strlen(text));
        ck_assert_int_eq(answer.stage, SBI_HTTP_DONE);
        ck_assert_int_eq(answer.date, cases[i].seconds);
        sbi_engine_http_clear(&answer);
    }
}
END_TEST

START_TEST(a_head_and_a_body_have_limits)
{
    static const char head[] = "HTTP/1.1 200 OK\r\n", field[] = "Name: value\r\n";
    static const char body[] = "HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\n";
    char piece[4096] = "";
    struct sbi_engine_http answer = {0};
    int i;

    (void)sbi_engine_http_take(&answer, head, sizeof(head) - 1);
    for (i = 0; i < 100000 && answer.stage != SBI_HTTP_BROKEN; i++)
        (void)sbi_engine_http_take(&answer, field, sizeof(field) - 1);
    ck_assert_int_eq(answer.stage, SBI_HTTP_BROKEN);
    sbi_engine_http_clear(&answer);

    (void)sbi_engine_http_take(&answer, body, sizeof(body) - 1);
    for (i = 0; i < 10000 && answer.stage != SBI_HTTP_BROKEN; i++)
        (void)sbi_engine_http_take(&answer, piece, sizeof(piece));
    ck_assert_int_eq(answer.stage, SBI_HTTP_BROKEN);
    sbi_engine_http_clear(&answer);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_test(tests, a_body_is_taken_by_its_length_and_what_follows_is_left);
    tcase_add_test(tests, a_body_comes_in_chunks);
    tcase_add_test(tests, bytes_may_come_one_by_one);
    tcase_add_test(tests, a_connection_that_is_handed_over_has_no_body);
    tcase_add_test(tests, a_body_without_a_length_goes_to_the_end);
    tcase_add_test(tests, an_answer_that_is_cut_is_broken);
    tcase_add_test(tests, what_is_no_answer_is_broken);
    tcase_add_test(tests, the_clock_of_the_server_is_read);
    tcase_add_test(tests, a_head_and_a_body_have_limits);
}
