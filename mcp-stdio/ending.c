/*
 * ending.c - one thread that watches, so that neither a client which does not read nor
 * one which does not write keeps the program from ending. It sends progress too, as it
 * has the clock: once a second, and only while somebody wants to hear of it.
 *
 * What runs over there is stopped before the program ends. What could not be stopped in
 * time is killed by its watcher over there when the connection goes: docs/timeouts.md.
 */
#include "ending.h"

#include "feed.h"
#include "text.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { STOP_MS = 80, JOB_STOP_MS = 1000, STUCK_MS = 20, TICK_MS = 1000, MOST_TICKS = 64 };

static int signals = -1;

int ending_begin(struct server *server)
{
    sigset_t set;

    (void)signal(SIGPIPE, SIG_IGN);
    (void)sigemptyset(&set);
    (void)sigaddset(&set, SIGINT);
    (void)sigaddset(&set, SIGTERM);
    (void)sigaddset(&set, SIGHUP);
    if (pthread_sigmask(SIG_BLOCK, &set, NULL) != 0)
        return EINVAL;
    signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    server->ring = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    return signals < 0 || server->ring < 0 ? errno : 0;
}

void ending_ring(struct server *server)
{
    const uint64_t one = 1;

    (void)!write(server->ring, &one, sizeof(one));
}

static void end(struct server *server, int status)
{
    calls_stop(&server->calls, STOP_MS, JOB_STOP_MS);
    _exit(status);
}

static int signal_that_came(void)
{
    struct signalfd_siginfo info;

    return read(signals, &info, sizeof(info)) == (ssize_t)sizeof(info)
               ? (int)info.ssi_signo
               : 0;
}

/* Its line, or false: nobody asked, or nothing new can be told. */
static bool tick_line(struct call *call, char *line, size_t room)
{
    int64_t seconds = (now_ms() - call->began_ms) / 1000;
    AUTO_TEXT doing = {0};
    int length;

    if (call->progress == NULL || call->dropped || seconds <= call->told_s)
        return false;
    if ((call->era->has & ERA_ANNOTATIONS) != 0) {
        text_add(&doing, ",\"message\":");
        text_add_json(&doing, call->doing[0] != '\0' ? call->doing : "still working");
    }
    length = snprintf(
        line, room,
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
        "{\"progressToken\":%s,\"progress\":%lld%s}}",
        call->progress, (long long)seconds, doing.data == NULL ? "" : doing.data);
    if (length < 0 || (size_t)length >= room)
        return false;
    call->told_s = seconds;
    return true;
}

/* Whether anybody still wants to hear. */
static bool tick(struct server *server)
{
    char line[2048];
    struct call *call;
    bool wanted = false;

    (void)pthread_mutex_lock(&server->calls.lock);
    for (call = server->calls.first; call != NULL; call = call->next) {
        wanted = wanted || call->progress != NULL;
        if (call->era != NULL && tick_line(call, line, sizeof(line)))
            (void)wire_try(&server->out, line, strlen(line));
    }
    (void)pthread_mutex_unlock(&server->calls.lock);
    return wanted;
}

/*
 * The writer of a pipe is gone while what it wrote is still being answered: a client that
 * reads gets its answers, one that does not is not waited for.
 */
static void end_when_stuck(struct server *server)
{
    struct pollfd out = {.fd = server->out.fd, .events = POLLOUT};
    int stuck = 0;

    while (!atomic_load(&server->ended) && stuck < 2) {
        struct pollfd ring = {.fd = server->ring, .events = POLLIN};

        (void)poll(&ring, 1, STUCK_MS);
        stuck = poll(&out, 1, 0) == 0 ? stuck + 1 : 0;
        if (signal_that_came() != 0)
            break;
    }
    end(server, 0);
}

static void *watch(void *userdata)
{
    struct server *server = userdata;
    struct pollfd fds[] = {{.fd = signals, .events = POLLIN},
                           {.fd = server->ring, .events = POLLIN},
                           {.fd = server->in_fd, .events = POLLRDHUP}};
    bool wanted = false;
    uint64_t rings;
    int came;

    for (;;) {
        (void)poll(fds, 3, wanted ? TICK_MS : -1);
        came = signal_that_came();
        if (came != 0)
            end(server, 128 + came);
        (void)!read(server->ring, &rings, sizeof(rings));
        if (atomic_load(&server->ended))
            end(server, 0);
        if ((fds[2].revents & (POLLHUP | POLLRDHUP | POLLERR)) != 0)
            end_when_stuck(server);
        wanted = tick(server);
        wanted = feed_tick(server) || wanted;
    }
    return NULL;
}

int ending_watch(struct server *server)
{
    pthread_t thread;
    int rc = pthread_create(&thread, NULL, watch, server);

    return rc != 0 ? rc : pthread_detach(thread);
}
