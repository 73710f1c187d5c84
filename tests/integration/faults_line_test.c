/* faults_line_test.c - a line that is cut, frozen or dead, and what a call says then. */
#include "support/ask.h"
#include "support/bed.h"

#include <sandbox/exec.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void make(void)
{
    bed_make(NULL);
}

static const char *command_that_shows(const char *file)
{
    static char command[512];

    (void)snprintf(command, sizeof(command), "echo here; echo $$ >%s; exec sleep 1000",
                   file);
    return command;
}

START_TEST(a_server_that_does_not_accept_costs_the_connect_time_out)
{
    sbx_session *session = NULL;
    sbx_error err = {0};
    int64_t begin;

    bed_line();
    ck_assert_int_eq(kill(bed.sshd, SIGSTOP), 0);
    begin = now_ms();
    ck_assert_int_eq(bed_try(1000, 0, &session, &err), SBX_ERR_TIMEOUT);
    ck_assert_int_lt(now_ms() - begin, 1000 + BED_SLACK_MS);
    ck_assert_int_eq(kill(bed.sshd, SIGCONT), 0);
    ck_assert_int_eq(err.executed, SBX_EXECUTED_NO);
    ck_assert_str_ne(err.fix, "");
    session = bed_open(20000, 0);
    bed_works(session);
    sbx_session_free(session);
}
END_TEST

static void freeze_idle(uint64_t flags)
{
    sbx_exec_result *result;
    sbx_session *session;
    int64_t begin;
    pid_t far;

    bed_line();
    session = bed_open(5000, 0);
    bed_works(session);
    far = bed_connection_pid();
    ck_assert_int_eq(kill(far, SIGSTOP), 0);
    begin = now_ms();
    result = bed_run(session, "true", 1000, flags);
    ck_assert_int_lt(now_ms() - begin, 1000 + BED_KILL_MS + BED_GRACE_MS + BED_SLACK_MS);
    ck_assert_int_eq(result->end, SBX_EXEC_TIMED_OUT);
    ck_assert(!result->confirmed_dead);
    sbx_exec_result_free(result);
    ck_assert_int_eq(kill(far, SIGCONT), 0);
    bed_works(session);
    sbx_session_free(session);
}

START_TEST(a_server_that_froze_while_idle_costs_the_time_out)
{
    freeze_idle(0);
}
END_TEST

START_TEST(and_with_a_terminal_too)
{
    freeze_idle(SBX_EXEC_PTY);
}
END_TEST

START_TEST(without_a_time_out_a_start_that_is_not_answered_ends_as_lost)
{
    sbx_exec_result *result;
    sbx_session *session;
    int64_t begin;
    pid_t far;

    bed_line();
    session = bed_open(2000, 0);
    bed_works(session);
    far = bed_connection_pid();
    ck_assert_int_eq(kill(far, SIGSTOP), 0);
    begin = now_ms();
    result = bed_run(session, "true", 0, 0);
    ck_assert_int_lt(now_ms() - begin, 2000 + BED_SLACK_MS);
    ck_assert_int_eq(result->end, SBX_EXEC_LOST);
    ck_assert_int_eq(result->error.executed, SBX_EXECUTED_UNKNOWN);
    sbx_exec_result_free(result);
    ck_assert_int_eq(kill(far, SIGCONT), 0);
    bed_works(session);
    sbx_session_free(session);
}
END_TEST

/* A command that runs when its line goes; what is asked of the end is the caller's. */
struct running {
    const char *file; /* holds its pid */
    const char *order;
    pid_t freeze; /* or this is stopped */
};

static int has_a_number(const void *file)
{
    return bed_read_number(file) > 0;
}

static int break_when_it_prints(int stream, const void *data, size_t length,
                                void *userdata)
{
    struct running *running = userdata;

    (void)stream;
    (void)data;
    (void)length;
    ck_assert(bed_wait(10000, has_a_number, running->file));
    if (running->order != NULL)
        bed_say(running->order);
    if (running->freeze > 0)
        ck_assert_int_eq(kill(running->freeze, SIGSTOP), 0);
    return 0;
}

