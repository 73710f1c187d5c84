/* tool.c - the list of tools, and the way of a call to one of them and back. */
#include "tool.h"

#include "advice.h"
#include "answer.h"
#include "ask.h"
#include "compat.h"
#include "computers.h"
#include "fault.h"
#include "guard.h"
#include "methods.h"
#include "noted.h"
#include "owning.h"
#include "rpc.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_ANSWER = 256 << 10 };

const struct tool *const tool_all[] = {
    &tool_list_sandboxes,     &tool_select_sandbox,
    &tool_get_active_sandbox, &tool_pick_sandbox,
    &tool_exec_bash,          &tool_exec_many,
    &tool_read_output,        &tool_start_job,
    &tool_check_job,          &tool_list_jobs,
    &tool_stop_job,           &tool_list_files,
    &tool_read_file,          &tool_write_file,
    &tool_edit_file,          &tool_sync,
    &tool_check_transfer,     &tool_cancel_transfer,
    &tool_terminal,           &tool_computer_release,
    &tool_computer_list,      &tool_computer_create,
    &tool_computer_restart,   &tool_computer_reset,
    &tool_computer_delete,    &tool_watch,
    &tool_watch_start,        &tool_watch_list,
    &tool_watch_get,          &tool_watch_progress,
    &tool_watch_log,          &tool_watch_checkpoint,
    &tool_watch_cancel,       &tool_watch_events,
    &tool_watch_status,       &tool_watch_install,
    &tool_watch_uninstall,    NULL,
};

/* As the program was started; set once, before any thread is there. */
static const struct serve_opts *chosen;

static bool has_group(const char *groups, const char *group)
{
    size_t length = strlen(group);

    for (; *groups != '\0'; groups += strcspn(groups, ","), groups += *groups == ',')
        if (strcspn(groups, ",") == length && memcmp(groups, group, length) == 0)
            return true;
    return false;
}

static int check_group(const char *group, size_t length, sbx_error *err)
{
    const struct tool *const *tool;

    for (tool = tool_all; *tool != NULL; tool++)
        if (strlen((*tool)->group) == length &&
            memcmp((*tool)->group, group, length) == 0)
            return SBX_OK;
    return fault_fix(err,
                     fault(err, SBX_ERR_INVALID,
                           "--tools: no group of tools is called '%.*s'", (int)length,
                           group),
                     "places, exec, jobs, files, sync, computers, watch");
}

int tool_choose(const struct serve_opts *opts, sbx_error *err)
{
    const char *at = opts->groups;
    int rc = SBX_OK;

    while (at != NULL && *at != '\0' && rc == SBX_OK) {
        size_t length = strcspn(at, ",");

        rc = check_group(at, length, err);
        at += length + (at[length] == ',');
    }
    chosen = opts;
    return rc;
}

static bool is_advanced(void)
{
    const char *asked = getenv("REMOTE_SANDBOX_EXPOSE_ADVANCED_TOOLS");

    return asked != NULL && strcmp(asked, "1") == 0;
}

/* NULL, or what keeps it from being offered. */
static const char *why_hidden(const struct tool *tool)
{
    if ((tool->flags & TOOL_ADVANCED) != 0 && !is_advanced())
        return "it is offered where the user sets REMOTE_SANDBOX_EXPOSE_ADVANCED_TOOLS=1";
    if ((tool->flags & TOOL_COMPUTERS) != 0 && !computers_offered(chosen))
        return "it is offered where the user starts the server with --computers";
    if ((tool->flags & TOOL_LIFECYCLE) != 0 && !computers_lifecycle())
        return "it is offered where the user sets ENABLE_LIFECYCLE_TOOLS=true";
    if (chosen->read_only && (tool->flags & TOOL_READS) == 0)
        return "the user started the server with --read-only";
    if (chosen->groups != NULL && !has_group(chosen->groups, tool->group))
        return "it is of none of the groups that the user chose with --tools";
    return NULL;
}

bool tool_is_listed(const struct tool *tool)
{
    return why_hidden(tool) == NULL;
}

/* Whether it is offered or not. */
static const struct tool *tool_known(const char *name)
{
    const struct tool *const *tool;

    for (tool = tool_all; *tool != NULL; tool++)
        if (strcmp((*tool)->name, name) == 0)
            return *tool;
    return NULL;
}

static const struct tool *tool_named(const char *name)
{
    const struct tool *tool = tool_known(name);

    return tool != NULL && tool_is_listed(tool) ? tool : NULL;
}

bool tool_is_quick(const struct call *call)
{
    const char *name = tree_text(call->params, "name");
    const struct tool *tool = name == NULL ? NULL : tool_named(name);
    const tree *args = tree_at(call->params, "arguments");

    if (tool == NULL)
        return name == NULL || compat_named(name) == NULL;
    return (tool->flags & TOOL_QUICK) != 0 &&
           (tool->slow == NULL || !cJSON_IsTrue(tree_at(args, tool->slow)));
}

void tool_tell(const struct tool *tool, struct text *out)
{
    static const struct serve_opts none;

    if (tool->tell == NULL)
        text_add(out, tool->about);
    else
        tool->tell(chosen == NULL ? &none : chosen, out);
}

static void add_tool(const struct call *call, const struct tool *tool, tree *list)
{
    tree *one = tree_add_object(list, NULL);
    AUTO_TEXT about = {0};

    tool_tell(tool, &about);
    tree_add_text(one, "name", tool->name);
    tree_add_text(one, "description", about.data);
    tree_put(one, "inputSchema", tool_input_schema(tool));
    if ((call->era->has & ERA_STRUCTURED) != 0)
        tree_put(one, "outputSchema", tool_output_schema(tool));
    if ((call->era->has & ERA_ANNOTATIONS) != 0)
        tree_put(one, "annotations", tool_annotations(tool));
}

