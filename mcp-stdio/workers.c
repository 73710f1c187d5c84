#include "workers.h"

enum { MOST_THREADS = 64, MOST_WAITING = 1024 };

static struct call *take_locked(struct workers *workers)
{
    struct call *call;

    workers->idle++;
    while (workers->first == NULL)
        (void)pthread_cond_wait(&workers->more, &workers->lock);
    workers->idle--;
    call = workers->first;
    workers->first = call->after;
    workers->waiting--;
    return call;
}

static void *work(void *userdata)
{
    struct workers *workers = userdata;
    struct call *call;

    for (;;) {
        (void)pthread_mutex_lock(&workers->lock);
        call = take_locked(workers);
        (void)pthread_mutex_unlock(&workers->lock);
        workers->run(call);
    }
    return NULL;
}

static void start_thread_locked(struct workers *workers)
{
    pthread_t thread;

    if (workers->threads == MOST_THREADS ||
        pthread_create(&thread, NULL, work, workers) != 0)
        return;
    (void)pthread_detach(thread);
    workers->threads++;
}

bool workers_give(struct workers *workers, struct call *call)
{
    bool given;

    (void)pthread_mutex_lock(&workers->lock);
    if (workers->idle <= workers->waiting)
        start_thread_locked(workers);
    given = workers->threads > 0 && workers->waiting < MOST_WAITING;
    if (given) {
        call->after = NULL;
        if (workers->first == NULL)
            workers->last = &workers->first;
        *workers->last = call;
        workers->last = &call->after;
        workers->waiting++;
        (void)pthread_cond_signal(&workers->more);
    }
    (void)pthread_mutex_unlock(&workers->lock);
    return given;
}
