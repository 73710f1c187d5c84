/*
 * far.c - a pair of sockets for each stream: a pipe would do, but for the signal that
 * writing to a closed one raises.
 */
#include "sync/far.h"

#include "base/clock.h"
#include "base/strv.h"
#include "base/thread.h"
#include "base/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>

#define KEPT_OUTPUT (1024 * 1024)
#define KILL_MS 300 /* nothing of ours has an end to bring about that takes longer */
#define GRACE_MS 500
#define KEPT_ERRORS (64 * 1024)
#define ROOM (1024 * 1024) /* asked for in a socket */

enum { OURS = 0, THEIRS = 1 };

struct sbi_far {
    sbx_session *session;
    struct sbi_far_opts opts;
    char **argv;
    int to[2]; /* its standard input */
    int from[2];
    pthread_t thread;
    bool running;
    sbx_exec_result *result;
    sbx_error error;
    int rc;
    _Atomic uint64_t up;
    _Atomic uint64_t down;
};

static void close_end(int *fd)
{
    sbi_close_fd(fd);
    *fd = -1;
}

/* On its thread. Our end closed means that nobody wants more of it. */
static int take_output(int stream, const void *data, size_t length, void *userdata)
{
    struct sbi_far *far = userdata;
    const char *at = data;

    if (stream != SBX_EXEC_STDOUT)
        return 0;
    (void)atomic_fetch_add(&far->down, length);
    while (far->opts.reads && length > 0) {
        ssize_t sent = send(far->from[THEIRS], at, length, MSG_NOSIGNAL);
        struct pollfd fd = {far->from[THEIRS], POLLOUT, 0};

        if (sent > 0) {
            at += sent;
            length -= (size_t)sent;
        } else if (errno == EAGAIN) {
            if (sbi_wait_any(&fd, 1, SBI_NEVER, far->opts.cancel) < 0)
                return 1;
        } else if (errno != EINTR) {
            return 1;
        }
    }
    return 0;
}

static void *run(void *userdata)
{
    struct sbi_far *far = userdata;
    sbx_exec_opts opts = {.size = sizeof(opts),
                          .flags = SBX_EXEC_NO_SPOOL,
                          .input = far->opts.input,
                          .input_length = far->opts.input_length,
                          .output_limit = far->opts.reads ? KEPT_ERRORS : KEPT_OUTPUT,
                          .kill_after_ms = KILL_MS,
                          .grace_ms = GRACE_MS,
                          .on_output = take_output,
                          .userdata = far,
                          .cancel = far->opts.cancel};

    if (far->opts.feeds) {
        opts.flags |= SBX_EXEC_INPUT_FD;
        opts.input_fd = far->to[THEIRS];
    }
    far->rc = sbx_exec_argv(far->session, (const char *const *)far->argv, &opts,
                            &far->result, &far->error);
    close_end(&far->to[THEIRS]);
    close_end(&far->from[THEIRS]);
    return NULL;
}

static int open_pair(int pair[2], int writer, sbx_error *err)
{
    int room = ROOM;
    int i;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "open a pair of sockets");
    for (i = 0; i < 2; i++)
        (void)fcntl(pair[i], F_SETFL, O_NONBLOCK);
    (void)setsockopt(pair[writer], SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
    return SBX_OK;
}

static int copy_words(struct sbi_far *far, sbx_error *err)
{
    const char *const first[] = {"/bin/sh", "-c", far->opts.script, "sbx", NULL};
    const char *const *arg;
    int rc = sbi_strv_copy(first, &far->argv, err);

    for (arg = far->opts.args; rc == SBX_OK && arg != NULL && *arg != NULL; arg++)
        rc = sbi_strv_add(&far->argv, *arg, err);
    return rc;
}

int sbi_far_start(sbx_session *session, const struct sbi_far_opts *opts,
                  struct sbi_far **out, sbx_error *err)
{
    SBI_AUTO_FAR far = calloc(1, sizeof(*far));
    int rc;

