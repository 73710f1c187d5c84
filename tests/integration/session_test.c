/* session_test.c - a session from its opening over a lost connection to its end. */
#include "support/ask.h"
#include "support/places.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The server's process of the connection that a command came by. */
static pid_t server_of(sbx_session *session)
{
    sbx_exec_result *result = ask(session, "printf \"pid $PPID\"", NULL);
    pid_t pid = pid_after(result->output, "pid ");

    expect_exit(result, 0);
    ck_assert_int_gt(pid, 1);
    sbx_exec_result_free(result);
    return pid;
}

/*
 * The server's process is dead before the last holder of its socket is: a command sent
 * in between is lost, and told so. Here it is waited for the end.
 */
static void kill_connection(sbx_session *session)
{
    pid_t server = server_of(session);
    int64_t end = now_ms() + 10000;
    int rc;

    ck_assert_int_eq(kill(server, SIGKILL), 0);
    while ((rc = sbx_session_check(session, 5000, NULL)) == SBX_OK)
        ck_assert_int_lt(now_ms(), end);
    ck_assert_int_eq(rc, SBX_ERR_DISCONNECTED);
}

static int open_place(const char *place, const sbx_session_opts *opts, sbx_error *err)
{
    sbx_hosts *hosts = place_hosts();
    sbx_session *session = NULL;
    int rc = sbx_session_open(hosts, place, opts, &session, err);

    sbx_hosts_free(hosts);
    if (rc == SBX_OK)
        sbx_session_free(session);
    else
        ck_assert_ptr_null(session);
    return rc;
}

START_TEST(a_session_outlives_its_hosts_and_has_its_places_name)
{
    sbx_session *session = place_open(_i), *second;

    ck_assert_str_eq(sbx_session_place(session), place_name(_i));
    second = sbx_session_hold(session);
    sbx_session_free(session);
    ck_assert_int_eq(sbx_session_check(second, 0, NULL), SBX_OK);
    expect_says(second, "printf on", NULL, "on");
    ck_assert_int_eq(sbx_session_check(second, 5000, NULL), SBX_OK);
    sbx_session_free(second);
    sbx_session_free(NULL);
}
END_TEST

START_TEST(bad_arguments_are_refused)
{
    sbx_session *session = place_open(_i);
    sbx_error err = {0};

    ck_assert_int_eq(sbx_session_check(session, -1, &err), SBX_ERR_INVALID);
    ck_assert_int_eq(open_place("-oProxyCommand=x", NULL, &err), SBX_ERR_INVALID);
    ck_assert_int_eq(open_place("", NULL, &err), SBX_ERR_INVALID);
    ck_assert_int_eq(open_place(NULL, NULL, &err), SBX_ERR_INVALID);
    ck_assert_int_eq(open_place(place_name(_i),
                                &SBX_OPTS(sbx_session_opts, .connect_timeout_ms = -1),
                                &err),
                     SBX_ERR_INVALID);
    sbx_session_free(session);
}
END_TEST

START_TEST(a_fired_token_opens_nothing)
{
    sbx_cancel *cancel = NULL;
    sbx_error err = {0};

    ck_assert_int_eq(sbx_cancel_new(&cancel, NULL), SBX_OK);
    sbx_cancel_fire(cancel);
    ck_assert_int_eq(
        open_place(place_name(_i), &SBX_OPTS(sbx_session_opts, .cancel = cancel), &err),
        SBX_ERR_CANCELLED);
    ck_assert_int_eq(err.code, SBX_ERR_CANCELLED);
    sbx_cancel_free(cancel);
}
END_TEST

START_TEST(a_connection_that_died_idle_is_opened_anew_for_the_next_call)
{
    sbx_session *session = place_open(_i);
    sbx_error err = {0};
    pid_t server;
    int round;

    for (round = 0; round < 5; round++) {
        server = server_of(session);
        kill_connection(session);
        ck_assert_int_ne(server_of(session), server);
    }
    ck_assert_int_eq(sbx_session_check(session, 0, &err), SBX_OK);
    sbx_session_free(session);
}
END_TEST

static int kill_server(int stream, const void *data, size_t length, void *userdata)
{
    (void)stream;
    (void)data;
    (void)length;
    (void)kill(*(pid_t *)userdata, SIGKILL);
    return 0;
}

