#include "rpc.h"

#include "answer.h"
#include "ask.h"
#include "ending.h"
#include "tool.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 };

#define META_VERSION "io.modelcontextprotocol/protocolVersion"
#define META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"

tree *rpc_fail(struct rpc_fault *fault, int code, const char *form, ...)
{
    va_list args;

    va_start(args, form);
    fault->code = code;
    (void)vsnprintf(fault->text, sizeof(fault->text), form, args);
    va_end(args);
    return NULL;
}

static void refuse(struct server *server, struct batch *batch, struct raw id, int code,
                   const char *why)
{
    struct rpc_fault fault = {0};

    (void)rpc_fail(&fault, code, "%s", why);
    answer_fault(server, batch, id, &fault);
}

/* What is wrong with a text before it is read, or NULL. */
static const char *unreadable(const struct raw_look *look)
{
    if (look->depth > DEEPEST)
        return "the message is nested more than 64 levels deep";
    if (look->has_nul)
        return "a string holds a NUL character, which no argument here can have";
    if (look->has_half)
        return "a string holds half of a surrogate pair, which is no character";
    return NULL;
}

/* Each request of the stateless era says its version; the others' was settled once. */
static bool settle_era(struct call *call, struct rpc_fault *fault)
{
    const tree *meta = tree_at(call->params, "_meta");
    const char *version = tree_text(meta, META_VERSION);
    const struct era *era = version == NULL ? NULL : era_named(version);

    call->era = atomic_load(&call->server->era);
    if (tree_at(meta, META_VERSION) == NULL)
        return true;
    call->era = era_all;
    if (version == NULL)
        (void)rpc_fail(fault, RPC_PARAMS, "_meta: '" META_VERSION "' is not a string");
    else if (era == NULL || (era->has & ERA_STATELESS) == 0)
        answer_versions(fault, version);
    else if (!cJSON_IsObject(tree_at(meta, META_CAPABILITIES)))
        (void)rpc_fail(fault, RPC_PARAMS,
                       "_meta: '" META_CAPABILITIES "' is missing or is not an object");
    return fault->code == 0;
}

static const struct method *method_named(const char *name)
{
    const struct method *method = method_all;

    while (method->name != NULL && strcmp(method->name, name) != 0)
        method++;
    return method->name == NULL ? NULL : method;
}

static bool is_offered(const struct method *method, const struct call *call)
{
    return (method->eras & call->era->has) != 0 || (method->flags & METHOD_FIRST) != 0;
}

static bool prepare(struct call *call, struct rpc_fault *fault)
{
    const char *name = tree_text(call->message, "method");
    const tree *params = tree_at(call->message, "params");

    if (params != NULL && !cJSON_IsObject(params)) {
        call->era = atomic_load(&call->server->era);
        (void)rpc_fail(fault, RPC_PARAMS, "%.100s: params is not an object", name);
        return false;
    }
    if (!settle_era(call, fault))
        return false;
    call->method = method_named(name);
    if (call->method == NULL || !is_offered(call->method, call))
        (void)rpc_fail(fault, RPC_METHOD, "there is no method '%.100s' in %s", name,
                       call->era->version);
    return fault->code == 0;
}

void rpc_run(struct call *call)
{
    struct rpc_fault fault = {0};
    tree *result = call->method->run(call, &fault);

    answer_call(call, result, &fault);
}

static bool is_quick(const struct call *call)
{
    return (call->method->flags & METHOD_QUICK) != 0 ||
           ((call->method->flags & METHOD_TOOL) != 0 && tool_is_quick(call));
}

/* Once it is given, it is the worker's. */
static void give(struct call *call)
{
    struct server *server = call->server;
    bool hears = call->progress != NULL;
    struct rpc_fault fault = {0};

    calls_add(&server->calls, call);
    if (sbx_cancel_new(&call->cancel, NULL) == SBX_OK &&
        workers_give(&server->workers, call)) {
        if (hears)
            ending_ring(server);
        return;
    }
    (void)rpc_fail(&fault, RPC_BUSY,
                   "too many calls are running: wait for some of them, then call again");
    answer_call(call, NULL, &fault);
}

