/*
 * exec_tree_test.c - a command that hits its limit is dead when the call returns, with
 * all that it started, whatever it did to live on.
 */
#include "support/ask.h"
#include "support/places.h"

#include <stdio.h>
#include <string.h>

/* Prints its pid as `pid N`, and sleeps. */
#define NAPPER "echo \"pid $$\"; exec sleep 300"
#define STUBBORN "trap : TERM; trap \"\" HUP; echo \"pid $$\"; while :; do sleep 1; done"

/* Each prints at least `pids` such lines before it is killed. */
static const struct {
    const char *what;
    const char *command;
    int pids;
    int64_t limit_ms; /* 0: one that it begins in */
} rows[] = {
    {"sleeps", NAPPER, 1, 0},
    {"ignores TERM", "trap '' TERM; echo \"pid $$\"; while :; do sleep 1; done", 1, 0},
    {"forks twice", "echo \"pid $$\"; (sh -c '" NAPPER "' &) & sleep 300", 2, 0},
    {"has a child in a session of its own",
     "echo \"pid $$\"; setsid sh -c '" NAPPER "' & sleep 300", 2, 0},
    {"has a child in a session of its own without our streams",
     "echo \"pid $$\"; setsid sh -c 'echo \"pid $$\"; exec sleep 300 </dev/null "
     ">/dev/null 2>&1' & sleep 300",
     2, 0},
    {"has left a child without our streams behind",
     "setsid sh -c 'echo \"pid $$\"; exec sleep 300 </dev/null >/dev/null 2>&1' & "
     "echo \"pid $$\"; exec sleep 300",
     2, 0},
    {"has a stopped child",
     "echo \"pid $$\"; sh -c 'echo \"pid $$\"; kill -STOP $$; sleep 300' & sleep 300", 2,
     0},
    {"has stopped itself", "echo \"pid $$\"; kill -STOP $$; sleep 300", 1, 0},
    {"floods both streams",
     "echo \"pid $$\"; sh -c 'echo \"pid $$\"; exec yes' & yes >&2", 2, 0},
    {"has children that ignore TERM",
     "for i in 1 2 3 4; do sh -c '" STUBBORN "' & done; echo \"pid $$\"; wait", 5, 0},
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

START_TEST(all_of_a_command_is_dead_at_its_limit)
{
    int row = _i % ROWS;
    sbx_session *session = place_open(_i / ROWS);
    sbx_exec_opts opts =
        SBX_OPTS(sbx_exec_opts, .timeout_ms = rows[row].limit_ms, .kill_after_ms = 300,
                 .grace_ms = 20000, .output_limit = 4096, .flags = SBX_EXEC_NO_SPOOL);
    int64_t start = now_ms();
    sbx_exec_result *result =
        ask_to_limit(session, rows[row].command, &opts, "pid ", rows[row].pids);

    expect_stopped(result, SBX_EXEC_TIMED_OUT, rows[row].what);
    ck_assert_int_eq(sbx_exec_status(result), 124);
    ck_assert_int_ge(now_ms() - start, opts.timeout_ms);
    ck_assert_int_ge(count_dead(result->output, rows[row].what), rows[row].pids);
    ck_assert_int_eq(result->holds_output, 0);
    sbx_exec_result_free(result);
    expect_says(session, "printf on", NULL, "on");
    sbx_session_free(session);
}
END_TEST

void unit_add(TCase *tests)
{
    places_serve(tests, LOCAL, TINYSSHD);
    tcase_add_loop_test(tests, all_of_a_command_is_dead_at_its_limit, LOCAL * ROWS,
                        TINYSSHD * ROWS);
}
