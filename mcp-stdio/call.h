/*
 * call.h - a request that is being worked on, from its line to its answer.
 *
 * The list of them is what a cancellation, a tick of progress and the end of the
 * program look at: under its lock, and a call is taken out of it before its answer is
 * written, so that nothing about it follows its answer.
 */
#ifndef MCP_CALL_H
#define MCP_CALL_H

#include "era.h"
#include "text.h"
#include "tree.h"

#include <sandbox/cancel.h>

#include <pthread.h>

struct server;
struct method;
struct batch;

struct call {
    struct server *server;
    struct call *next;  /* in the list */
    struct call *after; /* in the queue of work */
    const struct era *era;
    const struct method *method;
    struct batch *batch; /* NULL: it came alone */
    char *id;            /* the text it came as */
    char *progress;      /* the token's text, or NULL: it wants to hear of none */
    tree *message;
    const tree *params; /* an object in message, or NULL */
    sbx_cancel *cancel; /* NULL for what is answered at once */
    int64_t began_ms;
    int64_t told_s;                  /* the number of the last progress */
    char doing[120];                 /* for it, under the list's lock */
    bool dropped;                    /* the client wants no answer any more */
    bool failed;                     /* of a tool: its result tells of a failure */
    void (*on_stop)(void *userdata); /* beside its token; see calls_on_stop */
    void *stop_data;
    char *question;       /* of ask.h, that its result asks */
    struct words handles; /* of owning.h; borrowed from its arguments */
    char *handle;         /* one of them, that was drawn for it; or NULL */
};

struct calls {
    pthread_mutex_t lock;
    pthread_cond_t none; /* signalled when the last one is gone, or its stop done */
    struct call *first;
    size_t stopping; /* threads that stop what their tokens do not reach */
};

/* message is taken over. */
struct call *call_new(struct server *server, struct raw text, struct raw id,
                      tree *message);
void call_free(struct call *call);

void calls_add(struct calls *calls, struct call *call);

/* Takes it out; false: it was dropped, and no answer is wanted. */
bool calls_take(struct calls *calls, struct call *call);

/* Stops the one with that id and lets its answer go; nothing where there is none. */
void calls_drop(struct calls *calls, struct raw id);

/*
 * Stops all, and waits at most so long until none is left; for what a token alone does
 * not end, as long as stopping_ms.
 */
void calls_stop(struct calls *calls, int64_t limit_ms, int64_t stopping_ms);

/*
 * Where a token alone does not end what a call began: fn runs once, on a thread of its
 * own, as soon as the call is dropped or the program ends. data is fn's from then on;
 * until then calls_keep takes it back.
 */
void calls_on_stop(struct calls *calls, struct call *call, void (*fn)(void *userdata),
                   void *data);

/* false: fn has it, or had it. */
bool calls_keep(struct calls *calls, struct call *call);

/* What it does now, for whoever hears of its progress. */
void call_doing(struct call *call, const char *form, ...) PRINTF(2, 3);

int64_t now_ms(void);

#endif
