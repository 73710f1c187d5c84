/* cmd_job_log.c - `job log`: what a job printed, and what it goes on to print. */
#include "cmd.h"
#include "job_run.h"
#include "places.h"
#include "span.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct values {
    int64_t follow;
    int64_t lines;
    const char *bytes;
    const char *pattern;
    int64_t collapse;
    int64_t progress;
};

static const struct opt options[] = {
    {'f', "follow", NULL, OPT_FLAG, offsetof(struct values, follow),
     "Go on until the job ends, over broken connections too", NULL, 0, 0, NULL},
    {'n', "lines", "N", OPT_INT, offsetof(struct values, lines), "The last N lines", NULL,
     1, INT64_C(1000000000), NULL},
    {0, "bytes", "A:B", OPT_TEXT, offsetof(struct values, bytes),
     "From byte A to before byte B; -A: counted from the end", opt_check_filled, 0, 0,
     NULL},
    {0, "grep", "REGEX", OPT_TEXT, offsetof(struct values, pattern),
     "Lines that match, with their numbers; an extended regular expression",
     opt_check_filled, 0, 0, NULL},
    {0, "collapse", NULL, OPT_FLAG, offsetof(struct values, collapse),
     "Of a line that was written over, like a progress bar, only the last", NULL, 0, 0,
     NULL},
    {0, "progress", NULL, OPT_FLAG, offsetof(struct values, progress),
     "No log, but how far it got: percent, step, loss, time to go", NULL, 0, 0, NULL},
    OPT_END,
};

struct printing {
    int failed; /* an errno */
};

static int print_bytes(const void *data, size_t length, void *userdata)
{
    struct printing *printing = userdata;

    printing->failed = out_write(STDOUT_FILENO, data, length);
    return printing->failed != 0;
}

static void add_json_number(struct text *line, const char *key, double value, bool known)
{
    text_addf(line, "%s\"%s\":", line->length > 1 ? "," : "", key);
    if (known)
        text_addf(line, "%.10g", value);
    else
        text_add(line, "null");
}

static void print_progress_json(const sbx_job_progress *at)
{
    AUTO_TEXT line = {0};

    text_add(&line, "{");
    add_json_number(&line, "percent", at->percent, at->percent >= 0);
    add_json_number(&line, "step", (double)at->step, at->step >= 0);
    add_json_number(&line, "steps", (double)at->steps, at->steps >= 0);
    add_json_number(&line, "epoch", (double)at->epoch, at->epoch >= 0);
    add_json_number(&line, "epochs", (double)at->epochs, at->epochs >= 0);
    add_json_number(&line, "loss", at->loss, !isnan(at->loss));
    add_json_number(&line, "eta_s", (double)at->eta_s, at->eta_s >= 0);
    (void)printf("%s}\n", line.data);
}

static void add_of(struct text *line, const char *what, int64_t part, int64_t whole)
{
    if (part < 0)
        return;
    text_addf(line, "%s%s %lld", line->length > 0 ? ", " : "", what, (long long)part);
    if (whole >= 0)
        text_addf(line, " of %lld", (long long)whole);
}

static void print_progress(const sbx_job_progress *at)
{
    AUTO_TEXT line = {0};

    if (at->percent >= 0)
        text_addf(&line, "%.4g%%", at->percent);
    add_of(&line, "epoch", at->epoch, at->epochs);
    add_of(&line, "step", at->step, at->steps);
    if (!isnan(at->loss))
        text_addf(&line, "%sloss %.6g", line.length > 0 ? ", " : "", at->loss);
    if (at->eta_s >= 0) {
        text_add(&line, line.length > 0 ? ", " : "");
        text_add_age(&line, at->eta_s);
        text_add(&line, " to go");
    }
    (void)printf("%s\n", line.length == 0 ? "nothing in its log tells how far it got"
                                          : line.data);
}

static int show_progress(struct app *app, sbx_session *session, const char *id,
                         sbx_error *err)
{
    const sbx_job_log_opts opts = {
        .size = sizeof(opts), .offset = -65536, .cancel = app->cancel};
    sbx_job_progress progress = {.size = sizeof(progress)};
    sbx_job_log *log = NULL;
    int rc = sbx_job_log_read(session, id, &opts, &log, err);

    if (rc == SBX_OK)
        rc = sbx_job_progress_read(log->data, log->length, &progress, err);
    sbx_job_log_free(log);
    if (rc == SBX_OK && app->json)
        print_progress_json(&progress);
    else if (rc == SBX_OK)
        print_progress(&progress);
    return rc;
}

static int make_opts(const struct values *values, sbx_job_log_opts *opts, sbx_error *err)
{
    struct span span;
    int rc;

    opts->lines = values->lines;
    opts->pattern = values->pattern;
    opts->flags =
        (values->follow ? SBX_JOB_FOLLOW : 0) | (values->collapse ? SBX_JOB_COLLAPSE : 0);
    if (values->bytes == NULL)
        return SBX_OK;
    rc = span_read("bytes", values->bytes, &span, err);
    if (rc < 0)
        return rc;
    opts->offset = span.from_given ? span.from : 0;
    if (!span.to_given)
        return SBX_OK;
    if (opts->offset < 0 || span.to <= opts->offset)
        return fault(err, SBX_ERR_INVALID, "option '--bytes': '%s' is no range",
                     values->bytes);
    opts->length = span.to - opts->offset;
    return SBX_OK;
}

static int end(const struct printing *printing, sbx_job_log *log, sbx_error *err)
{
    if (log != NULL && log->left_out > 0)
        out_note("%lld bytes are no more kept over there", (long long)log->left_out);
    sbx_job_log_free(log);
    if (printing->failed == 0)
        return 0;
    if (printing->failed == EPIPE)
        return 141;
    errno = printing->failed;
    return fault_errno(err, SBX_ERR_IO, "write the log");
}

static int print(struct app *app, sbx_session *session, const char *id,
                 const void *userdata, sbx_error *err)
{
    const struct values *values = userdata;
    sbx_job_log_opts opts = {.size = sizeof(opts), .cancel = app->cancel};
    struct printing printing = {0};
    sbx_job_log *log = NULL;
    int rc;

    if (values->progress)
        return show_progress(app, session, id, err);
    rc = make_opts(values, &opts, err);
    if (!app->json) {
        opts.on_bytes = print_bytes;
        opts.userdata = &printing;
    }
    if (rc == SBX_OK)
        rc = sbx_job_log_read(session, id, &opts, &log, err);
    if (rc < 0)
        return rc;
    if (app->json)
        out_json(sbx_job_log_json(log));
    return end(&printing, log, err);
}

static int run_log(struct app *app, const void *values, const struct words *operands)
{
    return job_each(app, values, operands, print);
}

const struct cmd cmd_job_log = {
    .name = "job log",
    .usage = "[OPTION]... PLACE JOB",
    .help = "Print what a job printed",
    .about =
        "Bytes are the job's own, unchanged. With -f it ends when the job does; Ctrl-C "
        "ends it, and the job goes on.",
    .examples = "job log gpu1 train-1f0c22ab\njob log -f -n 20 gpu1 train\n"
                "job log --grep 'loss|error' gpu1 train\njob log --progress gpu1 train",
    .options = options,
    .values_size = sizeof(struct values),
    JOB_OPERANDS(2),
    .run = run_log,
};
