/* tool_exec.c - tools that run commands, on one place or on several. */
#include "ended.h"
#include "fault.h"
#include "fleet.h"
#include "jobs.h"
#include "lost.h"
#include "parallel.h"
#include "tool.h"

#include <sandbox/exec.h>

#include <stdlib.h>
#include <string.h>

enum { DEFAULT_S = 45, MOST_S = 86400, WAIT_S = 45, MOST_BYTES = 1 << 20 };

/* What is asked for, the same on each place. */
struct order {
    struct call *call;
    const tree *args;
    struct words env;
    size_t characters; /* of one answer */
};

/* What came of it on one place. */
struct outcome {
    sbx_exec_result *result;
    const char *lost; /* what became of a lost one */
};

static int run_command(const struct order *order, sbx_session *session,
                       struct outcome *out, sbx_error *err)
{
    const char *input = args_text(order->args, "stdin");
    const sbx_exec_opts opts = {
        .size = sizeof(opts),
        .cwd = args_text(order->args, "cwd"),
        .env = order->env.items,
        .input = input,
        .input_length = input == NULL ? 0 : strlen(input),
        .timeout_ms = args_int(order->args, "timeout_s", DEFAULT_S) * 1000,
        .output_limit = MOST_BYTES,
        .cancel = order->call->cancel,
    };
    int rc;

    rc = sbx_exec_shell(session, args_text(order->args, "command"), &opts, &out->result,
                        err);
    if (rc == SBX_OK && out->result->end == SBX_EXEC_LOST)
        out->lost = lost_advice(order->call, session, out->result);
    return rc;
}

/* true: its end is not its own. */
static bool add_result(const struct order *order, const struct outcome *outcome,
                       tree *out)
{
    const sbx_exec_result *result = outcome->result;

    tree_add_text(out, "sandbox", result->place);
    tree_add_text(out, "end", sbx_exec_end_name(result->end));
    if (result->end == SBX_EXEC_EXITED)
        tree_add_int(out, "exit_code", result->exit_code);
    if (result->end == SBX_EXEC_SIGNALED)
        tree_add_text(out, "signal", result->signal_name);
    if (result->end == SBX_EXEC_TIMED_OUT || result->end == SBX_EXEC_CANCELLED)
        tree_add_bool(out, "confirmed_dead", result->confirmed_dead);
    ended_add_survivors(out, result);
    ended_add_output(out, result, order->characters);
    tree_add_int(out, "duration_ms", result->duration_ms);
    if (result->end == SBX_EXEC_LOST)
        tree_add_text(out, "why", result->error.text);
    return ended_add_advice(out, result, "timeout_s", outcome->lost);
}

static void prepare(struct order *order, struct call *call, const tree *args)
{
    *order = (struct order){.call = call, .args = args};
    order->characters = args_characters(args);
    args_words(args, "env", &order->env);
}

static int check_env(const struct order *order, sbx_error *err)
{
    size_t i;

    for (i = 0; i < order->env.count; i++)
        if (strchr(order->env.items[i], '=') == NULL || order->env.items[i][0] == '=')
            return fault_fix(err,
                             fault(err, SBX_ERR_INVALID, "env: '%.60s' is no variable",
                                   order->env.items[i]),
                             "NAME=value");
    return SBX_OK;
}

/* What may take longer than a client waits is a job, whose handle is told then. */
static bool is_long(const tree *args)
{
    return args_int(args, "timeout_s", DEFAULT_S) > args_int(args, "wait_s", WAIT_S) &&
           args_text(args, "stdin") == NULL;
}

static int run_long(const struct order *order, sbx_session *session, tree *out,
                    sbx_error *err)
{
    const struct jobs_run run = {
        .command = args_text(order->args, "command"),
        .cwd = args_text(order->args, "cwd"),
        .env = order->env.items,
        .limit_ms = args_int(order->args, "timeout_s", DEFAULT_S) * 1000,
        .wait_ms = args_int(order->args, "wait_s", WAIT_S) * 1000,
        .characters = order->characters};

    return jobs_run(order->call, session, &run, out, err);
}

static int run_short(const struct order *order, sbx_session *session, tree *out,
                     sbx_error *err)
{
    struct outcome outcome = {0};
    int rc = run_command(order, session, &outcome, err);

    if (rc == SBX_OK)
        order->call->failed = add_result(order, &outcome, out);
    sbx_exec_result_free(outcome.result);
    return rc;
}

static int run_bash(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    AUTO_SESSION session = NULL;
    const sbx_host *host = NULL;
    struct order order;
    int rc;

    prepare(&order, call, args);
    rc = check_env(&order, err);
    if (rc == SBX_OK)
        rc = fleet_open(call, args, true, &host, &session, err);
    if (rc == SBX_OK)
        rc = is_long(args) ? run_long(&order, session, out, err)
                           : run_short(&order, session, out, err);
    words_clear(&order.env);
    return rc;
}

/* One place of many. */
struct part {
    const struct order *order;
    const sbx_host *host;
    struct outcome outcome;
    sbx_error error;
};

static void run_part(size_t index, void *userdata)
{
    struct part *part = (struct part *)userdata + index;
    AUTO_SESSION session = NULL;

    if (fleet_check_writable(part->host, &part->error) == SBX_OK &&
        fleet_session(part->order->call, part->host, &session, &part->error) == SBX_OK)
        (void)run_command(part->order, session, &part->outcome, &part->error);
}

static void add_part(const struct part *part, tree *list, int64_t *failed)
{
    tree *one = tree_add_object(list, NULL);

    if (part->outcome.result != NULL) {
        (void)add_result(part->order, &part->outcome, one);
        *failed += part->outcome.result->end != SBX_EXEC_EXITED ||
                   part->outcome.result->exit_code != 0;
        return;
    }
    ++*failed;
    tree_add_text(one, "sandbox", part->host->name);
    tree_add_text(one, "end", "not_started");
    tree_add_text(one, "why", part->error.text);
    tree_add_text(one, "advice", part->error.fix[0] != '\0' ? part->error.fix : NULL);
}