static void start(struct call *call)
{
    struct rpc_fault fault = {0};

    if (!prepare(call, &fault))
        answer_call(call, NULL, &fault);
    else if (is_quick(call))
        rpc_run(call);
    else
        give(call);
}

/* Notifications: of all that a client may tell, only this one is acted on. */
static void hear(struct server *server, struct raw text, const tree *message)
{
    const char *method = tree_text(message, "method");
    struct raw value = text;

    if (strcmp(method, "notifications/cancelled") == 0 &&
        raw_member(value, "params", &value) && raw_member(value, "requestId", &value))
        calls_drop(&server->calls, value);
}

/* Takes the tree over. */
static void take_parsed(struct server *server, struct batch *batch, struct raw text,
                        struct raw id, tree *message)
{
    AUTO_TREE owned = message;
    const char *version = tree_text(message, "jsonrpc");
    struct call *call;

    if (ask_hears(server, id, message))
        return;
    if (version == NULL || strcmp(version, "2.0") != 0) {
        refuse(server, batch, id, RPC_REQUEST, "the message is not of JSON-RPC 2.0");
    } else if (tree_text(message, "method") == NULL) {
        refuse(server, batch, id, RPC_REQUEST, "the message has no method");
    } else if (tree_at(message, "id") == NULL) {
        hear(server, text, message);
    } else {
        call = call_new(server, text, id, message);
        owned = NULL;
        call->batch = batch_hold(batch);
        start(call);
    }
}

static void take_message(struct server *server, struct batch *batch, struct raw text)
{
    struct raw_look look = raw_look_over(text);
    const char *why = unreadable(&look);
    struct raw id = {NULL, 0};
    tree *message = NULL;
    bool has_id = look.whole && look.is_text && raw_member(text, "id", &id);

    if (has_id && !raw_is_id(id)) {
        refuse(server, batch, (struct raw){NULL, 0}, RPC_REQUEST,
               "the id is neither a string nor a whole number");
        return;
    }
    if (look.whole && look.is_text && why != NULL) {
        refuse(server, batch, id, RPC_REQUEST, why);
        return;
    }
    if (look.whole && look.is_text)
        message = tree_parse(text);
    if (message == NULL)
        refuse(server, batch, (struct raw){NULL, 0}, RPC_PARSE, "this is not JSON");
    else
        take_parsed(server, batch, text, id, message);
}

static void take_batch(struct server *server, struct raw text)
{
    struct raw rest = raw_inside(text);
    struct batch *batch;
    struct raw item;

    if ((atomic_load(&server->era)->has & ERA_BATCHES) == 0) {
        refuse(server, NULL, (struct raw){NULL, 0}, RPC_REQUEST,
               "several messages in one line are of version 2025-03-26 alone");
        return;
    }
    if (raw_trim(rest).length == 0) {
        refuse(server, NULL, (struct raw){NULL, 0}, RPC_REQUEST,
               "there is no message in this line");
        return;
    }
    batch = batch_new(server);
    while (raw_next(&rest, &item))
        take_message(server, batch, item);
    batch_release(batch);
}

void rpc_take(struct server *server, struct raw line)
{
    struct raw_look look;

    line = raw_trim(line);
    if (line.length == 0)
        return;
    look = raw_look_over(line);
    if (line.at[0] == '[' && look.whole && look.is_text)
        take_batch(server, line);
    else
        take_message(server, NULL, line);
}

void rpc_refuse_long(struct server *server, struct raw beginning)
{
    struct raw id = {NULL, 0};

    if (!raw_member(beginning, "id", &id) || !raw_is_id(id))
        id = (struct raw){NULL, 0};
    refuse(server, NULL, id, RPC_REQUEST,
           "the message is longer than 24 MiB: send less at once");
}

void rpc_notify(struct server *server, const char *method, tree *params)
{
    AUTO_TREE message = tree_object();
    AUTOFREE char *line = NULL;

    tree_add_text(message, "jsonrpc", "2.0");
    tree_add_text(message, "method", method);
    tree_put(message, "params", params);
    line = tree_print(message);
    server_send(server, line, strlen(line));
}
