/*
 * wait.c - each condition on a thread of its own, with a token of its own: the first that
 * is met, or the last, ends the others.
 *
 * What is looked at over there is looked at by a script that waits there, half a minute
 * at a time, so that a look costs no round trip and a dead line is noticed.
 */
#include <sandbox/wait.h>

#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/opts.h"
#include "base/str.h"
#include "base/thread.h"
#include "base/wait.h"
#include "base/wake.h"
#include "job/call.h"
#include "job/script.h"

#include <errno.h>
#include <regex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#define MOST_CONDITIONS 16
#define LOOKS "40"
#define LOOK_MS 60000
#define FIRST_PAUSE_MS 500
#define LONGEST_PAUSE_MS 15000
#define MOST_LINE ((size_t)64 * 1024)

struct waiter {
    struct waiting *waiting;
    sbx_wait_for wanted;
    sbx_wait_answer answer;
    struct sbi_str line; /* of a log, that has not ended or has matched */
    regex_t regex;
    bool has_regex;
    sbx_job *job;
    pthread_t thread;
    bool running;
};

struct waiting {
    sbx_waited public;
    char *place;
    sbx_pool *pool;
    int64_t deadline;
    bool any;
    sbx_cancel *stop;  /* of all that is still looked at */
    sbx_cancel *outer; /* the caller's */
    int done;          /* rung when one of them has ended */
    atomic_size_t ended;
    atomic_size_t met;
    struct waiter *waiters;
    const sbx_wait_answer **answers;
};

static int left_of(const struct waiting *waiting, int most_ms)
{
    int left = sbi_left_ms(waiting->deadline);

    return left < 0 || left > most_ms ? most_ms : left < 1 ? 1 : left;
}

/* true: it is so. Otherwise err says why not, or has no code. */
static bool look_there(struct waiter *waiter, sbx_session *session, sbx_error *err)
{
    static const char *const kinds[] = {"", "job", "", "file", "port"};
    char port[24];
    const char *what =
        waiter->wanted.kind == SBX_WAIT_JOB ? waiter->wanted.job : waiter->wanted.text;
    const char *const args[] = {kinds[waiter->wanted.kind],
                                waiter->wanted.kind == SBX_WAIT_PORT ? port : what, LOOKS,
                                NULL};
    struct sbi_call call = {
        .action = "wait for",
        .id = args[1],
        .script = sbi_job_script_wait,
        .args = args,
        .exec = {.timeout_ms = left_of(waiter->waiting, LOOK_MS),
                 .kill_after_ms = 300,
                 .grace_ms = 500,
                 .cancel = waiter->waiting->stop},
    };
    SBI_AUTO_CALL_RESULT result = NULL;

    (void)snprintf(port, sizeof(port), "%lld", (long long)waiter->wanted.port);
    return sbi_call(session, &call, &result, err) == SBX_OK &&
           strncmp(result->output, "met", 3) == 0;
}

static bool look_at_job(struct waiter *waiter, sbx_session *session, sbx_error *err)
{
    const sbx_job_opts opts = {.size = sizeof(opts), .cancel = waiter->waiting->stop};

    return look_there(waiter, session, err) &&
           sbx_job_show(session, waiter->wanted.job, &opts, &waiter->job, err) == SBX_OK;
}

/* Whether the line that has ended matches; it is kept then. */
static bool try_line(struct waiter *waiter)
{
    if (waiter->line.data == NULL)
        sbi_str_add(&waiter->line, "");
    if (waiter->line.data != NULL &&
        regexec(&waiter->regex, waiter->line.data, 0, NULL, 0) == 0)
        return true;
    sbi_str_clear(&waiter->line);
    return false;
}

