/*
 * scarce_memory_test.c - where memory fails, each call says so, leaves nothing, and works
 * when it is asked again.
 *
 * Each call is made once for each allocation that it takes, and that one fails.
 */
#include "support/scarce.h"
#include "support/unit.h"

#include <sandbox/exec.h>
#include <sandbox/file.h>
#include <sandbox/host.h>
#include <sandbox/job.h>
#include <sandbox/ledger.h>
#include <sandbox/output.h>
#include <sandbox/probe.h>
#include <sandbox/sync.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#ifdef TESTS_UNDER_ASAN
#include <sanitizer/lsan_interface.h>
#endif

static const char list[] =
    "[{\"name\":\"a\",\"host\":\"127.0.0.1\",\"port\":1,\"user\":\"ann\",\"tags\":[\"x\","
    "\"y\"],\"env\":{\"A\":\"b\"},\"cwd\":\"/tmp\",\"jump\":\"b,c\"},"
    "{\"name\":\"b\",\"host\":\"b.example\",\"password\":\"p\"},"
    "{\"name\":\"c\",\"on\":\"local\",\"prefix\":[\"env\",\"A=b\"]}]";

static char base[32], local[64], far[64];
static sbx_hosts *hosts;
static sbx_session *session;
static char run_id[64];
static int turn;

