/* session_idle_test.c - connections that nothing runs on go, and come again when needed.
 */
#include "support/ask.h"
#include "support/bed.h"

#include "session/pool.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define IDLE_MS 1000 /* the least */

static void make(void)
{
    bed_make((const char *const[]){"MaxSessions 2", NULL});
}

/* The bed's host by further names, through its proxy if there is one. */
static sbx_hosts *many_hosts(void)
{
    char list[2048], config[512];
    sbx_hosts *hosts = NULL;
    sbx_error err = {0};
    int port = bed.proxy_port > 0 ? bed.proxy_port : bed.port;

    (void)snprintf(config, sizeof(config), "%s/ssh_config", bed.folder);
    (void)snprintf(
        list, sizeof(list),
        "[{\"name\": \"a\", \"host\": \"t\", \"port\": %d},"
        " {\"name\": \"b\", \"host\": \"t\", \"port\": %d},"
        " {\"name\": \"c\", \"host\": \"t\", \"port\": %d},"
        " {\"name\": \"behind\", \"host\": \"t\", \"port\": %d, \"jump\": \"a\"}]",
        port, port, port, bed.port);
    ck_assert_msg(sbx_hosts_parse(list, strlen(list),
                                  &SBX_OPTS(sbx_hosts_opts, .ssh_config = config), &hosts,
                                  &err) == SBX_OK,
                  "%s", err.text);
    return hosts;
}

static sbx_session *open_idle(const char *place, int64_t idle_ms)
{
    sbx_hosts *hosts = many_hosts();
    sbx_session *session = NULL;
    sbx_error err = {0};

    ck_assert_msg(sbx_session_open(hosts, place,
                                   &SBX_OPTS(sbx_session_opts, .idle_ms = idle_ms),
                                   &session, &err) == SBX_OK,
                  "%s", err.text);
    sbx_hosts_free(hosts);
    return session;
}

static void assert_runs(sbx_session *session, const char *command)
{
    sbx_exec_result *result = NULL;
    sbx_error err = {0};

    ck_assert_msg(sbx_exec_shell(session, command, NULL, &result, &err) == SBX_OK, "%s",
                  err.text);
    ck_assert_int_eq(result->end, SBX_EXEC_EXITED);
    ck_assert_int_eq(result->exit_code, 0);
    sbx_exec_result_free(result);
}

static int has_no_connection(const void *session)
{
    char *facts = sbx_session_facts_json((sbx_session *)(uintptr_t)session);
    int none = strstr(facts, "\"connections\":0") != NULL;

    sbx_free(facts);
    return none;
}

/* Of the server's user: its connections over there are processes. */
static int nobody_is_served(const void *unused)
{
    char command[128];

    (void)unused;
    (void)snprintf(command, sizeof(command), "! ps -o args= -u %u | grep -q '^sshd: '",
                   (unsigned)bed.uid);
    return system(command) == 0;
}

START_TEST(an_idle_connection_is_closed_and_the_next_command_opens_one_anew)
{
    sbx_session *session = open_idle("a", IDLE_MS);

    assert_runs(session, "true");
    ck_assert(bed_wait(10000, has_no_connection, session));
    ck_assert(bed_wait(10000, nobody_is_served, NULL));
    ck_assert_int_eq(sbx_session_check(session, 1000, NULL), SBX_ERR_DISCONNECTED);
    assert_runs(session, "true");
    ck_assert(!has_no_connection(session));
    sbx_session_free(session);
}
END_TEST

START_TEST(a_connection_that_a_command_is_on_is_not_idle)
{
    sbx_session *session = open_idle("a", IDLE_MS);

    assert_runs(session, "sleep 2.5");
    sbx_session_free(session);
}
END_TEST