static int hear(const void *data, size_t length, void *userdata)
{
    struct waiter *waiter = userdata;
    const char *at = data, *end = at + length;

    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        size_t size = (size_t)((stop == NULL ? end : stop) - at);
        size_t room = MOST_LINE - waiter->line.length;

        sbi_str_add_bytes(&waiter->line, at, size < room ? size : room);
        waiter->answer.cursor += (int64_t)(size + (stop == NULL ? 0 : 1));
        if (stop == NULL)
            return 0;
        if (try_line(waiter)) {
            waiter->answer.met = 1;
            return 1;
        }
        at = stop + 1;
    }
    return 0;
}

static bool look_at_log(struct waiter *waiter, sbx_session *session, sbx_error *err)
{
    const sbx_job_log_opts opts = {.size = sizeof(opts),
                                   .flags = SBX_JOB_FOLLOW,
                                   .offset = waiter->answer.cursor,
                                   .on_bytes = hear,
                                   .userdata = waiter,
                                   .cancel = waiter->waiting->stop};
    sbx_job_log *log = NULL;
    int rc = sbx_job_log_read(session, waiter->wanted.job, &opts, &log, err);

    sbx_job_log_free(log);
    if (rc < 0 || waiter->answer.met)
        return rc == SBX_OK;
    if (waiter->line.length > 0 && try_line(waiter))
        return true;
    (void)sbi_fail(err, SBX_ERR_NOT_FOUND, "job '%s' ended without such a line",
                   waiter->wanted.job);
    return false;
}

static bool look_at_host(struct waiter *waiter, sbx_session *session, sbx_error *err)
{
    return sbx_session_check(session, left_of(waiter->waiting, 5000), err) == SBX_OK;
}

static bool (*const looks[])(struct waiter *waiter, sbx_session *session,
                             sbx_error *err) = {NULL,       look_at_job, look_at_log,
                                                look_there, look_there,  look_at_host};

static bool look(struct waiter *waiter, sbx_error *err)
{
    struct waiting *waiting = waiter->waiting;
    sbx_session *session = NULL;
    bool met = sbx_pool_acquire(waiting->pool, waiting->place, waiting->stop, &session,
                                err) == SBX_OK &&
               looks[waiter->wanted.kind](waiter, session, err);

    sbx_session_free(session);
    return met;
}

static void *wait_for_one(void *userdata)
{
    struct waiter *waiter = userdata;
    struct waiting *waiting = waiter->waiting;
    int64_t pause_ms = FIRST_PAUSE_MS;
    struct pollfd nothing = {-1, 0, 0};

    while (!sbx_cancel_fired(waiting->stop)) {
        sbx_error err = {0};

        waiter->answer.met = look(waiter, &err) ? 1 : 0;
        if (waiter->answer.met)
            break;
        if (err.code == SBX_ERR_CANCELLED ||
            (err.code != 0 && !sbi_call_may_pass(err.code))) {
            waiter->answer.error = err.code == SBX_ERR_CANCELLED ? (sbx_error){0} : err;
            break;
        }
        if (err.code == 0) {
            pause_ms = FIRST_PAUSE_MS;
            continue;
        }
        (void)sbi_wait_any(&nothing, 1, sbi_deadline(pause_ms), waiting->stop);
        pause_ms = pause_ms * 2 > LONGEST_PAUSE_MS ? LONGEST_PAUSE_MS : pause_ms * 2;
    }
    if (waiter->answer.met)
        (void)atomic_fetch_add(&waiting->met, 1);
    (void)atomic_fetch_add(&waiting->ended, 1);
    sbi_wake_ring(waiting->done);
    return NULL;
}

static bool is_over(const struct waiting *waiting)
{
    size_t met = atomic_load(&waiting->met), ended = atomic_load(&waiting->ended);
    size_t count = waiting->public.count;

    return ended == count || (waiting->any && met > 0) || (!waiting->any && ended > met);
}

/* Until enough of them have ended; SBX_ERR_CANCELLED, SBX_ERR_TIMEOUT. */
static int wait_until_over(struct waiting *waiting)
{
    struct pollfd done = {waiting->done, POLLIN, 0};
    int rc = SBX_OK;

    while (rc == SBX_OK && !is_over(waiting)) {
        rc = sbi_wait_any(&done, 1, waiting->deadline, waiting->outer);
        sbi_wake_hush(waiting->done);
    }
    return rc;
}

