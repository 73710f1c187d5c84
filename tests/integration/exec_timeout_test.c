/*
 * exec_timeout_test.c - what a limit leaves alone, keeps and tells: a command in time,
 * what was printed before, and what cannot be killed.
 */
#include "support/ask.h"
#include "support/places.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

START_TEST(what_was_printed_before_the_limit_is_kept)
{
    sbx_session *session = place_open(_i);
    sbx_exec_opts opts = SBX_OPTS(sbx_exec_opts, .timeout_ms = 0);
    sbx_exec_result *result = ask_to_limit(
        session, "head -c 50000 /dev/zero; printf err >&2; sleep 300", &opts, "err", 1);

    expect_stopped(result, SBX_EXEC_TIMED_OUT, "prints");
    ck_assert_uint_eq(result->output_length, 50000);
    ck_assert_str_eq(result->errors, "err");
    sbx_exec_result_free(result);
    sbx_session_free(session);
}
END_TEST

START_TEST(a_command_that_ends_in_time_is_not_touched)
{
    sbx_session *session = place_open(_i);
    sbx_exec_opts opts = SBX_OPTS(sbx_exec_opts, .timeout_ms = 60000);
    sbx_exec_result *result = ask(session, "printf in; exit 124", &opts);

    expect_exit(result, 124);
    expect_text(result, "in");
    sbx_exec_result_free(result);
    sbx_session_free(session);
}
END_TEST

/* TERM is asked for before KILL: who heeds it may tidy up. */
START_TEST(a_command_may_tidy_up_at_its_limit)
{
    sbx_session *session = place_open(_i);
    sbx_exec_opts opts = SBX_OPTS(sbx_exec_opts, .kill_after_ms = 10000);
    sbx_exec_result *result = ask_to_limit(
        session,
        "trap 'printf tidied; exit' TERM; printf set >&2; while :; do sleep 0.1; done",
        &opts, "set", 1);

    expect_stopped(result, SBX_EXEC_TIMED_OUT, "tidies up");
    ck_assert_str_eq(result->output, "tidied");
    sbx_exec_result_free(result);
    sbx_session_free(session);
}
END_TEST

/* A copy of prog_stay that any user may start, set-uid root; its path. */
static void make_stayer(char *path, size_t room)
{
    char command[1024];

    (void)snprintf(path, room, "/tmp/sbxt.stay.%d", (int)getpid());
    (void)snprintf(command, sizeof(command), "cp '%s/tests/prog_stay' %s",
                   getenv("SBX_BUILD"), path);
    ck_assert_int_eq(system(command), 0);
    ck_assert_int_eq(chmod(path, 04755), 0);
}

START_TEST(a_process_that_cannot_be_killed_is_told)
{
    sbx_session *session = place_open(_i);
    sbx_exec_opts opts = SBX_OPTS(sbx_exec_opts, .kill_after_ms = 300, .grace_ms = 20000);
    sbx_exec_result *result;
    char path[64];
    char *json;
    pid_t pid;

    ck_assert_msg(geteuid() == 0, "a process of root's is made by root");
    make_stayer(path, sizeof(path));
    result = ask_to_limit(session, path, &opts, "stays ", 1);
    (void)unlink(path);
    pid = pid_after(result->output, "stays ");
    ck_assert_msg(pid > 1, "'%s' '%s'", result->output, result->errors);
    ck_assert_int_eq(result->end, SBX_EXEC_TIMED_OUT);
    ck_assert_int_eq(result->confirmed_dead, 0);
    ck_assert_uint_eq(result->survivor_count, 1);
    ck_assert_int_eq(result->survivors[0], pid);
    json = sbx_exec_result_json(result);
    ck_assert_msg(strstr(json, "\"confirmed_dead\":false,\"survivors\":[") != NULL, "%s",
                  json);
    sbx_free(json);
    ck_assert(!is_gone(pid));
    (void)kill(pid, SIGKILL);
    sbx_exec_result_free(result);
    sbx_session_free(session);
}
END_TEST

void unit_add(TCase *tests)
{
    places_serve(tests, LOCAL, TINYSSHD);
    tcase_add_loop_test(tests, what_was_printed_before_the_limit_is_kept, LOCAL,
                        TINYSSHD);
    tcase_add_loop_test(tests, a_command_that_ends_in_time_is_not_touched, LOCAL,
                        TINYSSHD);
    tcase_add_loop_test(tests, a_command_may_tidy_up_at_its_limit, LOCAL, TINYSSHD);
    tcase_add_loop_test(tests, a_process_that_cannot_be_killed_is_told, BASH, CHROOT);
}