    if (far == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    far->session = session;
    far->opts = *opts;
    far->to[OURS] = far->to[THEIRS] = far->from[OURS] = far->from[THEIRS] = -1;
    rc = copy_words(far, err);
    if (rc == SBX_OK && opts->feeds)
        rc = open_pair(far->to, OURS, err);
    if (rc == SBX_OK && opts->reads)
        rc = open_pair(far->from, THEIRS, err);
    if (rc < 0)
        return rc;
    errno = sbi_thread_start(&far->thread, run, far);
    if (errno != 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "start a thread");
    far->running = true;
    *out = SBI_STEAL(far);
    return SBX_OK;
}

static int wait_for(const struct sbi_far *far, int fd, short events, sbx_error *err)
{
    struct pollfd ready = {fd, events, 0};

    if (sbi_wait_any(&ready, 1, SBI_NEVER, far->opts.cancel) < 0)
        return sbi_fail(err, SBX_ERR_CANCELLED, "cancelled");
    return SBX_OK;
}

int sbi_far_put(struct sbi_far *far, const void *data, size_t length, sbx_error *err)
{
    const char *at = data;
    int rc;

    while (length > 0) {
        ssize_t sent = send(far->to[OURS], at, length, MSG_NOSIGNAL);

        if (sent > 0) {
            at += sent;
            length -= (size_t)sent;
            (void)atomic_fetch_add(&far->up, (uint64_t)sent);
            continue;
        }
        if (errno != EAGAIN && errno != EINTR)
            return sbi_fail(err, SBX_ERR_DISCONNECTED, "the far side ended early");
        rc = wait_for(far, far->to[OURS], POLLOUT, err);
        if (rc < 0)
            return rc;
    }
    return SBX_OK;
}

void sbi_far_end_input(struct sbi_far *far)
{
    close_end(&far->to[OURS]);
}

ssize_t sbi_far_get(struct sbi_far *far, void *buffer, size_t room, sbx_error *err)
{
    ssize_t got;
    int rc;

    for (;;) {
        got = recv(far->from[OURS], buffer, room, 0);
        if (got >= 0)
            return got;
        if (errno != EAGAIN && errno != EINTR)
            return sbi_fail_errno(err, SBX_ERR_IO, "read what comes from over there");
        rc = wait_for(far, far->from[OURS], POLLIN, err);
        if (rc < 0)
            return rc;
    }
}

static void join(struct sbi_far *far)
{
    close_end(&far->to[OURS]);
    close_end(&far->from[OURS]);
    if (far->running)
        (void)pthread_join(far->thread, NULL);
    far->running = false;
}

static int judge(const struct sbi_far *far, sbx_error *err)
{
    const sbx_exec_result *result = far->result;

    if (far->rc < 0) {
        if (err != NULL)
            *err = far->error;
        return far->rc;
    }
    switch (result->end) {
    case SBX_EXEC_EXITED:
        return SBX_OK;
    case SBX_EXEC_CANCELLED:
        return sbi_fail(err, SBX_ERR_CANCELLED, "cancelled");
    case SBX_EXEC_LOST:
        if (err != NULL)
            *err = result->error;
        return result->error.code;
    default:
        (void)sbi_fail(err, SBX_ERR_REMOTE, "the script over there was ended: %s %s",
                       sbx_exec_end_name(result->end),
                       result->signal_name == NULL ? "" : result->signal_name);
        return sbi_executed(err, SBX_ERR_REMOTE, SBX_EXECUTED_YES);
    }
}

int sbi_far_finish(struct sbi_far *far, struct sbi_far_end *out, sbx_error *err)
{
    int rc;

    join(far);
    rc = judge(far, err);
    if (rc < 0)
        return rc;
    *out = (struct sbi_far_end){.code = far->result->exit_code,
                                .output = far->result->output,
                                .output_length = far->result->output_length,
                                .errors = far->result->errors,
                                .errors_length = far->result->errors_length};
    return SBX_OK;
}

void sbi_far_bytes(const struct sbi_far *far, uint64_t *up, uint64_t *down)
{
    *up = atomic_load(&far->up) + far->opts.input_length;
    *down = atomic_load(&far->down);
}

void sbi_far_free(struct sbi_far *far)
{
    if (far == NULL)
        return;
    join(far);
    close_end(&far->to[THEIRS]);
    close_end(&far->from[THEIRS]);
    sbx_exec_result_free(far->result);
    sbi_strv_clear(&far->argv);
    free(far);
}

void sbi_far_clear(struct sbi_far **far)
{
    sbi_far_free(*far);
    *far = NULL;
}