static void end_all(struct waiting *waiting)
{
    size_t i;

    sbx_cancel_fire(waiting->stop);
    for (i = 0; i < waiting->public.count; i++) {
        struct waiter *waiter = &waiting->waiters[i];

        if (waiter->running)
            (void)pthread_join(waiter->thread, NULL);
        waiter->running = false;
    }
}

static int run(struct waiting *waiting, sbx_error *err)
{
    int rc = SBX_OK;
    size_t met, i;

    for (i = 0; i < waiting->public.count && rc == SBX_OK; i++) {
        struct waiter *waiter = &waiting->waiters[i];

        errno = sbi_thread_start(&waiter->thread, wait_for_one, waiter);
        waiter->running = errno == 0;
        if (errno != 0)
            rc = sbi_fail_errno(err, SBX_ERR_IO, "start a thread");
    }
    if (rc < 0) {
        end_all(waiting);
        return rc;
    }
    rc = wait_until_over(waiting);
    end_all(waiting);
    met = atomic_load(&waiting->met);
    waiting->public.met = (waiting->any ? met > 0 : met == waiting->public.count) ? 1 : 0;
    waiting->public.timed_out = rc == SBX_ERR_TIMEOUT && !waiting->public.met ? 1 : 0;
    if (rc == SBX_ERR_CANCELLED && !waiting->public.met)
        return sbi_fail(err, SBX_ERR_CANCELLED, "cancelled");
    return SBX_OK;
}

static int check(const sbx_wait_for *wanted, sbx_error *err)
{
    bool needs_job = wanted->kind == SBX_WAIT_JOB || wanted->kind == SBX_WAIT_LOG;
    bool needs_text = wanted->kind == SBX_WAIT_LOG || wanted->kind == SBX_WAIT_FILE;

    if (wanted->kind < SBX_WAIT_JOB || wanted->kind > SBX_WAIT_HOST)
        return sbi_fail(err, SBX_ERR_INVALID, "kind %lld is none",
                        (long long)wanted->kind);
    if (needs_job && (wanted->job == NULL || wanted->job[0] == '\0'))
        return sbi_fail(err, SBX_ERR_INVALID, "no job is given");
    if (needs_text &&
        (wanted->text == NULL || wanted->text[0] == '\0' || strlen(wanted->text) > 4096))
        return sbi_fail(err, SBX_ERR_INVALID, "a text of 1 to 4096 bytes is needed");
    if (wanted->kind == SBX_WAIT_PORT && (wanted->port < 1 || wanted->port > 65535))
        return sbi_fail(err, SBX_ERR_INVALID, "port %lld is not from 1 to 65535",
                        (long long)wanted->port);
    if (wanted->cursor < 0)
        return sbi_fail(err, SBX_ERR_INVALID, "cursor %lld is negative",
                        (long long)wanted->cursor);
    return SBX_OK;
}

static int prepare(struct waiting *waiting, struct waiter *waiter,
                   const sbx_wait_for *theirs, sbx_error *err)
{
    char why[128];
    int rc = sbi_opts_read(&waiter->wanted, sizeof(waiter->wanted), theirs, err);

    if (rc == SBX_OK)
        rc = check(&waiter->wanted, err);
    if (rc < 0)
        return rc;
    waiter->waiting = waiting;
    waiter->answer.kind = (int32_t)waiter->wanted.kind;
    waiter->answer.cursor = waiter->wanted.cursor;
    if (waiter->wanted.kind != SBX_WAIT_LOG)
        return SBX_OK;
    rc = regcomp(&waiter->regex, waiter->wanted.text, REG_EXTENDED | REG_NOSUB);
    waiter->has_regex = rc == 0;
    if (rc == 0)
        return SBX_OK;
    (void)regerror(rc, &waiter->regex, why, sizeof(why));
    return sbi_fail(err, SBX_ERR_INVALID, "'%.80s' is no regular expression: %s",
                    waiter->wanted.text, why);
}

