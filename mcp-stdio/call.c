#include "call.h"

#include "server.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int64_t now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* A token is told as it came, so a number beyond 2^53 stays what it is. */
static char *token_of(struct raw text)
{
    struct raw value = text;
    bool found = raw_member(value, "params", &value) &&
                 raw_member(value, "_meta", &value) &&
                 raw_member(value, "progressToken", &value) && raw_is_id(value);

    return found ? own_copy(value.at, value.length) : NULL;
}

struct call *call_new(struct server *server, struct raw text, struct raw id,
                      tree *message)
{
    struct call *call = own_zeroed(1, sizeof(*call));

    call->server = server;
    call->id = own_copy(id.at, id.length);
    call->progress = token_of(text);
    call->message = message;
    call->params = tree_at(message, "params");
    call->began_ms = now_ms();
    return call;
}

void call_free(struct call *call)
{
    if (call == NULL)
        return;
    sbx_cancel_free(call->cancel);
    tree_clear(&call->message);
    words_clear(&call->handles);
    free(call->handle);
    free(call->question);
    free(call->progress);
    free(call->id);
    free(call);
}

void calls_add(struct calls *calls, struct call *call)
{
    (void)pthread_mutex_lock(&calls->lock);
    call->next = calls->first;
    calls->first = call;
    (void)pthread_mutex_unlock(&calls->lock);
}

bool calls_take(struct calls *calls, struct call *call)
{
    struct call **at = &calls->first;
    bool wanted;

    (void)pthread_mutex_lock(&calls->lock);
    while (*at != NULL && *at != call)
        at = &(*at)->next;
    if (*at != NULL)
        *at = call->next;
    wanted = !call->dropped;
    if (calls->first == NULL)
        (void)pthread_cond_signal(&calls->none);
    (void)pthread_mutex_unlock(&calls->lock);
    return wanted;
}

struct stopper {
    struct calls *calls;
    void (*fn)(void *userdata);
    void *data;
};

static void *run_stopper(void *userdata)
{
    struct stopper *stopper = userdata;
    struct calls *calls = stopper->calls;

    stopper->fn(stopper->data);
    free(stopper);
    (void)pthread_mutex_lock(&calls->lock);
    calls->stopping--;
    (void)pthread_cond_signal(&calls->none);
    (void)pthread_mutex_unlock(&calls->lock);
    return NULL;
}

static void stop_locked(struct calls *calls, struct call *call)
{
    struct stopper *stopper;
    pthread_t thread;

    call->dropped = true;
    sbx_cancel_fire(call->cancel);
    if (call->on_stop == NULL)
        return;
    stopper = own_zeroed(1, sizeof(*stopper));
    *stopper =
        (struct stopper){.calls = calls, .fn = call->on_stop, .data = call->stop_data};
    if (pthread_create(&thread, NULL, run_stopper, stopper) != 0) {
        free(stopper);
        return;
    }
    (void)pthread_detach(thread);
    call->on_stop = NULL;
    calls->stopping++;
}

void calls_on_stop(struct calls *calls, struct call *call, void (*fn)(void *userdata),
                   void *data)
{
    (void)pthread_mutex_lock(&calls->lock);
    call->on_stop = fn;
    call->stop_data = data;
    if (call->dropped)
        stop_locked(calls, call);
    (void)pthread_mutex_unlock(&calls->lock);
}

bool calls_keep(struct calls *calls, struct call *call)
{
    bool kept;

    (void)pthread_mutex_lock(&calls->lock);
    kept = call->on_stop != NULL;
    call->on_stop = NULL;
    (void)pthread_mutex_unlock(&calls->lock);
    return kept;
}

void calls_drop(struct calls *calls, struct raw id)
{
    struct call *call;

    (void)pthread_mutex_lock(&calls->lock);
    for (call = calls->first; call != NULL; call = call->next)
        if (raw_equal(id, call->id))
            stop_locked(calls, call);
    (void)pthread_mutex_unlock(&calls->lock);
}

static struct timespec moment_in(int64_t ms)
{
    struct timespec at;

    (void)clock_gettime(CLOCK_REALTIME, &at);
    at.tv_nsec += (long)(ms % 1000) * 1000000;
    at.tv_sec += ms / 1000 + at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    return at;
}

void calls_stop(struct calls *calls, int64_t limit_ms, int64_t stopping_ms)
{
    const struct timespec soon = moment_in(limit_ms);
    const struct timespec late = moment_in(stopping_ms);
    struct call *call;
    int rc = 0;

    (void)pthread_mutex_lock(&calls->lock);
    for (call = calls->first; call != NULL; call = call->next)
        stop_locked(calls, call);
    while ((calls->first != NULL || calls->stopping > 0) && rc == 0)
        rc = pthread_cond_timedwait(&calls->none, &calls->lock, &soon);
    for (rc = 0; calls->stopping > 0 && rc == 0;)
        rc = pthread_cond_timedwait(&calls->none, &calls->lock, &late);
    (void)pthread_mutex_unlock(&calls->lock);
}

void call_doing(struct call *call, const char *form, ...)
{
    va_list args;

    (void)pthread_mutex_lock(&call->server->calls.lock);
    va_start(args, form);
    (void)vsnprintf(call->doing, sizeof(call->doing), form, args);
    va_end(args);
    (void)pthread_mutex_unlock(&call->server->calls.lock);
}
