/* Names of several addresses, some of them dead. The resolver here is the test's own. */
#include "support/unit.h"

#include "base/clock.h"
#include "transport/dial.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char *const *answer; /* addresses, NULL-ended; NULL: no answer for ever */
static int port;

/* What an earlier test listens on is its own. */
static void forget_port(void)
{
    port = 0;
}

static struct addrinfo *info_of(const char *address)
{
    struct addrinfo *info = calloc(1, sizeof(*info) + sizeof(struct sockaddr_in6));
    struct sockaddr_in *four = (struct sockaddr_in *)(void *)(info + 1);
    struct sockaddr_in6 *six = (struct sockaddr_in6 *)(void *)(info + 1);

    info->ai_addr = (struct sockaddr *)(void *)(info + 1);
    info->ai_socktype = SOCK_STREAM;
    if (strchr(address, ':') != NULL) {
        six->sin6_family = AF_INET6;
        six->sin6_port = htons((uint16_t)port);
        (void)inet_pton(AF_INET6, address, &six->sin6_addr);
        info->ai_addrlen = sizeof(*six);
        info->ai_family = AF_INET6;
    } else {
        four->sin_family = AF_INET;
        four->sin_port = htons((uint16_t)port);
        (void)inet_pton(AF_INET, address, &four->sin_addr);
        info->ai_addrlen = sizeof(*four);
        info->ai_family = AF_INET;
    }
    return info;
}

/* Stands before the one of libc. */
int getaddrinfo(const char *restrict node, const char *restrict service,
                const struct addrinfo *restrict hints, struct addrinfo **restrict out)
{
    struct addrinfo **at = out;
    size_t i;

    (void)service;
    if (hints != NULL && (hints->ai_flags & AI_NUMERICHOST) != 0) {
        if (strcmp(node, "name") == 0)
            return EAI_NONAME;
        *out = info_of(node);
        return 0;
    }
    while (answer == NULL)
        (void)pause();
    if (answer[0] == NULL)
        return EAI_NONAME;
    for (i = 0; answer[i] != NULL; i++, at = &(*at)->ai_next)
        *at = info_of(answer[i]);
    return 0;
}

void freeaddrinfo(struct addrinfo *info)
{
    struct addrinfo *next;

    for (; info != NULL; info = next) {
        next = info->ai_next;
        free(info);
    }
}

static int listen_at(const char *address, int backlog)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    socklen_t size = sizeof(here);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    ck_assert_int_eq(inet_pton(AF_INET, address, &here.sin_addr), 1);
    ck_assert_int_eq(bind(fd, (struct sockaddr *)&here, sizeof(here)), 0);
    ck_assert_int_eq(listen(fd, backlog), 0);
    ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&here, &size), 0);
    port = ntohs(here.sin_port);
    return fd;
}

/* A listener whose queue is full answers no more: as dead as a dropped packet. */
static void make_dead(const char *address)
{
    struct sockaddr_in there = {.sin_family = AF_INET};
    int i, fd;

    (void)listen_at(address, 0);
    there.sin_port = htons((uint16_t)port);
    ck_assert_int_eq(inet_pton(AF_INET, address, &there.sin_addr), 1);
    for (i = 0; i < 4; i++) {
        fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        (void)connect(fd, (struct sockaddr *)&there, sizeof(there));
    }
}

static int dial(int64_t limit_ms, int64_t *took, sbx_error *err)
{
    const struct sbi_dial to = {.host = "name", .port = port, .family = AF_UNSPEC};
    int64_t begin = sbi_now_ms();
    int fd = -1;
    int rc = sbi_dial(&to, sbi_deadline(limit_ms), NULL, &fd, err);

    *took = sbi_now_ms() - begin;
    return rc < 0 ? rc : fd;
}

