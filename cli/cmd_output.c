/* cmd_output.c - `output`: reads again what a command printed. */
#include "cmd.h"
#include "output_list.h"
#include "span.h"

#include <sandbox/output.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct values {
    const char *range;
    const char *lines;
    const char *grep;
    int64_t errors;
    int64_t max_output;
};

static const struct opt options[] = {
    {0, "range", "A:B", OPT_TEXT, offsetof(struct values, range),
     "Bytes from A up to, not with, B; either may be left out, negative counts from the "
     "end",
     NULL, 0, 0, NULL},
    {0, "lines", "A:B", OPT_TEXT, offsetof(struct values, lines),
     "Lines A to B, the first being 1; either may be left out, '-5:' are the last five",
     NULL, 0, 0, NULL},
    {0, "grep", "RE", OPT_TEXT, offsetof(struct values, grep),
     "Lines that match an extended regular expression, with their numbers", NULL, 0, 0,
     NULL},
    {0, "stderr", NULL, OPT_FLAG, offsetof(struct values, errors),
     "Read standard error instead of standard output", NULL, 0, 0, NULL},
    {0, "max-output", "BYTES", OPT_BYTES, offsetof(struct values, max_output),
     "Print at most this much", NULL, 0, 0, NULL},
    OPT_END,
};

enum { PIECE = 1 << 20, MOST_LINES = 64 << 20 };

static int print_bytes(const char *data, size_t length, sbx_error *err)
{
    int failed = out_write(STDOUT_FILENO, data, length);

    if (failed == 0)
        return SBX_OK;
    errno = failed;
    return fault_errno(err, SBX_ERR_IO, "write standard output");
}

static void get_opts(const struct values *values, int64_t max_bytes,
                     sbx_output_opts *opts)
{
    *opts = (sbx_output_opts){.size = sizeof(*opts)};
    opts->stream = values->errors ? SBX_EXEC_STDERR : SBX_EXEC_STDOUT;
    opts->max_bytes = values->max_output > 0 ? values->max_output : max_bytes;
}

/* Where a span lies in what is stored now. */
static void fit_span(struct span *span, uint64_t stored)
{
    int64_t end = stored > INT64_MAX ? INT64_MAX : (int64_t)stored;

    if (!span->to_given || span->to > end)
        span->to = end;
    if (span->to < 0)
        span->to = span->to + end < 0 ? 0 : span->to + end;
    if (span->from < 0)
        span->from = span->from + end < 0 ? 0 : span->from + end;
}

/* A long output passes through in pieces, so memory stays flat. */
static int print_span(const char *run_id, const sbx_output_opts *opts, struct span span,
                      sbx_error *err)
{
    sbx_output_opts piece_opts = *opts;
    int rc = SBX_OK;

    piece_opts.max_bytes = PIECE;
    while (rc == SBX_OK && span.from < span.to) {
        int64_t left = span.to - span.from;
        sbx_output *piece = NULL;

        rc = sbx_output_range(run_id, span.from, left < PIECE ? left : PIECE, &piece_opts,
                              &piece, err);
        if (rc < 0)
            break;
        rc = print_bytes(piece->data, piece->length, err);
        span.from += (int64_t)piece->length;
        if (piece->length == 0)
            span.from = span.to;
        sbx_output_free(piece);
    }
    return rc;
}

static void note_cut(int64_t bytes)
{
    out_note("cut at %lld bytes", (long long)bytes);
    out_note("try: a larger --max-output");
}

static int print_range(const char *run_id, const struct values *values, struct span span,
                       sbx_error *err)
{
    sbx_output *probe = NULL;
    sbx_output_opts opts;
    int rc;

    get_opts(values, PIECE, &opts);
    rc = sbx_output_range(run_id, 0, 1, &opts, &probe, err);
    if (rc < 0)
        return rc;
    fit_span(&span, probe->stored);
    if (probe->stored < probe->total && !values->range)
        out_note("only the first %llu of %llu bytes are stored",
                 (unsigned long long)probe->stored, (unsigned long long)probe->total);
    sbx_output_free(probe);
    if (values->max_output > 0 && span.to - span.from > values->max_output) {
        span.to = span.from + values->max_output;
        note_cut(values->max_output);
    }
    return print_span(run_id, &opts, span, err);
}

