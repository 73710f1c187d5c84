/* base_http.c - tests of a request that is answered, refused, forgotten or called off. */
#include "support/unit.h"

#include "base/cancel.h"
#include "base/clock.h"
#include "base/http.h"

#include <netinet/in.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int listener;
static char url[64];
static const char *answer; /* NULL: none comes */
static char asked[4096];
static sbx_cancel *fired_by_server;

/* Takes one request, to the end of its body, and answers it. */
static void *serve(void *unused)
{
    int line = accept(listener, NULL, NULL);
    size_t length = 0;
    ssize_t got;

    (void)unused;
    while (line >= 0 && strstr(asked, "\r\n\r\nbody") == NULL &&
           (got = read(line, asked + length, sizeof(asked) - 1 - length)) > 0)
        length += (size_t)got;
    if (fired_by_server != NULL)
        sbx_cancel_fire(fired_by_server);
    if (answer != NULL)
        (void)!write(line, answer, strlen(answer));
    else
        (void)!read(line, asked, 1); /* until the other side lets go */
    (void)close(line);
    return NULL;
}

static void listen_here(void)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(at);

    asked[0] = '\0';
    fired_by_server = NULL;
    listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(bind(listener, (struct sockaddr *)&at, size), 0);
    ck_assert_int_eq(listen(listener, 1), 0);
    ck_assert_int_eq(getsockname(listener, (struct sockaddr *)&at, &size), 0);
    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%d/hook", ntohs(at.sin_port));
    (void)unsetenv("http_proxy");
    (void)unsetenv("all_proxy");
}

static void hang_up(void)
{
    (void)close(listener);
}

static int post(const struct sbi_http *request, long *status, sbx_error *err)
{
    pthread_t server;
    int rc;

    ck_assert_int_eq(pthread_create(&server, NULL, serve, NULL), 0);
    rc = sbi_http_post(request, status, err);
    (void)pthread_join(server, NULL);
    return rc;
}

START_TEST(a_request_reaches_the_server_whole_and_its_answer_is_told)
{
    const char *const headers[] = {"X-One: 1", "X-Two: 2", NULL};
    const struct sbi_http request = {.url = url,
                                     .headers = headers,
                                     .body = "body",
                                     .length = 4,
                                     .deadline = sbi_deadline(20000)};
    long status = 0;

    answer = "HTTP/1.1 418 no\r\nContent-Length: 2\r\n\r\nno";
    ck_assert_int_eq(post(&request, &status, NULL), SBX_OK);
    ck_assert_int_eq(status, 418);
    ck_assert_ptr_eq(strstr(asked, "POST /hook HTTP/1.1\r\n"), asked);
    ck_assert_ptr_nonnull(strstr(asked, "\r\nX-One: 1\r\nX-Two: 2\r\n"));
    ck_assert_ptr_nonnull(strstr(asked, "\r\n\r\nbody"));
}
END_TEST

START_TEST(no_header_of_the_callers_is_fine_and_so_is_a_redirect)
{
    const struct sbi_http request = {
        .url = url, .body = "body", .length = 4, .deadline = SBI_NEVER};
    long status = 0;

    answer = "HTTP/1.1 302 there\r\nLocation: http://127.0.0.1:1/\r\n"
             "Content-Length: 0\r\n\r\n";
    ck_assert_int_eq(post(&request, &status, NULL), SBX_OK);
    ck_assert_int_eq(status, 302);
}
END_TEST

START_TEST(a_server_that_never_answers_is_a_time_out_or_a_cancel)
{
    struct sbi_http request = {
        .url = url, .body = "body", .length = 4, .deadline = sbi_deadline(300)};
    sbx_error err = {0};
    long status = 7;

    answer = NULL;
    ck_assert_int_eq(post(&request, &status, &err), SBX_ERR_TIMEOUT);
    ck_assert_ptr_nonnull(strstr(err.text, "no answer came"));

    asked[0] = '\0';
    request.deadline = SBI_NEVER;
    ck_assert_int_eq(sbx_cancel_new(&request.cancel, NULL), SBX_OK);
    fired_by_server = request.cancel;
    ck_assert_int_eq(post(&request, &status, &err), SBX_ERR_CANCELLED);
    ck_assert_int_eq(status, 7);
    sbx_cancel_free(request.cancel);
}
END_TEST

/* A line that is cut before the answer, and words that are none. */
START_TEST(what_is_no_answer_is_an_error_of_the_connection)
{
    static const char *const answers[] = {"", "HTTP/1.1 2"};
    sbx_error err = {0};
    long status = 7;
    size_t i;

    for (i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
        const struct sbi_http request = {
            .url = url, .body = "body", .length = 4, .deadline = sbi_deadline(20000)};

        asked[0] = '\0';
        answer = answers[i];
        ck_assert_int_eq(post(&request, &status, &err), SBX_ERR_CONNECT);
        ck_assert_ptr_nonnull(strstr(err.text, url));
    }
    ck_assert_int_eq(status, 7);
}
END_TEST

START_TEST(what_cannot_be_asked_is_told_by_its_kind)
{
    static const struct {
        const char *url;
        int code;
    } rows[] = {
        {"http://127.0.0.1:1/", SBX_ERR_CONNECT},
        {"http://[/", SBX_ERR_INVALID},
        {"file:///etc/passwd", SBX_ERR_INVALID},
        {"gopher://127.0.0.1/", SBX_ERR_INVALID},
    };
    sbx_error err = {0};
    long status = 7;
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct sbi_http request = {
            .url = rows[i].url, .body = "", .deadline = sbi_deadline(20000)};

        ck_assert_int_eq(sbi_http_post(&request, &status, &err), rows[i].code);
        ck_assert_ptr_nonnull(strstr(err.text, rows[i].url));
    }
    ck_assert_int_eq(status, 7);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_checked_fixture(tests, listen_here, hang_up);
    tcase_add_test(tests, a_request_reaches_the_server_whole_and_its_answer_is_told);
    tcase_add_test(tests, no_header_of_the_callers_is_fine_and_so_is_a_redirect);
    tcase_add_test(tests, a_server_that_never_answers_is_a_time_out_or_a_cancel);
    tcase_add_test(tests, what_is_no_answer_is_an_error_of_the_connection);
    tcase_add_test(tests, what_cannot_be_asked_is_told_by_its_kind);
}
