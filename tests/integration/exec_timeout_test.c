/*
 * exec_timeout_test.c - a command that hits its limit is dead when the call returns,
 * whatever it did to live on; and what cannot be killed is told.
 */
#include "support/ask.h"
#include "support/places.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Prints its pid as `pid N`, and sleeps. */
#define NAPPER "echo \"pid $$\"; exec sleep 300"
#define STUBBORN "trap : TERM; trap \"\" HUP; echo \"pid $$\"; while :; do sleep 1; done"

/* Each prints at least `pids` such lines before it is killed. */
static const struct {
    const char *what;
    const char *command;
    int pids;
    int64_t limit_ms;
} rows[] = {
    {"sleeps", NAPPER, 1, 2000},
    {"ignores TERM", "trap '' TERM; echo \"pid $$\"; while :; do sleep 1; done", 1, 2000},
    {"forks twice", "echo \"pid $$\"; (sh -c '" NAPPER "' &) & sleep 300", 2, 2000},
    {"has a child in a session of its own",
     "echo \"pid $$\"; setsid sh -c '" NAPPER "' & sleep 300", 2, 2000},
    {"has a child in a session of its own without our streams",
     "echo \"pid $$\"; setsid sh -c 'echo \"pid $$\"; exec sleep 300 </dev/null "
     ">/dev/null 2>&1' & sleep 300",
     2, 2000},
    {"has left a child without our streams behind",
     "setsid sh -c 'echo \"pid $$\"; exec sleep 300 </dev/null >/dev/null 2>&1' & "
     "echo \"pid $$\"; exec sleep 300",
     2, 2000},
    {"has a stopped child",
     "echo \"pid $$\"; sh -c 'echo \"pid $$\"; kill -STOP $$; sleep 300' & sleep 300", 2,
     2000},
    {"has stopped itself", "echo \"pid $$\"; kill -STOP $$; sleep 300", 1, 2000},
    {"floods both streams",
     "echo \"pid $$\"; sh -c 'echo \"pid $$\"; exec yes' & sleep 0.3; yes >&2", 2, 2000},
    {"has children that ignore TERM",
     "for i in 1 2 3 4; do sh -c '" STUBBORN "' & done; echo \"pid $$\"; wait", 5, 2000},
    {"has hardly begun", "echo \"pid $$\"; sleep 300", 0, 300},
};

enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

/* How many `pid N` lines there are; each of them must be gone. */
static int count_dead(const char *text, const char *what)
{
    const char *at = text;
    int count = 0;
    pid_t pid;

    for (; (at = strstr(at, "pid ")) != NULL; at += 4) {
        pid = pid_after(at, "pid ");
        ck_assert_msg(pid > 1, "%s: no pid: %.100s", what, at);
        ck_assert_msg(is_gone(pid), "%s: pid %d lives on", what, (int)pid);
        count++;
    }
    return count;
}

static void expect_stopped(const sbx_exec_result *result, int end, const char *what)
{
    char *json = sbx_exec_result_json(result);
    char want[64];

    ck_assert_msg(result->end == end, "%s: %s, stderr '%.200s'", what,
                  sbx_exec_end_name(result->end), result->errors);
    ck_assert_msg(result->confirmed_dead == 1 && result->survivor_count == 0,
                  "%s: not confirmed dead, %zu survivors", what, result->survivor_count);
    ck_assert_int_eq(result->exit_code, -1);
    ck_assert_ptr_null(result->signal_name);
    (void)snprintf(want, sizeof(want), "\"end\":\"%s\"", sbx_exec_end_name(end));
    ck_assert_msg(strstr(json, want) != NULL, "%s", json);
    ck_assert_msg(strstr(json, "\"confirmed_dead\":true,\"survivors\":[]") != NULL, "%s",
                  json);
    ck_assert_msg(strstr(json, "\"exit_code\":null") != NULL, "%s", json);
    ck_assert_int_eq(processes_of_run(result->run_id), 0);
    sbx_free(json);
}

START_TEST(all_of_a_command_is_dead_at_its_limit)
{
    int row = _i % ROWS;
    sbx_session *session = place_open(_i / ROWS);
    sbx_exec_opts opts =
        SBX_OPTS(sbx_exec_opts, .timeout_ms = rows[row].limit_ms, .kill_after_ms = 500,
                 .grace_ms = 20000, .output_limit = 4096, .flags = SBX_EXEC_NO_SPOOL);
    int64_t start = now_ms();
    sbx_exec_result *result = ask(session, rows[row].command, &opts);

    expect_stopped(result, SBX_EXEC_TIMED_OUT, rows[row].what);
    ck_assert_int_eq(sbx_exec_status(result), 124);
    ck_assert_int_ge(now_ms() - start, rows[row].limit_ms);
    ck_assert_int_ge(count_dead(result->output, rows[row].what), rows[row].pids);
    ck_assert_int_eq(result->holds_output, 0);
    sbx_exec_result_free(result);
    expect_says(session, "printf on", NULL, "on");
    sbx_session_free(session);
}
END_TEST

START_TEST(what_was_printed_before_the_limit_is_kept)
{
    sbx_session *session = place_open(_i);
    sbx_exec_opts opts = SBX_OPTS(sbx_exec_opts, .timeout_ms = 3000);
    sbx_exec_result *result =
        ask(session, "head -c 50000 /dev/zero; printf err >&2; sleep 300", &opts);

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
    sbx_exec_opts opts =
        SBX_OPTS(sbx_exec_opts, .timeout_ms = 2000, .kill_after_ms = 10000);
    sbx_exec_result *result = ask(
        session, "trap 'printf tidied; exit' TERM; while :; do sleep 0.1; done", &opts);

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
    sbx_exec_opts opts = SBX_OPTS(sbx_exec_opts, .timeout_ms = 2000, .kill_after_ms = 300,
                                  .grace_ms = 20000);
    sbx_exec_result *result;
    char path[64];
    char *json;
    pid_t pid;

    ck_assert_msg(geteuid() == 0, "a process of root's is made by root");
    make_stayer(path, sizeof(path));
    result = ask(session, path, &opts);
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
    tcase_add_loop_test(tests, all_of_a_command_is_dead_at_its_limit, LOCAL * ROWS,
                        TINYSSHD * ROWS);
    tcase_add_loop_test(tests, what_was_printed_before_the_limit_is_kept, LOCAL,
                        TINYSSHD);
    tcase_add_loop_test(tests, a_command_that_ends_in_time_is_not_touched, LOCAL,
                        TINYSSHD);
    tcase_add_loop_test(tests, a_command_may_tidy_up_at_its_limit, LOCAL, TINYSSHD);
    tcase_add_loop_test(tests, a_process_that_cannot_be_killed_is_told, BASH, CHROOT);
}