tree *method_tools_list(struct call *call, struct rpc_fault *fault)
{
    const struct tool *const *tool;
    tree *result;
    tree *list;

    if (tree_at(call->params, "cursor") != NULL)
        return rpc_fail(fault, RPC_PARAMS,
                        "tools/list: 'cursor' is none that was given out: all tools are "
                        "on the first page");
    result = tree_object();
    list = tree_add_array(result, "tools");
    for (tool = tool_all; *tool != NULL; tool++)
        if (tool_is_listed(*tool))
            add_tool(call, *tool, list);
    compat_add_listed(call, list);
    return result;
}

static void add_content(tree *result, const char *text)
{
    tree *one = tree_add_object(tree_add_array(result, "content"), NULL);

    tree_add_text(one, "type", "text");
    tree_add_text(one, "text", text);
}

/* What a tool over there said may end as a sentence does already. */
static const char *sentence_end(const char *text)
{
    size_t length = strlen(text);

    return length > 0 && strchr(".?!", text[length - 1]) != NULL ? "" : ".";
}

static tree *failure_result(const sbx_error *err)
{
    AUTO_TEXT sentence = {0};
    tree *result = tree_object();

    text_add(&sentence, err->text);
    if (err->fix[0] != '\0')
        text_addf(&sentence, "%s What mends it: %s", sentence_end(err->text), err->fix);
    if (err->executed == SBX_EXECUTED_UNKNOWN)
        text_add(&sentence, ". Whether it was done over there is not known: look before "
                            "you do it again");
    add_content(result, sentence.data);
    tree_add_bool(result, "isError", true);
    return result;
}

/* The longest string below, which is what is cut where an answer is too long. */
static tree *longest(tree *value)
{
    tree *best = cJSON_IsString(value) ? value : NULL;
    tree *item;

    cJSON_ArrayForEach(item, value)
    {
        tree *one = longest(item);

        if (one != NULL &&
            (best == NULL || strlen(one->valuestring) > strlen(best->valuestring)))
            best = one;
    }
    return best;
}

/* Half of it, whole characters, and a word that there was more. */
static bool halve(tree *value)
{
    AUTO_TEXT shorter = {0};
    size_t keep;

    if (value == NULL || strlen(value->valuestring) < 1024)
        return false;
    keep = strlen(value->valuestring) / 2;
    while (keep > 0 && ((unsigned char)value->valuestring[keep] & 0xc0) == 0x80)
        keep--;
    text_add_bytes(&shorter, value->valuestring, keep);
    text_add(&shorter, "\n[... cut here: an answer is at most 256 KB; ask for less ...]");
    return cJSON_SetValuestring(value, shorter.data) != NULL;
}

static size_t escaped_length(const char *text)
{
    size_t length = 0;

    for (; *text != '\0'; text++)
        length += *text == '"' || *text == '\\' ? 2 : 1;
    return length;
}

/* The text block and the structured content hold the same. */
static tree *success_result(const struct call *call, tree *out)
{
    bool twice = (call->era->has & ERA_STRUCTURED) != 0;
    tree *result = tree_object();
    char *text = tree_print(out);

    while (escaped_length(text) + (twice ? strlen(text) : 0) > LONGEST_ANSWER - 1024 &&
           halve(longest(out))) {
        free(text);
        text = tree_print(out);
    }
    add_content(result, text);
    free(text);
    if (twice)
        tree_put(result, "structuredContent", out);
    else
        tree_clear(&out);
    tree_add_bool(result, "isError", call->failed);
    return result;
}

static tree *run_tool(struct call *call, const struct tool *tool, const tree *args)
{
    AUTO_TREE out = tree_object();
    sbx_error err = {0};
    tree *answer;
    bool fits = args_check(tool, args, &err) == SBX_OK;
    int rc = fits ? owning_read(call, args, &err) : SBX_ERR_INVALID;

    if (rc == SBX_OK)
        rc = tool->run(call, args, out, &err);

    if (call->question != NULL)
        return ask_result(call);
    if (rc < 0)
        guard_mask_text(call->server->guard, err.text, sizeof(err.text));
    if (fits)
        noted_call(call, tool, args, rc < 0 ? err.text : NULL);
    if (rc < 0) {
        advice_translate(&err);
        return failure_result(&err);
    }
    guard_mask_tree(call->server->guard, out);
    answer = success_result(call, out);
    out = NULL;
    return answer;
}

static tree *no_tool(const char *name, struct rpc_fault *fault)
{
    const struct tool *tool = tool_known(name);

    return rpc_fail(fault, RPC_PARAMS, "tools/call: there is no tool '%.60s' here%s%s",
                    name, tool == NULL ? "" : ": ", tool == NULL ? "" : why_hidden(tool));
}

tree *method_tools_call(struct call *call, struct rpc_fault *fault)
{
    const char *name = tree_text(call->params, "name");
    const tree *args = tree_at(call->params, "arguments");
    const struct tool *tool = name == NULL ? NULL : tool_named(name);
    AUTO_TREE translated = NULL;

    if (name == NULL)
        return rpc_fail(fault, RPC_PARAMS, "tools/call: 'name' is missing");
    if (args != NULL && !cJSON_IsObject(args))
        return rpc_fail(fault, RPC_PARAMS, "tools/call: 'arguments' is not an object");
    if (compat_applies(name, args)) {
        tool = tool_named(compat_named(name)->tool);
        translated = compat_translate(name, args);
        args = translated;
    }
    if (tool == NULL)
        return no_tool(name, fault);
    return run_tool(call, tool, args);
}
