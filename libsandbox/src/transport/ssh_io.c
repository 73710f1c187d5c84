/*
 * ssh_io.c - the thread that serves one connection.
 *
 * It polls the socket and its wake-up descriptor through libssh's event loop, one
 * session a loop, so a fault here is a fault of this connection only. In each turn it
 * takes up new processes and lets each do what it can; it sleeps only when a whole
 * turn moved nothing.
 *
 * A ping is a global request that no server grants and every server answers; the
 * answer stands behind all that the server wrote before it. libssh's own keepalive
 * call does not tell when it was answered.
 */
#include "transport/ssh_line.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/thread.h"
#include "base/wait.h"
#include "base/wake.h"
#include "transport/ssh_handshake.h"
#include "transport/ssh_listen.h"

#include <string.h>
#include <sys/socket.h>

#define LONGEST_SLEEP_MS 60000
#define GOODBYE_MS 1000

/* What opens a spare channel polls too: then a turn has to follow that sees what rang. */
static int on_wake(socket_t fd, int events, void *userdata)
{
    struct sbi_ssh_line *line = userdata;

    (void)events;
    sbi_wake_hush(fd);
    line->woken = true;
    return 0;
}

static void take_incoming(struct sbi_ssh_line *line)
{
    struct sbi_ssh_process *process, *next;

    sbi_ssh_line_lock(line);
    process = SBI_STEAL(line->incoming);
    sbi_ssh_line_unlock(line);
    for (; process != NULL; process = next) {
        next = process->next;
        process->next = line->processes;
        line->processes = process;
    }
}

/* libssh forgets a channel that it frees, also where it could not send the CLOSE yet. */
static bool is_closed(struct sbi_ssh_process *process)
{
    return process->channel == NULL ||
           !sbi_libssh.ssh_channel_is_open(process->channel) ||
           sbi_libssh.ssh_channel_close(process->channel) != SSH_AGAIN;
}

static void let_go(struct sbi_ssh_process *process)
{
    if (process->channel != NULL) {
        (void)sbi_libssh.ssh_remove_channel_callbacks(process->channel,
                                                      &process->callbacks);
        sbi_libssh.ssh_channel_free(process->channel);
        process->channel = NULL;
    }
    (void)pthread_mutex_lock(&process->lock);
    process->detached = true;
    (void)pthread_mutex_unlock(&process->lock);
    sbi_ssh_process_release(process);
}

/* A start that is being answered is waited for: libssh knows one request at a time. */
static bool may_let_go(const struct sbi_ssh_process *process)
{
    return process->stage == SBI_STAGE_RUNNING || process->stage == SBI_STAGE_OVER;
}

static bool step_all(struct sbi_ssh_line *line)
{
    struct sbi_ssh_process **at = &line->processes;
    struct sbi_ssh_process *process;
    bool moved = false;

    while ((process = *at) != NULL) {
        if (sbi_ssh_process_step(process))
            moved = true;
        if (sbi_ssh_process_abandoned(process) && may_let_go(process) &&
            is_closed(process)) {
            *at = process->next;
            let_go(process);
            moved = true;
        } else {
            at = &process->next;
        }
    }
    return moved;
}

static void hear_answer(struct sbi_ssh_line *line)
{
    struct sbi_ssh_process *process;
    struct sbi_ssh_ping *ping;
    uint64_t answered;

    atomic_store(&line->mute, false);
    sbi_ssh_line_lock(line);
    line->pings_answered = line->pings_sent;
    answered = line->pings_answered;
    for (ping = line->waiting; ping != NULL; ping = ping->next)
        if (ping->number <= answered)
            sbi_wake_ring(ping->wake);
    sbi_ssh_line_unlock(line);
    for (process = line->processes; process != NULL; process = process->next)
        sbi_ssh_process_barrier(process, answered);
}

static bool ping_is_due(struct sbi_ssh_line *line)
{
    bool wanted;

    sbi_ssh_line_lock(line);
    wanted = line->pings_wanted > line->pings_answered;
    if (!line->ping_underway && !wanted && line->care.keepalive_ms > 0 &&
        sbi_now_ms() - line->heard_at >= line->care.keepalive_ms) {
        line->pings_wanted = line->pings_sent + 1;
        wanted = true;
    }
    if (wanted && !line->ping_underway)
        line->pings_sent++;
    sbi_ssh_line_unlock(line);
    return wanted;
}

