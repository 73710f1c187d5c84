/*
 * pool.c - the sessions of many places.
 *
 * One entry a place: its session, or that somebody is opening it. Openings of one
 * place are one opening; those who wait for it get its session or its error. No
 * lock is held while anything is opened or closed.
 */
#include "session/pool.h"

#include "base/cleanup.h"
#include "base/opts.h"
#include "base/wait.h"
#include "base/wake.h"
#include "session/host.h"

#include "session/session.h"

#include <pthread.h>
#include <string.h>

#define MOST_PLACES 256
#define DEFAULT_IDLE_MS 600000

/* One who waits for an opening; lies on the waiter's stack. */
struct waiter {
    struct waiter *next;
    int wake;
    bool done;
    sbx_session *session; /* a hold for the waiter, or NULL and: */
    sbx_error error;
};

struct entry {
    struct entry *next;
    char *place;
    sbx_session *session; /* the pool's hold, or NULL while it is opened */
    struct waiter *waiters;
};

struct sbx_pool {
    sbx_hosts *hosts;
    sbx_session_opts opts;
    pthread_mutex_t lock;  /* over these: */
    struct entry *entries; /* the one that was asked for last comes first */
    size_t count;
    size_t most;
};

static void entry_free(struct entry *entry)
{
    sbx_session_free(entry->session);
    free(entry->place);
    free(entry);
}

static struct entry **find(sbx_pool *pool, const char *place)
{
    struct entry **at = &pool->entries;

    while (*at != NULL && strcmp((*at)->place, place) != 0)
        at = &(*at)->next;
    return at;
}

int sbx_pool_new(sbx_hosts *hosts, const sbx_session_opts *opts, sbx_pool **out,
                 sbx_error *err)
{
    SBI_AUTOFREE sbx_pool *pool = calloc(1, sizeof(*pool));
    int rc;

    if (pool == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "make a pool: out of memory");
    rc = sbi_opts_read(&pool->opts, sizeof(pool->opts), opts, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "make a pool");
    pool->most = MOST_PLACES;
    pool->opts.size = sizeof(pool->opts);
    if (pool->opts.idle_ms == 0)
        pool->opts.idle_ms = DEFAULT_IDLE_MS;
    pool->hosts = sbi_hosts_hold(hosts);
    (void)pthread_mutex_init(&pool->lock, NULL);
    *out = SBI_STEAL(pool);
    return SBX_OK;
}

void sbi_pool_set_most(sbx_pool *pool, size_t most)
{
    pool->most = most;
}

static struct entry *add_entry(sbx_pool *pool, const char *place)
{
    struct entry *entry = calloc(1, sizeof(*entry));

    if (entry == NULL)
        return NULL;
    entry->place = strdup(place);
    if (entry->place == NULL) {
        free(entry);
        return NULL;
    }
    entry->next = pool->entries;
    pool->entries = entry;
    pool->count++;
    return entry;
}

static struct entry *take_out(sbx_pool *pool, struct entry **at)
{
    struct entry *entry = *at;

    *at = entry->next;
    pool->count--;
    return entry;
}

/* The last in the list that nobody else holds; NULL: none. */
static struct entry *take_unused(sbx_pool *pool)
{
    struct entry **at, **last = NULL;

    for (at = &pool->entries; *at != NULL; at = &(*at)->next)
        if ((*at)->session != NULL && !sbi_session_is_shared((*at)->session))
            last = at;
    return last == NULL ? NULL : take_out(pool, last);
}

/* Tells those who waited how it went; an entry without a session is no entry. */
static void settle(sbx_pool *pool, struct entry *entry, sbx_session *session,
                   const sbx_error *error)
{
    struct waiter *waiter;

    (void)pthread_mutex_lock(&pool->lock);
    for (waiter = entry->waiters; waiter != NULL; waiter = waiter->next) {
        waiter->done = true;
        waiter->session = session == NULL ? NULL : sbx_session_hold(session);
        waiter->error = *error;
        sbi_wake_ring(waiter->wake);
    }
    entry->waiters = NULL;
    entry->session = session;
    if (session == NULL)
        (void)take_out(pool, find(pool, entry->place));
    (void)pthread_mutex_unlock(&pool->lock);
    if (session == NULL)
        entry_free(entry);
}

