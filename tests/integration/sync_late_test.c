/*
 * sync_late_test.c - a plan that is carried out some time after it was made does what it
 * told of, or nothing: where a side has moved on since, it is refused.
 */
#include "support/ask.h"
#include "support/places.h"

#include <sandbox/sync.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHOW "find . | sort; find . -type f -exec cksum {} + | sort; ls -lR"

static const int directions[] = {SBX_SYNC_PUSH, SBX_SYNC_PULL};
static sbx_session *session, *here;
static sbx_error err;
static char work[64], far[64];

/* In the tree of that side; it prints nothing. */
static void do_near(const char *command)
{
    expect_says(here, command, &SBX_OPTS(sbx_exec_opts, .cwd = "near"), "");
}

static void do_far(const char *command)
{
    expect_says(session, command, &SBX_OPTS(sbx_exec_opts, .cwd = far), "");
}

/* Two trees of which each has what the other has not, and one file that differs. */
static void fill(void)
{
    do_near("rm -rf ./*; mkdir sub; echo 1 >one; echo near >both; echo 2 >sub/two; "
            "ln -s nowhere link");
    do_far("rm -rf ./*; mkdir sub; echo far side >both; echo 3 >sub/three; echo 4 >one; "
           "ln -s somewhere link; echo 5 >five");
}

static void begin(int place)
{
    char command[128];

    (void)snprintf(work, sizeof(work), "/tmp/sbxt.late.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(work));
    ck_assert_int_eq(setenv("XDG_STATE_HOME", work, 1) | chdir(work), 0);
    (void)snprintf(far, sizeof(far), "sbxt.late.%d", (int)getpid());
    here = place_open(LOCAL);
    session = place_open(place);
    (void)snprintf(command, sizeof(command), "mkdir %s", far);
    expect_says(session, command, NULL, "");
    expect_says(here, "mkdir near", NULL, "");
    fill();
}

static void end(void)
{
    char command[128];

    (void)snprintf(command, sizeof(command), "rm -r %s", far);
    expect_says(session, command, NULL, "");
    expect_says(here, "rm -r \"$PWD\"", NULL, "");
    sbx_session_free(session);
    sbx_session_free(here);
}

static char *show(sbx_session *of, const char *folder)
{
    sbx_exec_result *result = ask(of, SHOW, &SBX_OPTS(sbx_exec_opts, .cwd = folder));
    char *text = strdup(result->output);

    expect_exit(result, 0);
    sbx_exec_result_free(result);
    return text;
}

static sbx_sync_plan *plan_new(int direction)
{
    sbx_sync_plan *plan = NULL;
    int rc = sbx_sync_plan_new(session, direction, "near", far,
                               &SBX_OPTS(sbx_sync_opts, .flags = SBX_SYNC_DELETE), &plan,
                               &err);

    ck_assert_msg(rc == SBX_OK, "%s", err.text);
    return plan;
}

static void expect_refused(sbx_sync_plan *plan, const char *after)
{
    char *near_before = show(here, "near"), *far_before = show(session, far);
    sbx_sync_report *report = NULL;
    int rc = sbx_sync_apply(plan, &report, &err);
    char *near_after = show(here, "near"), *far_after = show(session, far);

    ck_assert_msg(rc == SBX_ERR_CONFLICT, "after '%s': %s", after, sbx_code_name(rc));
    ck_assert_int_eq(err.executed, SBX_EXECUTED_NO);
    ck_assert_msg(strstr(err.text, "the plan is no longer what it was") != NULL, "%s",
                  err.text);
    ck_assert_str_eq(near_after, near_before);
    ck_assert_str_eq(far_after, far_before);
    free(near_before);
    free(far_before);
    free(near_after);
    free(far_after);
}

static void apply(sbx_sync_plan *plan)
{
    sbx_sync_report *report = NULL;
    int rc = sbx_sync_apply(plan, &report, &err);

    ck_assert_msg(rc == SBX_OK, "%s", err.text);
    ck_assert_str_eq(report->token, sbx_sync_plan_summary(plan)->token);
    ck_assert_uint_eq(report->failed, 0);
    ck_assert_uint_eq(report->deleted, sbx_sync_plan_summary(plan)->delete_count);
    sbx_sync_report_free(report);
}

static const char *const changes[] = {
    "echo other >both",
    "touch -m -t 200101010101.01 both",
    "chmod 600 both",
    "rm both; mkdir both",
    "echo new >more",
    "mkdir sub/more",
    "rm one",
    "rm -r sub",
    "rm link; ln -s elsewhere link",
    "rm link; echo 1 >link",
};

/* Each on one side, and a plan of one direction: in turn. */
START_TEST(a_plan_is_refused_once_a_side_has_moved_on)
{
    size_t i;

    begin(_i);
    for (i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
        sbx_sync_plan *plan = plan_new(directions[i / 2 % 2]);

        ((i + (size_t)_i) % 2 == 0 ? do_near : do_far)(changes[i]);
        expect_refused(plan, changes[i]);
        sbx_sync_plan_free(plan);
        fill();
    }
    end();
}
END_TEST

START_TEST(a_plan_is_carried_out_while_both_sides_are_what_they_were)
{
    size_t d;

    begin(_i);
    for (d = 0; d < 2; d++) {
        sbx_sync_plan *plan = plan_new(directions[d]);

        apply(plan);
        sbx_sync_plan_free(plan);
        do_near("[ -f one ] && [ -h link ] && [ -d sub ]");
        do_far("[ -f one ] && [ -h link ] && [ -d sub ]");
        do_near(d == 0 ? "[ -f sub/two ] && [ ! -e five ]"
                       : "[ -f sub/three ] && [ -f five ]");
        do_far(d == 0 ? "[ -f sub/two ] && [ ! -e five ]"
                      : "[ -f sub/three ] && [ -f five ]");
        fill();
    }
    end();
}
END_TEST

START_TEST(what_a_plan_tells_of_does_not_change_when_it_is_carried_out)
{
    size_t d, i, count;

    for (d = 0; d < 2; d++) {
        sbx_sync_plan *plan;
        char *before, *after;

        begin(_i);
        plan = plan_new(directions[d]);
        before = sbx_sync_plan_json(plan);
        count = sbx_sync_plan_count(plan);
        apply(plan);
        after = sbx_sync_plan_json(plan);
        ck_assert_str_eq(after, before);
        for (i = 0; i < count; i++) {
            sbx_sync_item item = {.size = sizeof(item)};

            ck_assert(sbx_sync_plan_item(plan, i, &item));
        }
        free(before);
        free(after);
        sbx_sync_plan_free(plan);
        end();
    }
}
END_TEST

void unit_add(TCase *tests)
{
    static const int places[] = {LOCAL, BASH, CHROOT};
    size_t i;

    places_serve(tests, LOCAL, CHROOT + 1);
    for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        int place = places[i];

        tcase_add_loop_test(tests, a_plan_is_refused_once_a_side_has_moved_on, place,
                            place + 1);
        tcase_add_loop_test(tests,
                            a_plan_is_carried_out_while_both_sides_are_what_they_were,
                            place, place + 1);
        tcase_add_loop_test(tests,
                            what_a_plan_tells_of_does_not_change_when_it_is_carried_out,
                            place, place + 1);
    }
}
