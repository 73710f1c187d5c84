/* outcome_test.c - what is known over there of a run whose answer did not come. */
#include "support/ask.h"
#include "support/bed.h"

#include <sandbox/exec.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void make(void)
{
    bed_make(NULL);
}

/* A run that says who it is, and what is done to it then. */
struct run {
    char id[33];
    char text[128]; /* what it has printed */
    const char *order;
    sbx_session *aside; /* asked while it runs, if there is one */
};

static sbx_outcome *outcome_of(sbx_session *session, const char *run_id)
{
    sbx_outcome *outcome = NULL;
    sbx_error err = {0};
    int rc = sbx_exec_outcome(session, run_id, NULL, &outcome, &err);

    ck_assert_msg(rc == SBX_OK, "%s", err.text);
    ck_assert_str_eq(outcome->run_id, run_id);
    ck_assert_str_eq(outcome->place, sbx_session_place(session));
    return outcome;
}

/* What is done to a run that was lost takes its time. */
static sbx_outcome *outcome_until(sbx_session *session, const char *run_id, int state)
{
    int64_t deadline = now_ms() + 10000;
    sbx_outcome *outcome = outcome_of(session, run_id);

    while (outcome->state != state && now_ms() < deadline) {
        sbx_outcome_free(outcome);
        (void)usleep(100000);
        outcome = outcome_of(session, run_id);
    }
    ck_assert_msg(outcome->state == state, "%s", sbx_outcome_state_name(outcome->state));
    return outcome;
}

static void look_aside(const struct run *run)
{
    sbx_outcome *outcome = outcome_of(run->aside, run->id);

    ck_assert_str_eq(sbx_outcome_state_name(outcome->state), "running");
    ck_assert_int_gt(outcome->pid, 1);
    ck_assert_int_gt(outcome->started, outcome->asked - 60);
    ck_assert_int_le(outcome->started, outcome->asked + 1);
    ck_assert_uint_eq(outcome->survivor_count, 0);
    sbx_outcome_free(outcome);
}

static int when_it_prints(int stream, const void *data, size_t length, void *userdata)
{
    struct run *run = userdata;
    size_t used = strlen(run->text);

    if (stream != SBX_EXEC_STDOUT || used + length >= sizeof(run->text))
        return 0;
    memcpy(run->text + used, data, length);
    if (strchr(run->text, '\n') == NULL || run->id[0] != '\0')
        return 0;
    memcpy(run->id, run->text, 32);
    if (run->aside != NULL)
        look_aside(run);
    if (run->order != NULL)
        bed_say(run->order);
    return 0;
}

static sbx_exec_result *go(sbx_session *session, const char *command, struct run *run,
                           int64_t timeout_ms, uint64_t flags)
{
    sbx_exec_result *result = NULL;
    sbx_error err = {0};
    char text[256];
    int rc;

    (void)snprintf(text, sizeof(text), "echo $SBX_RUN; %s", command);
    rc = sbx_exec_shell(session, text,
                        &SBX_OPTS(sbx_exec_opts, .timeout_ms = timeout_ms,
                                  .kill_after_ms = BED_KILL_MS, .grace_ms = BED_GRACE_MS,
                                  .flags = flags, .on_output = when_it_prints,
                                  .userdata = run),
                        &result, &err);
    ck_assert_msg(rc == SBX_OK, "%s", err.text);
    return result;
}

static void lose_and_ask(int runs_before, uint64_t flags)
{
    sbx_session *aside = bed_open_straight();
    struct run run = {.order = "cut", .aside = aside};
    sbx_exec_result *result;
    sbx_outcome *outcome;
    sbx_session *session;

    bed_line();
    session = bed_open(5000, 0);
    while (runs_before-- > 0)
        bed_works(session);
    result = go(session, "sleep 1000 & wait", &run, 0, flags);
    ck_assert_int_eq(result->end, SBX_EXEC_LOST);
    ck_assert_str_eq(result->run_id, run.id);
    ck_assert_msg(strstr(result->error.fix, "sbx outcome ") != NULL &&
                      strstr(result->error.fix, run.id) != NULL,
                  "%s", result->error.fix);
    sbx_exec_result_free(result);
    outcome = outcome_until(aside, run.id, SBX_OUTCOME_KILLED);
    ck_assert_int_eq(outcome->cause, SBX_OUTCOME_GONE);
    ck_assert(outcome->confirmed_dead);
    ck_assert_uint_eq(outcome->survivor_count, 0);
    ck_assert_int_eq(outcome->signal, (flags & SBX_EXEC_KEEP_OUTCOME) != 0 ? SIGTERM : 0);
    sbx_outcome_free(outcome);
    sbx_session_free(session);
    sbx_session_free(aside);
}

