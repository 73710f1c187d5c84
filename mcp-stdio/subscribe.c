/*
 * subscribe.c - what a client wants to hear of: in the older versions one address at a
 * time, in the stateless one by a request that stays open.
 */
#include "ending.h"
#include "fault.h"
#include "feed.h"
#include "guard.h"
#include "methods.h"
#include "rpc.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_LISTENERS = 8 };

static tree *refuse(struct call *call, struct rpc_fault *fault, const char *what,
                    const char *uri, sbx_error *err)
{
    bool missing = err->code == SBX_ERR_NOT_FOUND;

    guard_mask_text(call->server->guard, err->text, sizeof(err->text));
    (void)rpc_fail(fault, missing ? -32002 : RPC_PARAMS, "%s '%.100s': %s%s%s", what, uri,
                   err->text, err->fix[0] == '\0' ? "" : ". What mends it: ", err->fix);
    fault->data = tree_object();
    tree_add_text(fault->data, "uri", uri);
    return NULL;
}

/* Once more for the same is once. */
tree *method_subscribe(struct call *call, struct rpc_fault *fault)
{
    const char *uri = tree_text(call->params, "uri");
    struct feed *feed = NULL;
    sbx_error err = {0};
    int rc;

    if (uri == NULL)
        return rpc_fail(fault, RPC_PARAMS, "resources/subscribe: 'uri' is missing");
    rc = feed_new(call, uri, NULL, &feed, &err);
    if (rc == SBX_OK) {
        feed_drop(NULL, uri);
        rc = feed_start(feed, &err);
    }
    return rc < 0 ? refuse(call, fault, "subscribe to", uri, &err) : tree_object();
}

tree *method_unsubscribe(struct call *call, struct rpc_fault *fault)
{
    const char *uri = tree_text(call->params, "uri");

    if (uri == NULL)
        return rpc_fail(fault, RPC_PARAMS, "resources/unsubscribe: 'uri' is missing");
    feed_drop(NULL, uri);
    ending_ring(call->server);
    return tree_object();
}

/* A request that listens, on the stack of its thread. */
struct listener {
    struct feed *feeds[FEED_MOST];
    size_t count;
    bool stopped;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static size_t listeners;

/* The filter is answered with what of it will be told; what it may not be is left out. */
static void honour(struct call *call, const tree *wanted, struct listener *listener,
                   tree *honoured)
{
    tree *list = NULL;
    const tree *item;
    sbx_error err = {0};

    cJSON_ArrayForEach(item, wanted)
    {
        if (!cJSON_IsString(item) || listener->count == FEED_MOST ||
            feed_new(call, item->valuestring, call, &listener->feeds[listener->count],
                     &err) < 0)
            continue;
        listener->count++;
        if (list == NULL)
            list = tree_add_array(honoured, "resourceSubscriptions");
        tree_add_text(list, NULL, item->valuestring);
    }
}

static void acknowledge(const struct call *call, tree *honoured)
{
    tree *params = tree_object();
    tree *meta = tree_add_object(params, "_meta");

    tree_put(meta, "io.modelcontextprotocol/subscriptionId", cJSON_CreateRaw(call->id));
    tree_put(params, "notifications", honoured);
    rpc_notify(call->server, "notifications/subscriptions/acknowledged", params);
}

static void stop(void *userdata)
{
    struct listener *listener = userdata;

    (void)pthread_mutex_lock(&lock);
    listener->stopped = true;
    (void)pthread_cond_broadcast(&changed);
    (void)pthread_mutex_unlock(&lock);
}

static void listen_until_stopped(struct call *call, struct listener *listener)
{
    size_t i;

    for (i = 0; i < listener->count; i++)
        (void)feed_start(listener->feeds[i], NULL);
    calls_on_stop(&call->server->calls, call, stop, listener);
    (void)pthread_mutex_lock(&lock);
    while (!listener->stopped)
        (void)pthread_cond_wait(&changed, &lock);
    (void)pthread_mutex_unlock(&lock);
    feed_drop(call, NULL);
    ending_ring(call->server);
}

static bool enter(void)
{
    bool entered;

    (void)pthread_mutex_lock(&lock);
    entered = listeners < MOST_LISTENERS;
    listeners += entered;
    (void)pthread_mutex_unlock(&lock);
    return entered;
}

static void leave(void)
{
    (void)pthread_mutex_lock(&lock);
    listeners--;
    (void)pthread_mutex_unlock(&lock);
}

tree *method_listen(struct call *call, struct rpc_fault *fault)
{
    const tree *filter = tree_at(call->params, "notifications");
    struct listener listener = {0};
    tree *honoured;

    if (!cJSON_IsObject(filter))
        return rpc_fail(
            fault, RPC_PARAMS,
            "subscriptions/listen: 'notifications' is missing or is no object");
    if (!enter())
        return rpc_fail(fault, RPC_BUSY,
                        "subscriptions/listen: %d listen already: cancel one of them",
                        MOST_LISTENERS);
    honoured = tree_object();
    honour(call, tree_at(filter, "resourceSubscriptions"), &listener, honoured);
    acknowledge(call, honoured);
    listen_until_stopped(call, &listener);
    leave();
    return rpc_fail(fault, RPC_INTERNAL, "subscriptions/listen: it was cancelled");
}