START_TEST(a_session_of_ones_own_stays_connected)
{
    sbx_session *session = open_idle("a", 0);
    int64_t until = now_ms() + 2 * IDLE_MS;

    assert_runs(session, "true");
    while (now_ms() < until)
        ck_assert_int_eq(sbx_session_check(session, 5000, NULL), SBX_OK);
    ck_assert(!has_no_connection(session));
    sbx_session_free(session);
}
END_TEST

START_TEST(the_connection_to_a_jump_host_goes_with_the_one_behind_it)
{
    sbx_session *session = open_idle("behind", IDLE_MS);

    assert_runs(session, "true");
    ck_assert(bed_wait(10000, has_no_connection, session));
    ck_assert(bed_wait(10000, nobody_is_served, NULL));
    assert_runs(session, "true");
    sbx_session_free(session);
}
END_TEST

struct user {
    pthread_t thread;
    sbx_session *session;
    int number;
};

static void *use_often(void *userdata)
{
    struct user *user = userdata;
    int i;

    for (i = 0; i < 3; i++) {
        assert_runs(user->session, "true");
        (void)usleep(IDLE_MS * 1000 + 500 * (useconds_t)user->number);
    }
    return NULL;
}

/* Each pause is as long as it takes to be idle, so that starts fall on the closing. */
START_TEST(a_command_that_meets_the_closing_runs_all_the_same)
{
    sbx_session *session = open_idle("a", IDLE_MS);
    struct user users[3];
    int i;

    for (i = 0; i < 3; i++) {
        users[i].session = session;
        users[i].number = i;
        ck_assert_int_eq(pthread_create(&users[i].thread, NULL, use_often, &users[i]), 0);
    }
    for (i = 0; i < 3; i++)
        (void)pthread_join(users[i].thread, NULL);
    sbx_session_free(session);
}
END_TEST

START_TEST(a_full_pool_lets_go_of_the_place_that_was_not_asked_for_the_longest)
{
    sbx_hosts *hosts = many_hosts();
    sbx_session *a = NULL, *b = NULL, *c = NULL;
    sbx_pool *pool = NULL;
    sbx_error err = {0};

    ck_assert_int_eq(sbx_pool_new(hosts, NULL, &pool, NULL), SBX_OK);
    sbi_pool_set_most(pool, 2);
    ck_assert_int_eq(sbx_pool_acquire(pool, "a", NULL, &a, &err), SBX_OK);
    ck_assert_int_eq(sbx_pool_acquire(pool, "b", NULL, &b, &err), SBX_OK);
    ck_assert_int_eq(sbx_pool_acquire(pool, "c", NULL, &c, &err), SBX_ERR_LIMIT);
    ck_assert_str_eq(err.text,
                     "open a session to 'c': 2 places are in use, the most of one pool");
    sbx_session_free(a);
    ck_assert_int_eq(sbx_pool_acquire(pool, "a", NULL, &a, &err), SBX_OK);
    sbx_session_free(b);
    sbx_session_free(a);
    ck_assert_int_eq(sbx_pool_acquire(pool, "c", NULL, &c, &err), SBX_OK);
    ck_assert_int_eq(sbx_pool_acquire(pool, "a", NULL, &b, &err), SBX_OK);
    ck_assert_ptr_eq(a, b);
    sbx_session_free(b);
    sbx_session_free(c);
    sbx_pool_free(pool);
    sbx_hosts_free(hosts);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_unchecked_fixture(tests, make, bed_unmake);
    tcase_add_test(tests,
                   an_idle_connection_is_closed_and_the_next_command_opens_one_anew);
    tcase_add_test(tests, a_connection_that_a_command_is_on_is_not_idle);
    tcase_add_test(tests, a_session_of_ones_own_stays_connected);
    tcase_add_test(tests, the_connection_to_a_jump_host_goes_with_the_one_behind_it);
    tcase_add_test(tests, a_command_that_meets_the_closing_runs_all_the_same);
    tcase_add_test(tests,
                   a_full_pool_lets_go_of_the_place_that_was_not_asked_for_the_longest);
}
