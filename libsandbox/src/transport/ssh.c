/* ssh.c - one connection, seen from its callers' threads. */
#include "transport/ssh.h"

#include "base/cleanup.h"
#include "base/wait.h"
#include "base/wake.h"
#include "transport/openssh.h"
#include "transport/ssh_arrive.h"
#include "transport/ssh_lend.h"
#include "transport/ssh_line.h"
#include "transport/ssh_listen.h"

#include <string.h>

#define LEAST_IDLE_MS 1000 /* or a start could meet a line that closes at once again */

uint64_t sbi_ssh_line_want_ping(struct sbi_ssh_line *line)
{
    uint64_t number;

    sbi_ssh_line_lock(line);
    number = line->pings_sent + 1;
    if (line->pings_wanted < number)
        line->pings_wanted = number;
    sbi_ssh_line_unlock(line);
    sbi_wake_ring(line->wake);
    return number;
}

static int line_start(struct sbi_line *base, const struct sbi_process_spec *spec,
                      struct sbi_process **out, sbx_error *err)
{
    struct sbi_ssh_line *line = (struct sbi_ssh_line *)base;
    struct sbi_ssh_process *process = NULL;
    bool dead;
    int rc;

    rc = sbi_ssh_process_new(line, spec, &process, err);
    if (rc < 0)
        return rc;
    sbi_ssh_line_lock(line);
    dead = line->dead;
    if (!dead) {
        process->next = line->incoming;
        line->incoming = process;
    }
    sbi_ssh_line_unlock(line);
    if (dead)
        sbi_ssh_process_detach(process, &line->death);
    else
        sbi_wake_ring(line->wake);
    *out = &process->base;
    return SBX_OK;
}

static bool line_alive(struct sbi_line *base)
{
    struct sbi_ssh_line *line = (struct sbi_ssh_line *)base;
    bool alive;

    sbi_ssh_line_lock(line);
    alive = !line->dead;
    sbi_ssh_line_unlock(line);
    return alive;
}

static void join_waiting(struct sbi_ssh_line *line, struct sbi_ssh_ping *ping)
{
    sbi_ssh_line_lock(line);
    ping->number = line->pings_sent + 1;
    if (line->pings_wanted < ping->number)
        line->pings_wanted = ping->number;
    ping->next = line->waiting;
    line->waiting = ping;
    sbi_ssh_line_unlock(line);
    sbi_wake_ring(line->wake);
}

static bool leave_waiting(struct sbi_ssh_line *line, struct sbi_ssh_ping *ping,
                          bool *answered)
{
    struct sbi_ssh_ping **at;
    bool dead;

    sbi_ssh_line_lock(line);
    for (at = &line->waiting; *at != ping; at = &(*at)->next)
        continue;
    *at = ping->next;
    dead = line->dead;
    *answered = line->pings_answered >= ping->number;
    sbi_ssh_line_unlock(line);
    return dead;
}

static int refuse_ping(sbx_error *err)
{
    return sbi_fail(err, SBX_ERR_UNSUPPORTED,
                    "ask for a sign of life: this server answers no keepalive");
}

static int line_ping(struct sbi_line *base, int64_t deadline, sbx_cancel *cancel,
                     sbx_error *err)
{
    struct sbi_ssh_line *line = (struct sbi_ssh_line *)base;
    struct sbi_ssh_ping ping = {0};
    bool answered, dead;
    int rc;

    if (atomic_load(&line->mute))
        return refuse_ping(err);
    rc = sbi_wake_open(&ping.wake, err);
    if (rc < 0)
        return rc;
    join_waiting(line, &ping);
    rc = line_alive(base) ? sbi_wait_readable(ping.wake, deadline, cancel) : SBX_OK;
    dead = leave_waiting(line, &ping, &answered);
    (void)close(ping.wake);
    if (answered)
        return SBX_OK;
    if (dead)
        return sbi_fail(err, SBX_ERR_DISCONNECTED, "the connection is gone");
    if (atomic_load(&line->mute))
        return refuse_ping(err);
    if (rc == SBX_ERR_CANCELLED)
        return sbi_fail(err, rc, "ask for a sign of life: cancelled");
    return sbi_fail(err, SBX_ERR_TIMEOUT, "ask for a sign of life: no answer in time");
}

static const struct sbi_line_facts *line_facts(struct sbi_line *base)
{
    return &((struct sbi_ssh_line *)base)->facts;
}

static void line_free(struct sbi_line *base)
{
    struct sbi_ssh_line *line = (struct sbi_ssh_line *)base;

    sbi_ssh_line_lock(line);
    line->stopping = true;
    sbi_ssh_line_unlock(line);
    sbi_wake_ring(line->wake);
    (void)pthread_join(line->thread, NULL);
    sbi_ssh_lend_end(line);
    sbi_ssh_way_close(&line->way);
    (void)close(line->wake);
    (void)pthread_mutex_destroy(&line->lock);
    free(line);
}

static const struct sbi_line_ops line_ops = {
    .start = line_start,
    .alive = line_alive,
    .ping = line_ping,
    .facts = line_facts,
    .listen = sbi_ssh_listen,
    .free = line_free,
};

static int log_in(struct sbi_ssh_line *line, const struct sbi_ssh_target *target,
                  int64_t deadline, sbx_cancel *cancel, sbx_error *err)
{
    int rc = SBX_OK;

    if (target->jump != NULL)
        rc = (target->jump->openssh ? sbi_openssh_open : sbi_ssh_open)(
            target->jump, &line->care, deadline, cancel, &line->way.hop, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "connect to the jump host '%s'", target->jump->place);
    rc = sbi_ssh_arrive(target, deadline, cancel, &line->way, &line->fd, &line->session,
                        err);
    if (rc < 0)
        return rc;
    sbi_ssh_facts_read(line->session, &line->facts);
    rc = sbi_ssh_lend_begin(line, target, err);
    if (rc == SBX_OK)
        rc = sbi_ssh_io_start(line, err);
    if (rc < 0)
        sbi_ssh_session_end(line->session, line->fd, false);
    return rc;
}

int sbi_ssh_open(const struct sbi_ssh_target *target, const struct sbi_ssh_care *care,
                 int64_t deadline, sbx_cancel *cancel, struct sbi_line **out,
                 sbx_error *err)
{
    struct sbi_ssh_line *line;
    int rc = sbi_libssh_need(err);

    if (rc < 0)
        return rc;
    line = calloc(1, sizeof(*line));
    if (line == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    line->base.ops = &line_ops;
    line->care = *care;
    if (care->idle_ms > 0 && care->idle_ms < LEAST_IDLE_MS)
        line->care.idle_ms = LEAST_IDLE_MS;
    (void)pthread_mutex_init(&line->lock, NULL);
    line->wake = -1;
    rc = sbi_wake_open(&line->wake, err);
    if (rc == SBX_OK)
        rc = log_in(line, target, deadline, cancel, err);
    if (rc < 0) {
        sbi_ssh_lend_end(line);
        sbi_ssh_way_close(&line->way);
        sbi_close_fd(&line->wake);
        (void)pthread_mutex_destroy(&line->lock);
        free(line);
        return rc;
    }
    *out = &line->base;
    return SBX_OK;
}