/* True if an answer came: the next ping may be due already. */
static bool tend_ping(struct sbi_ssh_line *line)
{
    int rc;

    if (!line->ping_underway && (sbi_ssh_listen_waits(line) || !ping_is_due(line)))
        return false;
    if (!line->ping_underway)
        line->ping_sent_at = sbi_now_ms();
    line->ping_underway = true;
    rc = sbi_libssh.ssh_channel_cancel_forward(line->session, "127.0.0.1", 1);
    if (rc == SSH_AGAIN || !sbi_libssh.ssh_is_connected(line->session))
        return false;
    line->ping_underway = false;
    hear_answer(line);
    return true;
}

/*
 * The first ping goes ahead of all else. Where what was asked behind it is answered and
 * it is not, the server passes over pings without a word (tinysshd does): its silence
 * says nothing then.
 */
static void notice_mute(struct sbi_ssh_line *line)
{
    const struct sbi_ssh_process *process = line->processes;
    struct sbi_ssh_ping *ping;

    while (process != NULL && process->stage != SBI_STAGE_RUNNING)
        process = process->next;
    if (process == NULL || line->pings_answered > 0 || atomic_load(&line->mute))
        return;
    atomic_store(&line->mute, true);
    sbi_ssh_line_lock(line);
    for (ping = line->waiting; ping != NULL; ping = ping->next)
        sbi_wake_ring(ping->wake);
    sbi_ssh_line_unlock(line);
}

/* Anything that was heard is a sign of life, answer or not. */
static void listen_for_life(struct sbi_ssh_line *line)
{
    if (line->counter.in_packets == line->packets_seen)
        return;
    line->packets_seen = line->counter.in_packets;
    line->heard_at = sbi_now_ms();
}

static bool is_silent(struct sbi_ssh_line *line)
{
    return line->ping_underway && line->care.keepalive_ms > 0 &&
           !atomic_load(&line->mute) &&
           sbi_now_ms() - line->ping_sent_at >= line->care.keepalive_ms &&
           sbi_now_ms() - line->heard_at >= line->care.keepalive_ms;
}

static bool is_used(const struct sbi_ssh_line *line)
{
    const struct sbi_ssh_process *process = line->processes;

    while (process != NULL && (process->aside || process->ahead))
        process = process->next;
    return process != NULL || line->listens != NULL;
}

/* The moment when there is something to do even if nothing comes. */
static int64_t next_duty(const struct sbi_ssh_line *line)
{
    int64_t next = SBI_NEVER, idle;

    if (line->care.keepalive_ms > 0 && !atomic_load(&line->mute))
        next = (line->ping_underway ? line->ping_sent_at : line->heard_at) +
               line->care.keepalive_ms;
    idle = line->used_at + line->care.idle_ms;
    if (line->care.idle_ms > 0 && !is_used(line) && idle < next)
        next = idle;
    return next;
}

static int sleep_ms(const struct sbi_ssh_line *line)
{
    int left = sbi_left_ms(next_duty(line));

    if (left < 0 || left > LONGEST_SLEEP_MS)
        return LONGEST_SLEEP_MS;
    return left < 10 ? 10 : left;
}

/* Nobody can put a process on a line that is dead: so it is settled under the lock. */
static bool is_idle(struct sbi_ssh_line *line)
{
    bool idle;

    if (is_used(line))
        line->used_at = sbi_now_ms();
    if (line->care.idle_ms <= 0 || sbi_now_ms() - line->used_at < line->care.idle_ms)
        return false;
    sbi_ssh_line_lock(line);
    idle =
        line->incoming == NULL && line->waiting == NULL && line->incoming_listens == NULL;
    line->dead = line->dead || idle;
    sbi_ssh_line_unlock(line);
    return idle;
}

static bool is_stopping(struct sbi_ssh_line *line)
{
    bool stopping;

    sbi_ssh_line_lock(line);
    stopping = line->stopping;
    sbi_ssh_line_unlock(line);
    return stopping;
}

static bool is_broken(struct sbi_ssh_line *line, int rc, sbx_error *why)
{
    if (is_silent(line)) {
        (void)sbi_fail(why, SBX_ERR_DISCONNECTED,
                       "the server has not answered for %lld s",
                       (long long)(sbi_now_ms() - line->heard_at) / 1000);
        return true;
    }
    if (rc != SSH_ERROR && sbi_libssh.ssh_is_connected(line->session))
        return false;
    (void)sbi_fail(why, SBX_ERR_DISCONNECTED, "the connection broke: %s",
                   sbi_ssh_reason(line->session));
    return true;
}

