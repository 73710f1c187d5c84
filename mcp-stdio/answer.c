#include "answer.h"

#include "text.h"

#include <sandbox/api.h>

#include <stdlib.h>
#include <string.h>

struct batch {
    struct server *server;
    pthread_mutex_t lock;
    size_t holders;
    struct text answers;
};

struct batch *batch_new(struct server *server)
{
    struct batch *batch = own_zeroed(1, sizeof(*batch));

    batch->server = server;
    batch->holders = 1;
    (void)pthread_mutex_init(&batch->lock, NULL);
    return batch;
}

struct batch *batch_hold(struct batch *batch)
{
    if (batch == NULL)
        return NULL;
    (void)pthread_mutex_lock(&batch->lock);
    batch->holders++;
    (void)pthread_mutex_unlock(&batch->lock);
    return batch;
}

static void batch_add(struct batch *batch, const struct text *line)
{
    (void)pthread_mutex_lock(&batch->lock);
    text_add(&batch->answers, batch->answers.length == 0 ? "[" : ",");
    text_add_bytes(&batch->answers, line->data, line->length);
    (void)pthread_mutex_unlock(&batch->lock);
}

void batch_release(struct batch *batch)
{
    size_t left;

    if (batch == NULL)
        return;
    (void)pthread_mutex_lock(&batch->lock);
    left = --batch->holders;
    (void)pthread_mutex_unlock(&batch->lock);
    if (left > 0)
        return;
    if (batch->answers.length > 0) {
        text_add(&batch->answers, "]");
        server_send(batch->server, batch->answers.data, batch->answers.length);
    }
    text_clear(&batch->answers);
    (void)pthread_mutex_destroy(&batch->lock);
    free(batch);
}

static void send(struct server *server, struct batch *batch, struct raw id,
                 const char *kind, const tree *body)
{
    AUTO_TEXT line = {0};
    AUTOFREE char *text = tree_print(body);

    text_add(&line, "{\"jsonrpc\":\"2.0\",");
    if (id.length > 0) {
        text_add(&line, "\"id\":");
        text_add_bytes(&line, id.at, id.length);
        text_add(&line, ",");
    }
    text_add(&line, "\"");
    text_add(&line, kind);
    text_add(&line, "\":");
    text_add(&line, text);
    text_add(&line, "}");
    if (batch != NULL)
        batch_add(batch, &line);
    else
        server_send(server, line.data, line.length);
}

void answer_fault(struct server *server, struct batch *batch, struct raw id,
                  struct rpc_fault *fault)
{
    AUTO_TREE error = tree_object();

    tree_add_int(error, "code", fault->code);
    tree_add_text(error, "message", fault->text);
    if (fault->data != NULL)
        tree_put(error, "data", fault->data);
    fault->data = NULL;
    send(server, batch, id, "error", error);
}

void answer_add_versions(tree *parent, const char *name)
{
    tree *versions = tree_add_array(parent, name);
    const struct era *era;

    for (era = era_all; era->version != NULL; era++)
        tree_add_text(versions, NULL, era->version);
}

void answer_versions(struct rpc_fault *fault, const char *requested)
{
    (void)rpc_fail(fault, RPC_VERSION, "version '%.40s' is not spoken here", requested);
    fault->data = tree_object();
    answer_add_versions(fault->data, "supported");
    tree_add_text(fault->data, "requested", requested);
}

void answer_add_server(tree *parent, const char *name)
{
    tree *info = tree_add_object(parent, name);

    tree_add_text(info, "name", "sbx-mcp");
    tree_add_text(info, "title", "Sandboxes on remote machines");
    tree_add_text(info, "version", sbx_version());
}

/* What the stateless era has in each result, and in those that may be kept for a while.
 */
static void dress(const struct call *call, tree *result)
{
    tree *meta;

    if ((call->era->has & ERA_STATELESS) == 0)
        return;
    if (tree_at(result, "resultType") == NULL)
        tree_add_text(result, "resultType", "complete");
    if ((call->method->flags & METHOD_CACHEABLE) != 0) {
        tree_add_int(result, "ttlMs", 60000);
        tree_add_text(result, "cacheScope", "private");
    }
    meta = tree_add_object(result, "_meta");
    answer_add_server(meta, "io.modelcontextprotocol/serverInfo");
}

void answer_call(struct call *call, tree *result, struct rpc_fault *fault)
{
    AUTO_TREE owned = result;
    struct raw id = {call->id, strlen(call->id)};
    bool wanted = calls_take(&call->server->calls, call);

    if (wanted && owned != NULL) {
        dress(call, owned);
        send(call->server, call->batch, id, "result", owned);
    } else if (wanted) {
        answer_fault(call->server, call->batch, id, fault);
    }
    tree_clear(&fault->data);
    batch_release(call->batch);
    call_free(call);
}
