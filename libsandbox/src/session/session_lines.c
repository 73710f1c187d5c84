/*
 * session_lines.c - the lines of one place.
 *
 * One caller at a time connects; the others wait for that one attempt and get its error
 * when it fails, so that forty callers of a dead host wait once. Waiters are woken
 * through descriptors, since they wait for their cancel token too.
 */
#include "session/session_lines.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/wait.h"
#include "base/wake.h"
#include "session/connect.h"
#include "session/session_state.h"

#include <string.h>

#define DIRECT_MS 10000
#define READY_MS 30000
#define READY_BYTES (1024 * 1024)
#define FEW_CHANNELS 4 /* a line that bears fewer cannot spare one for a warden */

static void wake_waiters(sbx_session *session)
{
    struct sbi_waiter *waiter;

    for (waiter = session->waiters; waiter != NULL; waiter = waiter->next)
        sbi_wake_ring(waiter->fd);
}

static void leave_queue(sbx_session *session, struct sbi_waiter *waiter)
{
    struct sbi_waiter **at = &session->waiters;

    while (*at != waiter)
        at = &(*at)->next;
    *at = waiter->next;
}

/* With the lock held; without it while waiting. */
static int wait_for_change(sbx_session *session, int64_t deadline, sbx_cancel *cancel,
                           sbx_error *err)
{
    struct sbi_waiter waiter = {.next = session->waiters};
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

/* A line over somebody else's connection. */
static bool is_borrowed(const struct sbi_slot *slot)
{
    return sbi_line_facts(slot->line)->via[0] != '\0';
}

/*
 * The lines of dead connections go once nobody is on them any more; so do those of
 * servers that allow one process in a connection's life (tinysshd).
 */
static void drop_dead(sbx_session *session)
{
    struct sbi_slot *slot;

    for (slot = session->slots; slot < session->slots + SBI_MOST_LINES; slot++)
        if (slot->line != NULL && slot->busy == 0 &&
            (slot->capacity == 0 || !sbi_line_alive(slot->line))) {
            if (is_borrowed(slot))
                session->direct_until = sbi_now_ms() + DIRECT_MS;
            sbi_process_free(slot->ready);
            sbi_warden_clear(&slot->warden);
            sbi_line_free(slot->line);
            *slot = (struct sbi_slot){0};
        }
}

static struct sbi_slot *empty_slot(sbx_session *session)
{
    struct sbi_slot *slot;

    for (slot = session->slots; slot < session->slots + SBI_MOST_LINES; slot++)
        if (slot->line == NULL)
            return slot;
    return NULL;
}

struct sbi_slot *sbi_session_free_slot(sbx_session *session)
{
    struct sbi_slot *slot;

    for (slot = session->slots; slot < session->slots + SBI_MOST_LINES; slot++)
        if (slot->line != NULL && slot->busy < slot->capacity &&
            sbi_line_alive(slot->line))
            return slot;
    return NULL;
}

struct sbi_slot *sbi_session_live_slot(sbx_session *session)
{
    struct sbi_slot *slot;

    for (slot = session->slots; slot < session->slots + SBI_MOST_LINES; slot++)
        if (slot->line != NULL && sbi_line_alive(slot->line))
            return slot;
    return NULL;
}

/* Fills in an empty slot. */
int sbi_session_add_line(sbx_session *session, int64_t deadline, sbx_cancel *cancel,
                         sbx_error *err)
{
    struct sbi_slot *slot = empty_slot(session);
    struct sbi_line *line = NULL;
    bool further = sbi_session_live_slot(session) != NULL;
    bool direct = further || sbi_now_ms() < session->direct_until;
    sbx_error why = {0};
    int rc;

    session->connecting = true;
    (void)pthread_mutex_unlock(&session->lock);
    rc = sbi_session_connect(session, further, direct, deadline, cancel, &line, &why);
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
        session->attempt_error.code == SBX_ERR_CANCELLED ||
        sbi_session_live_slot(session) != NULL)
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
        *out = sbi_session_free_slot(session);
        if (*out != NULL) {
            (*out)->busy++;
            return SBX_OK;
        }
        connecting = sbi_session_connect_deadline(session, deadline);
        if (session->connecting) {
            rc = await_attempt(session, deadline, cancel, err);
        } else if (may_add && empty_slot(session) != NULL) {
            rc = sbi_session_add_line(session, connecting, cancel, err);
            may_add = rc == SBX_OK;
            if (rc < 0 && rc != SBX_ERR_CANCELLED &&
                sbi_session_live_slot(session) != NULL)
                rc = SBX_OK;
        } else {
            rc = wait_for_change(session, deadline, cancel, err);
        }
    }
    return rc;
}

