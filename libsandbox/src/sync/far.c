/*
 * far.c - a pipe for each stream. Writing to one that nobody reads raises a signal, so
 * both ends stay open until the run is over; who waits at one is told by a bell that
 * the other side has left.
 */
#include "sync/far.h"

#include "base/clock.h"
#include "base/strv.h"
#include "base/thread.h"
#include "base/wait.h"
#include "base/wake.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#define KEPT_OUTPUT (1024 * 1024)
#define KILL_MS 300 /* nothing of ours has an end to bring about that takes longer */
#define GRACE_MS 500
#define KEPT_ERRORS (64 * 1024)
#define ROOM (1024 * 1024) /* asked for in a pipe */

#define ENOUGH_HELD (UINT64_C(1) << 20)
#define ENOUGH_FREE (UINT64_C(16) << 20) /* more than twice what has room on the way */

enum { OUT = 0, IN = 1 }; /* of a pipe: where bytes come out, where they go in */

/*
 * When the caller has waited for one stream. The first wait fills what has room on the
 * way, or is for the first bytes: what goes between its end and that of the last is what
 * the way has taken in that time.
 */
struct flow {
    int64_t begun;
    int64_t first; /* end of the first wait */
    int64_t last;
    int64_t waited; /* in all but the first */
    uint64_t bytes;
    uint64_t bytes_first;
    uint64_t bytes_last;
};

struct sbi_far {
    sbx_session *session;
    struct sbi_far_opts opts;
    char **argv;
    int to[2]; /* its standard input */
    int from[2];
    int over;  /* rung once its run has ended */
    int leave; /* rung once we want no more of what it prints */
    pthread_t thread;
    bool running;
    sbx_exec_result *result;
    sbx_error error;
    int rc;
    _Atomic uint64_t up;
    _Atomic uint64_t down;
    struct flow flows[2]; /* the caller's: what is read, and what is written */
};

static void close_end(int *fd)
{
    sbi_close_fd(fd);
    *fd = -1;
}

/* On its thread: 0, or non-zero when nobody wants more of it. */
static int take_output(int stream, const void *data, size_t length, void *userdata)
{
    struct sbi_far *far = userdata;
    const char *at = data;

    if (stream != SBX_EXEC_STDOUT)
        return 0;
    (void)atomic_fetch_add(&far->down, length);
    while (far->opts.reads && length > 0) {
        struct pollfd fds[] = {{far->from[IN], POLLOUT, 0}, {far->leave, POLLIN, 0}};
        ssize_t sent = write(far->from[IN], at, length);

        if (sent > 0) {
            at += sent;
            length -= (size_t)sent;
        } else if (errno != EAGAIN && errno != EINTR) {
            return 1;
        } else if (sbi_wait_any(fds, 2, SBI_NEVER, far->opts.cancel) < 0 ||
                   fds[1].revents != 0) {
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
        opts.input_fd = far->to[OUT];
    }
    far->rc = sbx_exec_argv(far->session, (const char *const *)far->argv, &opts,
                            &far->result, &far->error);
    close_end(&far->from[IN]);
    sbi_wake_ring(far->over);
    return NULL;
}

static int open_pipe(int ends[2], sbx_error *err)
{
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "open a pipe");
    (void)fcntl(ends[IN], F_SETPIPE_SZ, ROOM); /* where it is refused, less will do */
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
    far->to[IN] = far->to[OUT] = far->from[IN] = far->from[OUT] = -1;
    far->over = far->leave = -1;
    rc = copy_words(far, err);
    if (rc == SBX_OK)
        rc = sbi_wake_open(&far->over, err);
    if (rc == SBX_OK)
        rc = sbi_wake_open(&far->leave, err);
    if (rc == SBX_OK && opts->feeds)
        rc = open_pipe(far->to, err);
    if (rc == SBX_OK && opts->reads)
        rc = open_pipe(far->from, err);
    if (rc < 0)
        return rc;
    errno = sbi_thread_start(&far->thread, run, far);
    if (errno != 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "start a thread");
    far->running = true;
    *out = SBI_STEAL(far);
    return SBX_OK;
}

static void note_wait(struct flow *flow, int64_t since)
{
    flow->last = sbi_now_ms();
    flow->bytes_last = flow->bytes;
    if (flow->first == 0) {
        flow->first = flow->last;
        flow->bytes_first = flow->bytes_last;
    } else {
        flow->waited += flow->last - since;
    }
}