START_TEST(a_run_whose_line_is_cut_was_killed_by_its_watchdog)
{
    lose_and_ask(0, 0);
}
END_TEST

START_TEST(or_by_the_warden_of_its_line)
{
    lose_and_ask(3, 0);
}
END_TEST

START_TEST(and_how_it_went_is_known_of_one_that_is_kept)
{
    lose_and_ask(0, SBX_EXEC_KEEP_OUTCOME);
}
END_TEST

START_TEST(as_it_is_with_a_warden)
{
    lose_and_ask(3, SBX_EXEC_KEEP_OUTCOME);
}
END_TEST

static void expect_outcome(sbx_session *session, const char *run_id, int state,
                           int exit_code, int signal)
{
    sbx_outcome *outcome = outcome_of(session, run_id);

    ck_assert_str_eq(sbx_outcome_state_name(outcome->state),
                     sbx_outcome_state_name(state));
    ck_assert_int_eq(outcome->exit_code, exit_code);
    ck_assert_int_eq(outcome->signal, signal);
    sbx_outcome_free(outcome);
}

START_TEST(how_a_kept_run_ends_is_told_exactly_here_and_there)
{
    static const struct {
        const char *command;
        int end;
        int code;
        const char *signal;
        int number;
    } rows[] = {
        {"true", SBX_EXEC_EXITED, 0, NULL, 0},
        {"exit 137", SBX_EXEC_EXITED, 137, NULL, 0},
        {"kill -KILL $$", SBX_EXEC_SIGNALED, -1, "KILL", SIGKILL},
        {"kill -TERM $$", SBX_EXEC_SIGNALED, -1, "TERM", SIGTERM},
        {"kill -INT $$; sleep 5", SBX_EXEC_SIGNALED, -1, "INT", SIGINT},
    };
    sbx_session *session = bed_open_straight();
    sbx_exec_result *result;
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct run run = {0};

        result = go(session, rows[i].command, &run, 20000, SBX_EXEC_KEEP_OUTCOME);
        ck_assert_msg(result->end == rows[i].end, "%s: %s", rows[i].command,
                      sbx_exec_end_name(result->end));
        ck_assert_int_eq(result->exit_code, rows[i].code);
        if (rows[i].signal != NULL)
            ck_assert_str_eq(result->signal_name, rows[i].signal);
        ck_assert_uint_eq(result->errors_total, 0);
        expect_outcome(session, run.id,
                       rows[i].signal != NULL ? SBX_OUTCOME_SIGNALED : SBX_OUTCOME_EXITED,
                       rows[i].code, rows[i].number);
        sbx_exec_result_free(result);
    }
    sbx_session_free(session);
}
END_TEST

START_TEST(a_kept_run_that_times_out_is_dead_with_its_keeper)
{
    sbx_session *session = bed_open_straight();
    struct run run = {0};
    sbx_exec_result *result = NULL;
    sbx_outcome *outcome;

    ck_assert_int_eq(
        sbx_exec_shell(
            session, "trap '' TERM; echo $SBX_RUN; setsid sleep 1000 & wait; sleep 1000",
            &SBX_OPTS(sbx_exec_opts, .timeout_ms = 1500, .kill_after_ms = BED_KILL_MS,
                      .grace_ms = 20000, .flags = SBX_EXEC_KEEP_OUTCOME,
                      .on_output = when_it_prints, .userdata = &run),
            &result, NULL),
        SBX_OK);
    expect_stopped(result, SBX_EXEC_TIMED_OUT, "a kept one");
    ck_assert_int_eq(processes_of_run(run.id), 0);
    outcome = outcome_until(session, run.id, SBX_OUTCOME_KILLED);
    ck_assert_int_eq(outcome->cause, SBX_OUTCOME_ASKED);
    ck_assert(outcome->confirmed_dead);
    sbx_outcome_free(outcome);
    sbx_exec_result_free(result);
    sbx_session_free(session);
}
END_TEST

