/*
 * prog_proxy.c - a TCP proxy that makes a line slow, dead or refused, on request.
 *
 *     prog_proxy LISTENPORT TARGETPORT [--delay MS]
 *
 * Both ports are of 127.0.0.1; LISTENPORT 0 takes a free one. The first line it
 * prints is the port; after that it obeys the lines of its standard input and
 * answers each with one line, "ok" unless said otherwise, once it holds:
 *
 *     delay MS    each way, so that a round trip takes 2 * MS longer
 *     rate BYTES  a second at most, each way of each connection; 0: as many as it can
 *     cut         resets every connection
 *     blackhole   forwards nothing and keeps all open
 *     refuse      takes no new connection; those that stand stay
 *     after up|down BYTES cut|blackhole
 *                 does that when so many more bytes have gone that way
 *     heal        ends blackhole and refuse, forgets an `after`
 *     count       answers "CONNECTIONS UP DOWN": taken so far, bytes forwarded
 *
 * It ends with its standard input. Delay costs no bandwidth: bytes wait in a queue
 * with the moment each is due, 64 MiB of them a direction. A rate holds back the sender:
 * no more is read than is under way.
 */
#include "support/prog_proxy/proxy.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NEVER INT64_MAX

struct proxy proxy;

/* Of what is due already, it is the descriptor that is waited for. */
static int64_t earlier(const struct way *way, int64_t now, int64_t due)
{
    if (way->free_us > now && way->free_us < due)
        due = way->free_us;
    if (way->first == NULL || way->first->due_us <= now || way->first->due_us > due)
        return due;
    return way->first->due_us;
}

static int64_t next_due(int64_t now)
{
    int64_t due = NEVER;
    size_t i;

    for (i = 0; i < proxy.count; i++) {
        due = earlier(&proxy.connections[i]->up, now, due);
        due = earlier(&proxy.connections[i]->down, now, due);
    }
    return due;
}

static bool has_due(const struct way *way, int64_t now)
{
    return way->first != NULL && way->first->due_us <= now;
}

/* What one end of a connection waits for: room for what is due, bytes if we have room. */
static short wanted(const struct way *out_of, const struct way *into, int64_t now)
{
    short events = 0;

    if (!out_of->read_end && out_of->queued < QUEUE_LIMIT && out_of->free_us <= now)
        events |= POLLIN;
    if (has_due(into, now))
        events |= POLLOUT;
    return events;
}

/* A descriptor that waits for nothing is left out: its POLLHUP would spin. */
static struct pollfd poll_for(int fd, short events)
{
    return (struct pollfd){.fd = events != 0 ? fd : -1, .events = events};
}

static size_t fill(struct pollfd *fds, int64_t now)
{
    size_t i;
    size_t count = 2;

    fds[0] = poll_for(STDIN_FILENO, POLLIN);
    fds[1] = poll_for(proxy.blackhole ? -1 : proxy.listener, POLLIN);
    for (i = 0; i < proxy.count && !proxy.blackhole; i++) {
        const struct connection *connection = proxy.connections[i];

        fds[count++] = poll_for(connection->up.from,
                                wanted(&connection->up, &connection->down, now));
        fds[count++] =
            poll_for(connection->up.to, wanted(&connection->down, &connection->up, now));
    }
    return count;
}

/* Waits for the first of: an order, a descriptor that is ready, a chunk that falls due.
 */
static void wait_for(struct pollfd *fds, size_t count, int64_t now)
{
    int64_t due = proxy.blackhole ? NEVER : next_due(now);
    struct timespec left;

    if (due == NEVER) {
        (void)poll(fds, (nfds_t)count, -1);
        return;
    }
    left.tv_sec = (time_t)((due - now) / 1000000);
    left.tv_nsec = (long)((due - now) % 1000000) * 1000;
    (void)ppoll(fds, (nfds_t)count, &left, NULL);
}

static void run(void)
{
    static struct pollfd fds[2 + 2 * CONNECTION_LIMIT];

    for (;;) {
        int64_t now = proxy_now_us();
        size_t i;
        size_t count = fill(fds, now);

        wait_for(fds, count, now);
        for (i = 2; i < count; i += 2)
            proxy_serve(proxy.connections[(i - 2) / 2], fds[i].revents,
                        fds[i + 1].revents);
        proxy_sweep();
        if (fds[1].revents != 0)
            proxy_take();
        if (fds[0].revents != 0 && !proxy_read_orders())
            return;
    }
}

int main(int argc, char **argv)
{
    if (argc != 3 && !(argc == 5 && strcmp(argv[3], "--delay") == 0)) {
        fprintf(stderr, "usage: %s LISTENPORT TARGETPORT [--delay MS]\n", argv[0]);
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    proxy.port = (uint16_t)strtoul(argv[1], NULL, 10);
    proxy.target = (uint16_t)strtoul(argv[2], NULL, 10);
    if (argc == 5)
        proxy.delay_us = (int64_t)(strtod(argv[4], NULL) * 1000);
    if (proxy_listen() < 0) {
        fprintf(stderr, "cannot listen on port %s: errno %d\n", argv[1], errno);
        return 1;
    }
    printf("%u\n", (unsigned)proxy.port);
    run();
    proxy_cut();
    return 0;
}
