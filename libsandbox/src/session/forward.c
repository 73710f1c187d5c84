/* forward.c - the life of a forward, and the thread that takes what comes here. */
#include <sandbox/forward.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/opts.h"
#include "base/thread.h"
#include "base/wait.h"
#include "session/forward_state.h"
#include "session/session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define DEFAULT_CONNECT_MS 15000
#define DEFAULT_MOST 256
#define MOST 4096
#define FIRST_BACKOFF_MS 250
#define LONGEST_BACKOFF_MS 30000
#define REST_MS 250 /* where there are no descriptors left */

void sbi_forward_note(struct sbx_forward *forward, const sbx_error *why)
{
    const char *text = why == NULL ? "" : why->text;
    const char *fix = why == NULL ? "" : why->fix;
    bool is_new;

    (void)pthread_mutex_lock(&forward->lock);
    is_new = strcmp(forward->error, text) != 0;
    (void)snprintf(forward->error, sizeof(forward->error), "%s", text);
    (void)pthread_mutex_unlock(&forward->lock);
    if (why != NULL)
        sbi_log(is_new ? SBX_LOG_WARN : SBX_LOG_DEBUG, "%s%s%s", text,
                fix[0] == '\0' ? "" : "; try: ", fix);
}

void sbi_forward_reached(struct sbx_forward *forward, bool reached)
{
    (void)pthread_mutex_lock(&forward->lock);
    if (reached || forward->backoff_ms == 0)
        forward->backoff_ms = FIRST_BACKOFF_MS;
    forward->retry_at = reached ? 0 : sbi_now_ms() + forward->backoff_ms;
    if (!reached && forward->backoff_ms < LONGEST_BACKOFF_MS)
        forward->backoff_ms *= 2;
    (void)pthread_mutex_unlock(&forward->lock);
}

int sbi_forward_wait_turn(struct sbx_forward *forward, int64_t deadline)
{
    int64_t turn;
    int rc = SBX_ERR_TIMEOUT;

    (void)pthread_mutex_lock(&forward->lock);
    turn = forward->retry_at;
    (void)pthread_mutex_unlock(&forward->lock);
    if (turn > sbi_now_ms())
        rc = sbi_wait_readable(-1, turn < deadline ? turn : deadline, forward->stop);
    if (rc == SBX_ERR_CANCELLED || sbx_cancel_fired(forward->stop))
        return SBX_ERR_CANCELLED;
    return turn > deadline ? SBX_ERR_TIMEOUT : SBX_OK;
}

