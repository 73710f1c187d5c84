/* tool_terminal.c - runs a command in a computer, which is made where there is none. */
#include "computers.h"
#include "ended.h"
#include "fault.h"
#include "lost.h"
#include "owning.h"
#include "shown.h"
#include "tool.h"

#include <sandbox/exec.h>

#include <string.h>

enum { MOST_S = 3600, MOST_BYTES = 1 << 20 };

static int check_args(const tree *args, sbx_error *err)
{
    const char *folder = args_text(args, "working_directory");
    const tree *words = tree_at(args, "args");
    bool shell = args_text(args, "command") != NULL;

    if (shell == (words != NULL) || (words != NULL && cJSON_GetArraySize(words) == 0))
        return fault_fix(err,
                         fault(err, SBX_ERR_INVALID,
                               "terminal_execute: not exactly one of command and args"),
                         "command is shell text, args a program and its words");
    if (folder != NULL && folder[0] != '/')
        return fault_fix(err,
                         fault(err, SBX_ERR_INVALID,
                               "terminal_execute: working_directory '%.100s' is not "
                               "absolute",
                               folder),
                         "a path from / on");
    return SBX_OK;
}

static int run_in(struct call *call, const tree *args, sbx_session *session,
                  sbx_exec_result **out, sbx_error *err)
{
    int64_t seconds = args_int(args, "timeout", computers_timeout(call->server->opts));
    const char *input = args_text(args, "stdin");
    const char *command = args_text(args, "command");
    const sbx_exec_opts opts = {.size = sizeof(opts),
                                .cwd = args_text(args, "working_directory"),
                                .input = input,
                                .input_length = input == NULL ? 0 : strlen(input),
                                .timeout_ms = seconds * 1000,
                                .output_limit = MOST_BYTES,
                                .cancel = call->cancel};
    AUTO_WORDS words = {0};

    if (command != NULL)
        return sbx_exec_shell(session, command, &opts, out, err);
    args_words(args, "args", &words);
    return sbx_exec_argv(session, words.items, &opts, out, err);
}

static int enter(struct computers *computers, sbx_exec_result **out, sbx_error *err)
{
    struct call *call = computers->call;
    AUTO_SESSION session = NULL;
    const sbx_host *host = NULL;
    int rc = fleet_any(call->server->fleet, computers->address, &host, err);

    if (rc == SBX_OK)
        rc = fleet_session(call, host, &session, err);
    return rc < 0 ? rc : run_in(call, computers->args, session, out, err);
}

/* One that was there a moment ago may be gone, or stand still. */
static int enter_surely(struct computers *computers, sbx_exec_result **out,
                        sbx_error *err)
{
    sbx_error why = {0};
    int rc = enter(computers, out, &why);

    if (rc < 0 && why.executed == SBX_EXECUTED_NO && rc != SBX_ERR_CANCELLED &&
        rc != SBX_ERR_TIMEOUT && computers_was_seen(computers)) {
        rc = computers_make(computers, true, err);
        return rc < 0 ? rc : enter(computers, out, err);
    }
    if (rc < 0)
        *err = why;
    return rc;
}

static void add_end(struct computers *computers, const sbx_exec_result *result, tree *out)
{
    bool timed_out = result->end == SBX_EXEC_TIMED_OUT;
    const char *lost = NULL;

    tree_add_int(out, "exit_code", sbx_exec_status(result));
    tree_add_int(out, "exec_duration_ms", result->duration_ms);
    tree_add_bool(out, "timed_out", timed_out);
    if (timed_out)
        tree_add_bool(out, "confirmed_dead", result->confirmed_dead);
    tree_add_text(out, "signal", result->signal_name);
    ended_add_survivors(out, result);
    if (result->out_of_memory)
        tree_add_bool(out, "out_of_memory", true);
    if (result->end == SBX_EXEC_LOST)
        lost = lost_advice(computers->call, computers->session, result);
    computers->call->failed = ended_add_advice(out, result, "timeout", lost);
}

static int run_terminal(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    int64_t limit = call->server->opts->computers.output_limit;
    AUTO_COMPUTERS computers = {0};
    sbx_exec_result *result = NULL;
    int rc = check_args(args, err);

    if (rc == SBX_OK)
        rc = computers_open(&computers, call, args, err);
    if (rc == SBX_OK)
        rc = computers_make(&computers, true, err);
    if (rc == SBX_OK)
        rc = enter_surely(&computers, &result, err);
    if (rc < 0)
        return rc;
    computers_add(&computers, out);
    ended_add_output(out, result, limit > 0 ? (size_t)limit : SHOWN_DEFAULT);
    add_end(&computers, result, out);
    sbx_exec_result_free(result);
    return SBX_OK;
}

static void tell(const struct serve_opts *opts, struct text *out)
{
    const struct serve_computers *given = &opts->computers;

    if (given->about != NULL) {
        text_add(out, given->about);
    } else {
        text_add(out, "Run a command in a computer, ");
        computers_tell(opts, out);
        text_addf(
            out,
            ". Without computer_id a new one is made: pass the one that is told to "
            "go on in it. A temporary one ends with this session. After timeout "
            "(default %lld s) all of it is killed, and exit_code is 124. sandbox of "
            "the result is what other tools take.",
            (long long)computers_timeout(opts));
    }
    if (given->more != NULL)
        text_addf(out, " %s", given->more);
}

static const struct tool_param params[] = {
    {"command", TOOL_TEXT, 0, 0, NULL, "Shell text; or args"},
    {"args", TOOL_LIST, 0, 0, NULL, "A program and its words, without a shell"},
    {"stdin", TOOL_TEXT, 0, 0, NULL, "Its input; default: empty"},
    {"working_directory", TOOL_TEXT, 0, 0, NULL, "Absolute"},
    {"timeout", TOOL_INT, 1, MOST_S, NULL, "Seconds"},
    COMPUTERS_ID,
    COMPUTERS_NEW,
    COMPUTERS_PLACE,
    COMPUTERS_HANDLE,
    TOOL_END,
};

static const struct tool_param fields[] = {
    COMPUTERS_FIELDS,
    {"stdout", TOOL_TEXT, 0, 0, NULL, NULL},
    {"stderr", TOOL_TEXT, 0, 0, NULL, NULL},
    {"truncated", TOOL_BOOL, 0, 0, NULL, NULL},
    {"?output_id", TOOL_TEXT, 0, 0, NULL, NULL},
    {"exit_code", TOOL_INT, 0, 0, NULL, NULL},
    {"exec_duration_ms", TOOL_INT, 0, 0, NULL, NULL},
    {"timed_out", TOOL_BOOL, 0, 0, NULL, NULL},
    {"?confirmed_dead", TOOL_BOOL, 0, 0, NULL, NULL},
    {"?signal", TOOL_TEXT, 0, 0, NULL, NULL},
    {"?survivors", TOOL_LIST, 0, 0, NULL, NULL},
    {"?out_of_memory", TOOL_BOOL, 0, 0, NULL, NULL},
    {"?advice", TOOL_TEXT, 0, 0, NULL, NULL},
    TOOL_END,
};

const struct tool tool_terminal = {
    .name = "terminal_execute",
    .group = "computers",
    .flags = TOOL_COMPUTERS | TOOL_DESTROYS | TOOL_OUTSIDE,
    .params = params,
    .fields = fields,
    .tell = tell,
    .run = run_terminal,
};