/* All in one; what an earlier turn made is no matter of a later one. */
static void begin(void)
{
    const sbx_hosts_opts opts = {.size = sizeof(opts), .ssh_config = "none"};
    sbx_exec_result *result = NULL;
    sbx_error err = {0};

    (void)snprintf(base, sizeof(base), "/tmp/sbxt.scarce.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(base));
    ck_assert_int_eq(setenv("HOME", base, 1) | setenv("XDG_STATE_HOME", base, 1), 0);
    (void)snprintf(local, sizeof(local), "%s/here", base);
    ck_assert_int_eq(mkdir(local, 0700), 0);
    ck_assert_int_eq(sbx_hosts_parse(list, strlen(list), &opts, &hosts, &err), SBX_OK);
    ck_assert_int_eq(sbx_session_open(hosts, "local", NULL, &session, &err), SBX_OK);
    ck_assert_int_eq(sbx_exec_shell(session,
                                    "cd \"$HOME/here\" && mkdir -p d/e && echo 1 >a && "
                                    "echo 2 >d/b && ln -s a l && echo '*.o' >.gitignore "
                                    "&& : >d/e/c.o && yes | head -n 200",
                                    NULL, &result, &err),
                     SBX_OK);
    (void)snprintf(run_id, sizeof(run_id), "%s", result->run_id);
    sbx_exec_result_free(result);
}

static void end(void)
{
    sbx_exec_result *result = NULL;
    const char *const argv[] = {"rm", "-rf", base, NULL};

    ck_assert_int_eq(sbx_exec_argv(session, argv, NULL, &result, NULL), SBX_OK);
    sbx_exec_result_free(result);
    sbx_session_free(session);
    sbx_hosts_free(hosts);
#ifdef TESTS_UNDER_ASAN
    ck_assert_msg(__lsan_do_recoverable_leak_check() == 0, "memory is lost");
#endif
}

static int parse_hosts(sbx_error *err)
{
    const sbx_hosts_opts opts = {.size = sizeof(opts), .ssh_config = "none"};
    sbx_hosts *parsed = NULL;
    const sbx_host *host = NULL;
    int rc = sbx_hosts_parse(list, strlen(list), &opts, &parsed, err);

    if (rc == SBX_OK)
        rc = sbx_hosts_get(parsed, "a", &host, err);
    sbx_hosts_free(parsed);
    return rc;
}

static int open_session(sbx_error *err)
{
    sbx_session *opened = NULL;
    int rc = sbx_session_open(hosts, "c", NULL, &opened, err);

    sbx_session_free(opened);
    return rc;
}

static int run(sbx_error *err)
{
    const char *const env[] = {"A=b", NULL};
    const sbx_exec_opts opts = {
        .size = sizeof(opts), .env = env, .cwd = base, .input = "in", .input_length = 2};
    sbx_exec_result *result = NULL;
    int rc = sbx_exec_shell(session, "cat; echo err >&2; exit 3", &opts, &result, err);

    if (rc == SBX_OK && (result->end != SBX_EXEC_EXITED || result->exit_code != 3)) {
        *err = result->error;
        rc = err->code < 0 ? err->code : SBX_ERR_IO;
    }
    sbx_exec_result_free(result);
    return rc;
}

static int read_output(sbx_error *err)
{
    sbx_output *output = NULL;
    int rc = sbx_output_grep(run_id, "^y", NULL, &output, err);

    sbx_output_free(output);
    return rc;
}

static int write_and_read(sbx_error *err)
{
    sbx_file_written *written = NULL;
    sbx_file_content *content = NULL;
    sbx_file_listing *listing = NULL;
    int rc = sbx_file_write(session, far, "text\n", 5, NULL, &written, err);

    if (rc == SBX_OK)
        rc = sbx_file_read(session, far, NULL, &content, err);
    if (rc == SBX_OK)
        rc = sbx_file_list(session, base, NULL, &listing, err);
    sbx_file_written_free(written);
    sbx_file_content_free(content);
    sbx_file_listing_free(listing);
    return rc;
}

static int push(sbx_error *err)
{
    const sbx_sync_opts opts = {.size = sizeof(opts), .flags = SBX_SYNC_GIT};
    sbx_sync_report *report = NULL;
    int rc = sbx_sync_push(session, local, far, &opts, &report, err);

    sbx_sync_report_free(report);
    return rc;
}

static int pull(sbx_error *err)
{
    sbx_sync_report *report = NULL;
    int rc = sbx_sync_pull(session, local, far, NULL, &report, err);

    sbx_sync_report_free(report);
    return rc;
}

static int ask_a_machine(sbx_error *err)
{
    const sbx_probe_opts opts = {.size = sizeof(opts), .sample_ms = 100};
    sbx_probe_report *report = NULL;
    int rc = sbx_probe(session, &opts, &report, err);
    char *json = rc == SBX_OK ? sbx_probe_json(report) : NULL;

    sbx_free(json);
    sbx_probe_report_free(report);
    return rc;
}

static int start_a_job(sbx_error *err)
{
    const sbx_job_start_opts opts = {.size = sizeof(opts), .flags = SBX_JOB_NO_TERMINAL};
    sbx_job *job = NULL;
    int rc = sbx_job_start(session, "true", &opts, &job, err);

    sbx_job_free(job);
    return rc;
}

static int list_jobs(sbx_error *err)
{
    sbx_job_list *list_of_jobs = NULL;
    int rc = sbx_job_list_all(session, NULL, &list_of_jobs, err);

    sbx_job_list_free(list_of_jobs);
    return rc;
}

static int note(sbx_error *err)
{
    const sbx_ledger_entry entry = {
        .size = sizeof(entry), .kind = "test", .place = "local", .subject = far};
    sbx_ledger_list *entries = NULL;
    sbx_ledger *ledger = NULL;
    char path[80];
    int rc;

    (void)snprintf(path, sizeof(path), "%s/ledger", base);
    rc = sbx_ledger_open(path, &ledger, err);
    if (rc == SBX_OK)
        rc = sbx_ledger_add(ledger, &entry, NULL, err);
    if (rc == SBX_OK)
        rc = sbx_ledger_list_all(ledger, NULL, &entries, err);
    sbx_ledger_list_free(entries);
    sbx_ledger_close(ledger);
    return rc;
}

static const struct {
    const char *name;
    int (*call)(sbx_error *err);
    long stride; /* every so many-th allocation fails */
} calls[] = {
    {"parse hosts", parse_hosts, 1},
    {"open a session", open_session, 1},
    {"run", run, 1},
    {"read output", read_output, 1},
    {"write and read", write_and_read, 3},
    {"push", push, 5},
    {"pull", pull, 5},
    {"ask a machine", ask_a_machine, 5},
    {"start a job", start_a_job, 5},
    {"list jobs", list_jobs, 3},
    {"note", note, 1},
};

static int make(size_t which, long at, sbx_error *err)
{
    int rc;

    (void)snprintf(far, sizeof(far), "%s/there%d", base, ++turn);
    scarce_from_here(at);
    rc = calls[which].call(err);
    return rc;
}

START_TEST(each_allocation_may_fail)
{
    sbx_error err = {0};
    long count, at;

    ck_assert_int_eq(make((size_t)_i, 0, &err), SBX_OK);
    count = scarce_count();
    ck_assert_int_gt(count, 0);
    for (at = 1; at <= count; at += calls[_i].stride) {
        memset(&err, 0, sizeof(err));
        if (make((size_t)_i, at, &err) == SBX_OK)
            continue;
        (void)scarce_count();
        ck_assert_msg(err.code == SBX_ERR_NO_MEMORY, "%s, allocation %ld of %ld: %s",
                      calls[_i].name, at, count, err.text);
    }
    (void)scarce_count();
    memset(&err, 0, sizeof(err));
    ck_assert_msg(make((size_t)_i, 0, &err) == SBX_OK, "%s", err.text);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_checked_fixture(tests, begin, end);
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, each_allocation_may_fail, 0,
                        sizeof(calls) / sizeof(calls[0]));
}