START_TEST(what_the_far_clock_killed_was_killed_at_its_limit)
{
    sbx_session *aside = bed_open_straight();
    struct run run = {.order = "blackhole"};
    sbx_exec_result *result;
    sbx_outcome *outcome;
    sbx_session *session;

    bed_line();
    session = bed_open(5000, 0);
    result = go(session, "exec sleep 1000", &run, 1000, 0);
    ck_assert_int_eq(result->end, SBX_EXEC_TIMED_OUT);
    ck_assert(!result->confirmed_dead);
    outcome = outcome_until(aside, run.id, SBX_OUTCOME_KILLED);
    ck_assert_int_eq(outcome->cause, SBX_OUTCOME_LIMIT);
    ck_assert(outcome->confirmed_dead);
    sbx_outcome_free(outcome);
    bed_say("heal");
    sbx_exec_result_free(result);
    sbx_session_free(session);
    sbx_session_free(aside);
}
END_TEST

START_TEST(a_run_that_ended_well_leaves_nothing_over_there)
{
    sbx_session *session = bed_open_straight();
    struct run run = {0};

    sbx_exec_result_free(go(session, "true", &run, 20000, 0));
    expect_outcome(session, run.id, SBX_OUTCOME_NO_TRACE, -1, 0);
    expect_outcome(session, "0123456789abcdef0123456789abcdef", SBX_OUTCOME_NO_TRACE, -1,
                   0);
    sbx_session_free(session);
}
END_TEST

START_TEST(what_a_run_left_in_the_background_is_told)
{
    sbx_session *session = bed_open_straight();
    struct run run = {0};
    sbx_outcome *outcome;
    sbx_exec_result *result =
        go(session, "setsid sleep 1000 >/dev/null 2>&1 </dev/null & echo child $!", &run,
           20000, SBX_EXEC_KEEP_OUTCOME);
    pid_t child = pid_after(result->output, "child ");

    expect_exit(result, 0);
    outcome = outcome_of(session, run.id);
    ck_assert_str_eq(sbx_outcome_state_name(outcome->state), "exited");
    ck_assert_uint_eq(outcome->survivor_count, 1);
    ck_assert_int_eq(outcome->survivors[0], child);
    (void)kill(child, SIGKILL);
    sbx_outcome_free(outcome);
    sbx_exec_result_free(result);
    sbx_session_free(session);
}
END_TEST

START_TEST(what_is_no_run_is_refused)
{
    static const char *const ids[] = {"", "last", "../x",
                                      "0123456789ABCDEF0123456789ABCDEF"};
    sbx_session *session = bed_open_straight();
    sbx_outcome *outcome = NULL;
    sbx_error err = {0};
    size_t i;

    for (i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
        ck_assert_int_eq(sbx_exec_outcome(session, ids[i], NULL, &outcome, &err),
                         SBX_ERR_INVALID);
    ck_assert_int_eq(sbx_exec_outcome(NULL, ids[0], NULL, &outcome, &err),
                     SBX_ERR_INVALID);
    ck_assert_ptr_null(outcome);
    sbx_session_free(session);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_unchecked_fixture(tests, make, bed_unmake);
    tcase_set_timeout(tests, 60);
    tcase_add_test(tests, a_run_whose_line_is_cut_was_killed_by_its_watchdog);
    tcase_add_test(tests, or_by_the_warden_of_its_line);
    tcase_add_test(tests, and_how_it_went_is_known_of_one_that_is_kept);
    tcase_add_test(tests, as_it_is_with_a_warden);
    tcase_add_test(tests, how_a_kept_run_ends_is_told_exactly_here_and_there);
    tcase_add_test(tests, a_kept_run_that_times_out_is_dead_with_its_keeper);
    tcase_add_test(tests, what_the_far_clock_killed_was_killed_at_its_limit);
    tcase_add_test(tests, a_run_that_ended_well_leaves_nothing_over_there);
    tcase_add_test(tests, what_a_run_left_in_the_background_is_told);
    tcase_add_test(tests, what_is_no_run_is_refused);
}
