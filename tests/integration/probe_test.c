/*
 * probe_test.c - a probe tells the same of this machine from every place on it, under
 * each login shell, and keeps to its options.
 */
#include "support/ask.h"
#include "support/places.h"

#include <sandbox/probe.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define QUICK(...) (&SBX_OPTS(sbx_probe_opts, .sample_ms = 100, __VA_ARGS__))

static sbx_probe_report *probe(sbx_session *session, const sbx_probe_opts *opts)
{
    sbx_probe_report *report = NULL;
    sbx_error err = {0};
    int rc = sbx_probe(session, opts, &report, &err);

    ck_assert_msg(rc == SBX_OK, "%s", err.text);
    return report;
}

START_TEST(the_same_machine_is_told_of_everywhere)
{
    sbx_session *session = place_open(_i);
    sbx_probe_report *report = probe(session, QUICK(.folder = "/"));
    int64_t age = (int64_t)time(NULL) - report->taken_at_s;

    ck_assert_str_eq(report->place, place_name(_i));
    ck_assert_str_eq(report->system, "Linux");
    ck_assert_int_eq(report->cpu_count, sysconf(_SC_NPROCESSORS_ONLN));
    ck_assert_int_eq(report->memory_total,
                     (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
    ck_assert_int_gt(report->memory_available, 0);
    ck_assert_int_le(report->memory_available, report->memory_limit);
    ck_assert_int_ge(report->cpu_busy_milli, 0);
    ck_assert_int_le(report->cpu_busy_milli, 1000);
    ck_assert_int_ge(report->load1_milli, 0);
    ck_assert_int_gt(report->uptime_s, 0);
    ck_assert_ptr_nonnull(report->boot_id);
    ck_assert_int_eq(report->gpus_known, 1);
    ck_assert_uint_ge(report->disk_count, 2);
    ck_assert_str_eq(report->disks[0]->path, "/");
    ck_assert_int_gt(report->disks[0]->total, 0);
    ck_assert_int_lt(llabs((long long)report->clock_skew_ms), 30000);
    ck_assert_int_lt(age, 60);
    ck_assert_double_ge(report->idle_score, 0);
    ck_assert_double_le(report->idle_score, 1);
    sbx_probe_report_free(report);
    sbx_session_free(session);
}
END_TEST

START_TEST(bad_options_are_refused_before_anything_runs)
{
    static const sbx_probe_opts bad[] = {
        {.size = sizeof(bad[0]), .sample_ms = 99},
        {.size = sizeof(bad[0]), .sample_ms = -1},
        {.size = sizeof(bad[0]), .tool_limit_ms = 60001},
        {.size = sizeof(bad[0]), .timeout_ms = -1},
        {.size = 2},
    };
    sbx_session *session = place_open(LOCAL);
    sbx_probe_report *report = NULL;
    sbx_error err = {0};
    size_t i;

    for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        ck_assert_int_eq(sbx_probe(session, &bad[i], &report, &err), SBX_ERR_INVALID);
        ck_assert_int_eq(err.executed, SBX_EXECUTED_NO);
    }
    ck_assert_int_eq(sbx_probe(NULL, NULL, &report, &err), SBX_ERR_INVALID);
    ck_assert_ptr_null(report);
    sbx_session_free(session);
}
END_TEST

START_TEST(a_folder_that_is_not_there_is_an_error_that_names_it)
{
    sbx_session *session = place_open(_i);
    sbx_probe_report *report = NULL;
    sbx_error err = {0};

    ck_assert_int_eq(sbx_probe(session, QUICK(.folder = "/no such"), &report, &err),
                     SBX_ERR_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(err.text, "/no such"));
    ck_assert_ptr_nonnull(strstr(err.text, place_name(_i)));
    ck_assert_ptr_null(report);
    sbx_session_free(session);
}
END_TEST

START_TEST(a_cancelled_probe_says_so)
{
    sbx_session *session = place_open(_i);
    sbx_probe_report *report = NULL;
    sbx_cancel *cancel = NULL;
    sbx_error err = {0};

    ck_assert_int_eq(sbx_cancel_new(&cancel, NULL), SBX_OK);
    sbx_cancel_fire(cancel);
    ck_assert_int_eq(sbx_probe(session, QUICK(.cancel = cancel), &report, &err),
                     SBX_ERR_CANCELLED);
    ck_assert_ptr_null(report);
    sbx_session_free(session);
    sbx_cancel_free(cancel);
}
END_TEST

START_TEST(the_limit_of_the_whole_holds_and_what_was_told_till_then_is_told)
{
    sbx_session *session = place_open(_i);
    sbx_probe_report *report = NULL;
    sbx_error err = {0};
    int64_t begin = now_ms();
    int rc = sbx_probe(session,
                       &SBX_OPTS(sbx_probe_opts, .sample_ms = 10000, .timeout_ms = 3000),
                       &report, &err);

    ck_assert_int_lt(now_ms() - begin, 9000);
    if (rc == SBX_OK) {
        ck_assert_int_gt(report->cpu_count, 0);
        ck_assert_int_eq(report->cpu_busy_milli, SBX_UNKNOWN);
        ck_assert_int_eq(report->gpus_known, 0);
        ck_assert_ptr_nonnull(sbx_probe_why(report, "gpus"));
    } else { /* a machine so slow that not even the start was told */
        ck_assert(rc == SBX_ERR_TIMEOUT || rc == SBX_ERR_REMOTE);
    }
    sbx_probe_report_free(report);
    sbx_session_free(session);
}
END_TEST

/* Writes a file of a cgroup; false where there is no such thing. */
static bool put(const char *folder, const char *name, const char *text)
{
    char path[256];
    FILE *file;
    bool good;

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "w");
    if (file == NULL)
        return false;
    good = fputs(text, file) >= 0;
    return fclose(file) == 0 && good;
}

