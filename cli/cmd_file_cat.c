/* cmd_file_cat.c - `file cat`: a file or a part of it on standard output. */
#include "cmd.h"
#include "file_run.h"
#include "span.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

struct values {
    const char *range;
    const char *lines;
    int64_t max_output;
    int64_t timeout_ms;
};

enum { JSON_BYTES = 1 << 20 };

static const struct opt options[] = {
    {0, "range", "A:B", OPT_TEXT, offsetof(struct values, range),
     "Bytes from A up to, not with, B; B may be left out, '-100:' are the last hundred",
     NULL, 0, 0, NULL},
    {0, "lines", "A:B", OPT_TEXT, offsetof(struct values, lines),
     "Lines A to B, the first being 1; either may be left out, '-5:' are the last five",
     NULL, 0, 0, NULL},
    {0, "max-output", "BYTES", OPT_BYTES, offsetof(struct values, max_output),
     "Print at most this much; with --json 1M by default", NULL, 0, 0, NULL},
    {'t', "timeout", "SECONDS", OPT_SECONDS, offsetof(struct values, timeout_ms),
     "Give up after this time", NULL, 0, 0, NULL},
    OPT_END,
};

struct printing {
    int failed; /* errno of a write */
};

static int print(const void *data, size_t length, void *userdata)
{
    struct printing *printing = userdata;

    printing->failed = out_write(STDOUT_FILENO, data, length);
    return printing->failed != 0;
}

/* What the far side cannot count without counting all of it is refused. */
static int check_span(const char *option, const char *text, const struct span *span,
                      sbx_error *err)
{
    if (span->to_given && (span->to < 1 || span->from < 0))
        return fault(err, SBX_ERR_INVALID,
                     "option '--%s' '%s': with a negative number only the start is given",
                     option, text);
    if (span->to_given && span->to < span->from)
        return fault(err, SBX_ERR_INVALID, "option '--%s' '%s': it ends before it starts",
                     option, text);
    return SBX_OK;
}

static int read_part(const struct values *values, sbx_file_read_opts *opts,
                     sbx_error *err)
{
    const char *option = values->range != NULL ? "range" : "lines";
    const char *text = values->range != NULL ? values->range : values->lines;
    struct span span = {0};
    int rc;

    if (text == NULL)
        return SBX_OK;
    rc = span_read(option, text, &span, err);
    if (rc == SBX_OK)
        rc = check_span(option, text, &span, err);
    if (rc < 0)
        return rc;
    if (values->range != NULL) {
        opts->offset = span.from;
        opts->length = span.to_given ? span.to - span.from : 0;
        if (span.to_given && opts->length == 0)
            rc = fault(err, SBX_ERR_INVALID, "option '--range' '%s': no bytes", text);
    } else if (span.from_given && span.from == 0) {
        rc = fault(err, SBX_ERR_INVALID, "option '--lines' '%s': lines count from 1",
                   text);
    } else {
        opts->first_line = span.from_given ? span.from : 1;
        opts->last_line = span.to;
    }
    return rc;
}

static int cat(const struct file_job *job, sbx_error *err)
{
    const struct values *values = job->values;
    struct printing printing = {0};
    sbx_file_read_opts opts = {.size = sizeof(opts),
                               .max_bytes = values->max_output,
                               .userdata = &printing,
                               .timeout_ms =
                                   values->timeout_ms > 0 ? values->timeout_ms : -1,
                               .cancel = job->app->cancel};
    sbx_file_content *content = NULL;
    int rc = read_part(values, &opts, err);

    if (job->app->json && opts.max_bytes == 0)
        opts.max_bytes = JSON_BYTES;
    if (!job->app->json)
        opts.on_bytes = print;
    if (rc == SBX_OK)
        rc = sbx_file_read(job->session, job->path, &opts, &content, err);
    if (rc < 0)
        return rc;
    if (job->app->json)
        out_json(sbx_file_content_json(content));
    else if (content->truncated) {
        out_note("cut at %lld bytes", (long long)opts.max_bytes);
        out_note("try: --max-output BYTES");
    }
    sbx_file_content_free(content);
    errno = printing.failed;
    return printing.failed == 0 ? SBX_OK
                                : fault_errno(err, SBX_ERR_IO, "write standard output");
}

static int run_cat(struct app *app, const void *given, const struct words *operands)
{
    const struct values *values = given;
    sbx_file_read_opts opts = {.size = sizeof(opts)};
    sbx_error err = {0};

    if (values->range != NULL && values->lines != NULL)
        return app_misused(app, "more than one of '--range' and '--lines'");
    if (read_part(values, &opts, &err) < 0)
        return app_misread(app, &err);
    return file_each(app, values, operands, cat);
}

const struct cmd cmd_file_cat = {
    .name = "file cat",
    .usage = "[OPTION]... PLACE:PATH...",
    .help = "Print a file, or a part of it, as it is",
    .about =
        "Bytes pass through unchanged, of any number. With --json a file that is not "
        "UTF-8 comes in base64, and a whole one with its sha256.",
    .examples = "file cat gpu1:train.log\nfile cat --lines -20: gpu1:train.log\n"
                "file cat --range 0:512 gpu1:model.bin | xxd",
    .options = options,
    .values_size = sizeof(struct values),
    .least = 1,
    .most = CMD_ANY_NUMBER,
    .operand = "PLACE:PATH",
    .completes = "address",
    .run = run_cat,
};