static int open_entry(sbx_pool *pool, struct entry *entry, sbx_cancel *cancel,
                      sbx_session **out, sbx_error *err)
{
    sbx_session_opts opts = pool->opts;
    sbx_session *session = NULL;
    sbx_error why = {0};
    int rc;

    opts.cancel = cancel;
    rc = sbx_session_open(pool->hosts, entry->place, &opts, &session, &why);
    if (rc == SBX_OK)
        *out = sbx_session_hold(session);
    else if (err != NULL)
        *err = why;
    settle(pool, entry, session, &why);
    return rc;
}

/* With the lock held, which is given up. */
static int await_opening(sbx_pool *pool, struct entry *entry, sbx_cancel *cancel,
                         sbx_session **out, sbx_error *err)
{
    struct waiter waiter = {0}, **at;
    int rc;

    rc = sbi_wake_open(&waiter.wake, err);
    if (rc == SBX_OK) {
        waiter.next = entry->waiters;
        entry->waiters = &waiter;
    }
    (void)pthread_mutex_unlock(&pool->lock);
    if (rc < 0)
        return rc;

    (void)sbi_wait_readable(waiter.wake, INT64_MAX, cancel);
    (void)pthread_mutex_lock(&pool->lock);
    if (!waiter.done) {
        for (at = &entry->waiters; *at != &waiter; at = &(*at)->next)
            continue;
        *at = waiter.next;
    }
    (void)pthread_mutex_unlock(&pool->lock);
    (void)close(waiter.wake);

    if (waiter.session != NULL) {
        *out = waiter.session;
        return SBX_OK;
    }
    if (!waiter.done)
        return sbi_fail(err, SBX_ERR_CANCELLED, "open a session: cancelled");
    if (err != NULL)
        *err = waiter.error;
    return waiter.error.code;
}

/* With the lock held, which is given up. */
static int open_new(sbx_pool *pool, const char *place, sbx_cancel *cancel,
                    sbx_session **out, sbx_error *err)
{
    struct entry *leaving = NULL, *entry = NULL;
    bool full = pool->count >= pool->most;

    if (full)
        leaving = take_unused(pool);
    if (!full || leaving != NULL)
        entry = add_entry(pool, place);
    (void)pthread_mutex_unlock(&pool->lock);
    if (leaving != NULL)
        entry_free(leaving);
    if (entry != NULL)
        return open_entry(pool, entry, cancel, out, err);
    if (!full || leaving != NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "open a session: out of memory");
    (void)sbi_fail(err, SBX_ERR_LIMIT,
                   "open a session to '%s': %zu places are in use, the most of one pool",
                   place, pool->most);
    return sbi_fix(err, SBX_ERR_LIMIT, NULL, "use fewer places at once");
}

/* A hold on the session of an entry, which moves to the front. */
static sbx_session *lend(sbx_pool *pool, struct entry **at)
{
    struct entry *entry = *at;

    *at = entry->next;
    entry->next = pool->entries;
    pool->entries = entry;
    return sbx_session_hold(entry->session);
}

int sbx_pool_acquire(sbx_pool *pool, const char *place, sbx_cancel *cancel,
                     sbx_session **out, sbx_error *err)
{
    struct entry **at;
    int rc = SBX_ERR_CANCELLED;

    if (place == NULL)
        return sbi_fail(err, SBX_ERR_INVALID, "open a session: no place named");
    do {
        (void)pthread_mutex_lock(&pool->lock);
        at = find(pool, place);
        if (*at != NULL && (*at)->session != NULL) {
            *out = lend(pool, at);
            (void)pthread_mutex_unlock(&pool->lock);
            return SBX_OK;
        }
        if (*at == NULL)
            return open_new(pool, place, cancel, out, err);
        /* The opener may be cancelled, which is not our end. */
        rc = await_opening(pool, *at, cancel, out, err);
    } while (rc == SBX_ERR_CANCELLED && !sbx_cancel_fired(cancel));
    return rc;
}

void sbx_pool_forget(sbx_pool *pool, const char *place)
{
    struct entry *entry, **at;

    (void)pthread_mutex_lock(&pool->lock);
    at = find(pool, place);
    entry = *at != NULL && (*at)->session != NULL ? *at : NULL;
    if (entry != NULL)
        (void)take_out(pool, at);
    (void)pthread_mutex_unlock(&pool->lock);
    if (entry != NULL)
        entry_free(entry);
}

void sbx_pool_free(sbx_pool *pool)
{
    struct entry *entry;

    if (pool == NULL)
        return;
    while ((entry = pool->entries) != NULL) {
        pool->entries = entry->next;
        entry_free(entry);
    }
    sbx_hosts_free(pool->hosts);
    (void)pthread_mutex_destroy(&pool->lock);
    free(pool);
}
