/*
 * forward_carry.c - one connection of a forward, from where it came to where it goes.
 *
 * A start that failed because the line broke was never made over there, so it is made
 * again over the next line, as long as there is time.
 */
#include "session/forward_state.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/thread.h"
#include "base/wait.h"
#include "session/forward_socks.h"
#include "transport/await.h"
#include "transport/dial.h"
#include "transport/relay.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

struct guest {
    struct sbx_forward *forward;
    int fd;                      /* -1: not connected yet */
    struct sbi_process *process; /* of a remote one */
    struct sbi_socks socks;
    unsigned char early[SBI_SOCKS_LONGEST]; /* what a client said behind its request */
    size_t early_length;
};

/* Whether another try could do better: the place was not reached, or no more. */
static bool may_try_again(int rc)
{
    return rc == SBX_ERR_CONNECT || rc == SBX_ERR_DISCONNECTED || rc == SBX_ERR_TIMEOUT;
}

static int reach_once(struct sbx_forward *forward, const struct sbi_process_spec *spec,
                      int64_t deadline, struct sbi_started *out, bool *lost,
                      sbx_error *err)
{
    int rc = sbi_session_start(forward->session, spec, deadline, forward->stop, out, err);
    bool reached = rc == SBX_OK;

    *lost = may_try_again(rc);
    if (reached) {
        rc = sbi_await_connection(out->process, deadline, forward->stop, err);
        *lost = rc == SBX_ERR_DISCONNECTED;
        if (rc < 0)
            (void)sbi_session_leave(forward->session, out, false);
    }
    if (rc != SBX_ERR_CANCELLED)
        sbi_forward_reached(forward, reached && !*lost);
    return rc;
}

static int reach(struct sbx_forward *forward, const struct sbi_process_spec *spec,
                 struct sbi_started *out, sbx_error *err)
{
    int64_t deadline = sbi_deadline(forward->connect_ms);
    bool lost = true;
    sbx_error why = {0};
    int rc = sbi_fail(&why, SBX_ERR_TIMEOUT, "the place is not connected to");

    while (lost && sbi_left_ms(deadline) > 0 &&
           sbi_forward_wait_turn(forward, deadline) == SBX_OK)
        rc = reach_once(forward, spec, deadline, out, &lost, &why);
    if (rc < 0 && err != NULL)
        *err = why;
    return rc;
}

static void tell(struct sbx_forward *forward, const char *host, int port, int rc,
                 sbx_error *why)
{
    SBI_AUTO_STR target = {0};

    if (rc == SBX_ERR_CANCELLED)
        return;
    if (port > 0)
        sbi_forward_add_address(&target, host, port);
    else
        sbi_str_add(&target, host);
    if (rc == SBX_ERR_UNSUPPORTED)
        (void)sbi_fix(why, rc, "tcp-forwarding",
                      "AllowTcpForwarding yes, and a PermitOpen that names it, in the "
                      "sshd_config of '%s'",
                      forward->place);
    (void)sbi_wrap(why, rc, "forward %s to '%s' on '%s'", forward->listens,
                   target.data == NULL ? "" : target.data, forward->place);
    sbi_forward_note(forward, why);
}

static void answer_socks(struct guest *guest, bool connected)
{
    unsigned char reply[SBI_SOCKS_REPLY];
    size_t length = sbi_socks_answer(&guest->socks, connected, reply);

    (void)!send(guest->fd, reply, length, MSG_NOSIGNAL);
}

static void carry_out(struct guest *guest, const char *host, int port)
{
    struct sbx_forward *forward = guest->forward;
    const struct sbi_process_spec spec = {.connect_host = host,
                                          .connect_port = port,
                                          .input = guest->early,
                                          .input_length = guest->early_length};
    struct sbi_started started = {0};
    sbx_error why = {0};
    int rc = reach(forward, &spec, &started, &why);

    if (forward->kind == SBX_FORWARD_SOCKS)
        answer_socks(guest, rc == SBX_OK);
    if (rc < 0) {
        tell(forward, host, port, rc, &why);
        return;
    }
    sbi_forward_note(forward, NULL);
    (void)sbi_relay_run(started.process, guest->fd, forward->stop, NULL);
    (void)sbi_session_leave(forward->session, &started, false);
}

static int step_socks(struct guest *guest)
{
    unsigned char reply[SBI_SOCKS_REPLY];
    size_t used, reply_length;
    int step;

    do {
        step = sbi_socks_step(&guest->socks, guest->early, guest->early_length, &used,
                              reply, &reply_length);
        if (reply_length > 0)
            (void)!send(guest->fd, reply, reply_length, MSG_NOSIGNAL);
        guest->early_length -= used;
        memmove(guest->early, guest->early + used, guest->early_length);
    } while (step == SBI_SOCKS_SAY);
    return step;
}

