/*
 * engine_state.h - one container by its engine's API, the thread that serves it, and the
 * execs in it.
 *
 * The thread alone touches wires. Callers reach it through what is marked as shared,
 * under the one lock, and ring its bell. Users wait on a bell of each process.
 */
#ifndef SANDBOX_TRANSPORT_ENGINE_STATE_H
#define SANDBOX_TRANSPORT_ENGINE_STATE_H

#include "base/bell.h"
#include "base/ring.h"
#include "transport/engine_call.h"
#include "transport/engine_frame.h"

#include <pthread.h>
#include <stdatomic.h>

enum sbi_engine_stage {
    SBI_ENGINE_CREATING = 0, /* the exec is asked for; nothing runs */
    SBI_ENGINE_STARTING,     /* it has been told to start */
    SBI_ENGINE_RUNNING,
    SBI_ENGINE_ASKING, /* its streams have ended: how did it? */
    SBI_ENGINE_OVER
};

struct sbi_engine;

struct sbi_engine_process {
    struct sbi_process base;
    struct sbi_engine *engine;

    /* Shared. */
    struct sbi_bell bell;
    struct sbi_ring in;
    struct sbi_ring out[2]; /* by stream */
    bool input_closed;      /* by the user */
    bool input_dead;        /* nobody reads it over there */
    bool streams_over;      /* no more comes into `out` */
    bool abandoned;         /* by the user */
    bool detached;          /* by the thread: the user alone has it */
    bool resized;
    int rows, columns;
    bool ahead; /* counts as not sent until it is written to */
    struct sbi_end end;

    /* The thread's own. */
    struct sbi_engine_process *next;
    enum sbi_engine_stage stage;
    char *create; /* the body of the request that makes it */
    char id[80];
    bool pty;
    bool tried_again; /* what had waited was gone: this is on a new connection */
    bool eof_sent;
    bool sized;  /* its terminal has had a size: what is typed before waits */
    bool heard;  /* it has said something: it runs */
    bool sizing; /* the side call is a change of size; else it asks for the end */
    struct sbi_engine_call main;
    struct sbi_engine_call side;
    struct sbi_engine_frame frame;
    int64_t look_at; /* when the end is asked for again; 0: it is being asked for */
    int64_t pause_ms;
};

struct sbi_engine {
    atomic_int holders; /* the line, and each process */
    char *socket;
    char *container;
    char **enter;
    int wake; /* rung for the thread */

    pthread_mutex_t lock;
    struct sbi_engine_process *incoming;
    bool stopping;
    bool stopped; /* the thread takes nothing up any more */
    bool dead;

    /* The thread's own. */
    struct sbi_line *below;
    struct sbi_engine_process *processes;
    struct sbi_engine_call idle; /* a connection that waits for the next exec */
};

static inline void sbi_engine_lock(struct sbi_engine *engine)
{
    (void)pthread_mutex_lock(&engine->lock);
}

static inline void sbi_engine_unlock(struct sbi_engine *engine)
{
    (void)pthread_mutex_unlock(&engine->lock);
}

void sbi_engine_release(struct sbi_engine *engine);

/* The thread's main function; userdata is the engine, with a hold of its own. */
void *sbi_engine_serve(void *userdata);

int sbi_engine_process_new(struct sbi_engine *engine, const struct sbi_process_spec *spec,
                           struct sbi_engine_process **out, sbx_error *err);

/* The thread's step, with the lock held: does what can be done now. */
void sbi_engine_process_step(struct sbi_engine_process *process);

/* The way to it broke: its end is lost, unless it is known. With the lock held. */
void sbi_engine_process_lose(struct sbi_engine_process *process, const char *why);

/* The user alone has it from now on: with its end, lost or known. With the lock held. */
void sbi_engine_process_detach(struct sbi_engine_process *process);

/* What the thread waits for on its behalf; room: at least 16. With the lock held. */
size_t sbi_engine_process_poll(struct sbi_engine_process *process, struct pollfd *fds,
                               size_t room);

/* The moment when it wants a step even if nothing comes. */
int64_t sbi_engine_process_due(const struct sbi_engine_process *process);

void sbi_engine_process_destroy(struct sbi_engine_process *process);

#endif
