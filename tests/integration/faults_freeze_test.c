/*
 * faults_freeze_test.c - a line that freezes behind any byte, from the connection to
 * the command's end: the call ends in time, and what it says is true.
 */
#include "support/ask.h"
#include "support/bed.h"

#include <sandbox/exec.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEP = 150, STEPS = 18, RUN_MS = 600 };

static void make(void)
{
    bed_make(NULL);
}

/* What a call that met a frozen line may say, and what must be true then. */
static void assert_truth(int rc, const sbx_exec_result *result, const sbx_error *err,
                         const char *file)
{
    if (rc != SBX_OK) {
        ck_assert_int_eq(err->executed, SBX_EXECUTED_NO);
        ck_assert_str_ne(err->text, "");
        return;
    }
    switch (result->end) {
    case SBX_EXEC_EXITED:
        ck_assert_msg(bed_exists(file), "exited, and never ran");
        break;
    case SBX_EXEC_TIMED_OUT:
        ck_assert_msg(!result->confirmed_dead, "nobody can have confirmed that");
        break;
    case SBX_EXEC_LOST:
        ck_assert_int_ne(result->error.executed, SBX_EXECUTED_NO);
        ck_assert_str_ne(result->error.text, "");
        break;
    default:
        ck_abort_msg("an end that was not asked for: %s", sbx_exec_end_name(result->end));
    }
}

/* Opens and runs through a line that freezes; healed, the same session works. */
static void freeze_at(long bytes, uint64_t flags)
{
    const char *file = bed_path("ran");
    sbx_exec_result *result = NULL;
    sbx_session *session = NULL;
    sbx_error err = {0};
    int64_t begin, took;
    char order[64], command[256];
    int rc, never;

    (void)unlink(file);
    (void)snprintf(command, sizeof(command), "echo ran >>%s", file);
    bed_line();
    (void)snprintf(order, sizeof(order), "after down %ld blackhole", bytes);
    bed_say(order);
    begin = now_ms();
    rc = bed_try(RUN_MS, 0, &session, &err);
    if (rc == SBX_OK)
        rc = sbx_exec_shell(session, command,
                            &SBX_OPTS(sbx_exec_opts, .timeout_ms = RUN_MS,
                                      .kill_after_ms = BED_KILL_MS,
                                      .grace_ms = BED_GRACE_MS, .flags = flags),
                            &result, &err);
    took = now_ms() - begin;
    ck_assert_msg(took < 2 * RUN_MS + BED_KILL_MS + BED_GRACE_MS + BED_SLACK_MS,
                  "took %lld ms", (long long)took);
    assert_truth(rc, result, &err, file);
    never = rc != SBX_OK;
    sbx_exec_result_free(result);

    bed_say("heal");
    if (session == NULL)
        session = bed_open(20000, 0);
    bed_works(session);
    ck_assert_msg(!never || !bed_exists(file), "it ran after all");
    sbx_session_free(session);
}

START_TEST(wherever_the_line_freezes_a_call_ends_in_time_and_tells_the_truth)
{
    freeze_at((long)_i * STEP, 0);
}
END_TEST

START_TEST(so_it_does_with_a_terminal)
{
    freeze_at(1900 + (long)_i * STEP, SBX_EXEC_PTY);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_unchecked_fixture(tests, make, bed_unmake);
    tcase_add_loop_test(tests,
                        wherever_the_line_freezes_a_call_ends_in_time_and_tells_the_truth,
                        0, STEPS);
    tcase_add_loop_test(tests, so_it_does_with_a_terminal, 0, 6);
}