static sbx_exec_result *run_and_break(sbx_session *session, struct running *running,
                                      int64_t timeout_ms, uint64_t flags)
{
    sbx_exec_result *result = NULL;
    sbx_error err = {0};
    int rc;

    (void)unlink(running->file);
    rc = sbx_exec_shell(session, command_that_shows(running->file),
                        &SBX_OPTS(sbx_exec_opts, .timeout_ms = timeout_ms,
                                  .kill_after_ms = BED_KILL_MS, .grace_ms = BED_GRACE_MS,
                                  .flags = flags, .on_output = break_when_it_prints,
                                  .userdata = running),
                        &result, &err);
    ck_assert_msg(rc == SBX_OK, "%s", err.text);
    return result;
}

static void assert_lost_while_running(const sbx_exec_result *result)
{
    ck_assert_msg(result->end == SBX_EXEC_LOST, "%s", sbx_exec_end_name(result->end));
    ck_assert_int_eq(result->error.executed, SBX_EXECUTED_YES);
    ck_assert_int_eq(result->error.code, SBX_ERR_DISCONNECTED);
    ck_assert_str_ne(result->error.text, "");
    ck_assert_int_eq(strncmp(result->output, "here", 4), 0);
}

static void cut_while_running(uint64_t flags)
{
    struct running running = {.file = bed_path("pid"), .order = "cut"};
    sbx_exec_result *result;
    sbx_session *session;

    bed_line();
    session = bed_open(5000, 0);
    result = run_and_break(session, &running, 60000, flags);
    assert_lost_while_running(result);
    ck_assert_int_lt(result->duration_ms, BED_SLACK_MS);
    sbx_exec_result_free(result);
    ck_assert_msg(bed_wait(5000, bed_is_gone, running.file), "it still runs");
    bed_works(session);
    ck_assert_int_eq(bed_connections(), 2);
    sbx_session_free(session);
}

START_TEST(a_line_cut_while_a_command_runs_is_told_as_lost)
{
    cut_while_running(0);
}
END_TEST

START_TEST(a_line_cut_under_a_terminal_is_told_as_lost)
{
    cut_while_running(SBX_EXEC_PTY);
}
END_TEST

START_TEST(a_line_cut_while_idle_is_opened_anew_for_the_next_call)
{
    sbx_session *session;
    int i;

    bed_line();
    session = bed_open(5000, 0);
    bed_works(session);
    for (i = 0; i < 10; i++) {
        bed_say("cut");
        bed_works(session);
    }
    ck_assert_int_eq(bed_connections(), 11);
    sbx_session_free(session);
}
END_TEST

START_TEST(a_black_hole_is_found_by_keepalive)
{
    struct running running = {.file = bed_path("pid"), .order = "blackhole"};
    sbx_exec_result *result;
    sbx_session *session;

    bed_line();
    session = bed_open(5000, 1000);
    result = run_and_break(session, &running, 0, 0);
    assert_lost_while_running(result);
    ck_assert_int_ge(result->duration_ms, 1000);
    ck_assert_int_lt(result->duration_ms, 2500 + BED_SLACK_MS);
    sbx_exec_result_free(result);
    bed_say("heal");
    bed_works(session);
    ck_assert_msg(bed_wait(5000, bed_is_gone, running.file), "it still runs");
    sbx_session_free(session);
}
END_TEST

START_TEST(a_time_out_in_a_black_hole_is_not_confirmed)
{
    struct running running = {.file = bed_path("pid"), .order = "blackhole"};
    sbx_exec_result *result;
    sbx_session *session;

    bed_line();
    session = bed_open(5000, 0);
    result = run_and_break(session, &running, 1000, 0);
    ck_assert_int_eq(result->end, SBX_EXEC_TIMED_OUT);
    ck_assert(!result->confirmed_dead);
    ck_assert_int_eq((int)result->survivor_count, 0);
    ck_assert_int_lt(result->duration_ms,
                     1000 + BED_KILL_MS + BED_GRACE_MS + BED_SLACK_MS);
    ck_assert_str_eq(result->output, "here\n");
    sbx_exec_result_free(result);
    /* The watchdog over there has a clock of its own: 1 s + kill + grace, and rounds up.
     */
    ck_assert_msg(bed_wait(8000, bed_is_gone, running.file), "it still runs");
    bed_say("heal");
    bed_works(session);
    sbx_session_free(session);
}
END_TEST

