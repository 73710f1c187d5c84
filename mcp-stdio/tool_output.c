/* tool_output.c - reads again what a command printed, without running it again. */
#include "fault.h"
#include "fleet.h"
#include "shown.h"
#include "tool.h"

#include <sandbox/job.h>
#include <sandbox/output.h>

#include <string.h>

enum { MOST_BYTES = 1 << 20 };

static int check_use(const tree *args, sbx_error *err)
{
    int ways =
        (args_text(args, "grep") != NULL) +
        (tree_at(args, "first_line") != NULL || tree_at(args, "last_line") != NULL) +
        (tree_at(args, "offset") != NULL || tree_at(args, "length") != NULL);
    int of = (args_text(args, "output_id") != NULL) + (args_text(args, "job_id") != NULL);

    if (of != 1)
        return fault_fix(
            err, fault(err, SBX_ERR_INVALID, "read_output: it is not said what to read"),
            "output_id of exec_bash, or job_id of a job");
    if (ways < 2)
        return SBX_OK;
    return fault_fix(err,
                     fault(err, SBX_ERR_INVALID,
                           "read_output: lines, bytes and grep are three ways to read"),
                     "one of: first_line and last_line; offset and length; grep");
}

static int read_stored(const tree *args, sbx_output **out, sbx_error *err)
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

static bool add_text(const tree *args, const char *bytes, size_t length, tree *out)
{
    const struct shown opts = {.limit = args_characters(args),
                               .how = "ask for fewer lines to read them"};
    AUTO_TEXT text = {0};
    bool cut;

    text_add(&text, "");
    cut = shown_add(&text, bytes, length, &opts);
    tree_add_text(out, "text", text.data);
    return cut;
}

static int run_stored(const tree *args, tree *out, sbx_error *err)
{
    sbx_output *output = NULL;
    bool cut;
    int rc = read_stored(args, &output, err);

    if (rc < 0)
        return rc;
    cut = add_text(args, output->data, output->length, out);
    tree_add_bool(out, "truncated", cut || output->truncated);
    tree_add_int(out, "total_bytes", (int64_t)output->total);
    tree_add_bool(out, "complete", output->complete);
    if (output->first_line > 0)
        tree_add_int(out, "first_line", output->first_line);
    sbx_output_free(output);
    return SBX_OK;
}

/* Over there a log is read by its end, by bytes, or by a search; not from a line on. */
static int check_log_use(const tree *args, sbx_error *err)
{
    if (args_int(args, "first_line", -1) < 0 && tree_at(args, "last_line") == NULL)
        return SBX_OK;
    return fault_fix(err,
                     fault(err, SBX_ERR_INVALID,
                           "read_output: of a job's log the last lines are read"),
                     "a negative first_line, or offset and length, or grep");
}

static int run_log(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    const sbx_job_log_opts opts = {
        .size = sizeof(opts),
        .offset = args_int(args, "offset", 0),
        .length = args_int(args, "length", 0) > 0 ? args_int(args, "length", 0) : 0,
        .lines = -args_int(args, "first_line", 0),
        .pattern = args_text(args, "grep"),
        .max_bytes = MOST_BYTES,
        .cancel = call->cancel};
    AUTO_SESSION session = NULL;
    const sbx_host *host = NULL;
    sbx_job_log *log = NULL;
    bool cut;
    int rc = check_log_use(args, err);

    if (rc == SBX_OK)
        rc = fleet_open(call, args, false, &host, &session, err);
    if (rc == SBX_OK)
        rc = sbx_job_log_read(session, args_text(args, "job_id"), &opts, &log, err);
    if (rc < 0)
        return rc;
    cut = add_text(args, log->data, log->length, out);
    tree_add_bool(out, "truncated", cut || log->truncated);
    tree_add_int(out, "total_bytes", log->size);
    tree_add_bool(out, "complete", log->ended);
    sbx_job_log_free(log);
    return SBX_OK;
}

static int run_read(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    int rc = check_use(args, err);

    if (rc < 0)
        return rc;
    return args_text(args, "job_id") != NULL ? run_log(call, args, out, err)
                                             : run_stored(args, out, err);
}

static const struct tool_param params[] = {
    {"output_id", TOOL_TEXT, 0, 0, NULL, "As exec_bash told it"},
    {"job_id", TOOL_TEXT, 0, 0, NULL, "Instead: a job's log"},
    {"sandbox", TOOL_TEXT, 0, 0, NULL, "Of the job"},
    {"stream", TOOL_TEXT, 0, 0, "stdout stderr", "Default stdout"},
    {"first_line", TOOL_INT, 0, 0, NULL, "From 1; -N: the last N lines"},
    {"last_line", TOOL_INT, 0, 0, NULL, "Default: the last"},
    {"grep", TOOL_TEXT, 0, 0, NULL, "Regular expression"},
    {"offset", TOOL_INT, 0, 0, NULL, "Bytes; negative: from the end"},
    {"length", TOOL_INT, 0, 0, NULL, "Bytes"},
    {"max_output_chars", TOOL_INT, 0, 0, NULL, "Default 20000"},
    TOOL_END,
};

static const struct tool_param fields[] = {
    {"text", TOOL_TEXT, 0, 0, NULL, NULL},
    {"truncated", TOOL_BOOL, 0, 0, NULL, NULL},
    {"total_bytes", TOOL_INT, 0, 0, NULL, NULL},
    {"complete", TOOL_BOOL, 0, 0, NULL, NULL},
    {"?first_line", TOOL_INT, 0, 0, NULL, NULL},
    TOOL_END,
};

const struct tool tool_read_output = {
    .name = "read_output",
    .group = "exec",
    .flags = TOOL_READS | TOOL_REPEATS | TOOL_OUTSIDE,
    .params = params,
    .fields = fields,
    .about = "Read stored output, or a job's log: lines, bytes, or a search.",
    .run = run_read,
};
