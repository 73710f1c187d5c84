/*
 * ssh_listen.c - asks the server to listen on ports of its own, one request at a time:
 * libssh knows one global request, and would take the answer to a ping for that to this.
 */
#include "transport/ssh_listen.h"

#include "base/cleanup.h"
#include "base/wake.h"
#include "transport/ssh_accept.h"
#include "transport/ssh_handshake.h"

#include <string.h>

enum stage { NEW = 0, ASKED, OPEN, CLOSING };

struct sbi_ssh_listening {
    struct sbi_ssh_listening *next;
    struct sbi_listener *listener;
    enum stage stage;
};

int sbi_ssh_listen(struct sbi_line *base, const char *host, int port,
                   struct sbi_listener **out, sbx_error *err)
{
    struct sbi_ssh_line *line = (struct sbi_ssh_line *)base;
    struct sbi_ssh_listening *listening = calloc(1, sizeof(*listening));
    bool dead;
    int rc;

    if (listening == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    rc = sbi_listener_new(host, port, line->wake, &listening->listener, err);
    if (rc < 0) {
        free(listening);
        return rc;
    }
    *out = listening->listener;
    sbi_ssh_line_lock(line);
    dead = line->dead;
    if (!dead) {
        listening->next = line->incoming_listens;
        line->incoming_listens = listening;
    }
    sbi_ssh_line_unlock(line);
    sbi_wake_ring(line->wake);
    if (!dead)
        return SBX_OK;
    sbi_listener_over(listening->listener, &line->death);
    sbi_listener_release(listening->listener);
    free(listening);
    return SBX_OK;
}

static void take_incoming(struct sbi_ssh_line *line)
{
    struct sbi_ssh_listening *listening, *next;

    sbi_ssh_line_lock(line);
    listening = SBI_STEAL(line->incoming_listens);
    sbi_ssh_line_unlock(line);
    for (; listening != NULL; listening = next) {
        next = listening->next;
        listening->next = line->listens;
        line->listens = listening;
    }
}

static void forget(struct sbi_ssh_line *line, struct sbi_ssh_listening *listening)
{
    struct sbi_ssh_listening **at = &line->listens;

    while (*at != listening)
        at = &(*at)->next;
    *at = listening->next;
    sbi_listener_release(listening->listener);
    free(listening);
}

static void refuse(struct sbi_ssh_listening *listening)
{
    sbx_error why = {0};
    int port = sbi_listener_port(listening->listener);

    (void)sbi_fail(
        &why, SBX_ERR_CONNECT,
        "the server does not listen on port %d for us: it is taken over there, "
        "or the server's settings forbid it",
        port);
    (void)sbi_fix(
        &why, why.code, "tcp-forwarding",
        "another port; or AllowTcpForwarding yes, and a PermitListen that names "
        "it, in its sshd_config");
    sbi_listener_over(listening->listener, &why);
}

/* True once it is answered. */
static bool ask(struct sbi_ssh_line *line, struct sbi_ssh_listening *listening)
{
    int port = sbi_listener_port(listening->listener), bound = port;
    int rc = sbi_libssh.ssh_channel_listen_forward(
        line->session, sbi_listener_host(listening->listener), port, &bound);

    if (rc == SSH_AGAIN || !sbi_libssh.ssh_is_connected(line->session)) {
        listening->stage = ASKED;
        return false;
    }
    listening->stage = OPEN;
    if (rc == SSH_OK && bound > 0 && bound <= 65535) {
        sbi_listener_opened(listening->listener, bound);
        return true;
    }
    refuse(listening);
    forget(line, listening);
    return true;
}

static bool close_port(struct sbi_ssh_line *line, struct sbi_ssh_listening *listening)
{
    int rc = sbi_libssh.ssh_channel_cancel_forward(
        line->session, sbi_listener_host(listening->listener),
        sbi_listener_port(listening->listener));

    listening->stage = CLOSING;
    if (rc == SSH_AGAIN || !sbi_libssh.ssh_is_connected(line->session))
        return false;
    forget(line, listening);
    return true;
}

bool sbi_ssh_listen_waits(const struct sbi_ssh_line *line)
{
    const struct sbi_ssh_listening *at = line->listens;

    while (at != NULL && at->stage != ASKED && at->stage != CLOSING)
        at = at->next;
    return at != NULL;
}

/* The one that is under way comes first. */
static struct sbi_ssh_listening *next_duty(struct sbi_ssh_line *line)
{
    struct sbi_ssh_listening *at, *found = NULL;

    for (at = line->listens; at != NULL; at = at->next) {
        if (at->stage == ASKED || at->stage == CLOSING)
            return at;
        if (at->stage == NEW || sbi_listener_abandoned(at->listener))
            found = at;
    }
    return found;
}

bool sbi_ssh_listen_tend(struct sbi_ssh_line *line)
{
    struct sbi_ssh_listening *duty;

    take_incoming(line);
    duty = next_duty(line);
    if (duty == NULL)
        return false;
    if (duty->stage == NEW && sbi_listener_abandoned(duty->listener)) {
        forget(line, duty);
        return true;
    }
    return duty->stage == NEW || duty->stage == ASKED ? ask(line, duty)
                                                      : close_port(line, duty);
}

static struct sbi_ssh_listening *find(struct sbi_ssh_line *line, const char *host,
                                      int port)
{
    struct sbi_ssh_listening *at, *found = NULL;

    for (at = line->listens; at != NULL; at = at->next) {
        if (at->stage != OPEN || sbi_listener_port(at->listener) != port)
            continue;
        if (host != NULL && strcmp(sbi_listener_host(at->listener), host) == 0)
            return at;
        found = at;
    }
    return found;
}

bool sbi_ssh_listen_take(struct sbi_ssh_line *line, ssh_message request)
{
    struct sbi_ssh_listening *listening;
    struct sbi_ssh_process *process;

    if (sbi_libssh.ssh_message_subtype(request) != SSH_CHANNEL_FORWARDED_TCPIP)
        return false;
    listening =
        find(line, sbi_libssh.ssh_message_channel_request_open_destination(request),
             sbi_libssh.ssh_message_channel_request_open_destination_port(request));
    if (listening == NULL || !sbi_listener_has_room(listening->listener))
        return false;
    process =
        sbi_ssh_accept(line, request, sbi_listener_host(listening->listener), false);
    if (process == NULL)
        return false;
    sbi_ssh_window_start(process);
    sbi_listener_offer(listening->listener, &process->base);
    return true;
}

void sbi_ssh_listen_end(struct sbi_ssh_line *line, const sbx_error *why)
{
    take_incoming(line);
    while (line->listens != NULL) {
        sbi_listener_over(line->listens->listener, why);
        forget(line, line->listens);
    }
}