int sbi_session_take(sbx_session *session, int64_t deadline, sbx_cancel *cancel,
                     struct sbi_started *out, sbx_error *err)
{
    struct sbi_started started = {0};
    int rc;

    (void)pthread_mutex_lock(&session->lock);
    rc = take_slot(session, deadline, cancel, &started.slot, err);
    (void)pthread_mutex_unlock(&session->lock);
    if (rc == SBX_OK)
        *out = started;
    return rc;
}

/* From behind a prefix, or on a borrowed line, no watchdog sees whether we are here. */
static bool is_hidden(const sbx_session *session, const struct sbi_slot *slot)
{
    return session->prefix.words != NULL ||
           (is_borrowed(slot) && !sbi_line_facts(slot->line)->kept);
}

/*
 * A line that is used once needs no warden, unless it hides us. Other servers' have not
 * been tried.
 */
static bool may_have_warden(const sbx_session *session, struct sbi_slot *slot)
{
    bool first = slot->runs++ == 0;

    if (slot->crowded || (first && !is_hidden(session, slot)))
        return false;
    if (is_borrowed(slot))
        return is_hidden(session, slot);
    if (session->target == NULL)
        return session->prefix.words != NULL;
    return strstr(sbi_line_facts(slot->line)->server, "OpenSSH") != NULL;
}

bool sbi_session_watch(sbx_session *session, struct sbi_started *started,
                       const char *run_id, int64_t limit_s)
{
    struct sbi_slot *slot = started->slot;

    (void)pthread_mutex_lock(&session->lock);
    if (may_have_warden(session, slot)) {
        started->watched = sbi_warden_watch(&slot->warden, run_id, limit_s);
        started->wants_warden = !started->watched;
        started->guarded_later =
            started->wants_warden && session->prefix.computer && slot->runs == 1;
        started->run_id = run_id;
    }
    (void)pthread_mutex_unlock(&session->lock);
    return started->watched;
}

bool sbi_session_is_kept(const struct sbi_started *started)
{
    return sbi_line_facts(started->slot->line)->kept;
}

/* With the lock held. A login that is old would not know what has changed since. */
static struct sbi_process *take_ready(struct sbi_slot *slot,
                                      const struct sbi_process_spec *spec)
{
    struct sbi_process *process = SBI_STEAL(slot->ready);
    struct sbi_end end = {0};
    bool ended;

    if (process == NULL)
        return NULL;
    ended = sbi_process_end(process, &end);
    slot->ready_refused = slot->ready_refused || end.kind == SBI_END_REFUSED;
    if (!ended && sbi_now_ms() - slot->ready_at < READY_MS &&
        spec->input_length <= READY_BYTES &&
        sbi_process_write(process, spec->input, spec->input_length) ==
            (ssize_t)spec->input_length)
        return process;
    sbi_process_free(process);
    return NULL;
}

/* With the lock held. */
static void make_ready(const sbx_session *session, struct sbi_slot *slot)
{
    const struct sbi_shell_kind kind = {.tag = slot->ready_tag,
                                        .watched = true,
                                        .prefixed = session->prefix.words != NULL};
    SBI_AUTOFREE char *command = NULL;
    struct sbi_process_spec spec = {.ahead = true};

    if (slot->ready != NULL || slot->ready_refused || slot->crowded ||
        is_borrowed(slot) ||
        sbi_random_hex(slot->ready_tag, (SBI_RUN_ID_SIZE - 1) / 2, NULL) < 0 ||
        sbi_shell_supervisor(&kind, &command, NULL) < 0)
        return;
    spec.command = command;
    slot->ready_at = sbi_now_ms();
    (void)sbi_line_start(slot->line, &spec, &slot->ready, NULL);
}

/* With the lock held. Where it is all there is, it is told before it can answer. */
static void start_warden(const sbx_session *session, struct sbi_started *started)
{
    struct sbi_warden *warden = &started->slot->warden;

    sbi_warden_start(warden, started->slot->line);
    if (is_hidden(session, started->slot))
        started->told = sbi_warden_tell(warden, started->run_id);
}

