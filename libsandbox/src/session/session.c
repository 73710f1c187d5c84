/*
 * session.c - the lines of one place.
 *
 * A slot is a line with the number of processes on it and how many the server was
 * found to allow. One caller at a time connects; the others wait for that one
 * attempt and get its error when it fails, so that forty callers of a dead host
 * wait once. Waiters are woken through descriptors, since they wait for their
 * cancel token too.
 */
#include "session/session.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/opts.h"
#include "base/wait.h"
#include "base/wake.h"
#include "session/facts.h"
#include "session/host_route.h"
#include "session/parting.h"
#include "transport/local.h"
#include "transport/ssh.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#define MOST_LINES 16
#define DEFAULT_CONNECT_MS 15000
#define DEFAULT_KEEPALIVE_MS 15000
#define FURTHER_IDLE_MS 60000

struct sbi_slot {
    struct sbi_line *line; /* NULL: free */
    int busy;
    int capacity;
    bool served; /* it has had a process: a refusal is for want of room */
};

struct waiter {
    struct waiter *next;
    int fd;
};

struct sbx_session {
    atomic_int holders;
    char *place;
    int kind;
    struct sbi_ssh_target *target; /* NULL for this machine */
    struct sbi_host_defaults defaults;
    int64_t connect_ms;
    struct sbi_ssh_care care;

    pthread_mutex_t lock;
    struct sbi_slot slots[MOST_LINES];
    struct sbi_line_facts facts; /* of the newest line */
    bool connecting;
    uint64_t attempts;   /* ended ones */
    bool attempt_failed; /* the last of them */
    sbx_error attempt_error;
    struct waiter *waiters;
    struct sbi_partings partings;
};

static void wake_waiters(sbx_session *session)
{
    struct waiter *waiter;

    for (waiter = session->waiters; waiter != NULL; waiter = waiter->next)
        sbi_wake_ring(waiter->fd);
}

static void leave_queue(sbx_session *session, struct waiter *waiter)
{
    struct waiter **at = &session->waiters;

    while (*at != waiter)
        at = &(*at)->next;
    *at = waiter->next;
}

/* With the lock held; without it while waiting. */
static int wait_for_change(sbx_session *session, int64_t deadline, sbx_cancel *cancel,
                           sbx_error *err)
{
    struct waiter waiter = {.next = session->waiters};
    int rc;

    rc = sbi_wake_open(&waiter.fd, err);
    if (rc < 0)
        return rc;
    session->waiters = &waiter;
    (void)pthread_mutex_unlock(&session->lock);
    rc = sbi_wait_readable(waiter.fd, deadline, cancel);
    (void)pthread_mutex_lock(&session->lock);
    leave_queue(session, &waiter);
    (void)close(waiter.fd);

    if (rc == SBX_ERR_CANCELLED)
        return sbi_fail(err, rc, "wait for a connection: cancelled");
    if (rc == SBX_ERR_TIMEOUT)
        return sbi_fail(err, rc, "wait for a free place on a connection: timed out");
    return rc;
}

static int connect_line(sbx_session *session, bool further, int64_t deadline,
                        sbx_cancel *cancel, struct sbi_line **out, sbx_error *err)
{
    struct sbi_ssh_care care = session->care;
    int rc;

    if (further && (care.idle_ms <= 0 || care.idle_ms > FURTHER_IDLE_MS))
        care.idle_ms = FURTHER_IDLE_MS;

    if (session->kind == SBX_HOST_LOCAL)
        return sbi_local_open(out, err);
    rc = sbi_ssh_open(session->target, &care, deadline, cancel, out, err);
    return rc < 0 ? sbi_wrap(err, rc, "connect to '%s'", session->place) : rc;
}

/*
 * The lines of dead connections go once nobody is on them any more; so do those of
 * servers that allow one process in a connection's life (tinysshd).
 */
static void drop_dead(sbx_session *session)
{
    struct sbi_slot *slot;

    for (slot = session->slots; slot < session->slots + MOST_LINES; slot++)
        if (slot->line != NULL && slot->busy == 0 &&
            (slot->capacity == 0 || !sbi_line_alive(slot->line))) {
            sbi_line_free(slot->line);
            *slot = (struct sbi_slot){0};
        }
}

static struct sbi_slot *find_slot(sbx_session *session, bool empty)
{
    struct sbi_slot *slot;

    for (slot = session->slots; slot < session->slots + MOST_LINES; slot++) {
        if (empty && slot->line == NULL)
            return slot;
        if (!empty && slot->line != NULL && slot->busy < slot->capacity &&
            sbi_line_alive(slot->line))
            return slot;
    }
    return NULL;
}

static struct sbi_slot *find_live(sbx_session *session)
{
    struct sbi_slot *slot;

    for (slot = session->slots; slot < session->slots + MOST_LINES; slot++)
        if (slot->line != NULL && sbi_line_alive(slot->line))
            return slot;
    return NULL;
}

