/* tool_output.c - reads again what a command printed, without running it again. */
#include "fault.h"
#include "shown.h"
#include "tool.h"

#include <sandbox/output.h>

#include <string.h>

enum { MOST_BYTES = 1 << 20 };

static int check_use(const tree *args, sbx_error *err)
{
    int ways =
        (args_text(args, "grep") != NULL) +
        (tree_at(args, "first_line") != NULL || tree_at(args, "last_line") != NULL) +
        (tree_at(args, "offset") != NULL || tree_at(args, "length") != NULL);

    if (ways < 2)
        return SBX_OK;
    return fault_fix(err,
                     fault(err, SBX_ERR_INVALID,
                           "read_output: lines, bytes and grep are three ways to read"),
                     "one of: first_line and last_line; offset and length; grep");
}

static int read_it(const tree *args, sbx_output **out, sbx_error *err)
{
    const char *id = args_text(args, "output_id");
    const char *stream = args_text(args, "stream");
    const sbx_output_opts opts = {
        .size = sizeof(opts),
        .stream = stream != NULL && strcmp(stream, "stderr") == 0 ? SBX_EXEC_STDERR
                                                                  : SBX_EXEC_STDOUT,
        .max_bytes = MOST_BYTES};

    if (args_text(args, "grep") != NULL)
        return sbx_output_grep(id, args_text(args, "grep"), &opts, out, err);
    if (tree_at(args, "first_line") != NULL || tree_at(args, "last_line") != NULL)
        return sbx_output_lines(id, args_int(args, "first_line", 1),
                                args_int(args, "last_line", -1), &opts, out, err);
    return sbx_output_range(id, args_int(args, "offset", 0), args_int(args, "length", -1),
                            &opts, out, err);
}

static int run_read(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    struct shown opts = {.how = "ask for fewer lines to read them"};
    AUTO_TEXT text = {0};
    sbx_output *output = NULL;
    bool cut;
    int rc = check_use(args, err);

    (void)call;
    if (rc == SBX_OK)
        rc = read_it(args, &output, err);
    if (rc < 0)
        return rc;
    opts.limit = (size_t)args_int(args, "max_output_chars", SHOWN_DEFAULT);
    text_add(&text, "");
    cut = shown_add(&text, output->data, output->length, &opts);
    tree_add_text(out, "text", text.data);
    tree_add_bool(out, "truncated", cut || output->truncated);
    tree_add_int(out, "total_bytes", (int64_t)output->total);
    tree_add_bool(out, "complete", output->complete);
    if (output->first_line > 0)
        tree_add_int(out, "first_line", output->first_line);
    tree_add_int(out, "lines", output->line_count);
    sbx_output_free(output);
    return SBX_OK;
}

static const struct tool_param params[] = {
    {"output_id", TOOL_TEXT, 0, 0, NULL, "As exec_bash told it"},
    {"stream", TOOL_TEXT, 0, 0, "stdout stderr", "Default stdout"},
    {"first_line", TOOL_INT, -1000000000, 1000000000, NULL,
     "From 1; -N: the last N lines"},
    {"last_line", TOOL_INT, -1, 1000000000, NULL, "Default: the last"},
    {"grep", TOOL_TEXT, 0, 0, NULL, "Extended regular expression"},
    {"offset", TOOL_INT, -1000000000000, 1000000000000, NULL, "Bytes"},
    {"length", TOOL_INT, -1, 1000000000000, NULL, "Bytes"},
    {"max_output_chars", TOOL_INT, 200, SHOWN_MOST, NULL, "Default 20000"},
    TOOL_END,
};

static const struct tool_param fields[] = {
    {"text", TOOL_TEXT, 0, 0, NULL, NULL},
    {"truncated", TOOL_BOOL, 0, 0, NULL, NULL},
    {"total_bytes", TOOL_INT, 0, 0, NULL, NULL},
    {"complete", TOOL_BOOL, 0, 0, NULL, NULL},
    {"?first_line", TOOL_INT, 0, 0, NULL, NULL},
    {"lines", TOOL_INT, 0, 0, NULL, NULL},
    TOOL_END,
};

const struct tool tool_read_output = {
    .name = "read_output",
    .group = "exec",
    .flags = TOOL_READS | TOOL_REPEATS,
    .needs = "output_id",
    .params = params,
    .fields = fields,
    .about = "Read the stored output of a command: lines, bytes, or a search.",
    .run = run_read,
};
