/* forward_remote.c - a port over there: asked for, listened to, asked for anew. */
#include "session/forward_state.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/wait.h"
#include "session/session_state.h"

#include <string.h>

#define LONGEST_MS 30000

static void let_go(struct sbx_forward *forward)
{
    (void)pthread_mutex_lock(&forward->lock);
    forward->up = false;
    (void)pthread_mutex_unlock(&forward->lock);
    sbi_listener_free(SBI_STEAL(forward->listener));
    (void)sbi_session_leave(forward->session, &forward->held, false);
}

static int refuse_line(sbx_error *err)
{
    int rc = sbi_fail(err, SBX_ERR_UNSUPPORTED,
                      "its connection belongs to a master of ssh's or a keeper, over "
                      "which no port is listened on for us");

    return sbi_fix(err, rc, NULL, "a connection of its own: SBX_SESSION_OWN");
}

static int await_port(struct sbx_forward *forward, int64_t deadline, sbx_cancel *cancel,
                      sbx_error *err)
{
    int state = SBI_LISTENER_ASKED, port = 0;
    int rc = SBX_OK;

    while (rc == SBX_OK && (state = sbi_listener_state(forward->listener, &port, err)) ==
                               SBI_LISTENER_ASKED)
        rc = sbi_wait_readable(sbi_listener_fd(forward->listener), deadline, cancel);
    if (rc < 0)
        return sbi_fail(err, rc, "ask for a port over there: %s",
                        rc == SBX_ERR_CANCELLED ? "cancelled" : "no answer in time");
    if (state == SBI_LISTENER_OVER)
        return err->code;
    (void)pthread_mutex_lock(&forward->lock);
    forward->up = true;
    if (forward->port == 0)
        forward->port = port;
    (void)pthread_mutex_unlock(&forward->lock);
    return SBX_OK;
}

int sbi_forward_remote_open(struct sbx_forward *forward, int64_t deadline,
                            sbx_cancel *cancel, sbx_error *err)
{
    const struct sbi_forward_end *end = &forward->spec.listen;
    const char *host = end->host == NULL ? "localhost" : end->host;
    sbx_error why = {0};
    int rc = sbi_session_take(forward->session, deadline, cancel, &forward->held, &why);

    if (rc == SBX_OK) {
        rc = sbi_line_listen(forward->held.slot->line, host,
                             forward->port != 0 ? forward->port : end->port,
                             &forward->listener, &why);
        if (rc == SBX_ERR_UNSUPPORTED)
            rc = refuse_line(&why);
        if (rc == SBX_OK)
            rc = await_port(forward, deadline, cancel, &why);
        if (rc < 0)
            let_go(forward);
    }
    if (rc < 0 && err != NULL)
        *err = why;
    return rc;
}

static int take_connections(struct sbx_forward *forward, sbx_error *why)
{
    struct sbi_process *process;
    int port, rc = SBX_OK;

    while (rc == SBX_OK) {
        rc = sbi_listener_state(forward->listener, &port, why) == SBI_LISTENER_OVER
                 ? SBX_ERR_DISCONNECTED
                 : SBX_OK;
        while ((process = sbi_listener_accept(forward->listener)) != NULL)
            sbi_forward_carry(forward, -1, process);
        if (rc == SBX_OK)
            rc = sbi_wait_readable(sbi_listener_fd(forward->listener), SBI_NEVER,
                                   forward->stop);
    }
    return rc;
}

/* The server may hold the port for a dead connection for a while: it is asked again. */
static void open_again(struct sbx_forward *forward)
{
    sbx_error why = {0};
    int rc = SBX_ERR_DISCONNECTED;

    while (rc < 0 && rc != SBX_ERR_CANCELLED) {
        if (sbi_forward_wait_turn(forward, SBI_NEVER) < 0)
            return;
        rc = sbi_forward_remote_open(forward, sbi_deadline(LONGEST_MS), forward->stop,
                                     &why);
        if (rc != SBX_ERR_CANCELLED)
            sbi_forward_reached(forward, rc == SBX_OK);
        if (rc < 0 && rc != SBX_ERR_CANCELLED) {
            (void)sbi_wrap(&why, rc, "listen on %s of '%s' again", forward->listens,
                           forward->place);
            sbi_forward_note(forward, &why);
        }
    }
    if (rc == SBX_OK)
        sbi_forward_note(forward, NULL);
}

void *sbi_forward_remote_main(void *userdata)
{
    struct sbx_forward *forward = userdata;
    sbx_error why;

    while (!sbx_cancel_fired(forward->stop)) {
        why = (sbx_error){0};
        if (take_connections(forward, &why) == SBX_ERR_CANCELLED)
            break;
        let_go(forward);
        (void)sbi_wrap(&why, SBX_ERR_DISCONNECTED, "forward %s on '%s'", forward->listens,
                       forward->place);
        sbi_forward_note(forward, &why);
        open_again(forward);
    }
    if (forward->listener != NULL)
        let_go(forward);
    return NULL;
}