/* With the lock held; without it while connecting. Fills in an empty slot. */
static int add_line(sbx_session *session, int64_t deadline, sbx_cancel *cancel,
                    sbx_error *err)
{
    struct sbi_slot *slot = find_slot(session, true);
    struct sbi_line *line = NULL;
    bool further = find_live(session) != NULL;
    sbx_error why = {0};
    int rc;

    session->connecting = true;
    (void)pthread_mutex_unlock(&session->lock);
    rc = connect_line(session, further, deadline, cancel, &line, &why);
    (void)pthread_mutex_lock(&session->lock);
    session->connecting = false;
    session->attempts++;
    session->attempt_failed = rc < 0;
    session->attempt_error = why;
    if (rc == SBX_OK) {
        *slot = (struct sbi_slot){.line = line, .capacity = 1 << 20};
        session->facts = *sbi_line_facts(line);
    } else if (err != NULL) {
        *err = why;
    }
    wake_waiters(session);
    return rc;
}

/* Another caller connects: its failure is ours, its success a slot to be found. */
static int await_attempt(sbx_session *session, int64_t deadline, sbx_cancel *cancel,
                         sbx_error *err)
{
    uint64_t before = session->attempts;
    int rc;

    rc = wait_for_change(session, deadline, cancel, err);
    if (rc < 0 || session->attempts == before || !session->attempt_failed ||
        session->attempt_error.code == SBX_ERR_CANCELLED || find_live(session) != NULL)
        return rc;
    if (err != NULL)
        *err = session->attempt_error;
    return session->attempt_error.code;
}

/*
 * A full house opens a further line; where that fails, but others live, it is
 * waited for a place on one of those.
 */
static int take_slot(sbx_session *session, int64_t deadline, sbx_cancel *cancel,
                     struct sbi_slot **out, sbx_error *err)
{
    int64_t connecting;
    bool may_add = true;
    int rc = SBX_OK;

    while (rc == SBX_OK) {
        drop_dead(session);
        *out = find_slot(session, false);
        if (*out != NULL) {
            (*out)->busy++;
            return SBX_OK;
        }
        connecting = sbi_session_connect_deadline(session, deadline);
        if (session->connecting) {
            rc = await_attempt(session, deadline, cancel, err);
        } else if (may_add && find_slot(session, true) != NULL) {
            rc = add_line(session, connecting, cancel, err);
            may_add = rc == SBX_OK;
            if (rc < 0 && rc != SBX_ERR_CANCELLED && find_live(session) != NULL)
                rc = SBX_OK;
        } else {
            rc = wait_for_change(session, deadline, cancel, err);
        }
    }
    return rc;
}

int sbi_session_start(sbx_session *session, const struct sbi_process_spec *spec,
                      int64_t deadline, sbx_cancel *cancel, struct sbi_started *out,
                      sbx_error *err)
{
    struct sbi_started started = {0};
    int rc;

    (void)pthread_mutex_lock(&session->lock);
    rc = take_slot(session, deadline, cancel, &started.slot, err);
    (void)pthread_mutex_unlock(&session->lock);
    if (rc < 0)
        return rc;
    rc = sbi_line_start(started.slot->line, spec, &started.process, err);
    if (rc < 0) {
        (void)sbi_session_leave(session, &started, false);
        return rc;
    }
    *out = started;
    return SBX_OK;
}

bool sbi_session_leave(sbx_session *session, struct sbi_started *started, bool refused)
{
    struct sbi_slot *slot = started->slot;
    bool room_elsewhere = false;

    sbi_process_free(started->process);
    if (slot != NULL) {
        (void)pthread_mutex_lock(&session->lock);
        slot->busy--;
        room_elsewhere = slot->busy > 0 || slot->served;
        if (refused && room_elsewhere)
            slot->capacity = slot->busy;
        else if (!refused)
            slot->served = true;
        wake_waiters(session);
        (void)pthread_mutex_unlock(&session->lock);
    }
    *started = (struct sbi_started){0};
    return room_elsewhere;
}

void sbi_session_note_end(sbx_session *session, int64_t watchdog)
{
    (void)pthread_mutex_lock(&session->lock);
    sbi_parting_note(&session->partings, watchdog);
    (void)pthread_mutex_unlock(&session->lock);
}

int64_t sbi_session_connect_deadline(const sbx_session *session, int64_t deadline)
{
    int64_t connecting = sbi_deadline(session->connect_ms);

    return connecting < deadline ? connecting : deadline;
}

const struct sbi_host_defaults *sbi_session_defaults(const sbx_session *session)
{
    return &session->defaults;
}

static int64_t first_set(int64_t a, int64_t b, int64_t c)
{
    return a ? a : b ? b : c;
}

