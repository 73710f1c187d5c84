/* scarce_sync.c - trees that are made alike while something is scarce. */
#include "support/scarce_calls.h"
#include "support/unit.h"

#include <sandbox/sync.h>

#include <stdio.h>

/*
 * A report with nothing failed is of trees that are alike, but for what stays behind.
 * What lies aside in .sbx-sync is the next one's to take away.
 */
static int alike(const sbx_sync_report *report, const char *but, sbx_error *err)
{
    if (report->failed > 0 || report->skipped > 0)
        return SBX_OK;
    return scarce_calls_right(
        scarce_holds("diff -r --no-dereference -x .sbx-sync -x '%s' %s %s", but,
                     scarce_bed.here, scarce_bed.there),
        "trees that are not alike", err);
}

static int push(sbx_error *err)
{
    const sbx_sync_opts opts = {.size = sizeof(opts), .flags = SBX_SYNC_GIT};
    sbx_sync_report *report = NULL;
    int rc = sbx_sync_push(scarce_bed.session, scarce_bed.here, scarce_bed.there, &opts,
                           &report, err);

    if (rc == SBX_OK)
        rc = alike(report, "*.o", err);
    sbx_sync_report_free(report);
    return rc;
}

static int pull(sbx_error *err)
{
    sbx_sync_report *report = NULL;
    int rc = sbx_sync_pull(scarce_bed.session, scarce_bed.here, scarce_bed.there, NULL,
                           &report, err);

    if (rc == SBX_OK)
        rc = alike(report, "*.none", err);
    sbx_sync_report_free(report);
    return rc;
}

/* There lies what was brought before, and is no longer like it. */
static void bring_before(void)
{
    sbx_sync_report *report = NULL;

    ck_assert_int_eq(sbx_sync_push(scarce_bed.session, scarce_bed.here, scarce_bed.there,
                                   NULL, &report, NULL),
                     SBX_OK);
    sbx_sync_report_free(report);
    scarce_must(
        "cd %s && echo longer >a && rm d/b && mkdir extra && : >extra/x && chmod 700 d",
        scarce_bed.there);
}

static const char *const rules[] = {"*.o", "!keep.o", NULL};
static const sbx_sync_opts anew = {.size = sizeof(anew),
                                   .flags = SBX_SYNC_DELETE | SBX_SYNC_FORCE |
                                            SBX_SYNC_CHECKSUM,
                                   .exclude = rules};

static int pull_anew(sbx_error *err)
{
    sbx_sync_report *report = NULL;
    int rc = sbx_sync_pull(scarce_bed.session, scarce_bed.here, scarce_bed.there, &anew,
                           &report, err);

    if (rc == SBX_OK)
        rc = alike(report, "*.o", err);
    sbx_sync_report_free(report);
    return rc;
}

static int carry_out_a_plan(sbx_error *err)
{
    sbx_sync_report *report = NULL;
    sbx_sync_plan *plan = NULL;
    sbx_sync_item item = {.size = sizeof(item)};
    int rc = sbx_sync_plan_new(scarce_bed.session, SBX_SYNC_PUSH, scarce_bed.here,
                               scarce_bed.there, &anew, &plan, err);
    size_t i;

    for (i = 0; rc == SBX_OK && sbx_sync_plan_item(plan, i, &item); i++)
        rc = scarce_calls_right(item.path != NULL, "an item without a path", err);
    if (rc == SBX_OK)
        rc = sbx_sync_apply(plan, &report, err);
    if (rc == SBX_OK)
        rc = alike(report, "*.o", err);
    sbx_sync_report_free(report);
    sbx_sync_plan_free(plan);
    return rc;
}

static int carry_a_file(sbx_error *err)
{
    sbx_sync_report *report = NULL, *back = NULL;
    char from[80], to[80];
    int rc;

    (void)snprintf(from, sizeof(from), "%s/d/b", scarce_bed.here);
    (void)snprintf(to, sizeof(to), "%s.back", scarce_bed.single);
    rc = sbx_sync_push(scarce_bed.session, from, scarce_bed.single, NULL, &report, err);
    if (rc == SBX_OK && report->failed == 0)
        rc = scarce_calls_right(scarce_holds("cmp -s %s %s", from, scarce_bed.single),
                                "another file", err);
    if (rc == SBX_OK && report->failed == 0)
        rc = sbx_sync_pull(scarce_bed.session, scarce_bed.single, to, NULL, &back, err);
    if (rc == SBX_OK && back != NULL && back->failed == 0)
        rc = scarce_calls_right(scarce_holds("cmp -s %s %s", from, to),
                                "another file came back", err);
    sbx_sync_report_free(report);
    sbx_sync_report_free(back);
    return rc;
}

const struct scarce_call scarce_sync_calls[] = {
    {"push", NULL, push},
    {"pull", NULL, pull},
    {"pull anew", bring_before, pull_anew},
    {"carry out a plan", bring_before, carry_out_a_plan},
    {"carry a file", NULL, carry_a_file},
};
const size_t scarce_sync_call_count =
    sizeof(scarce_sync_calls) / sizeof(scarce_sync_calls[0]);
