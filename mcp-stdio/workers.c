#include "workers.h"

#include <errno.h>
#include <time.h>

enum { MOST_THREADS = 64, FEW_THREADS = 4, MOST_WAITING = 1024, IDLE_S = 10 };

/* NULL: nothing was to be done for a while, and there are enough others. */
static struct call *take_locked(struct workers *workers)
{
    struct timespec until = {0};
    struct call *call;
    int rc = 0;

    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += IDLE_S;
    workers->idle++;
    while (workers->first == NULL && (rc != ETIMEDOUT || workers->threads <= FEW_THREADS))
        rc = workers->threads <= FEW_THREADS
                 ? pthread_cond_wait(&workers->more, &workers->lock)
                 : pthread_cond_timedwait(&workers->more, &workers->lock, &until);
    workers->idle--;
    if (workers->first == NULL)
        return NULL;
    call = workers->first;
    workers->first = call->after;
    workers->waiting--;
    return call;
}

static void *work(void *userdata)
{
    struct workers *workers = userdata;
    struct call *call;

    do {
        (void)pthread_mutex_lock(&workers->lock);
        call = take_locked(workers);
        if (call == NULL)
            workers->threads--;
        (void)pthread_mutex_unlock(&workers->lock);
        if (call != NULL)
            workers->run(call);
    } while (call != NULL);
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
