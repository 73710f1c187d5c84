/* How proxies are written, and each word of the talk with them, byte by byte. */
#include "support/unit.h"

#include "base/clock.h"
#include "transport/ssh_proxy.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const struct {
    const char *text;
    bool http;
    const char *host;
    int port;
    const char *user;
    const char *password;
} good[] = {
    {"socks5://p", false, "p", 1080, "", ""},
    {"socks5h://p:9", false, "p", 9, "", ""},
    {"http://p.example.com/", true, "p.example.com", 8080, "", ""},
    {"http://[::1]:3128", true, "::1", 3128, "", ""},
    {"socks5://u@p", false, "p", 1080, "u", ""},
    {"socks5://u:x@p:1", false, "p", 1, "u", "x"},
    {"http://u%40corp:p%3a%2F%c3%a4@p:2", true, "p", 2, "u@corp", "p:/\xc3\xa4"},
    {"http://u:a@b@p:2", true, "p", 2, "u", "a@b"},
};

START_TEST(what_is_a_proxy_is_read)
{
    struct sbi_proxy proxy;

    ck_assert(sbi_proxy_is(good[_i].text));
    ck_assert_ptr_null(sbi_proxy_parse(good[_i].text, &proxy));
    ck_assert_int_eq(proxy.http, good[_i].http);
    ck_assert_str_eq(proxy.host, good[_i].host);
    ck_assert_int_eq(proxy.port, good[_i].port);
    ck_assert_str_eq(proxy.user, good[_i].user);
    ck_assert_str_eq(proxy.password, good[_i].password);
}
END_TEST

static const char *const bad[] = {
    "socks5://",      "socks5://:1",    "socks4://p",      "https://p",
    "http://p:0",     "http://p:65536", "http://p:x",      "http://p:1/x",
    "http://[::1",    "http://@p",      "http://:x@p",     "http://u:@p",
    "http://u%0@p",   "http://u%zz@p",  "http://u%00:x@p", "http://a b@p",
    "http://u:x,y@p", "http://[::1]x",  "http://p\x7f",    "socks5://p:99999999999",
};

START_TEST(what_is_none_is_refused)
{
    struct sbi_proxy proxy;

    ck_assert_ptr_nonnull(sbi_proxy_parse(bad[_i], &proxy));
}
END_TEST

START_TEST(a_word_that_is_too_long_is_refused)
{
    char text[700];
    struct sbi_proxy proxy;
    size_t length;

    for (length = 250; length < 260; length++) {
        memset(text, 'a', sizeof(text));
        memcpy(text, "http://", 7);
        memcpy(text + 7 + length, "@p", 3);
        ck_assert_int_eq(sbi_proxy_parse(text, &proxy) == NULL, length < 256);
        text[7 + length] = '\0';
        ck_assert_int_eq(sbi_proxy_parse(text, &proxy) == NULL, length < 256);
    }
}
END_TEST

START_TEST(a_list_of_hosts_is_no_proxy)
{
    ck_assert(!sbi_proxy_is("bastion"));
    ck_assert(!sbi_proxy_is("u@bastion:22,socks5://p"));
    ck_assert(!sbi_proxy_is("ssh://bastion:22"));
    ck_assert(sbi_proxy_is("socks5://p,bastion"));
}
END_TEST

static const struct {
    const char *hops, *masked;
} lists[] = {
    {"a,u@b:22", NULL},
    {"socks5://p,a", NULL},
    {"socks5://u@p:1", NULL},
    {"socks5://u:x@p:1,a", "socks5://u:***@p:1,a"},
    {"http://u:@p", "http://u:***@p"},
    {"http://u:a@b@p,c", "http://u:***@p,c"},
};

START_TEST(the_password_of_a_proxy_is_masked)
{
    const char *expected = lists[_i].masked != NULL ? lists[_i].masked : lists[_i].hops;
    char *masked = sbi_proxy_masked(lists[_i].hops);

    ck_assert_str_eq(masked, expected);
    ck_assert_int_eq(sbi_proxy_has_password(lists[_i].hops), lists[_i].masked != NULL);
    free(masked);
}
END_TEST