static void waiting_clear(struct waiting **waiting)
{
    sbx_waited_free((sbx_waited *)*waiting);
}

static int make(const char *place, size_t count, struct waiting **out, sbx_error *err)
{
    SBI_CLEANUP(waiting_clear) struct waiting *waiting = calloc(1, sizeof(*waiting));
    int rc;

    if (waiting == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    waiting->done = -1;
    waiting->place = strdup(place);
    waiting->waiters = calloc(count, sizeof(*waiting->waiters));
    waiting->answers = calloc(count + 1, sizeof(*waiting->answers));
    if (waiting->place == NULL || waiting->waiters == NULL || waiting->answers == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    rc = sbx_cancel_new(&waiting->stop, err);
    if (rc == SBX_OK)
        rc = sbi_wake_open(&waiting->done, err);
    if (rc < 0)
        return rc;
    waiting->public.place = waiting->place;
    waiting->public.answers = waiting->answers;
    waiting->public.count = count;
    *out = SBI_STEAL(waiting);
    return SBX_OK;
}

static void publish(struct waiting *waiting)
{
    size_t i;

    for (i = 0; i < waiting->public.count; i++) {
        struct waiter *waiter = &waiting->waiters[i];
        bool of_log = waiter->wanted.kind == SBX_WAIT_LOG;

        waiter->answer.cursor = of_log ? waiter->answer.cursor : 0;
        waiter->answer.line = of_log && waiter->answer.met ? waiter->line.data : NULL;
        waiter->answer.job = waiter->job;
        waiting->answers[i] = &waiter->answer;
    }
}

int sbx_wait(sbx_pool *pool, const char *place, const sbx_wait_for *conditions,
             size_t count, const sbx_wait_opts *theirs, sbx_waited **out, sbx_error *err)
{
    SBI_CLEANUP(waiting_clear) struct waiting *waiting = NULL;
    sbx_wait_opts opts;
    int rc = SBX_OK;
    size_t i;

    if (pool == NULL || place == NULL || conditions == NULL || count < 1 ||
        count > MOST_CONDITIONS)
        return sbi_fail(err, SBX_ERR_INVALID,
                        "wait: a pool, a place and 1 to %d conditions", MOST_CONDITIONS);
    rc = sbi_opts_read(&opts, sizeof(opts), theirs, err);
    if (rc == SBX_OK)
        rc = make(place, count, &waiting, err);
    for (i = 0; i < count && rc == SBX_OK; i++)
        rc = prepare(waiting, &waiting->waiters[i], &conditions[i], err);
    if (rc == SBX_OK) {
        waiting->pool = pool;
        waiting->any = (opts.flags & SBX_WAIT_ANY) != 0;
        waiting->outer = opts.cancel;
        waiting->deadline = sbi_deadline(opts.timeout_ms > 0 ? opts.timeout_ms : -1);
        rc = run(waiting, err);
    }
    if (rc < 0)
        return sbi_wrap(err, rc, "wait on '%s'", place);
    publish(waiting);
    *out = &SBI_STEAL(waiting)->public;
    return SBX_OK;
}

void sbx_waited_free(sbx_waited *public)
{
    struct waiting *waiting = (struct waiting *)public;
    size_t i;

    if (waiting == NULL)
        return;
    for (i = 0; i < waiting->public.count; i++) {
        if (waiting->waiters[i].has_regex)
            regfree(&waiting->waiters[i].regex);
        sbi_str_clear(&waiting->waiters[i].line);
        sbx_job_free(waiting->waiters[i].job);
    }
    sbi_close_fd(&waiting->done);
    sbx_cancel_free(waiting->stop);
    free(waiting->waiters);
    free(waiting->answers);
    free(waiting->place);
    free(waiting);
}