/* The answer's limit is shared by all places. */
static void run_parts(struct order *order, const sbx_host *const *hosts, size_t count,
                      tree *out)
{
    struct part *parts = own_zeroed(count, sizeof(*parts));
    tree *list = tree_add_array(out, "results");
    int64_t failed = 0;
    size_t i;

    order->characters = order->characters / count + 200;
    for (i = 0; i < count; i++)
        parts[i] = (struct part){.order = order, .host = hosts[i]};
    parallel_run(count, run_part, parts);
    for (i = 0; i < count; i++) {
        add_part(&parts[i], list, &failed);
        sbx_exec_result_free(parts[i].outcome.result);
    }
    tree_add_int(out, "failed", failed);
    free(parts);
}

static int name_hosts(struct fleet *fleet, const struct words *names,
                      const sbx_host ***out, sbx_error *err)
{
    const sbx_host **hosts = own_zeroed(names->count, sizeof(*hosts));
    size_t i;
    int rc = SBX_OK;

    for (i = 0; i < names->count && rc == SBX_OK; i++)
        rc = fleet_named(fleet, names->items[i], &hosts[i], err);
    *out = hosts;
    return rc;
}

static int run_many(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    AUTOFREE const sbx_host **hosts = NULL;
    AUTO_WORDS names = {0};
    struct order order;
    int rc;

    prepare(&order, call, args);
    args_words(args, "sandboxes", &names);
    rc = check_env(&order, err);
    if (rc == SBX_OK && names.count == 0)
        rc =
            fault_fix(err, fault(err, SBX_ERR_INVALID, "exec_many: 'sandboxes' is empty"),
                      "names of list_sandboxes");
    if (rc == SBX_OK && names.count > 64)
        rc = fault(err, SBX_ERR_LIMIT, "exec_many: over 64 sandboxes at once");
    if (rc == SBX_OK)
        rc = name_hosts(call->server->fleet, &names, &hosts, err);
    if (rc == SBX_OK)
        run_parts(&order, hosts, names.count, out);
    words_clear(&order.env);
    return rc;
}

#define COMMAND                                                                          \
    {                                                                                    \
        "command", TOOL_TEXT, 0, 0, NULL, "Shell text"                                   \
    }
#define OPTIONS                                                                          \
    {"cwd", TOOL_TEXT, 0, 0, NULL, "Folder to start in"},                                \
        {"timeout_s", TOOL_INT, 1, MOST_S, NULL, "Kill it after; default 45"},           \
        {"env", TOOL_LIST, 0, 0, NULL, "NAME=value"},                                    \
        {"stdin", TOOL_TEXT, 0, 0, NULL, "Its input; default: empty"},                   \
    {                                                                                    \
        "max_output_chars", TOOL_INT, 0, 0, NULL, "Default 20000"                        \
    }

static const struct tool_param bash_params[] = {
    COMMAND,
    TOOL_SANDBOX,
    OPTIONS,
    {"wait_s", TOOL_INT, 1, WAIT_S, NULL,
     "With a longer timeout_s it then returns a job_id"},
    TOOL_END,
};

static const struct tool_param many_params[] = {
    COMMAND,
    {"sandboxes", TOOL_LIST, 0, 0, NULL, "Names"},
    OPTIONS,
    TOOL_END,
};

static const struct tool_param bash_fields[] = {
    {"sandbox", TOOL_TEXT, 0, 0, NULL, NULL},
    {"end", TOOL_TEXT, 0, 0, NULL, NULL},
    {"?exit_code", TOOL_INT, 0, 0, NULL, NULL},
    {"?signal", TOOL_TEXT, 0, 0, NULL, NULL},
    {"?confirmed_dead", TOOL_BOOL, 0, 0, NULL, NULL},
    {"?survivors", TOOL_LIST, 0, 0, NULL, NULL},
    {"stdout", TOOL_TEXT, 0, 0, NULL, NULL},
    {"stderr", TOOL_TEXT, 0, 0, NULL, NULL},
    {"truncated", TOOL_BOOL, 0, 0, NULL, NULL},
    {"?output_id", TOOL_TEXT, 0, 0, NULL, NULL},
    {"?job_id", TOOL_TEXT, 0, 0, NULL, NULL},
    {"duration_ms", TOOL_INT, 0, 0, NULL, NULL},
    {"?why", TOOL_TEXT, 0, 0, NULL, NULL},
    {"?advice", TOOL_TEXT, 0, 0, NULL, NULL},
    TOOL_END,
};

static const struct tool_param many_fields[] = {
    {"results", TOOL_OBJECTS, 0, 0, NULL, NULL},
    {"failed", TOOL_INT, 0, 0, NULL, NULL},
    TOOL_END,
};

const struct tool tool_exec_bash = {
    .name = "exec_bash",
    .group = "exec",
    .flags = TOOL_DESTROYS | TOOL_OUTSIDE,
    .needs = "command",
    .params = bash_params,
    .fields = bash_fields,
    .about = "Run a shell command there. 'end' tells exited (exit_code), signaled, "
             "timed_out, cancelled, lost, running.",
    .run = run_bash,
};

const struct tool tool_exec_many = {
    .name = "exec_many",
    .group = "exec",
    .flags = TOOL_DESTROYS | TOOL_OUTSIDE,
    .needs = "command sandboxes",
    .params = many_params,
    .fields = many_fields,
    .about = "Run a command on several sandboxes at once; results as exec_bash's.",
    .run = run_many,
};
