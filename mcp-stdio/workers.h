/*
 * workers.h - threads that work on calls: as many as are needed, and no more than 64; but
 * a few go again when nothing is to be done.
 */
#ifndef MCP_WORKERS_H
#define MCP_WORKERS_H

#include "call.h"

typedef void (*workers_fn)(struct call *call);

/* All zero but lock, more and run. */
struct workers {
    pthread_mutex_t lock;
    pthread_cond_t more;
    workers_fn run;
    struct call *first; /* not begun yet */
    struct call **last;
    size_t waiting; /* calls */
    size_t idle;    /* threads */
    size_t threads;
};

/* false: too many wait already. The call is then still the caller's. */
bool workers_give(struct workers *workers, struct call *call);

#endif
