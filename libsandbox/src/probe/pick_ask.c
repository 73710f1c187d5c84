/* pick_ask.c - probes of many places, side by side, within one limit each. */
#include <sandbox/pick.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/opts.h"
#include "base/strv.h"
#include "base/thread.h"

#include <stdatomic.h>

#define SAMPLE_MS 500
#define MOST_TOOL_MS 5000
#define LEAST_TOOL_MS 1000
#define REST_MS 1000 /* of a probe: what is neither sample nor tool */
#define MOST_THREADS 64

struct asked {
    sbx_pick_candidate public;
    sbx_probe_report *report;
    sbx_error error;
};

struct told {
    sbx_pick_told public; /* first: the public pointer is ours too */
    char **places;
    struct asked *all;
    const sbx_pick_candidate **list;
};

struct asking {
    sbx_pool *pool;
    sbx_pick_ask_opts opts;
    struct told *told;
    atomic_size_t next;
};

static int64_t between(int64_t value, int64_t least, int64_t most)
{
    return value < least ? least : value > most ? most : value;
}

/* A tool that hangs must leave time to tell of the rest. */
static void probe(const struct asking *asking, struct asked *asked, sbx_session *session,
                  int64_t deadline)
{
    sbx_probe_opts opts = {.size = sizeof(opts),
                           .sample_ms = asking->opts.sample_ms,
                           .folder = asking->opts.folder,
                           .cancel = asking->opts.cancel};
    int64_t sample = opts.sample_ms > 0 ? opts.sample_ms : SAMPLE_MS;
    int64_t left = sbi_left_ms(deadline);

    if (deadline != SBI_NEVER) {
        opts.timeout_ms = left > 0 ? left : 1;
        opts.tool_limit_ms =
            between(left - sample - REST_MS, LEAST_TOOL_MS, MOST_TOOL_MS);
    }
    (void)sbx_probe(session, &opts, &asked->report, &asked->error);
}

static void ask_one(const struct asking *asking, struct asked *asked)
{
    int64_t limit = asking->opts.place_ms;
    int64_t deadline = limit > 0 ? sbi_deadline(limit) : SBI_NEVER;
    sbx_session *session = NULL;

    if (sbx_pool_acquire(asking->pool, asked->public.place, asking->opts.cancel, &session,
                         &asked->error) < 0)
        return;
    probe(asking, asked, session, deadline);
    sbx_session_free(session);
}

static void *ask_some(void *userdata)
{
    struct asking *asking = userdata;
    size_t index;

    while ((index = atomic_fetch_add(&asking->next, 1)) < asking->told->public.count)
        ask_one(asking, &asking->told->all[index]);
    return NULL;
}

/* Where not one thread can be had, they are asked one behind the other. */
static void ask_all(struct asking *asking)
{
    size_t count = asking->told->public.count, started = 0, i;
    pthread_t threads[MOST_THREADS];

    while (count > 1 && started < count && started < MOST_THREADS &&
           sbi_thread_start(&threads[started], ask_some, asking) == 0)
        started++;
    if (started == 0)
        (void)ask_some(asking);
    for (i = 0; i < started; i++)
        (void)pthread_join(threads[i], NULL);
}

static void told_clear(struct told **told)
{
    if (*told != NULL)
        sbx_pick_told_free(&(*told)->public);
}

static int told_new(const char *const *places, struct told **out, sbx_error *err)
{
    size_t count = sbi_strv_count(places), i;
    SBI_CLEANUP(told_clear) struct told *told = calloc(1, sizeof(*told));

    if (told != NULL) {
        told->all = calloc(count + 1, sizeof(told->all[0]));
        told->list = calloc(count + 1, sizeof(const sbx_pick_candidate *));
    }
    if (told == NULL || told->all == NULL || told->list == NULL ||
        sbi_strv_copy(places, &told->places, NULL) < 0)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "ask %zu places: out of memory", count);
    for (i = 0; i < count; i++) {
        told->all[i].public.size = sizeof(sbx_pick_candidate);
        told->all[i].public.place = told->places[i];
        told->list[i] = &told->all[i].public;
    }
    told->public.items = told->list;
    told->public.count = count;
    *out = SBI_STEAL(told);
    return SBX_OK;
}

int sbx_pick_ask(sbx_pool *pool, const char *const *places, const sbx_pick_ask_opts *opts,
                 sbx_pick_told **out, sbx_error *err)
{
    struct asking asking = {.pool = pool};
    SBI_CLEANUP(told_clear) struct told *told = NULL;
    int rc = sbi_opts_read(&asking.opts, sizeof(asking.opts), opts, err);
    size_t i;

    if (rc == SBX_OK && pool == NULL)
        rc = sbi_fail(err, SBX_ERR_INVALID, "ask places: no pool is given");
    if (rc == SBX_OK)
        rc = told_new(places, &told, err);
    if (rc < 0)
        return rc;
    asking.told = told;
    ask_all(&asking);
    for (i = 0; i < told->public.count; i++) {
        told->all[i].public.report = told->all[i].report;
        told->all[i].public.error = &told->all[i].error;
    }
    *out = &SBI_STEAL(told)->public;
    return SBX_OK;
}

void sbx_pick_told_free(sbx_pick_told *public)
{
    struct told *told = (struct told *)public;
    size_t i;

    if (told == NULL)
        return;
    for (i = 0; told->all != NULL && i < told->public.count; i++)
        sbx_probe_report_free(told->all[i].report);
    free(told->all);
    free(told->list);
    sbi_strv_clear(&told->places);
    free(told);
}
