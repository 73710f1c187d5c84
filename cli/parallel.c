#include "parallel.h"

#include <pthread.h>
#include <stdatomic.h>

enum { MOST_THREADS = 64 };

struct work {
    atomic_size_t next;
    size_t count;
    parallel_fn fn;
    void *userdata;
};

static void *run_some(void *userdata)
{
    struct work *work = userdata;
    size_t index;

    while ((index = atomic_fetch_add(&work->next, 1)) < work->count)
        work->fn(index, work->userdata);
    return NULL;
}

/*
 * The caller's thread takes no part where there are several: it waits, free to
 * take the signals. It works only when not one thread could be had.
 */
void parallel_run(size_t count, parallel_fn fn, void *userdata)
{
    struct work work = {.count = count, .fn = fn, .userdata = userdata};
    pthread_t threads[MOST_THREADS];
    size_t started = 0;
    size_t i;

    while (count > 1 && started < count && started < MOST_THREADS &&
           pthread_create(&threads[started], NULL, run_some, &work) == 0)
        started++;
    if (started == 0)
        (void)run_some(&work);
    for (i = 0; i < started; i++)
        (void)pthread_join(threads[i], NULL);
}