static void freeze_while_running(uint64_t flags)
{
    struct running running = {.file = bed_path("pid")};
    sbx_exec_result *result;
    sbx_session *session;

    bed_line();
    session = bed_open(5000, 1000);
    running.freeze = bed_connection_pid();
    result = run_and_break(session, &running, 60000, flags);
    assert_lost_while_running(result);
    ck_assert_int_lt(result->duration_ms, 2500 + BED_SLACK_MS);
    sbx_exec_result_free(result);
    bed_works(session);
    ck_assert_int_eq(kill(running.freeze, SIGCONT), 0);
    ck_assert_msg(bed_wait(5000, bed_is_gone, running.file), "it still runs");
    sbx_session_free(session);
}

START_TEST(a_server_frozen_while_a_command_runs_is_lost)
{
    freeze_while_running(0);
}
END_TEST

START_TEST(a_server_frozen_under_a_terminal_is_lost)
{
    freeze_while_running(SBX_EXEC_PTY);
}
END_TEST

START_TEST(a_check_of_a_frozen_line_ends_in_time)
{
    sbx_session *session;
    sbx_error err = {0};
    int64_t begin;

    bed_line();
    session = bed_open(5000, 0);
    ck_assert_int_eq(sbx_session_check(session, 5000, &err), SBX_OK);
    bed_say("blackhole");
    begin = now_ms();
    ck_assert_int_eq(sbx_session_check(session, 500, &err), SBX_ERR_TIMEOUT);
    ck_assert_int_lt(now_ms() - begin, 500 + BED_SLACK_MS);
    bed_say("heal");
    ck_assert_int_eq(sbx_session_check(session, 5000, &err), SBX_OK);
    bed_say("cut");
    ck_assert_int_eq(sbx_session_check(session, 5000, &err), SBX_ERR_DISCONNECTED);
    ck_assert_int_eq(sbx_session_check(session, 5000, &err), SBX_ERR_DISCONNECTED);
    sbx_session_free(session);
}
END_TEST

START_TEST(a_session_on_a_frozen_line_is_freed_in_time)
{
    sbx_session *session;
    int64_t begin;

    bed_line();
    session = bed_open(5000, 0);
    bed_works(session);
    bed_say("blackhole");
    begin = now_ms();
    sbx_session_free(session);
    ck_assert_int_lt(now_ms() - begin, 1000 + BED_SLACK_MS);
}
END_TEST

START_TEST(a_line_cut_half_way_through_the_input_is_lost)
{
    enum { LENGTH = 50 << 20 };
    char *input = malloc(LENGTH);
    sbx_exec_result *result = NULL;
    sbx_session *session;
    sbx_error err = {0};
    char command[256];
    int rc;

    ck_assert_ptr_nonnull(input);
    memset(input, 'x', LENGTH);
    bed_line();
    session = bed_open(5000, 0);
    bed_say("after up 25000000 cut");
    (void)snprintf(command, sizeof(command), "echo here; cat >%s", bed_path("input"));
    rc = sbx_exec_shell(session, command,
                        &SBX_OPTS(sbx_exec_opts, .timeout_ms = 60000, .input = input,
                                  .input_length = LENGTH),
                        &result, &err);
    ck_assert_msg(rc == SBX_OK, "%s", err.text);
    assert_lost_while_running(result);
    sbx_exec_result_free(result);
    bed_works(session);
    sbx_session_free(session);
    free(input);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_unchecked_fixture(tests, make, bed_unmake);
    tcase_add_test(tests, a_server_that_does_not_accept_costs_the_connect_time_out);
    tcase_add_test(tests, a_server_that_froze_while_idle_costs_the_time_out);
    tcase_add_test(tests, and_with_a_terminal_too);
    tcase_add_test(tests, without_a_time_out_a_start_that_is_not_answered_ends_as_lost);
    tcase_add_test(tests, a_line_cut_while_a_command_runs_is_told_as_lost);
    tcase_add_test(tests, a_line_cut_under_a_terminal_is_told_as_lost);
    tcase_add_test(tests, a_line_cut_while_idle_is_opened_anew_for_the_next_call);
    tcase_add_test(tests, a_black_hole_is_found_by_keepalive);
    tcase_add_test(tests, a_time_out_in_a_black_hole_is_not_confirmed);
    tcase_add_test(tests, a_server_frozen_while_a_command_runs_is_lost);
    tcase_add_test(tests, a_server_frozen_under_a_terminal_is_lost);
    tcase_add_test(tests, a_check_of_a_frozen_line_ends_in_time);
    tcase_add_test(tests, a_session_on_a_frozen_line_is_freed_in_time);
    tcase_add_test(tests, a_line_cut_half_way_through_the_input_is_lost);
}
