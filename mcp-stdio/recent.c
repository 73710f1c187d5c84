#include "recent.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct recent all[RECENT_MOST];
static size_t count;

void recent_add(const char *run_id, const char *place)
{
    (void)pthread_mutex_lock(&lock);
    memmove(all + 1, all, (RECENT_MOST - 1) * sizeof(all[0]));
    (void)snprintf(all[0].run_id, sizeof(all[0].run_id), "%s", run_id);
    (void)snprintf(all[0].place, sizeof(all[0].place), "%s", place);
    count += count < RECENT_MOST;
    (void)pthread_mutex_unlock(&lock);
}

size_t recent_list(struct recent out[RECENT_MOST])
{
    size_t have;

    (void)pthread_mutex_lock(&lock);
    memcpy(out, all, sizeof(all));
    have = count;
    (void)pthread_mutex_unlock(&lock);
    return have;
}