START_TEST(a_connection_that_dies_under_a_command_is_told_and_the_command_dies)
{
    sbx_session *session = place_open(_i);
    pid_t server = server_of(session), pid;
    sbx_exec_result *result =
        ask(session, "trap '' HUP TERM; echo \"pid $$\"; sleep 300 & wait; sleep 300",
            &SBX_OPTS(sbx_exec_opts, .on_output = kill_server, .userdata = &server));

    ck_assert_int_eq(result->end, SBX_EXEC_LOST);
    ck_assert_int_eq(result->exit_code, -1);
    ck_assert_int_eq(result->error.code, SBX_ERR_DISCONNECTED);
    ck_assert_int_eq(result->error.executed, SBX_EXECUTED_YES);
    ck_assert_int_eq(sbx_exec_status(result), 255);
    pid = pid_after(result->output, "pid ");
    ck_assert_int_gt(pid, 1);
    ck_assert_msg(is_gone_within(pid, 5000), "it lives on");
    expect_says(session, "printf on", NULL, "on");
    ck_assert_int_eq(processes_of_run(result->run_id), 0);
    sbx_exec_result_free(result);
    sbx_session_free(session);
}
END_TEST

/* Which of the first descriptors are open, as bits. */
static uint64_t open_descriptors(void)
{
    char path[32];
    uint64_t bits = 0;
    int fd;

    for (fd = 0; fd < 64; fd++) {
        (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
        if (access(path, F_OK) == 0)
            bits |= UINT64_C(1) << fd;
    }
    return bits;
}

START_TEST(a_session_leaves_no_descriptor_behind)
{
    uint64_t before;
    int round;

    sbx_session_free(place_open(_i));
    before = open_descriptors();
    for (round = 0; round < 3; round++) {
        sbx_session *session = place_open(_i);

        expect_says(session, "printf on", NULL, "on");
        sbx_session_free(session);
        ck_assert_msg(open_descriptors() == before, "%llx, before %llx",
                      (unsigned long long)open_descriptors(), (unsigned long long)before);
    }
}
END_TEST

START_TEST(a_connection_that_died_or_failed_leaves_no_descriptor_behind)
{
    sbx_session *session = place_open(_i);
    sbx_hosts *hosts = NULL;
    sbx_session *none = NULL;
    sbx_error err = {0};
    uint64_t before = 0;
    char list[128];
    int round;

    (void)snprintf(list, sizeof(list),
                   "{\"name\":\"unknown\",\"host\":\"127.0.0.1\",\"port\":%s,"
                   "\"host_key_policy\":\"strict\"}",
                   places_told("SSHD_PORT"));
    ck_assert_msg(sbx_hosts_parse(list, strlen(list),
                                  &SBX_OPTS(sbx_hosts_opts, .ssh_config = "none"), &hosts,
                                  &err) == SBX_OK,
                  "%s", err.text);
    for (round = 0; round < 4; round++) {
        kill_connection(session);
        expect_says(session, "printf on", NULL, "on");
        ck_assert_int_eq(sbx_session_open(hosts, "unknown", NULL, &none, &err),
                         SBX_ERR_HOST_KEY);
        if (round == 0)
            before = open_descriptors();
    }
    ck_assert_msg(open_descriptors() == before, "%llx, before %llx",
                  (unsigned long long)open_descriptors(), (unsigned long long)before);
    sbx_hosts_free(hosts);
    sbx_session_free(session);
}
END_TEST

START_TEST(a_session_leaves_the_programs_signals_alone)
{
    struct sigaction before[32], after;
    sbx_session *session;
    int number;

    for (number = 1; number < 32; number++)
        (void)sigaction(number, NULL, &before[number]);
    session = place_open(_i);
    expect_says(session, "printf on", NULL, "on");
    for (number = 1; number < 32; number++) {
        (void)sigaction(number, NULL, &after);
        ck_assert_msg(after.sa_handler == before[number].sa_handler,
                      "signal %d is handled otherwise", number);
    }
    sbx_session_free(session);
}
END_TEST

void unit_add(TCase *tests)
{
    places_serve(tests, LOCAL, TINYSSHD);
    tcase_add_loop_test(tests, a_session_outlives_its_hosts_and_has_its_places_name,
                        LOCAL, TINYSSHD);
    tcase_add_loop_test(tests, bad_arguments_are_refused, LOCAL, CHROOT);
    tcase_add_loop_test(tests, a_fired_token_opens_nothing, BASH, CHROOT);
    tcase_add_loop_test(tests,
                        a_connection_that_died_idle_is_opened_anew_for_the_next_call,
                        BASH, TINYSSHD);
    tcase_add_loop_test(
        tests, a_connection_that_dies_under_a_command_is_told_and_the_command_dies, BASH,
        TINYSSHD);
    tcase_add_loop_test(tests, a_session_leaves_no_descriptor_behind, LOCAL, CHROOT);
    tcase_add_loop_test(tests,
                        a_connection_that_died_or_failed_leaves_no_descriptor_behind,
                        BASH, CHROOT);
    tcase_add_loop_test(tests, a_session_leaves_the_programs_signals_alone, LOCAL,
                        CHROOT);
}
