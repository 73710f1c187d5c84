/* lifecycle.c - how a client and this server come to know one another, in both eras. */
#include "answer.h"
#include "methods.h"
#include "rpc.h"

#include <string.h>

/* What a model reads before anything else: the way of working, in under 2000 bytes. */
static const char instructions[] =
    "Remote machines as sandboxes: run commands, move files, find a free GPU.\n"
    "1. list_sandboxes shows the places; pick_sandbox chooses one by what the work needs "
    "(GPUs, memory); select_sandbox makes it the default, or pass `sandbox` in each call.\n"
    "2. sync pushes a folder there (direction \"push\") before you run things and pulls "
    "results back after. Only what differs travels.\n"
    "3. exec_bash runs one command and tells its end exactly: exited with a code, timed "
    "out, lost. With a timeout_s over 45 it returns a job_id after 45 s and runs on.\n"
    "4. start_job is for what takes long (a training, a server): it goes on without you. "
    "Let it write checkpoints before you start it. check_job with wait_s waits for its "
    "end, or for a line of its log: do not poll in a loop without wait_s.\n"
    "5. Long output is cut in its middle; read_output reads the rest by lines or by grep, "
    "without running anything again.\n"
    "6. edit_file replaces exact text; read_file and list_files look without a shell.\n"
    "What deletes asks for a plan first: read the plan, then call again with its token.\n"
    "An error says what was attempted, on what, why, and what mends it: follow it instead "
    "of trying the same again.";

static void add_capabilities(tree *result, bool handshake)
{
    tree *all = tree_add_object(result, "capabilities");

    (void)tree_add_object(all, "tools");
    tree_add_bool(tree_add_object(all, "resources"), "subscribe", true);
    (void)tree_add_object(all, "prompts");
    (void)tree_add_object(all, "completions");
    if (handshake)
        (void)tree_add_object(all, "logging");
}

tree *method_initialize(struct call *call, struct rpc_fault *fault)
{
    const char *version = tree_text(call->params, "protocolVersion");
    const struct era *era = version == NULL ? NULL : era_named(version);
    tree *result;

    if (version == NULL)
        return rpc_fail(fault, RPC_PARAMS,
                        "initialize: 'protocolVersion' is missing or is not a string");
    if (era == NULL || (era->has & ERA_HANDSHAKE) == 0)
        era = era_latest_handshake();
    atomic_store(&call->server->era, era);
    atomic_store(&call->server->asks,
                 tree_at(tree_at(call->params, "capabilities"), "elicitation") != NULL);
    call->era = era;
    result = tree_object();
    tree_add_text(result, "protocolVersion", era->version);
    add_capabilities(result, true);
    answer_add_server(result, "serverInfo");
    tree_add_text(result, "instructions", instructions);
    return result;
}

tree *method_discover(struct call *call, struct rpc_fault *fault)
{
    tree *result = tree_object();

    (void)fault;
    call->era = era_all;
    answer_add_versions(result, "supportedVersions");
    add_capabilities(result, false);
    tree_add_text(result, "instructions", instructions);
    return result;
}

tree *method_ping(struct call *call, struct rpc_fault *fault)
{
    (void)call;
    (void)fault;
    return tree_object();
}

/* Nothing is logged to the client yet: what goes wrong is in the answers. */
tree *method_set_level(struct call *call, struct rpc_fault *fault)
{
    static const char *const levels[] = {"debug", "info",     "notice", "warning",
                                         "error", "critical", "alert",  "emergency"};
    const char *level = tree_text(call->params, "level");
    size_t i;

    for (i = 0; level != NULL && i < sizeof(levels) / sizeof(levels[0]); i++)
        if (strcmp(level, levels[i]) == 0)
            return tree_object();
    return rpc_fail(fault, RPC_PARAMS,
                    "logging/setLevel: 'level' is none of debug, info, "
                    "notice, warning, error, critical, alert, emergency");
}