static int describe(sbx_session *session, sbx_hosts *hosts, const char *place,
                    const sbx_session_opts *opts, sbx_error *err)
{
    struct sbi_ssh_target *target;
    const sbx_host *host;
    int rc;

    rc = sbx_hosts_get(hosts, place, &host, err);
    if (rc < 0)
        return rc;
    session->place = strdup(host->name);
    if (session->place == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    session->kind = host->kind;
    if (host->kind == SBX_HOST_SSH)
        rc = sbi_host_target(hosts, host, &session->target, err);
    if (rc == SBX_OK && session->target != NULL)
        rc = sbi_host_route(hosts, session->target, err);
    if (rc == SBX_OK)
        rc = sbi_host_defaults(hosts, host, &session->defaults, err);
    if (rc < 0)
        return rc;

    for (target = session->target; target != NULL; target = target->jump) {
        target->prompt = opts->prompt;
        target->userdata = opts->userdata;
    }
    session->connect_ms =
        first_set(opts->connect_timeout_ms,
                  session->target == NULL ? 0 : session->target->connect_timeout_ms,
                  DEFAULT_CONNECT_MS);
    session->care.keepalive_ms = first_set(
        opts->keepalive_ms, session->target == NULL ? 0 : session->target->keepalive_ms,
        DEFAULT_KEEPALIVE_MS);
    session->care.idle_ms = opts->idle_ms;
    return SBX_OK;
}

static void session_clear(sbx_session **session)
{
    sbx_session_free(*session);
}

int sbx_session_open(sbx_hosts *hosts, const char *place, const sbx_session_opts *opts,
                     sbx_session **out, sbx_error *err)
{
    SBI_CLEANUP(session_clear) sbx_session *session = NULL;
    sbx_session_opts ours;
    int rc;

    rc = sbi_opts_read(&ours, sizeof(ours), opts, err);
    if (rc < 0)
        return rc;
    if (hosts == NULL || place == NULL)
        return sbi_fail(err, SBX_ERR_INVALID, "open a session: no place named");
    if (ours.connect_timeout_ms < 0)
        return sbi_fail(err, SBX_ERR_INVALID,
                        "open a session to '%s': a negative connect_timeout_ms", place);

    session = calloc(1, sizeof(*session));
    if (session == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "open a session: out of memory");
    atomic_init(&session->holders, 1);
    (void)pthread_mutex_init(&session->lock, NULL);
    rc = describe(session, hosts, place, &ours, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "open a session to '%s'", place);
    (void)pthread_mutex_lock(&session->lock);
    rc = add_line(session, sbi_deadline(session->connect_ms), ours.cancel, err);
    (void)pthread_mutex_unlock(&session->lock);
    if (rc < 0)
        return rc;
    *out = SBI_STEAL(session);
    return SBX_OK;
}

sbx_session *sbx_session_hold(sbx_session *session)
{
    atomic_fetch_add(&session->holders, 1);
    return session;
}

bool sbi_session_is_shared(const sbx_session *session)
{
    return atomic_load(&session->holders) > 1;
}

int sbx_session_check(sbx_session *session, int64_t timeout_ms, sbx_error *err)
{
    struct sbi_slot *slot;
    int rc;

    if (timeout_ms < 0)
        return sbi_fail(err, SBX_ERR_INVALID, "check '%s': a negative time-out",
                        session->place);

    (void)pthread_mutex_lock(&session->lock);
    slot = find_live(session);
    if (slot != NULL)
        slot->busy++;
    (void)pthread_mutex_unlock(&session->lock);
    if (slot == NULL)
        return sbi_fail(err, SBX_ERR_DISCONNECTED, "check '%s': the connection is gone",
                        session->place);

    rc = sbi_line_ping(slot->line, sbi_deadline(timeout_ms == 0 ? 10000 : timeout_ms),
                       NULL, err);
    (void)sbi_session_leave(session, &(struct sbi_started){.slot = slot}, false);
    return rc < 0 ? sbi_wrap(err, rc, "check '%s'", session->place) : rc;
}

char *sbx_session_facts_json(sbx_session *session)
{
    struct sbi_session_facts facts = {.place = session->place, .kind = session->kind};
    struct sbi_slot *slot;

    (void)pthread_mutex_lock(&session->lock);
    for (slot = session->slots; slot < session->slots + MOST_LINES; slot++)
        facts.connections += slot->line != NULL && sbi_line_alive(slot->line);
    facts.line = session->facts;
    (void)pthread_mutex_unlock(&session->lock);
    return sbi_facts_json(&facts);
}

const char *sbx_session_place(const sbx_session *session)
{
    return session->place;
}

void sbx_session_free(sbx_session *session)
{
    struct sbi_slot *slot;

    if (session == NULL || atomic_fetch_sub(&session->holders, 1) > 1)
        return;
    slot = find_slot(session, false);
    if (slot != NULL)
        sbi_parting_say(&session->partings, slot->line);
    for (slot = session->slots; slot < session->slots + MOST_LINES; slot++)
        sbi_line_free(slot->line);
    sbi_ssh_target_free(session->target);
    sbi_host_defaults_clear(&session->defaults);
    (void)pthread_mutex_destroy(&session->lock);
    free(session->place);
    free(session);
}
