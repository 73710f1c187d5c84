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

void calls_drop(struct calls *calls, struct raw id)
{
    struct call *call;

    (void)pthread_mutex_lock(&calls->lock);
    for (call = calls->first; call != NULL; call = call->next)
        if (raw_equal(id, call->id)) {
            call->dropped = true;
            sbx_cancel_fire(call->cancel);
        }
    (void)pthread_mutex_unlock(&calls->lock);
}

void calls_stop(struct calls *calls, int64_t limit_ms)
{
    struct timespec until;
    struct call *call;
    int rc = 0;

    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += (long)limit_ms * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;

    (void)pthread_mutex_lock(&calls->lock);
    for (call = calls->first; call != NULL; call = call->next) {
        call->dropped = true;
        sbx_cancel_fire(call->cancel);
    }
    while (calls->first != NULL && rc == 0)
        rc = pthread_cond_timedwait(&calls->none, &calls->lock, &until);
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