/* A talk: what the proxy says, what it has been told by then, how it ends. */
struct script {
    const char *proxy;
    const char *host;
    const char *answer;
    size_t answer_length;
    const char *told;
    size_t told_length;
    const char *fault; /* NULL: connected */
};

#define BYTES(text) text, sizeof(text) - 1

static const struct script scripts[] = {
    {"socks5://p", "h", BYTES("\5\0\5\0\0\1\1\2\3\4\0\1"),
     BYTES("\5\1\0\5\1\0\3\1h\0\x16"), NULL},
    {"socks5://p", "10.0.0.1", BYTES("\5\0\5\0\0\3\2xy\0\1"),
     BYTES("\5\1\0\5\1\0\1\x0a\0\0\1\0\x16"), NULL},
    {"socks5://p", "::1", BYTES("\5\0\5\0\0\4................\0\1"),
     BYTES("\5\1\0\5\1\0\4\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\1\0\x16"), NULL},
    {"socks5://u:pw@p", "h", BYTES("\5\2\1\0\5\0\0\1\1\2\3\4\0\1"),
     BYTES("\5\2\0\2\1\1u\2pw\5\1\0\3\1h\0\x16"), NULL},
    {"socks5://u:pw@p", "h", BYTES("\5\0\5\0\0\1\1\2\3\4\0\1"),
     BYTES("\5\2\0\2\5\1\0\3\1h\0\x16"), NULL},
    {"socks5://u:pw@p", "h", BYTES("\5\2\1\1"), BYTES("\5\2\0\2\1\1u\2pw"), "refuses"},
    {"socks5://p", "h", BYTES("\5\xff"), BYTES("\5\1\0"), "wants a user"},
    {"socks5://p", "h", BYTES("\5\2"), BYTES("\5\1\0"), "wants a user"},
    {"socks5://p", "h", BYTES("\4\0"), BYTES("\5\1\0"), "none of a SOCKS5"},
    {"socks5://p", "h", BYTES("\5\0\5\5\0\1\1"), BYTES("\5\1\0\5\1\0\3\1h\0\x16"),
     "refuses the connection"},
    {"socks5://p", "h", BYTES("\5\0\5\xff\0\1\1"), BYTES("\5\1\0\5\1\0\3\1h\0\x16"),
     "it failed"},
    {"socks5://p", "h", BYTES("\5\0\5\0\0\7\1"), BYTES("\5\1\0\5\1\0\3\1h\0\x16"),
     "none of a SOCKS5"},
    {"http://p", "h", BYTES("HTTP/1.1 200 OK\r\n\r\n"),
     BYTES("CONNECT h:22 HTTP/1.1\r\nHost: h:22\r\n\r\n"), NULL},
    {"http://u:pw@p", "::1", BYTES("HTTP/1.0 200 \r\nX: y\r\n\r\n"),
     BYTES("CONNECT [::1]:22 HTTP/1.1\r\nHost: [::1]:22\r\nProxy-Authorization: Basic "
           "dTpwdw==\r\n\r\n"),
     NULL},
    {"http://p", "h", BYTES("HTTP/1.1 407 Who\r\n\r\n"),
     BYTES("CONNECT h:22 HTTP/1.1\r\nHost: h:22\r\n\r\n"), "wants a user"},
    {"http://p", "h", BYTES("HTTP/1.1 503 No\r\n\r\n"),
     BYTES("CONNECT h:22 HTTP/1.1\r\nHost: h:22\r\n\r\n"), "status 503"},
    {"http://p", "h", BYTES("SSH-2.0-Open"),
     BYTES("CONNECT h:22 HTTP/1.1\r\nHost: h:22\r\n\r\n"), "none of an HTTP"},
};

