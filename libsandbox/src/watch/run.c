/*
 * run.c - the watchdog: looks at what is due and tells what is to be told, until it is
 * cancelled.
 *
 * One thread decides and starts; two crews do, one looks and one tells, so that neither
 * waits for the other. All that has to last is in the ledger: whoever is killed here
 * leaves no work half done that the next one would not find.
 */
#include <sandbox/watch.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/log.h"
#include "base/opts.h"
#include "base/wait.h"
#include "base/wake.h"
#include "watch/crew.h"
#include "watch/deliver.h"
#include "watch/lock.h"
#include "watch/look.h"
#include "watch/posts.h"
#include "watch/schedule.h"

#include <stdlib.h>

#define INTERVAL_MS (INT64_C(300) * 1000)
#define COMMAND_MS (INT64_C(60) * 1000)
#define TICK_MS 2000  /* how soon what others wrote is noticed */
#define STAND_MS 1000 /* between looks at whether the other one still works */
#define LEAST_MS 200  /* between two looks at one place */
/* A place that failed once is asked again so soon, at the latest. */
#define HURRY_MS 30000

struct dog {
    sbx_watch_run_opts opts;
    struct sbi_lock lock;
    struct sbi_posts posts;
    struct sbi_crew lookers;
    struct sbi_crew tellers;
    struct sbi_teller teller;
    int64_t pulse; /* of the ledger, as it was when the posts were read */
    bool stale;    /* they are to be read again */
    bool to_tell;  /* something may be there to be told */
    int wake;
};

struct look_work {
    struct dog *dog;
    struct sbi_post *post;
    struct sbi_looked looked;
    sbx_error error;
    int rc;
};

struct tell_work {
    struct dog *dog;
    struct sbi_delivery delivery;
    sbx_error error;
    int rc;
};

static int64_t chance(void)
{
    char hex[9] = "";

    return sbi_random_hex(hex, 4, NULL) < 0 ? 500
                                            : (int64_t)(strtoul(hex, NULL, 16) % 1001);
}

static void look(void *userdata)
{
    struct look_work *work = userdata;
    const struct sbi_looking looking = {.ledger = work->dog->teller.ledger,
                                        .place = &work->post->place.items[0],
                                        .cancel = work->dog->teller.cancel};

    work->rc = sbi_look(&looking, &work->looked, &work->error);
}

static void after_look(void *userdata)
{
    SBI_AUTOFREE struct look_work *work = userdata;
    struct sbi_post *post = work->post;
    int64_t now = sbi_schedule_now();

    post->busy = false;
    post->failures = work->rc == SBX_OK && work->looked.reached ? 0 : post->failures + 1;
    post->due = sbi_schedule_next(now, post->interval_ms, post->failures, chance());
    if (post->failures == 1 && post->due > now + HURRY_MS)
        post->due = now + HURRY_MS;
    if (work->looked.again_ms >= 0 && post->due > now + work->looked.again_ms)
        post->due =
            now + (work->looked.again_ms > LEAST_MS ? work->looked.again_ms : LEAST_MS);
    if (work->rc < 0 && work->rc != SBX_ERR_CANCELLED)
        sbi_log(SBX_LOG_WARN, "%s", work->error.text);
    work->dog->stale = true;
    work->dog->to_tell = true;
}

static void tell(void *userdata)
{
    struct tell_work *work = userdata;

    work->rc = sbi_deliver(&work->dog->teller, &work->delivery, &work->error);
}

static void after_tell(void *userdata)
{
    SBI_AUTOFREE struct tell_work *work = userdata;

    if (work->rc < 0)
        sbi_log(SBX_LOG_WARN, "%s", work->error.text);
    sbi_delivery_clear(&work->delivery);
    work->dog->to_tell = true;
}

static int start_looks(struct dog *dog, sbx_error *err)
{
    struct sbi_post *post;
    int64_t now = sbi_schedule_now();
    int rc = SBX_OK;

    while (rc == SBX_OK && sbi_crew_has_room(&dog->lookers) &&
           (post = sbi_posts_due(&dog->posts, now)) != NULL) {
        struct look_work *work = calloc(1, sizeof(*work));

        if (work == NULL)
            return sbi_fail(err, SBX_ERR_NO_MEMORY, "look at a place: out of memory");
        *work = (struct look_work){.dog = dog, .post = post};
        post->busy = true;
        rc = sbi_crew_start(&dog->lookers, look, after_look, work, err);
        if (rc < 0) {
            post->busy = false;
            free(work);
        }
    }
    return rc;
}

static bool lives(int64_t name, void *userdata)
{
    return sbi_lock_lives(userdata, name);
}