/* What cannot be taken for want of descriptors stays in the queue, and rings on. */
static int take_clients(struct sbx_forward *forward, int listener)
{
    int fd;

    while ((fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0)
        sbi_forward_carry(forward, fd, NULL);
    if (errno == EAGAIN || errno == EINTR || errno == ECONNABORTED)
        return SBX_OK;
    return sbi_wait_readable(-1, sbi_deadline(REST_MS), forward->stop);
}

static void *forward_main(void *userdata)
{
    struct sbx_forward *forward = userdata;
    struct pollfd fds[SBI_FORWARD_SOCKETS];
    int rc = SBX_OK;
    size_t i;

    while (rc != SBX_ERR_CANCELLED) {
        for (i = 0; i < forward->sockets.count; i++)
            fds[i] = (struct pollfd){forward->sockets.fds[i], POLLIN, 0};
        rc = sbi_wait_any(fds, i, SBI_NEVER, forward->stop);
        for (i = 0; rc == SBX_OK && i < forward->sockets.count; i++)
            rc = fds[i].revents == 0 ? SBX_OK
                                     : take_clients(forward, forward->sockets.fds[i]);
    }
    return NULL;
}

static void forward_clear(struct sbx_forward **at)
{
    struct sbx_forward *forward = *at;

    if (forward == NULL)
        return;
    sbi_listener_free(forward->listener);
    sbi_forward_sockets_clear(&forward->sockets);
    sbi_forward_spec_clear(&forward->spec);
    if (forward->held.slot != NULL)
        (void)sbi_session_leave(forward->session, &forward->held, false);
    sbx_session_free(forward->session);
    sbx_cancel_free(forward->stop);
    (void)pthread_cond_destroy(&forward->guest_left);
    (void)pthread_mutex_destroy(&forward->lock);
    free(forward->place);
    free(forward->listens);
    free(forward->target);
    free(forward);
}

void sbx_forward_free(sbx_forward *forward)
{
    if (forward == NULL)
        return;
    sbx_cancel_fire(forward->stop);
    (void)pthread_join(forward->thread, NULL);
    (void)pthread_mutex_lock(&forward->lock);
    while (forward->guests > 0)
        (void)pthread_cond_wait(&forward->guest_left, &forward->lock);
    (void)pthread_mutex_unlock(&forward->lock);
    forward_clear(&forward);
}

static int name_ends(struct sbx_forward *forward, sbx_error *err)
{
    struct sbi_forward_end listen = forward->spec.listen;
    SBI_AUTO_STR text = {0};
    SBI_AUTO_STR target = {0};
    int rc = SBX_OK;

    listen.port = forward->port;
    if (forward->kind == SBX_FORWARD_REMOTE)
        sbi_forward_add_end(&text, &listen);
    else
        sbi_str_add(&text, forward->sockets.name);
    free(SBI_STEAL(forward->listens));
    rc = sbi_str_take(&text, &forward->listens, err);
    if (rc == SBX_OK && forward->kind != SBX_FORWARD_SOCKS && forward->target == NULL) {
        sbi_forward_add_end(&target, &forward->spec.target);
        rc = sbi_str_take(&target, &forward->target, err);
    }
    return rc;
}

int sbx_forward_check(int kind, const char *text, sbx_error *err)
{
    SBI_CLEANUP(sbi_forward_spec_clear) struct sbi_forward_spec spec = {0};

    if (kind < SBX_FORWARD_LOCAL || kind > SBX_FORWARD_SOCKS || text == NULL)
        return sbi_fail(err, SBX_ERR_INVALID,
                        "check a forward: it takes a kind and a text");
    return sbi_forward_parse(kind, text, &spec, err);
}

static int new_forward(int kind, const char *place, const char *text,
                       const sbx_forward_opts *opts, struct sbx_forward **out,
                       sbx_error *err)
{
    SBI_CLEANUP(forward_clear) struct sbx_forward *forward = calloc(1, sizeof(*forward));
    int rc;

    if (forward == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    (void)pthread_mutex_init(&forward->lock, NULL);
    (void)pthread_cond_init(&forward->guest_left, NULL);
    forward->kind = kind;
    forward->connect_ms =
        opts->connect_timeout_ms == 0 ? DEFAULT_CONNECT_MS : opts->connect_timeout_ms;
    forward->most = opts->most == 0 ? DEFAULT_MOST : opts->most;
    forward->place = strdup(place);
    if (forward->place == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    rc = sbi_forward_parse(kind, text, &forward->spec, err);
    if (rc == SBX_OK)
        rc = sbx_cancel_new(&forward->stop, err);
    if (rc == SBX_OK)
        *out = SBI_STEAL(forward);
    return rc;
}

static int check_place(const struct sbx_forward *forward, sbx_error *err)
{
    const struct sbi_host_prefix *prefix = sbi_session_prefix(forward->session);

    if (prefix != NULL)
        return sbi_fix(
            err,
            sbi_fail(err, SBX_ERR_UNSUPPORTED, "no SSH server stands behind a prefix"),
            NULL, "forward on the place that it stands on: '%s'", prefix->on);
    if (sbi_session_is_local(forward->session))
        return sbi_fix(err,
                       sbi_fail(err, SBX_ERR_UNSUPPORTED, "it is this machine itself"),
                       NULL, "name a place that is reached over SSH");
    return SBX_OK;
}

/* The socket first: where its port is taken nothing else has happened. */
static int open_ends(struct sbx_forward *forward, sbx_pool *pool, sbx_cancel *cancel,
                     sbx_error *err)
{
    int rc = SBX_OK;

    if (forward->kind != SBX_FORWARD_REMOTE) {
        rc = sbi_forward_listen(&forward->spec.listen, &forward->sockets, err);
        forward->port = forward->sockets.port;
    }
    if (rc == SBX_OK)
        rc = sbx_pool_acquire(pool, forward->place, cancel, &forward->session, err);
    if (rc == SBX_OK)
        rc = check_place(forward, err);
    if (rc == SBX_OK && forward->kind == SBX_FORWARD_REMOTE)
        rc = sbi_forward_remote_open(forward, sbi_deadline(forward->connect_ms), cancel,
                                     err);
    return rc < 0 ? rc : name_ends(forward, err);
}

int sbx_forward_open(sbx_pool *pool, const char *place, int kind, const char *text,
                     const sbx_forward_opts *theirs, sbx_forward **out, sbx_error *err)
{
    SBI_CLEANUP(forward_clear) struct sbx_forward *forward = NULL;
    sbx_forward_opts opts;
    int rc = sbi_opts_read(&opts, sizeof(opts), theirs, err);

    if (rc < 0)
        return rc;
    if (pool == NULL || place == NULL || text == NULL || kind < SBX_FORWARD_LOCAL ||
        kind > SBX_FORWARD_SOCKS || opts.connect_timeout_ms < 0 || opts.most < 0 ||
        opts.most > MOST)
        return sbi_fail(err, SBX_ERR_INVALID,
                        "forward: it takes a pool, a place, a kind and a text, no "
                        "negative time-out, and at most %d connections",
                        MOST);
    rc = new_forward(kind, place, text, &opts, &forward, err);
    if (rc == SBX_OK)
        rc = open_ends(forward, pool, opts.cancel, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "forward '%s' on '%s'", text, place);
    if (sbi_thread_start(&forward->thread,
                         kind == SBX_FORWARD_REMOTE ? sbi_forward_remote_main
                                                    : forward_main,
                         forward) != 0)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "forward '%s' on '%s': no thread", text,
                        place);
    *out = SBI_STEAL(forward);
    return SBX_OK;
}
