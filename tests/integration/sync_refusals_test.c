/* sync_refusals_test.c - tests of what a sync is asked for, and what it takes. */
#include "support/unit.h"

#include <sandbox/sync.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char folder[64];
static sbx_session *session;

static void open_session(void)
{
    const sbx_hosts_opts opts = {.size = sizeof(opts), .ssh_config = "none"};
    sbx_hosts *hosts = NULL;

    (void)snprintf(folder, sizeof(folder), "/tmp/sbx-sync-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(setenv("XDG_STATE_HOME", folder, 1), 0);
    ck_assert_int_eq(sbx_hosts_parse("[]", 2, &opts, &hosts, NULL), SBX_OK);
    ck_assert_int_eq(sbx_session_open(hosts, "local", NULL, &session, NULL), SBX_OK);
    sbx_hosts_free(hosts);
}

static void close_session(void)
{
    char command[96];

    sbx_session_free(session);
    (void)snprintf(command, sizeof(command), "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

START_TEST(what_makes_no_sense_is_refused_before_anything_is_looked_at)
{
    static const sbx_sync_opts rows[] = {
        {.flags = 1 << 20},
        {.flags = SBX_SYNC_FORCE},
        {.plan = "0123"},
    };
    sbx_sync_plan *plan = NULL;
    sbx_error err = {0};
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        sbx_sync_opts opts = rows[i];

        opts.size = sizeof(opts);
        ck_assert_int_eq(
            sbx_sync_plan_new(session, SBX_SYNC_PUSH, folder, folder, &opts, &plan, &err),
            SBX_ERR_INVALID);
        ck_assert_str_ne(err.text, "");
    }
    ck_assert_ptr_null(plan);
}
END_TEST

START_TEST(two_roots_a_session_and_a_direction_are_needed)
{
    static char long_path[8192];
    sbx_sync_plan *plan = NULL;
    sbx_error err = {0};
    const struct {
        sbx_session *session;
        int direction;
        const char *local, *remote;
    } rows[] = {
        {NULL, SBX_SYNC_PUSH, folder, folder},
        {session, 0, folder, folder},
        {session, 3, folder, folder},
        {session, SBX_SYNC_PUSH, NULL, folder},
        {session, SBX_SYNC_PUSH, folder, NULL},
        {session, SBX_SYNC_PUSH, long_path, folder},
        {session, SBX_SYNC_PULL, folder, long_path},
    };
    size_t i;

    memset(long_path, 'a', sizeof(long_path) - 1);
    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        ck_assert_int_eq(sbx_sync_plan_new(rows[i].session, rows[i].direction,
                                           rows[i].local, rows[i].remote, NULL, &plan,
                                           &err),
                         SBX_ERR_INVALID);
    ck_assert_ptr_null(plan);
}
END_TEST

START_TEST(a_plan_is_carried_out_once)
{
    char here[96], there[96], command[256];
    sbx_sync_report *report = NULL;
    sbx_sync_plan *plan = NULL;

    (void)snprintf(here, sizeof(here), "%s/here", folder);
    (void)snprintf(there, sizeof(there), "%s/there", folder);
    (void)snprintf(command, sizeof(command), "mkdir %s && echo x >%s/x", here, here);
    ck_assert_int_eq(system(command), 0);
    ck_assert_int_eq(
        sbx_sync_plan_new(session, SBX_SYNC_PUSH, here, there, NULL, &plan, NULL),
        SBX_OK);
    ck_assert_int_eq(sbx_sync_apply(plan, &report, NULL), SBX_OK);
    ck_assert_uint_eq(report->sent_files, 1);
    sbx_sync_report_free(report);
    report = NULL;
    ck_assert_int_eq(sbx_sync_apply(plan, &report, NULL), SBX_ERR_INVALID);
    ck_assert_int_eq(sbx_sync_apply(NULL, &report, NULL), SBX_ERR_INVALID);
    ck_assert_ptr_null(report);
    sbx_sync_plan_free(plan);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_checked_fixture(tests, open_session, close_session);
    tcase_add_test(tests, what_makes_no_sense_is_refused_before_anything_is_looked_at);
    tcase_add_test(tests, two_roots_a_session_and_a_direction_are_needed);
    tcase_add_test(tests, a_plan_is_carried_out_once);
}
