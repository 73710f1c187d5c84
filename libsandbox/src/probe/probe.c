/*
 * probe.c - sends the script, times it, and has read what came back.
 *
 * What began but did not end within its time is a report all the same, if it had told
 * of the machine: its GPUs are then unknown.
 */
#include <sandbox/probe.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/opts.h"
#include "probe/parse.h"
#include "probe/script.h"

#include <sandbox/exec.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

#define SAMPLE_MS 500
#define TOOL_MS 5000
#define SPARE_MS 5000
#define MOST_OUTPUT (8 << 20)

struct asking {
    int64_t sent_ms; /* our clock, since the epoch */
    int64_t heard_ms;
};

static void report_clear(struct sbi_report **report)
{
    sbx_probe_report_free((sbx_probe_report *)*report);
}

static int64_t wall_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int note_first_word(int stream, const void *data, size_t length, void *userdata)
{
    struct asking *asking = userdata;

    (void)data;
    if (asking->heard_ms == 0 && stream == SBX_EXEC_STDOUT && length > 0)
        asking->heard_ms = wall_ms();
    return 0;
}

static int check_range(const char *name, int64_t value, int64_t least, int64_t most,
                       sbx_error *err)
{
    if (value >= least && value <= most)
        return SBX_OK;
    return sbi_fail(err, SBX_ERR_INVALID, "%s %lld is not from %lld to %lld", name,
                    (long long)value, (long long)least, (long long)most);
}

static int read_opts(const sbx_probe_opts *theirs, sbx_probe_opts *opts, sbx_error *err)
{
    int rc = sbi_opts_read(opts, sizeof(*opts), theirs, err);

    if (rc < 0)
        return rc;
    if (opts->sample_ms == 0)
        opts->sample_ms = SAMPLE_MS;
    if (opts->tool_limit_ms == 0)
        opts->tool_limit_ms = TOOL_MS;
    rc = check_range("sample_ms", opts->sample_ms, 100, 10000, err);
    if (rc == SBX_OK)
        rc = check_range("tool_limit_ms", opts->tool_limit_ms, 100, 60000, err);
    if (rc == SBX_OK && opts->timeout_ms == 0)
        opts->timeout_ms = opts->sample_ms + opts->tool_limit_ms + SPARE_MS;
    if (rc == SBX_OK)
        rc = check_range("timeout_ms", opts->timeout_ms, 1, 3600000, err);
    return rc;
}

static int run_script(sbx_session *session, const sbx_probe_opts *opts, const char *mark,
                      struct asking *asking, sbx_exec_result **result, sbx_error *err)
{
    char sample[32], steps[32];
    const char *const argv[] = {"/bin/sh", "-c", sbi_probe_script, "sbx", mark, sample,
                                steps,     NULL};
    const sbx_exec_opts exec_opts = {.size = sizeof(exec_opts),
                                     .flags = SBX_EXEC_NO_SPOOL,
                                     .cwd = opts->folder,
                                     .timeout_ms = opts->timeout_ms,
                                     .kill_after_ms = 500,
                                     .grace_ms = 1000,
                                     .output_limit = MOST_OUTPUT,
                                     .on_output = note_first_word,
                                     .userdata = asking,
                                     .cancel = opts->cancel};

    (void)snprintf(sample, sizeof(sample), "%d.%03d", (int)(opts->sample_ms / 1000),
                   (int)(opts->sample_ms % 1000));
    (void)snprintf(steps, sizeof(steps), "%d", (int)((opts->tool_limit_ms + 49) / 50));
    asking->sent_ms = wall_ms();
    return sbx_exec_argv(session, argv, &exec_opts, result, err);
}

/* Why a script that did not end by itself tells nothing; SBX_OK where it may. */
static int look_at_end(const sbx_exec_result *result, int64_t limit_ms, sbx_error *err)
{
    int rc;

    if (result->output_length > 0 && result->end != SBX_EXEC_CANCELLED)
        return SBX_OK;
    if (result->end == SBX_EXEC_TIMED_OUT)
        return sbi_fail(err, SBX_ERR_TIMEOUT, "nothing was told within %lld ms",
                        (long long)limit_ms);
    rc = sbx_exec_check_end(result, err);
    if (rc < 0)
        return rc;
    return sbi_fail(err, SBX_ERR_REMOTE, "the script told nothing; sh said: %.100s",
                    result->errors_length > 0 ? result->errors : "nothing");
}

static int read_result(struct sbi_report *report, const sbx_exec_result *result,
                       const char *mark, const struct asking *asking, sbx_error *err)
{
    SBI_CLEANUP(sbi_sections_clear) struct sbi_sections sections = {0};
    int64_t theirs;
    int rc;

    rc = sbi_sections_parse(result->output, result->output_length, mark, &sections, err);
    if (rc < 0)
        return rc;
    report->public.taken_at_s = asking->sent_ms / 1000;
    report->public.duration_ms = result->duration_ms;
    if (sbi_parse_clock(&sections, &theirs) && asking->heard_ms != 0)
        report->public.clock_skew_ms = theirs - (asking->sent_ms + asking->heard_ms) / 2;
    return sbi_probe_parse(report, &sections, err);
}

static int ask(sbx_session *session, const sbx_probe_opts *opts,
               struct sbi_report *report, sbx_error *err)
{
    sbx_exec_result *result = NULL;
    struct asking asking = {0};
    char token[17], mark[32];
    int rc;

    rc = sbi_random_hex(token, 8, err);
    if (rc < 0)
        return rc;
    (void)snprintf(mark, sizeof(mark), "sbx:%s:", token);
    rc = run_script(session, opts, mark, &asking, &result, err);
    if (rc == SBX_OK)
        rc = look_at_end(result, opts->timeout_ms, err);
    if (rc == SBX_OK)
        rc = read_result(report, result, mark, &asking, err);
    sbx_exec_result_free(result);
    return rc;
}

int sbx_probe(sbx_session *session, const sbx_probe_opts *theirs, sbx_probe_report **out,
              sbx_error *err)
{
    SBI_CLEANUP(report_clear) struct sbi_report *report = NULL;
    sbx_probe_opts opts;
    int rc;

    if (session == NULL)
        return sbi_fail(err, SBX_ERR_INVALID, "probe: no session is given");
    rc = read_opts(theirs, &opts, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "probe '%s'", sbx_session_place(session));
    report = sbi_report_new(sbx_session_place(session));
    if (report == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "probe: out of memory");
    rc = ask(session, &opts, report, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "probe '%s'", sbx_session_place(session));
    *out = &SBI_STEAL(report)->public;
    return SBX_OK;
}