/* Limits on cgroups of this test's own: of version 1 where it is there, else of 2. */
struct groups {
    char cpu[128];
    char memory[128];
};

static void make_groups(struct groups *groups)
{
    bool old = access("/sys/fs/cgroup/memory/memory.limit_in_bytes", F_OK) == 0;
    const char *root = "/sys/fs/cgroup";

    (void)snprintf(groups->cpu, sizeof(groups->cpu), "%s%s/sbxt%d", root,
                   old ? "/cpu" : "", (int)getpid());
    (void)snprintf(groups->memory, sizeof(groups->memory), "%s%s/sbxt%d", root,
                   old ? "/memory" : "", (int)getpid());
    if (!old)
        (void)put(root, "cgroup.subtree_control", "+cpu +memory");
    ck_assert_int_eq(mkdir(groups->cpu, 0755), 0);
    if (old)
        ck_assert_int_eq(mkdir(groups->memory, 0755), 0);
    ck_assert(old ? put(groups->cpu, "cpu.cfs_quota_us", "50000")
                  : put(groups->cpu, "cpu.max", "50000 100000"));
    ck_assert(
        put(groups->memory, old ? "memory.limit_in_bytes" : "memory.max", "1073741824"));
}

static void enter(const struct groups *groups, pid_t pid)
{
    char text[32];

    (void)snprintf(text, sizeof(text), "%d", (int)pid);
    ck_assert(put(groups->cpu, "cgroup.procs", text));
    ck_assert(put(groups->memory, "cgroup.procs", text));
}

/* What ran in it may take a moment to be gone. */
static void remove_group(const char *folder)
{
    int64_t end = now_ms() + 20000;

    while (rmdir(folder) != 0) {
        ck_assert_int_eq(errno, EBUSY);
        ck_assert_int_lt(now_ms(), end);
        (void)usleep(20000);
    }
}

/* Back up, so that the groups can be removed. */
static void leave(const struct groups *groups)
{
    struct groups above = *groups;

    *strrchr(above.cpu, '/') = '\0';
    *strrchr(above.memory, '/') = '\0';
    enter(&above, getpid());
    remove_group(groups->cpu);
    if (strcmp(groups->cpu, groups->memory) != 0)
        remove_group(groups->memory);
}

/* Each test is a process of its own, and so may move itself. */
START_TEST(limits_of_real_cgroups_are_seen)
{
    struct groups groups;
    sbx_probe_report *report;
    sbx_session *session;

    make_groups(&groups);
    enter(&groups, getpid());
    session = place_open(LOCAL);
    report = probe(session, QUICK(.folder = "/"));
    sbx_session_free(session);
    leave(&groups);
    ck_assert_int_eq(report->cpu_limit_milli, 500);
    ck_assert_int_eq(report->memory_limit, 1 << 30);
    ck_assert_int_gt(report->memory_available, 0);
    ck_assert_int_lt(report->memory_available, 1 << 30);
    ck_assert_int_gt(report->memory_total, 1 << 30);
    sbx_probe_report_free(report);
}
END_TEST

void unit_add(TCase *tests)
{
    places_serve(tests, LOCAL, ASH + 1);
    tcase_add_loop_test(tests, the_same_machine_is_told_of_everywhere, LOCAL, ASH + 1);
    tcase_add_test(tests, bad_options_are_refused_before_anything_runs);
    tcase_add_loop_test(tests, a_folder_that_is_not_there_is_an_error_that_names_it,
                        LOCAL, CHROOT + 1);
    tcase_add_loop_test(tests, a_cancelled_probe_says_so, LOCAL, BASH + 1);
    tcase_add_loop_test(tests,
                        the_limit_of_the_whole_holds_and_what_was_told_till_then_is_told,
                        LOCAL, BASH + 1);
    tcase_add_test(tests, limits_of_real_cgroups_are_seen);
}