/* The answer stands there from the start, with the server's first words behind it. */
START_TEST(the_talk_takes_its_own_words_and_no_more)
{
    const struct script *script = &scripts[_i];
    struct sbi_proxy proxy;
    sbx_error err = {0};
    char told[512], rest[16];
    int pair[2];
    int rc;

    ck_assert_ptr_null(sbi_proxy_parse(script->proxy, &proxy));
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    ck_assert_int_eq(write(pair[1], script->answer, script->answer_length),
                     (ssize_t)script->answer_length);
    ck_assert_int_eq(write(pair[1], "SSH-2.0", 7), 7);
    rc = sbi_proxy_connect(pair[0], &proxy, script->host, 22, sbi_deadline(5000), NULL,
                           &err);
    ck_assert_msg((rc == SBX_OK) == (script->fault == NULL), "%s", err.text);
    if (script->fault != NULL)
        ck_assert_msg(strstr(err.text, script->fault) != NULL, "%s", err.text);
    else
        ck_assert_int_eq(read(pair[0], rest, sizeof(rest)), 7);
    ck_assert_int_eq(read(pair[1], told, sizeof(told)), (ssize_t)script->told_length);
    ck_assert_mem_eq(told, script->told, script->told_length);
    (void)close(pair[0]);
    (void)close(pair[1]);
}
END_TEST

/* Whatever part of its answer a proxy gives before it hangs up. */
START_TEST(an_answer_that_is_cut_short_is_told)
{
    const struct script *script = &scripts[_i];
    struct sbi_proxy proxy;
    size_t length;
    int pair[2];

    ck_assert_ptr_null(sbi_proxy_parse(script->proxy, &proxy));
    for (length = 0; length < script->answer_length; length++) {
        sbx_error err = {0};

        ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
        ck_assert_int_eq(write(pair[1], script->answer, length), (ssize_t)length);
        (void)shutdown(pair[1], SHUT_WR);
        ck_assert_int_lt(sbi_proxy_connect(pair[0], &proxy, script->host, 22,
                                           sbi_deadline(5000), NULL, &err),
                         0);
        ck_assert_str_ne(err.text, "");
        (void)close(pair[0]);
        (void)close(pair[1]);
    }
}
END_TEST

START_TEST(a_head_without_end_is_cut_off)
{
    struct sbi_proxy proxy;
    sbx_error err = {0};
    char head[16384];
    int pair[2];

    memset(head, 'a', sizeof(head));
    memcpy(head, "HTTP/1.1 200 ", 13);
    ck_assert_ptr_null(sbi_proxy_parse("http://p", &proxy));
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair), 0);
    ck_assert_int_eq(write(pair[1], head, sizeof(head)), (ssize_t)sizeof(head));
    ck_assert_int_eq(
        sbi_proxy_connect(pair[0], &proxy, "h", 22, sbi_deadline(20000), NULL, &err),
        SBX_ERR_CONNECT);
    (void)close(pair[0]);
    (void)close(pair[1]);
}
END_TEST

#define COUNT(table) (int)(sizeof(table) / sizeof((table)[0]))

void unit_add(TCase *tests)
{
    tcase_add_loop_test(tests, what_is_a_proxy_is_read, 0, COUNT(good));
    tcase_add_loop_test(tests, what_is_none_is_refused, 0, COUNT(bad));
    tcase_add_test(tests, a_word_that_is_too_long_is_refused);
    tcase_add_test(tests, a_list_of_hosts_is_no_proxy);
    tcase_add_loop_test(tests, the_password_of_a_proxy_is_masked, 0, COUNT(lists));
    tcase_add_loop_test(tests, the_talk_takes_its_own_words_and_no_more, 0,
                        COUNT(scripts));
    tcase_add_loop_test(tests, an_answer_that_is_cut_short_is_told, 0, COUNT(scripts));
    tcase_add_test(tests, a_head_without_end_is_cut_off);
}