/* With the lock held. */
static int launch(const sbx_session *session, struct sbi_started *started,
                  const struct sbi_process_spec *spec, sbx_error *err)
{
    struct sbi_slot *slot = started->slot;
    bool may_be_ready = started->watched && !spec->pty;
    int rc = SBX_OK;

    if (may_be_ready && !started->fresh)
        started->process = take_ready(slot, spec);
    started->was_ready = started->process != NULL;
    if (started->was_ready)
        memcpy(started->tag, slot->ready_tag, sizeof(started->tag));
    else
        rc = sbi_line_start(slot->line, spec, &started->process, err);
    if (rc == SBX_OK && started->wants_warden && !started->guarded_later)
        start_warden(session, started);
    if (rc == SBX_OK && may_be_ready)
        make_ready(session, slot);
    return rc;
}

int sbi_session_launch(sbx_session *session, struct sbi_started *started,
                       const struct sbi_process_spec *spec, sbx_error *err)
{
    int rc;

    (void)pthread_mutex_lock(&session->lock);
    rc = launch(session, started, spec, err);
    (void)pthread_mutex_unlock(&session->lock);
    if (rc < 0)
        (void)sbi_session_leave(session, started, false);
    return rc;
}

int sbi_session_start(sbx_session *session, const struct sbi_process_spec *spec,
                      int64_t deadline, sbx_cancel *cancel, struct sbi_started *out,
                      sbx_error *err)
{
    int rc;

    rc = sbi_session_take(session, deadline, cancel, out, err);
    return rc < 0 ? rc : sbi_session_launch(session, out, spec, err);
}

/* With the lock held. What is only there to be quick gives way to what is to run. */
static void make_room(struct sbi_slot *slot)
{
    if (!slot->crowded)
        return;
    if (slot->ready != NULL) {
        sbi_process_free(SBI_STEAL(slot->ready));
        slot->capacity++;
    }
    if (slot->warden.process != NULL && slot->warden.watched == 0) {
        sbi_warden_clear(&slot->warden);
        slot->capacity++;
    }
}

bool sbi_session_leave(sbx_session *session, struct sbi_started *started, bool refused)
{
    struct sbi_slot *slot = started->slot;
    bool room_elsewhere = false;

    sbi_process_free(started->process);
    if (slot != NULL) {
        (void)pthread_mutex_lock(&session->lock);
        slot->busy--;
        room_elsewhere = slot->busy > 0 || slot->served || is_borrowed(slot);
        if (refused && room_elsewhere) {
            slot->capacity = slot->busy;
            slot->crowded = slot->crowded || slot->capacity < FEW_CHANNELS;
        } else if (!refused) {
            slot->served = true;
        }
        make_room(slot);
        wake_waiters(session);
        (void)pthread_mutex_unlock(&session->lock);
    }
    *started = (struct sbi_started){0};
    return room_elsewhere;
}

void sbi_session_name(sbx_session *session, const struct sbi_started *started,
                      const char *run_id, int64_t pid)
{
    if (!started->watched && !started->told)
        return;
    (void)pthread_mutex_lock(&session->lock);
    sbi_warden_name(&started->slot->warden, run_id, pid, 0);
    (void)pthread_mutex_unlock(&session->lock);
}

/*
 * In a container a warden costs as much as the command. Most commands have ended by the
 * time when it is due.
 */
void sbi_session_guard(sbx_session *session, struct sbi_started *started,
                       const char *run_id, int64_t pid, int64_t watchdog)
{
    struct sbi_warden *warden = &started->slot->warden;

    (void)pthread_mutex_lock(&session->lock);
    if (!started->told || !sbi_warden_is_there(warden)) {
        start_warden(session, started);
        sbi_warden_name(warden, run_id, pid, watchdog);
    }
    (void)pthread_mutex_unlock(&session->lock);
}

void sbi_session_note_end(sbx_session *session, const struct sbi_started *started,
                          const char *run_id, int64_t watchdog)
{
    (void)pthread_mutex_lock(&session->lock);
    if (started->watched || started->told)
        sbi_warden_dismiss(&started->slot->warden, run_id);
    else if (watchdog > 0 && session->prefix.words == NULL)
        sbi_parting_note(&session->partings, watchdog);
    (void)pthread_mutex_unlock(&session->lock);
}

int64_t sbi_session_connect_deadline(const sbx_session *session, int64_t deadline)
{
    int64_t connecting = sbi_deadline(session->connect_ms);

    return connecting < deadline ? connecting : deadline;
}