/* One answer of the library for what was asked for, --range as well. */
static int get_answer(const char *run_id, const struct values *values, struct span span,
                      int64_t max_bytes, sbx_output **out, sbx_error *err)
{
    sbx_output *probe = NULL;
    sbx_output_opts opts;
    int rc;

    get_opts(values, max_bytes, &opts);
    if (values->grep != NULL)
        return sbx_output_grep(run_id, values->grep, &opts, out, err);
    if (values->lines != NULL)
        return sbx_output_lines(run_id, span.from_given ? span.from : 1,
                                span.to_given ? span.to : -1, &opts, out, err);
    rc = sbx_output_range(run_id, 0, 1, &opts, &probe, err);
    if (rc < 0)
        return rc;
    fit_span(&span, probe->stored);
    sbx_output_free(probe);
    return sbx_output_range(run_id, span.from,
                            span.to > span.from ? span.to - span.from : 0, &opts, out,
                            err);
}

/* As grep(1) has it, no line that matches is status 1. */
static int answer(struct app *app, const char *run_id, const struct values *values,
                  struct span span, sbx_error *err)
{
    int64_t max_bytes = app->json ? PIECE : MOST_LINES;
    sbx_output *found = NULL;
    int status;
    int rc = get_answer(run_id, values, span, max_bytes, &found, err);

    if (rc < 0)
        return rc;
    status = values->grep != NULL && found->length == 0 ? 1 : 0;
    if (app->json) {
        out_json(sbx_output_json(found));
    } else {
        rc = print_bytes(found->data, found->length, err);
        if (rc == SBX_OK && found->truncated)
            note_cut(values->max_output > 0 ? values->max_output : max_bytes);
    }
    sbx_output_free(found);
    return rc < 0 ? rc : status;
}

static int read_spans(const struct values *values, struct span *span, sbx_error *err)
{
    int rc = SBX_OK;

    if (values->range != NULL)
        rc = span_read("range", values->range, span, err);
    if (values->lines != NULL)
        rc = span_read("lines", values->lines, span, err);
    if (rc == SBX_OK && values->lines != NULL &&
        ((span->from_given && span->from == 0) || (span->to_given && span->to < 1)))
        rc = fault(err, SBX_ERR_INVALID, "option '--lines' '%s': lines count from 1",
                   values->lines);
    return rc;
}

static int run_output(struct app *app, const void *given, const struct words *operands)
{
    const struct values *values = given;
    struct span span = {0};
    char run_id[OUTPUT_ID_ROOM];
    sbx_error err = {0};
    int rc;

    if ((values->range != NULL) + (values->lines != NULL) + (values->grep != NULL) > 1)
        return app_misused(app, "more than one of '--range', '--lines' and '--grep'");
    if (read_spans(values, &span, &err) < 0)
        return app_misread(app, &err);

    if (operands->count == 0 && (values->range || values->lines || values->grep))
        return app_misused(app, "no RUN_ID given");
    if (operands->count == 0) {
        rc = output_list(app->json, &err);
        return rc < 0 ? app_failed(app, &err) : rc;
    }
    rc = output_named(operands->items[0], run_id, &err);
    if (rc < 0)
        return app_failed(app, &err);
    if (app->json || values->lines != NULL || values->grep != NULL)
        rc = answer(app, run_id, values, span, &err);
    else
        rc = print_range(run_id, values, span, &err);
    return rc < 0 ? app_failed(app, &err) : rc;
}

const struct cmd cmd_output = {
    .name = "output",
    .usage = "[OPTION]... [RUN_ID|last]",
    .help = "Print again what a command printed",
    .about =
        "RUN_ID is in the JSON of exec, and in what exec -v says; its first digits will "
        "do, and 'last' is the newest. Without an option it is the whole standard "
        "output, byte by byte. Without a RUN_ID the newest outputs are listed. They are "
        "kept for a week.",
    .examples = "output\n"
                "output last\n"
                "output RUN_ID --lines -20:\n"
                "output RUN_ID --stderr --grep 'error|warning'",
    .options = options,
    .values_size = sizeof(struct values),
    .most = 1,
    .operand = "RUN_ID",
    .run = run_output,
};