/* What stands behind the request is for whom it asked for. */
static bool hear_socks(struct guest *guest)
{
    int64_t deadline = sbi_deadline(guest->forward->connect_ms);
    int step = SBI_SOCKS_MORE;
    ssize_t got;

    while (step == SBI_SOCKS_MORE && guest->early_length < sizeof(guest->early)) {
        if (sbi_wait_readable(guest->fd, deadline, guest->forward->stop) < 0)
            return false;
        got = recv(guest->fd, guest->early + guest->early_length,
                   sizeof(guest->early) - guest->early_length, 0);
        if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
            return false;
        guest->early_length += got > 0 ? (size_t)got : 0;
        step = step_socks(guest);
    }
    return step == SBI_SOCKS_ASKED;
}

static int dial_target(struct sbx_forward *forward, int *out, sbx_error *err)
{
    const struct sbi_forward_end *target = &forward->spec.target;
    const struct sbi_dial dial = {.host = target->host, .port = target->port};

    return target->path != NULL ? sbi_dial_socket(target->path, out, err)
                                : sbi_dial(&dial, sbi_deadline(forward->connect_ms),
                                           forward->stop, out, err);
}

static void carry_in(struct guest *guest)
{
    struct sbx_forward *forward = guest->forward;
    sbx_error why = {0};
    int rc = dial_target(forward, &guest->fd, &why);

    if (rc == SBX_OK) {
        sbi_forward_note(forward, NULL);
        (void)sbi_relay_run(guest->process, guest->fd, forward->stop, NULL);
    } else if (rc != SBX_ERR_CANCELLED) {
        (void)sbi_wrap(&why, rc, "forward %s on '%s' to '%s'", forward->listens,
                       forward->place, forward->target);
        sbi_forward_note(forward, &why);
    }
}

static void carry(struct guest *guest)
{
    const struct sbi_forward_end *target = &guest->forward->spec.target;

    if (guest->process != NULL)
        carry_in(guest);
    else if (target->path != NULL)
        carry_out(guest, target->path, SBI_CONNECT_SOCKET);
    else if (guest->forward->kind != SBX_FORWARD_SOCKS)
        carry_out(guest, target->host, target->port);
    else if (hear_socks(guest))
        carry_out(guest, guest->socks.host, guest->socks.port);
}

static void leave(struct sbx_forward *forward)
{
    (void)pthread_mutex_lock(&forward->lock);
    forward->guests--;
    (void)pthread_cond_signal(&forward->guest_left);
    (void)pthread_mutex_unlock(&forward->lock);
}

static void *guest_main(void *userdata)
{
    struct guest *guest = userdata;
    struct sbx_forward *forward = guest->forward;

    carry(guest);
    sbi_process_free(guest->process);
    sbi_close_fd(&guest->fd);
    free(guest);
    leave(forward);
    return NULL;
}

static bool enter(struct sbx_forward *forward)
{
    bool room;

    (void)pthread_mutex_lock(&forward->lock);
    room = forward->guests < forward->most;
    forward->guests += room ? 1 : 0;
    forward->total++;
    (void)pthread_mutex_unlock(&forward->lock);
    return room;
}

static void turn_away(struct sbx_forward *forward)
{
    sbx_error why = {0};

    (void)sbi_fail(&why, SBX_ERR_LIMIT,
                   "forward %s: a connection was turned away: there is room for %lld",
                   forward->listens, (long long)forward->most);
    sbi_forward_note(forward, &why);
}

static bool begin(struct sbx_forward *forward, int fd, struct sbi_process *process)
{
    struct guest *guest = calloc(1, sizeof(*guest));
    pthread_t thread;

    if (guest == NULL)
        return false;
    guest->forward = forward;
    guest->fd = fd;
    guest->process = process;
    if (sbi_thread_start(&thread, guest_main, guest) == 0) {
        (void)pthread_detach(thread);
        return true;
    }
    free(guest);
    return false;
}

void sbi_forward_carry(struct sbx_forward *forward, int fd, struct sbi_process *process)
{
    bool entered = enter(forward);
    const int on = 1;

    if (fd >= 0)
        (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (entered && begin(forward, fd, process))
        return;
    sbi_process_free(process);
    sbi_close_fd(&fd);
    if (entered)
        leave(forward);
    turn_away(forward);
}
