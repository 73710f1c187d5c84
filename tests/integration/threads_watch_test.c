/* threads_watch_test.c - a watchdog whose looks and deliveries run side by side, and
 * which others ask and end meanwhile. */
#include "support/unit.h"

#include <sandbox/job.h>
#include <sandbox/task.h>
#include <sandbox/watch.h>

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PLACES 6

static char folder[64];
static sbx_ledger *ledger;
static sbx_error err;

static void setup(void)
{
    char path[128];

    (void)snprintf(folder, sizeof(folder), "/tmp/sbxt.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    ck_assert_int_eq(setenv("XDG_STATE_HOME", folder, 1), 0);
    ck_assert_int_eq(setenv("HOME", folder, 1), 0);
    (void)snprintf(path, sizeof(path), "%s/ledger.db", folder);
    err = (sbx_error){0};
    ck_assert_msg(sbx_ledger_open(path, &ledger, &err) == SBX_OK, "%s", err.text);
}

static void teardown(void)
{
    char command[160];

    sbx_ledger_close(ledger);
    (void)snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

/* A job of this machine that ends by itself; its id is for free(). */
static char *start(const char *command)
{
    const sbx_hosts_opts files = {.size = sizeof(files), .ssh_config = "none"};
    const sbx_job_start_opts opts = {.size = sizeof(opts), .flags = SBX_JOB_NO_TERMINAL};
    sbx_session *session = NULL;
    sbx_hosts *hosts = NULL;
    sbx_job *job = NULL;
    char *id;

    ck_assert_int_eq(sbx_hosts_parse("[]", 2, &files, &hosts, &err), SBX_OK);
    ck_assert_int_eq(sbx_session_open(hosts, "local", NULL, &session, &err), SBX_OK);
    ck_assert_msg(sbx_job_start(session, command, &opts, &job, &err) == SBX_OK, "%s",
                  err.text);
    id = strdup(job->id);
    sbx_job_free(job);
    sbx_session_free(session);
    sbx_hosts_free(hosts);
    return id;
}

/* The same machine by as many lists of hosts: each is a place of its own to a watchdog.
 */
static void add_watches(const char *id)
{
    char list[128], events[128];
    int i;

    (void)snprintf(events, sizeof(events), "%s/events", folder);
    for (i = 0; i < PLACES; i++) {
        const char *const command[] = {"true", NULL};
        const sbx_watch_opts opts = {.size = sizeof(opts),
                                     .command = command,
                                     .folder = events,
                                     .ssh_config = "none",
                                     .list_file = list};
        FILE *file;

        (void)snprintf(list, sizeof(list), "%s/hosts%d.json", folder, i);
        file = fopen(list, "w");
        ck_assert_ptr_nonnull(file);
        ck_assert_int_ge(fputs("[]", file), 0);
        ck_assert_int_eq(fclose(file), 0);
        ck_assert_msg(sbx_watch_add(ledger, "local", id, &opts, NULL, &err) == SBX_OK,
                      "%s", err.text);
    }
}

static int run(sbx_cancel *cancel, void *userdata, sbx_error *error)
{
    const sbx_watch_run_opts opts = {.size = sizeof(opts),
                                     .flags = *(uint64_t *)userdata,
                                     .interval_ms = 200,
                                     .cancel = cancel};

    return sbx_watch_run(ledger, &opts, error);
}

static size_t count_events(void)
{
    const sbx_watch_event_query all = {.size = sizeof(all), .most = -1};
    sbx_watch_event_list *list = NULL;
    size_t count;

    ck_assert_int_eq(sbx_watch_events(ledger, &all, &list, &err), SBX_OK);
    count = list->count;
    sbx_watch_event_list_free(list);
    return count;
}

START_TEST(many_places_are_looked_at_side_by_side_and_each_end_is_told_once)
{
    uint64_t flags = SBX_WATCH_UNTIL_IDLE;
    sbx_watch_status status = {.size = sizeof(status)};
    sbx_task *task = NULL;
    char *id = start("exit 3");

    add_watches(id);
    ck_assert_int_eq(sbx_task_start(run, &flags, NULL, &task, &err), SBX_OK);
    while (!sbx_task_wait(task, 20)) {
        ck_assert_uint_le(count_events(), 2 * PLACES);
        ck_assert_int_eq(sbx_watch_status_read(ledger, &status, &err), SBX_OK);
    }
    ck_assert_msg(sbx_task_result(task, &err) == SBX_OK, "%s", err.text);
    sbx_task_free(task);
    ck_assert_uint_eq(count_events(), 2 * PLACES);
    ck_assert_int_eq(sbx_watch_status_read(ledger, &status, &err), SBX_OK);
    ck_assert_int_eq(status.watches, 0);
    ck_assert_int_eq(status.waiting, 0);
    ck_assert_int_eq(status.undelivered, 0);
    ck_assert_int_eq(status.running, 0);
    free(id);
}
END_TEST

START_TEST(one_that_is_cancelled_ends_and_another_goes_on)
{
    uint64_t flags = 0, none = 0;
    sbx_watch_status status = {.size = sizeof(status)};
    sbx_task *task = NULL, *second = NULL;
    char *id = start("exec sleep 30");
    int tries;

    add_watches(id);
    ck_assert_int_eq(sbx_task_start(run, &flags, NULL, &task, &err), SBX_OK);
    for (tries = 0; tries < 1000 && count_events() < PLACES; tries++)
        (void)poll(NULL, 0, 20);
    ck_assert_uint_eq(count_events(), PLACES);
    ck_assert_int_eq(sbx_task_start(run, &none, NULL, &second, &err), SBX_OK);
    ck_assert_int_eq(sbx_task_result(second, &err), SBX_ERR_EXISTS);
    sbx_task_free(second);
    sbx_task_cancel(task);
    ck_assert(sbx_task_wait(task, 10000));
    ck_assert_msg(sbx_task_result(task, &err) == SBX_OK, "%s", err.text);
    sbx_task_free(task);
    ck_assert_int_eq(sbx_watch_status_read(ledger, &status, &err), SBX_OK);
    ck_assert_int_eq(status.running, 0);
    free(id);
}
END_TEST

START_TEST(what_could_never_be_delivered_is_refused)
{
    static const char *const empty[] = {NULL};
    static const sbx_watch_opts bad[] = {
        {.size = sizeof(bad[0]), .webhook = "ftp://example.org/"},
        {.size = sizeof(bad[0]), .webhook = "https://example.org/ x"},
        {.size = sizeof(bad[0]), .webhook = "https://\xff/"},
        {.size = sizeof(bad[0]), .webhook_secret = "/etc/passwd"},
        {.size = sizeof(bad[0]), .folder = "relative"},
        {.size = sizeof(bad[0]), .wake = ""},
        {.size = sizeof(bad[0]), .command = empty},
        {.size = sizeof(bad[0]), .progress = 101},
        {.size = sizeof(bad[0]), .interval_ms = 5},
        {.size = sizeof(bad[0]), .flags = 64},
        {.size = sizeof(bad[0]), .list_file = "hosts.json"},
    };
    size_t i;

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        ck_assert_msg(sbx_watch_add(ledger, "gpu1", "a-1", &bad[i], NULL, &err) ==
                          SBX_ERR_INVALID,
                      "%zu", i);
    ck_assert_int_eq(sbx_watch_add(ledger, "", "a-1", NULL, NULL, &err), SBX_ERR_INVALID);
    ck_assert_int_eq(sbx_watch_add(ledger, "gpu1", NULL, NULL, NULL, &err),
                     SBX_ERR_INVALID);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_set_timeout(tests, 50);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests,
                   many_places_are_looked_at_side_by_side_and_each_end_is_told_once);
    tcase_add_test(tests, one_that_is_cancelled_ends_and_another_goes_on);
    tcase_add_test(tests, what_could_never_be_delivered_is_refused);
}
