/*
 * scarce_memory_test.c - where memory fails, each call says so, leaves nothing, and works
 * when it is asked again.
 *
 * Each call is made once for each way in which it asks for memory, and that fails.
 */
#include "support/scarce.h"
#include "support/scarce_calls.h"
#include "support/unit.h"

#include "base/clock.h"
#include "transport/ssh_proxy.h"

#include <sandbox/job.h>
#include <sandbox/ledger.h>
#include <sandbox/probe.h>

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int ask_a_machine(sbx_error *err)
{
    const sbx_probe_opts opts = {.size = sizeof(opts), .sample_ms = 100};
    sbx_probe_report *report = NULL;
    int rc = sbx_probe(scarce_bed.session, &opts, &report, err);
    char *json = rc == SBX_OK ? sbx_probe_json(report) : NULL;

    sbx_free(json);
    sbx_probe_report_free(report);
    return rc;
}

static int start_a_job(sbx_error *err)
{
    const sbx_job_start_opts opts = {.size = sizeof(opts), .flags = SBX_JOB_NO_TERMINAL};
    sbx_job *job = NULL;
    int rc = sbx_job_start(scarce_bed.session, "true", &opts, &job, err);

    sbx_job_free(job);
    return rc;
}

static char job_id[64];

static void print_lines(void)
{
    sbx_job_log *log = NULL;
    sbx_job *job = NULL;

    if (job_id[0] != '\0')
        return;
    ck_assert_int_eq(sbx_job_start(scarce_bed.session, "printf 'one\\rtwo\\nthree\\n'",
                                   NULL, &job, NULL),
                     SBX_OK);
    (void)snprintf(job_id, sizeof(job_id), "%s", job->id);
    sbx_job_free(job);
    ck_assert_int_eq(
        sbx_job_log_read(scarce_bed.session, job_id,
                         &SBX_OPTS(sbx_job_log_opts, .flags = SBX_JOB_FOLLOW), &log,
                         NULL),
        SBX_OK);
    sbx_job_log_free(log);
}

static int read_a_log(sbx_error *err)
{
    const sbx_job_log_opts opts = {.size = sizeof(opts), .flags = SBX_JOB_COLLAPSE};
    sbx_job_log *log = NULL;
    int rc = sbx_job_log_read(scarce_bed.session, job_id, &opts, &log, err);

    if (rc == SBX_OK)
        rc = scarce_calls_right(strcmp(log->data, "two\nthree\n") == 0, "another log",
                                err);
    sbx_job_log_free(log);
    return rc;
}

static struct sbi_proxy proxy;
static int proxy_ends[2];

/* Its answer is there before it is asked. */
static void answer_as_proxy(void)
{
    static const char answer[] = "HTTP/1.1 200 yes\r\n\r\n";

    ck_assert_ptr_null(sbi_proxy_parse("http://u:x@p", &proxy));
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, proxy_ends), 0);
    ck_assert(write(proxy_ends[1], answer, strlen(answer)) == (ssize_t)strlen(answer));
}

static int pass_a_proxy(sbx_error *err)
{
    char asked[512] = "";
    int rc =
        sbi_proxy_connect(proxy_ends[0], &proxy, "h", 22, sbi_deadline(10000), NULL, err);

    (void)!read(proxy_ends[1], asked, sizeof(asked) - 1);
    if (rc == SBX_OK)
        rc = scarce_calls_right(strstr(asked, "Basic dTp4\r\n\r\n") != NULL,
                                "it was not asked in full", err);
    (void)close(proxy_ends[0]);
    (void)close(proxy_ends[1]);
    return rc;
}

static int list_jobs(sbx_error *err)
{
    sbx_job_list *list_of_jobs = NULL;
    int rc = sbx_job_list_all(scarce_bed.session, NULL, &list_of_jobs, err);

    sbx_job_list_free(list_of_jobs);
    return rc;
}

static int note(sbx_error *err)
{
    const sbx_ledger_entry entry = {
        .size = sizeof(entry), .kind = "test", .place = "local", .subject = "a"};
    sbx_ledger_list *entries = NULL;
    sbx_ledger *ledger = NULL;
    int rc = sbx_ledger_open(NULL, &ledger, err);

    if (rc == SBX_OK)
        rc = sbx_ledger_add(ledger, &entry, NULL, err);
    if (rc == SBX_OK)
        rc = sbx_ledger_list_all(ledger, NULL, &entries, err);
    sbx_ledger_list_free(entries);
    sbx_ledger_close(ledger);
    return rc;
}

static const struct scarce_call others[] = {
    {"ask a machine", NULL, ask_a_machine},
    {"start a job", NULL, start_a_job},
    {"list jobs", NULL, list_jobs},
    {"read a log", print_lines, read_a_log},
    {"note", NULL, note},
    {"pass a proxy", answer_as_proxy, pass_a_proxy},
};

START_TEST(each_allocation_may_fail)
{
    scarce_memory(&scarce_calls[_i]);
}
END_TEST

START_TEST(each_allocation_of_others_may_fail)
{
    scarce_memory(&others[_i]);
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_checked_fixture(tests, scarce_calls_begin, scarce_calls_end);
    tcase_set_timeout(tests, 240);
    tcase_add_loop_test(tests, each_allocation_may_fail, 0, (int)scarce_call_count);
    tcase_add_loop_test(tests, each_allocation_of_others_may_fail, 0,
                        sizeof(others) / sizeof(others[0]));
}