static void note_bytes(struct flow *flow, size_t count)
{
    if (flow->begun == 0)
        flow->begun = sbi_now_ms();
    flow->bytes += count;
}

void sbi_far_flow(const struct sbi_far *far, bool up, struct sbi_far_flow *out)
{
    const struct flow *flow = &far->flows[up ? IN : OUT];
    int64_t held = flow->last - flow->first, all = sbi_now_ms() - flow->begun;
    uint64_t bytes = flow->bytes_last - flow->bytes_first;

    *out = (struct sbi_far_flow){.kind = SBI_FAR_FLOW_UNKNOWN};
    if (bytes >= ENOUGH_HELD && held > 0 && flow->waited * 2 >= held) {
        out->kind = SBI_FAR_FLOW_HELD;
        out->rate = bytes * 1000 / (uint64_t)held;
    } else if (flow->bytes >= ENOUGH_FREE && flow->waited * 2 < all) {
        out->kind = SBI_FAR_FLOW_FREE;
    }
}

static int wait_to_put(struct sbi_far *far, sbx_error *err)
{
    struct pollfd fds[] = {{far->to[IN], POLLOUT, 0}, {far->over, POLLIN, 0}};
    int64_t since = sbi_now_ms();

    if (sbi_wait_any(fds, 2, SBI_NEVER, far->opts.cancel) < 0)
        return sbi_fail(err, SBX_ERR_CANCELLED, "cancelled");
    if (fds[1].revents != 0)
        return sbi_fail(err, SBX_ERR_DISCONNECTED, "the far side ended early");
    note_wait(&far->flows[IN], since);
    return SBX_OK;
}

int sbi_far_put(struct sbi_far *far, const void *data, size_t length, sbx_error *err)
{
    const char *at = data;
    int rc = SBX_OK;

    while (length > 0 && rc == SBX_OK) {
        ssize_t sent = write(far->to[IN], at, length);

        if (sent > 0) {
            at += sent;
            length -= (size_t)sent;
            (void)atomic_fetch_add(&far->up, (uint64_t)sent);
            note_bytes(&far->flows[IN], (size_t)sent);
            continue;
        }
        if (errno != EAGAIN && errno != EINTR)
            return sbi_fail_errno(err, SBX_ERR_IO, "write what goes over there");
        rc = wait_to_put(far, err);
    }
    return rc;
}

void sbi_far_end_input(struct sbi_far *far)
{
    close_end(&far->to[IN]);
}

ssize_t sbi_far_get(struct sbi_far *far, void *buffer, size_t room, sbx_error *err)
{
    struct pollfd fd = {far->from[OUT], POLLIN, 0};
    int64_t since;
    ssize_t got;

    while ((got = read(far->from[OUT], buffer, room)) < 0) {
        if (errno != EAGAIN && errno != EINTR)
            return sbi_fail_errno(err, SBX_ERR_IO, "read what comes from over there");
        since = sbi_now_ms();
        if (sbi_wait_any(&fd, 1, SBI_NEVER, far->opts.cancel) < 0)
            return sbi_fail(err, SBX_ERR_CANCELLED, "cancelled");
        note_wait(&far->flows[OUT], since);
    }
    note_bytes(&far->flows[OUT], (size_t)got);
    return got;
}

int sbi_far_get_rest(struct sbi_far *far, struct sbi_str *out, sbx_error *err)
{
    char piece[4096];
    ssize_t got = 1;

    out->limit = KEPT_OUTPUT;
    sbi_str_add(out, "");
    while (got > 0) {
        got = sbi_far_get(far, piece, sizeof(piece), err);
        if (got > 0)
            sbi_str_add_bytes(out, piece, (size_t)got);
    }
    if (got == 0 && out->status != SBX_OK)
        return sbi_fail(err, out->status, "an answer from over there has no end");
    return (int)got;
}

static void join(struct sbi_far *far)
{
    close_end(&far->to[IN]);
    if (far->running) {
        sbi_wake_ring(far->leave);
        (void)pthread_join(far->thread, NULL);
    }
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
    return sbx_exec_check_end(result, err);
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
    close_end(&far->to[OUT]);
    close_end(&far->from[OUT]);
    close_end(&far->from[IN]);
    close_end(&far->over);
    close_end(&far->leave);
    sbx_exec_result_free(far->result);
    sbi_strv_clear(&far->argv);
    free(far);
}

void sbi_far_clear(struct sbi_far **far)
{
    sbi_far_free(*far);
    *far = NULL;
}