/* Each is taken as it is started: what waits for a hand can be taken by another. */
static int start_tells(struct dog *dog, sbx_error *err)
{
    int rc = SBX_OK;

    while (rc == SBX_OK && sbi_crew_has_room(&dog->tellers)) {
        struct tell_work *work = calloc(1, sizeof(*work));

        if (work == NULL)
            return sbi_fail(err, SBX_ERR_NO_MEMORY, "tell: out of memory");
        work->dog = dog;
        rc = sbi_deliveries_take(dog->teller.ledger, dog->lock.name, sbi_schedule_wall(),
                                 lives, &dog->lock, &work->delivery, err);
        if (rc == SBX_OK && work->delivery.number == 0) {
            free(work);
            dog->to_tell = false;
            break;
        }
        if (rc == SBX_OK)
            rc = sbi_crew_start(&dog->tellers, tell, after_tell, work, err);
        if (rc < 0) {
            sbi_delivery_clear(&work->delivery);
            free(work);
        }
    }
    return rc;
}

static int read_posts(struct dog *dog, int64_t pulse, sbx_error *err)
{
    int rc = sbi_posts_read(&dog->posts, dog->teller.ledger, dog->opts.interval_ms,
                            sbi_schedule_now(), err);

    if (rc < 0)
        return rc;
    dog->pulse = pulse;
    dog->stale = false;
    return SBX_OK;
}

static int rest(struct dog *dog, int64_t least_ms, int64_t most_ms)
{
    int64_t left = sbi_posts_next(&dog->posts) - sbi_schedule_now();
    int rc;

    if (left > most_ms || !sbi_crew_has_room(&dog->lookers))
        left = most_ms;
    rc = sbi_wait_readable(dog->wake, sbi_deadline(left < least_ms ? least_ms : left),
                           dog->opts.cancel);
    sbi_wake_hush(dog->wake);
    sbi_crew_reap(&dog->lookers);
    sbi_crew_reap(&dog->tellers);
    return rc;
}

/* One step: what is due is started, and something is waited for. */
static int step(struct dog *dog, sbx_error *err)
{
    int64_t pulse = sbi_ledger_pulse(dog->teller.ledger);
    int rc = SBX_OK;

    if (pulse < 0)
        return sbi_fail(err, SBX_ERR_NOT_FOUND, "the ledger '%s' is there no more",
                        sbi_ledger_path(dog->teller.ledger));
    if (dog->stale || pulse != dog->pulse)
        rc = read_posts(dog, pulse, err);
    if (rc == SBX_OK)
        rc = start_looks(dog, err);
    if (rc == SBX_OK)
        rc = start_tells(dog, err);
    return rc;
}

/* Something that passes: another held the ledger too long, no thread was to be had. */
static bool passes(int rc)
{
    return rc == SBX_ERR_TIMEOUT || rc == SBX_ERR_LIMIT || rc == SBX_ERR_NO_MEMORY;
}

static int idle(struct dog *dog, bool *out, sbx_error *err)
{
    int64_t watches = 0, waiting = 0, undelivered = 0;
    int rc = sbi_watches_count(dog->teller.ledger, &watches, &waiting, &undelivered, err);

    *out = rc == SBX_OK && watches == 0 && waiting == 0 &&
           !sbi_crew_works(&dog->lookers) && !sbi_crew_works(&dog->tellers);
    return rc;
}

/*
 * Whoever adds a watch then looks whether somebody is at the work. So we first go from it
 * and then look whether there is a watch: one of the two sees the other.
 */
static int may_end(struct dog *dog, bool *out, sbx_error *err)
{
    int rc = idle(dog, out, err);

    if (rc < 0 || !*out)
        return rc;
    sbi_lock_rest(&dog->lock);
    rc = idle(dog, out, err);
    if (rc == SBX_OK && !*out)
        *out = !sbi_lock_work(&dog->lock);
    return rc;
}

static int run_on(struct dog *dog, sbx_error *err)
{
    sbx_error why = {0};
    bool end = false;
    int rc;

    while (!end) {
        rc = step(dog, &why);
        if (rc == SBX_OK && dog->opts.flags & SBX_WATCH_UNTIL_IDLE)
            rc = may_end(dog, &end, &why);
        if (rc < 0 && !passes(rc))
            return sbi_fail(err, rc, "%s", why.text);
        if (rc < 0)
            sbi_log(SBX_LOG_WARN, "%s", why.text);
        if (!end && rest(dog, rc < 0 ? STAND_MS : 1, TICK_MS) == SBX_ERR_CANCELLED)
            return SBX_OK;
    }
    return SBX_OK;
}