/*
 * While keys are exchanged anew, or a window is made larger, libssh takes up packets
 * inside other calls than the event loop's: what they changed has not been acted on yet.
 */
static bool heard_aside(const struct sbi_ssh_line *line)
{
    return line->counter.in_packets != line->packets_seen;
}

/* In the same way they send what waited, which no event will tell of. */
static bool sent_aside(struct sbi_ssh_line *line)
{
    bool held_back = line->held_back;

    line->held_back = false;
    return held_back &&
           (sbi_libssh.ssh_get_poll_flags(line->session) & SSH_WRITE_PENDING) == 0;
}

/* Or they meet the end of the connection, and close it: nothing wakes the loop then. */
static bool died_aside(const struct sbi_ssh_line *line)
{
    return !sbi_libssh.ssh_is_connected(line->session);
}

/* Turns until the line is to be closed, or is dead: false where the server is gone. */
static bool serve(struct sbi_ssh_line *line, sbx_error *why)
{
    bool moved;
    int rc = SSH_OK;

    (void)sbi_fail(why, SBX_ERR_DISCONNECTED, "the connection was closed");
    (void)tend_ping(line);
    while (!is_stopping(line) && !is_idle(line)) {
        line->woken = false;
        take_incoming(line);
        moved = step_all(line);
        sbi_ssh_line_tend_spare(line);
        moved = tend_ping(line) || moved;
        moved = (!line->ping_underway && sbi_ssh_listen_tend(line)) || moved;
        moved = sent_aside(line) || moved || heard_aside(line);
        moved = moved || died_aside(line) || line->woken;
        notice_mute(line);
        rc = sbi_libssh.ssh_event_dopoll(line->event, moved ? 0 : sleep_ms(line));
        listen_for_life(line);
        if (is_broken(line, rc, why)) {
            (void)step_all(line);
            return false;
        }
    }
    return sbi_libssh.ssh_is_connected(line->session);
}

static void detach_all(struct sbi_ssh_line *line, const sbx_error *why)
{
    struct sbi_ssh_process *process, *next;
    struct sbi_ssh_ping *ping;

    sbi_ssh_line_lock(line);
    line->dead = true;
    line->death = *why;
    for (ping = line->waiting; ping != NULL; ping = ping->next)
        sbi_wake_ring(ping->wake);
    sbi_ssh_line_unlock(line);
    take_incoming(line);
    for (process = line->processes; process != NULL; process = next) {
        next = process->next;
        sbi_ssh_process_detach(process, why);
    }
    line->processes = NULL;
    sbi_ssh_listen_end(line, why);
}

/*
 * A server that listens gets a goodbye, within a bound. libssh frees the channels.
 */
static void say_goodbye(struct sbi_ssh_line *line, bool alive)
{
    int64_t deadline = sbi_deadline(GOODBYE_MS);
    struct pollfd fd = {line->fd, POLLOUT, 0};

    (void)sbi_libssh.ssh_event_remove_session(line->event, line->session);
    (void)sbi_libssh.ssh_event_remove_fd(line->event, line->wake);
    sbi_libssh.ssh_event_free(line->event);
    if (alive) {
        while ((sbi_libssh.ssh_get_poll_flags(line->session) & SSH_WRITE_PENDING) != 0 &&
               sbi_wait_any(&fd, 1, deadline, NULL) == SBX_OK &&
               sbi_libssh.ssh_blocking_flush(line->session, 0) == SSH_AGAIN)
            continue;
    }
    sbi_ssh_session_end(line->session, line->fd, alive);
}

static void *io_main(void *userdata)
{
    struct sbi_ssh_line *line = userdata;
    sbx_error why;
    bool alive;

    alive = serve(line, &why);
    if (alive)
        (void)step_all(line);
    detach_all(line, &why);
    say_goodbye(line, alive);
    return NULL;
}

int sbi_ssh_io_start(struct sbi_ssh_line *line, sbx_error *err)
{
    (void)sbi_libssh.ssh_set_counters(line->session, NULL, &line->counter);
    atomic_init(&line->mute, false);
    line->pings_wanted = 1;
    line->heard_at = line->used_at = sbi_now_ms();
    line->event = sbi_libssh.ssh_event_new();
    if (line->event == NULL ||
        sbi_libssh.ssh_event_add_session(line->event, line->session) != SSH_OK ||
        sbi_libssh.ssh_event_add_fd(line->event, line->wake, POLLIN, on_wake, line) !=
            SSH_OK ||
        sbi_thread_start(&line->thread, io_main, line) != 0)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "serve the connection: no resources");
    return SBX_OK;
}
