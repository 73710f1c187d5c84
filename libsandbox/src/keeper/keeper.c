/* keeper.c - the life of a keeper: it connects, takes clients, and goes when idle. */
#include <sandbox/keeper.h>

#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/opts.h"
#include "base/wait.h"
#include "base/wake.h"
#include "keeper/listen.h"
#include "keeper/state.h"
#include "session/session.h"

#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_IDLE_MS (10 * 60 * 1000)
#define MOST_PLACES 256
#define PARTING_S 3

static void keeper_clear(struct sbi_keeper *keeper)
{
    size_t i;

    for (i = 0; i < keeper->count; i++) {
        sbi_keeper_unlisten(&keeper->kept[i]);
        sbx_session_free(keeper->kept[i].session);
        free(keeper->kept[i].path);
    }
    free(keeper->kept);
    sbx_cancel_free(keeper->stop);
    sbi_close_fd(&keeper->wake);
    (void)pthread_cond_destroy(&keeper->client_left);
    (void)pthread_mutex_destroy(&keeper->lock);
    free(keeper);
}

static void keeper_free(struct sbi_keeper **keeper)
{
    if (*keeper != NULL)
        keeper_clear(*keeper);
}

static int new_keeper(const sbx_keeper_opts *opts, size_t places, struct sbi_keeper **out,
                      sbx_error *err)
{
    SBI_CLEANUP(keeper_free) struct sbi_keeper *keeper = calloc(1, sizeof(*keeper));
    int rc;

    if (keeper == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    keeper->wake = -1;
    keeper->idle_ms = opts->idle_ms == 0 ? DEFAULT_IDLE_MS : opts->idle_ms;
    (void)pthread_mutex_init(&keeper->lock, NULL);
    (void)pthread_cond_init(&keeper->client_left, NULL);
    keeper->kept = calloc(places, sizeof(*keeper->kept));
    if (keeper->kept == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    rc = sbi_wake_open(&keeper->wake, err);
    if (rc == SBX_OK)
        rc = sbx_cancel_new(&keeper->stop, err);
    if (rc == SBX_OK)
        *out = SBI_STEAL(keeper);
    return rc;
}

/* Looked for first: a place that another keeps is not connected to. */
static int keep(struct sbi_keeper *keeper, sbx_hosts *hosts, const char *place,
                const sbx_keeper_opts *opts, sbx_error *err)
{
    const sbx_session_opts session = {.size = sizeof(session),
                                      .flags = SBX_SESSION_OWN,
                                      .prompt = opts->prompt,
                                      .userdata = opts->userdata,
                                      .cancel = opts->cancel,
                                      .connect_timeout_ms = opts->connect_timeout_ms};
    struct sbi_kept *kept = &keeper->kept[keeper->count];
    int64_t pid;
    int rc;

    *kept = (struct sbi_kept){.keeper = keeper, .listener = -1};
    rc = sbx_keeper_socket(hosts, place, &kept->path, err);
    if (rc < 0)
        return rc;
    keeper->count++;
    pid = sbi_keeper_ask(kept->path);
    if (pid != 0)
        return sbi_fail(err, SBX_ERR_EXISTS, "process %lld keeps it already",
                        (long long)pid);
    rc = sbx_session_open(hosts, place, &session, &kept->session, err);
    if (rc < 0)
        return rc;
    sbi_session_stop_asking(kept->session);
    kept->idle_since = sbi_now_ms();
    return sbi_keeper_listen(kept, err);
}

static int keep_all(struct sbi_keeper *keeper, sbx_hosts *hosts,
                    const char *const *places, const sbx_keeper_opts *opts,
                    sbx_error *err)
{
    int rc = SBX_OK;

    for (; rc == SBX_OK && *places != NULL; places++) {
        rc = keep(keeper, hosts, *places, opts, err);
        if (rc < 0)
            (void)sbi_wrap(err, rc, "keep '%s'", *places);
    }
    return rc;
}

/* When a kept connection is due to go: now, at a moment, or never. */
static int64_t due(struct sbi_kept *kept)
{
    struct sbi_keeper *keeper = kept->keeper;
    int64_t when = SBI_NEVER;

    (void)pthread_mutex_lock(&keeper->lock);
    if (kept->told_to_stop)
        when = 0;
    else if (kept->sessions == 0 && keeper->idle_ms > 0)
        when = kept->idle_since + keeper->idle_ms;
    (void)pthread_mutex_unlock(&keeper->lock);
    return when;
}

/* Its socket goes; who is on it goes on, and its connection ends with the keeper. */
static int64_t tend(struct sbi_keeper *keeper, size_t *open)
{
    int64_t next = SBI_NEVER, when;
    size_t i;

    *open = 0;
    for (i = 0; i < keeper->count; i++) {
        struct sbi_kept *kept = &keeper->kept[i];

        if (kept->listener < 0)
            continue;
        when = due(kept);
        if (when <= sbi_now_ms()) {
            sbi_keeper_unlisten(kept);
            continue;
        }
        (*open)++;
        next = when < next ? when : next;
    }
    return next;
}

static void take_clients(struct sbi_kept *kept)
{
    int fd;

    while (kept->listener >= 0 &&
           (fd = accept4(kept->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0)
        sbi_keeper_serve(kept, fd);
}

static int wait_for_clients(struct sbi_keeper *keeper, struct pollfd *fds, int64_t until,
                            sbx_cancel *cancel)
{
    size_t i;

    for (i = 0; i < keeper->count; i++)
        fds[i] = (struct pollfd){keeper->kept[i].listener, POLLIN, 0};
    fds[i++] = (struct pollfd){keeper->wake, POLLIN, 0};
    fds[i++] = (struct pollfd){sbi_cancel_fd(cancel), POLLIN, 0};
    (void)poll(fds, i, sbi_left_ms(until));
    sbi_wake_hush(keeper->wake);
    return sbx_cancel_fired(cancel) ? SBX_ERR_CANCELLED : SBX_OK;
}

static int serve(struct sbi_keeper *keeper, sbx_cancel *cancel, sbx_error *err)
{
    SBI_AUTOFREE struct pollfd *fds = calloc(keeper->count + 2, sizeof(*fds));
    int64_t until;
    size_t i, open;

    if (fds == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    for (;;) {
        until = tend(keeper, &open);
        if (open == 0 || wait_for_clients(keeper, fds, until, cancel) < 0)
            return SBX_OK;
        for (i = 0; i < keeper->count; i++)
            take_clients(&keeper->kept[i]);
    }
}

/* False: some client cannot be reached, and what it uses must stay. */
static bool part(struct sbi_keeper *keeper)
{
    struct timespec limit;
    bool all;
    size_t i;

    for (i = 0; i < keeper->count; i++)
        sbi_keeper_unlisten(&keeper->kept[i]);
    sbx_cancel_fire(keeper->stop);
    (void)clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += PARTING_S;
    (void)pthread_mutex_lock(&keeper->lock);
    while (keeper->clients > 0 &&
           pthread_cond_timedwait(&keeper->client_left, &keeper->lock, &limit) == 0)
        continue;
    all = keeper->clients == 0;
    (void)pthread_mutex_unlock(&keeper->lock);
    return all;
}

int sbx_keeper_run(sbx_hosts *hosts, const char *const *places,
                   const sbx_keeper_opts *theirs, sbx_error *err)
{
    SBI_CLEANUP(keeper_free) struct sbi_keeper *keeper = NULL;
    sbx_keeper_opts opts;
    size_t count = 0;
    int rc = sbi_opts_read(&opts, sizeof(opts), theirs, err);

    while (rc == SBX_OK && places != NULL && places[count] != NULL)
        count++;
    if (rc == SBX_OK && (hosts == NULL || count == 0 || count > MOST_PLACES))
        rc = sbi_fail(err, SBX_ERR_INVALID, "keep connections: it takes 1 to %d places",
                      MOST_PLACES);
    if (rc == SBX_OK)
        rc = new_keeper(&opts, count, &keeper, err);
    if (rc == SBX_OK)
        rc = keep_all(keeper, hosts, places, &opts, err);
    if (rc < 0)
        return rc;
    if (opts.ready != NULL)
        opts.ready(opts.userdata);
    rc = serve(keeper, opts.cancel, err);
    if (!part(keeper))
        (void)SBI_STEAL(keeper);
    return rc;
}

int sbx_keeper_socket(sbx_hosts *hosts, const char *place, char **out, sbx_error *err)
{
    const sbx_host *host;
    int rc;

    if (hosts == NULL || place == NULL)
        return sbi_fail(err, SBX_ERR_INVALID, "find a keeper: no place named");
    rc = sbx_hosts_get(hosts, place, &host, err);
    if (rc < 0)
        return rc;
    if (host->kind != SBX_HOST_SSH)
        return sbi_fail(err, SBX_ERR_UNSUPPORTED,
                        "'%s' has no connection that could be kept", place);
    return sbi_session_socket(hosts, host, out, err);
}