/* One look at each place, and then all that is due to be told. */
static int run_once(struct dog *dog, sbx_error *err)
{
    int rc = read_posts(dog, sbi_ledger_pulse(dog->teller.ledger), err);
    const int64_t begun = sbi_schedule_now(); /* what is due by now is due once */

    while (rc == SBX_OK) {
        struct sbi_post *post;

        for (post = dog->posts.first; post != NULL; post = post->next)
            if (!post->busy && post->due > begun)
                post->due = INT64_MAX;
        rc = start_looks(dog, err);
        if (rc == SBX_OK)
            rc = start_tells(dog, err);
        if (rc < 0 || (sbi_posts_next(&dog->posts) == INT64_MAX && !dog->to_tell &&
                       !sbi_crew_works(&dog->lookers) && !sbi_crew_works(&dog->tellers)))
            break;
        if (rest(dog, 1, STAND_MS) == SBX_ERR_CANCELLED)
            break;
    }
    return rc;
}

static int go_to_work(struct dog *dog, sbx_error *err)
{
    while (!sbi_lock_work(&dog->lock)) {
        if (!(dog->opts.flags & SBX_WATCH_STAND_BY)) {
            (void)sbi_fail(err, SBX_ERR_EXISTS,
                           "a watchdog runs already, as process %lld",
                           (long long)sbi_lock_worker(&dog->lock));
            return SBX_ERR_EXISTS;
        }
        if (sbi_wait_readable(dog->wake, sbi_deadline(STAND_MS), dog->opts.cancel) ==
            SBX_ERR_CANCELLED)
            return SBX_ERR_CANCELLED;
    }
    return SBX_OK;
}

static int open_local(struct dog *dog, sbx_error *err)
{
    const sbx_hosts_opts files = {.size = sizeof(files), .ssh_config = "none"};
    sbx_hosts *hosts = NULL;
    int rc = sbx_hosts_parse("[]", 2, &files, &hosts, err);

    if (rc == SBX_OK)
        rc = sbx_session_open(hosts, "local", NULL, &dog->teller.local, err);
    sbx_hosts_free(hosts);
    return rc;
}

static int work(struct dog *dog, sbx_error *err)
{
    bool once = dog->opts.flags & SBX_WATCH_ONCE;
    int rc = once ? SBX_OK : go_to_work(dog, err);

    if (rc == SBX_ERR_CANCELLED)
        return SBX_OK;
    if (rc == SBX_OK)
        rc = once ? run_once(dog, err) : run_on(dog, err);
    return rc;
}

static int prepare(struct dog *dog, sbx_error *err)
{
    int rc = sbi_lock_open(sbi_ledger_path(dog->teller.ledger), &dog->lock, err);

    if (rc == SBX_OK)
        rc = sbx_cancel_new(&dog->teller.cancel, err); /* of the crews */
    if (rc == SBX_OK)
        rc = sbi_wake_open(&dog->wake, err);
    if (rc == SBX_OK)
        rc = open_local(dog, err);
    return rc;
}

static void dog_clear(struct dog *dog)
{
    sbi_posts_clear(&dog->posts);
    sbx_session_free(dog->teller.local);
    sbx_cancel_free(dog->teller.cancel);
    sbi_close_fd(&dog->wake);
    sbi_lock_close(&dog->lock);
}

int sbx_watch_run(sbx_ledger *ledger, const sbx_watch_run_opts *theirs, sbx_error *err)
{
    SBI_CLEANUP(dog_clear)
    struct dog dog = {.lock = SBI_LOCK_NONE, .wake = -1, .stale = true, .to_tell = true};
    int rc = sbi_opts_read(&dog.opts, sizeof(dog.opts), theirs, err);

    if (rc == SBX_OK && (ledger == NULL || dog.opts.interval_ms < 0))
        rc = sbi_fail(err, SBX_ERR_INVALID, "no ledger, or no interval");
    if (rc < 0)
        return sbi_wrap(err, rc, "watch");
    if (dog.opts.interval_ms == 0)
        dog.opts.interval_ms = INTERVAL_MS;
    dog.teller = (struct sbi_teller){
        .ledger = ledger,
        .command_ms = dog.opts.command_ms > 0 ? dog.opts.command_ms : COMMAND_MS};
    rc = prepare(&dog, err);
    if (rc == SBX_OK) {
        sbi_crew_init(&dog.lookers, dog.wake);
        sbi_crew_init(&dog.tellers, dog.wake);
        rc = work(&dog, err);
        sbx_cancel_fire(dog.teller.cancel);
        sbi_crew_end(&dog.lookers);
        sbi_crew_end(&dog.tellers);
    }
    return rc < 0 ? sbi_wrap(err, rc, "watch") : SBX_OK;
}
