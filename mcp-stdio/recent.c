#include "recent.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static struct list {
    struct recent all[RECENT_MOST];
    size_t count;
} lists[2];

/* Where it stands, or the place behind the last, or the last where there is no more. */
static size_t place_of(const struct list *list, const char *id, const char *place)
{
    size_t i;

    for (i = 0; i < list->count; i++)
        if (strcmp(list->all[i].id, id) == 0 && strcmp(list->all[i].place, place) == 0)
            return i;
    return i < RECENT_MOST ? i : RECENT_MOST - 1;
}

void recent_add(enum recent_kind kind, const char *id, const char *place)
{
    struct list *list = &lists[kind];
    size_t at;

    (void)pthread_mutex_lock(&lock);
    at = place_of(list, id, place);
    if (at == list->count)
        list->count++;
    memmove(list->all + 1, list->all, at * sizeof(list->all[0]));
    (void)snprintf(list->all[0].id, sizeof(list->all[0].id), "%s", id);
    (void)snprintf(list->all[0].place, sizeof(list->all[0].place), "%s", place);
    (void)pthread_mutex_unlock(&lock);
}

size_t recent_list(enum recent_kind kind, struct recent out[RECENT_MOST])
{
    size_t count;

    (void)pthread_mutex_lock(&lock);
    memcpy(out, lists[kind].all, sizeof(lists[kind].all));
    count = lists[kind].count;
    (void)pthread_mutex_unlock(&lock);
    return count;
}