static void must_reach(const char *address, int64_t within_ms)
{
    struct sockaddr_in there;
    socklen_t size = sizeof(there);
    char text[INET_ADDRSTRLEN];
    sbx_error err = {0};
    int64_t took;
    int fd = dial(10000, &took, &err);

    ck_assert_msg(fd >= 0, "%s", err.text);
    ck_assert_int_eq(getpeername(fd, (struct sockaddr *)&there, &size), 0);
    ck_assert_str_eq(inet_ntop(AF_INET, &there.sin_addr, text, sizeof(text)), address);
    ck_assert_int_lt(took, within_ms);
    ck_assert_int_ne(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
    ck_assert_int_ne(fcntl(fd, F_GETFL) & O_NONBLOCK, 0);
    (void)close(fd);
}

START_TEST(a_dead_address_before_a_live_one_costs_less_than_a_second)
{
    answer = (const char *const[]){"127.0.0.2", "127.0.0.1", NULL};
    (void)listen_at("127.0.0.1", 8);
    make_dead("127.0.0.2");
    must_reach("127.0.0.1", 1000);
}
END_TEST

START_TEST(two_dead_addresses_before_a_live_one_cost_little_more)
{
    answer = (const char *const[]){"127.0.0.2", "127.0.0.3", "127.0.0.1", NULL};
    (void)listen_at("127.0.0.1", 8);
    make_dead("127.0.0.2");
    make_dead("127.0.0.3");
    must_reach("127.0.0.1", 1500);
}
END_TEST

START_TEST(an_address_that_refuses_costs_nothing)
{
    answer = (const char *const[]){"127.0.0.2", "127.0.0.3", "127.0.0.1", NULL};
    (void)listen_at("127.0.0.1", 8);
    must_reach("127.0.0.1", 200);
}
END_TEST

START_TEST(families_take_turns)
{
    answer = (const char *const[]){"127.0.0.2", "127.0.0.3", "::1", "127.0.0.1", NULL};
    (void)listen_at("127.0.0.1", 8);
    must_reach("127.0.0.1", 200);
}
END_TEST

START_TEST(the_first_address_is_taken_where_it_lives)
{
    answer = (const char *const[]){"127.0.0.2", "127.0.0.1", NULL};
    (void)listen_at("127.0.0.1", 8);
    (void)listen_at("127.0.0.2", 8);
    must_reach("127.0.0.2", 200);
}
END_TEST

static void must_fail(int code, const char *words, int64_t limit_ms)
{
    sbx_error err = {0};
    int64_t took;

    ck_assert_int_eq(dial(limit_ms, &took, &err), code);
    ck_assert_msg(strstr(err.text, words) != NULL, "%s", err.text);
    ck_assert_str_ne(err.fix, "");
    ck_assert_int_lt(took, limit_ms + 500);
}

START_TEST(where_all_are_dead_the_deadline_holds)
{
    answer = (const char *const[]){"127.0.0.1", "127.0.0.2", NULL};
    make_dead("127.0.0.1");
    make_dead("127.0.0.2");
    must_fail(SBX_ERR_TIMEOUT, "connect to 'name' port", 700);
}
END_TEST

START_TEST(where_all_refuse_it_is_refused)
{
    answer = (const char *const[]){"127.0.0.1", "127.0.0.2", NULL};
    (void)close(listen_at("127.0.0.1", 8));
    must_fail(SBX_ERR_CONNECT, "refused", 5000);
}
END_TEST

START_TEST(a_name_without_an_address_is_told)
{
    answer = (const char *const[]){NULL};
    port = 22;
    must_fail(SBX_ERR_CONNECT, "look up 'name'", 5000);
}
END_TEST

START_TEST(a_resolver_that_does_not_answer_costs_the_deadline)
{
    sbx_error err = {0};
    int64_t took;

    answer = NULL;
    ck_assert_int_eq(dial(300, &took, &err), SBX_ERR_TIMEOUT);
    ck_assert_ptr_nonnull(strstr(err.text, "look up 'name'"));
    ck_assert_int_lt(took, 800);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_checked_fixture(tests, forget_port, NULL);
    tcase_add_test(tests, a_dead_address_before_a_live_one_costs_less_than_a_second);
    tcase_add_test(tests, two_dead_addresses_before_a_live_one_cost_little_more);
    tcase_add_test(tests, an_address_that_refuses_costs_nothing);
    tcase_add_test(tests, families_take_turns);
    tcase_add_test(tests, the_first_address_is_taken_where_it_lives);
    tcase_add_test(tests, where_all_are_dead_the_deadline_holds);
    tcase_add_test(tests, where_all_refuse_it_is_refused);
    tcase_add_test(tests, a_name_without_an_address_is_told);
    tcase_add_test(tests, a_resolver_that_does_not_answer_costs_the_deadline);
}
