/* faults_limit_test.c - servers that allow one channel, or two: all runs run. */
#include "support/ask.h"
#include "support/bed.h"

#include <pthread.h>
#include <sandbox/exec.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNS 5

static void make_single(void)
{
    bed_make((const char *const[]){"MaxSessions 1", NULL});
}

static void assert_prints(sbx_session *session, const char *command, const char *output)
{
    expect_says(session, command, &SBX_OPTS(sbx_exec_opts, .timeout_ms = 60000), output);
}

static void assert_killed(sbx_session *session)
{
    char command[512];
    const char *file = bed_path("pid");
    sbx_exec_result *result;

    (void)snprintf(command, sizeof(command),
                   "echo $$ >%s; trap '' TERM; sleep 1000 & wait", file);
    result = ask(session, command, &SBX_OPTS(sbx_exec_opts, .timeout_ms = 1500));
    ck_assert_int_eq(result->end, SBX_EXEC_TIMED_OUT);
    ck_assert_msg(result->confirmed_dead, "not confirmed, %zu survivors",
                  result->survivor_count);
    ck_assert(bed_is_gone(file));
    sbx_exec_result_free(result);
}

START_TEST(one_channel_is_enough_for_runs_one_after_the_other)
{
    sbx_session *session = bed_open_straight();
    int i;

    for (i = 0; i < 20; i++)
        assert_prints(session, "echo one", "one\n");
    sbx_session_free(session);
}
END_TEST

START_TEST(a_kill_finds_its_way_where_one_channel_is_all)
{
    sbx_session *session = bed_open_straight();

    assert_killed(session);
    assert_prints(session, "echo after", "after\n");
    assert_killed(session);
    sbx_session_free(session);
}
END_TEST

struct runner {
    pthread_t thread;
    sbx_session *session;
    int number;
};

/* Each waits for the others over there, so that all of them run at once. */
static void *run_beside(void *userdata)
{
    struct runner *runner = userdata;
    char command[512], expected[32];
    const char *file = bed_path("beside");

    (void)snprintf(command, sizeof(command),
                   "echo >%s.%d; while [ $(ls %s.* | wc -l) -lt %d ]; do sleep 0.05; "
                   "done; echo %d",
                   file, runner->number, file, RUNS, runner->number);
    (void)snprintf(expected, sizeof(expected), "%d\n", runner->number);
    assert_prints(runner->session, command, expected);
    return NULL;
}

static void run_all_beside(void)
{
    sbx_session *session = bed_open_straight();
    struct runner runners[RUNS];
    int i;

    for (i = 0; i < RUNS; i++) {
        runners[i] = (struct runner){.session = session, .number = i};
        ck_assert_int_eq(
            pthread_create(&runners[i].thread, NULL, run_beside, &runners[i]), 0);
    }
    for (i = 0; i < RUNS; i++)
        (void)pthread_join(runners[i].thread, NULL);
    assert_prints(session, "echo after", "after\n");
    sbx_session_free(session);
}

START_TEST(more_runs_than_channels_open_more_connections)
{
    run_all_beside();
}
END_TEST

START_TEST(with_two_channels_a_server_bears_five_runs_at_once)
{
    bed_make((const char *const[]){"MaxSessions 2", NULL});
    run_all_beside();
    bed_unmake();
}
END_TEST

START_TEST(where_no_channel_is_allowed_the_error_says_so)
{
    sbx_exec_result *result = NULL;
    sbx_session *session;
    sbx_error err = {0};
    int64_t begin;

    bed_make((const char *const[]){"MaxSessions 0", NULL});
    session = bed_open_straight();
    begin = now_ms();
    ck_assert_int_eq(sbx_exec_shell(session, "true", NULL, &result, &err), SBX_ERR_LIMIT);
    ck_assert_int_lt(now_ms() - begin, 20000);
    ck_assert_int_eq(err.executed, SBX_EXECUTED_NO);
    ck_assert_str_ne(err.fix, "");
    sbx_session_free(session);
    bed_unmake();
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_unchecked_fixture(tests, make_single, bed_unmake);
    tcase_add_test(tests, one_channel_is_enough_for_runs_one_after_the_other);
    tcase_add_test(tests, a_kill_finds_its_way_where_one_channel_is_all);
    tcase_add_test(tests, more_runs_than_channels_open_more_connections);
    tcase_add_test(tests, with_two_channels_a_server_bears_five_runs_at_once);
    tcase_add_test(tests, where_no_channel_is_allowed_the_error_says_so);
}
