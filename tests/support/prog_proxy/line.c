/* line.c - the sockets of the proxy and the bytes on their way between them. */
#include "support/prog_proxy/proxy.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CHUNK_SIZE 262144
#define SLOW_CHUNK 16384 /* of a line with a rate */

int64_t proxy_now_us(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static struct sockaddr_in loopback(uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

int proxy_listen(void)
{
    struct sockaddr_in address = loopback(proxy.port);
    socklen_t length = sizeof(address);
    int on = 1;

    proxy.listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (proxy.listener < 0)
        return -1;
    setsockopt(proxy.listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(proxy.listener, (struct sockaddr *)&address, length) < 0 ||
        listen(proxy.listener, 512) < 0 ||
        getsockname(proxy.listener, (struct sockaddr *)&address, &length) < 0)
        return -1;
    proxy.port = ntohs(address.sin_port);
    return 0;
}

void proxy_refuse(void)
{
    if (proxy.listener >= 0)
        close(proxy.listener);
    proxy.listener = -1;
}

static void prepare(int fd)
{
    int on = 1;

    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

static int connect_target(void)
{
    struct sockaddr_in address = loopback(proxy.target);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* The other side sees a reset, not an orderly end. */
static void close_hard(int fd)
{
    struct linger now = {.l_onoff = 1, .l_linger = 0};

    setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof(now));
    close(fd);
}

void proxy_take(void)
{
    struct connection *connection;
    int client = accept4(proxy.listener, NULL, NULL, SOCK_CLOEXEC);
    int target;

    if (client < 0)
        return;
    target = connect_target();
    connection = calloc(1, sizeof(*connection));
    if (target < 0 || connection == NULL || proxy.count == CONNECTION_LIMIT) {
        close_hard(client);
        if (target >= 0)
            close_hard(target);
        free(connection);
        return;
    }
    prepare(client);
    prepare(target);
    connection->up = (struct way){.from = client, .to = target, .total = &proxy.up};
    connection->down = (struct way){.from = target, .to = client, .total = &proxy.down};
    proxy.connections[proxy.count++] = connection;
    proxy.taken++;
}

static void drop_first(struct way *way)
{
    struct chunk *chunk = way->first;

    way->first = chunk->next;
    if (way->first == NULL)
        way->last = NULL;
    free(chunk);
}

static void append(struct way *way, struct chunk *chunk)
{
    if (way->last != NULL)
        way->last->next = chunk;
    else
        way->first = chunk;
    way->last = chunk;
    way->queued += chunk->end;
}

/* Returns -1 on a connection that broke. */
static int pull(struct way *way)
{
    static char bytes[CHUNK_SIZE];
    struct chunk *chunk;
    int64_t now = proxy_now_us();
    ssize_t got;

    if (way->read_end || way->queued >= QUEUE_LIMIT || way->free_us > now)
        return 0;
    got = recv(way->from, bytes, proxy.rate > 0 ? SLOW_CHUNK : sizeof(bytes), 0);
    if (got < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    chunk = malloc(sizeof(*chunk) + (size_t)got);
    if (chunk == NULL)
        return -1;
    if (proxy.rate > 0)
        way->free_us = now + (int64_t)got * 1000000 / proxy.rate;
    *chunk = (struct chunk){.due_us = (way->free_us > now ? way->free_us : now) +
                                      proxy.delay_us,
                            .end = (size_t)got};
    memcpy(chunk->bytes, bytes, (size_t)got);
    way->read_end = got == 0;
    append(way, chunk);
    return 0;
}

/* Sends what is due. Returns -1 on a connection that broke. */
static int push(struct way *way, int64_t now)
{
    while (way->first != NULL && way->first->due_us <= now && !proxy.blackhole &&
           !proxy.trap.sprung) {
        struct chunk *chunk = way->first;
        ssize_t sent = 0;

        if (chunk->end == 0) {
            (void)shutdown(way->to, SHUT_WR);
            way->sent_end = true;
        } else {
            sent = send(way->to, chunk->bytes + chunk->start,
                        proxy_allowed(way, chunk->end - chunk->start), MSG_NOSIGNAL);
            if (sent < 0)
                return errno == EAGAIN || errno == EINTR ? 0 : -1;
        }
        chunk->start += (size_t)sent;
        way->queued -= (size_t)sent;
        *way->total += (uint64_t)sent;
        proxy_spring_trap();
        if (chunk->start == chunk->end)
            drop_first(way);
    }
    return 0;
}

static void free_connection(struct connection *connection)
{
    while (connection->up.first != NULL)
        drop_first(&connection->up);
    while (connection->down.first != NULL)
        drop_first(&connection->down);
    if (connection->broken) {
        close_hard(connection->up.from);
        close_hard(connection->up.to);
    } else {
        close(connection->up.from);
        close(connection->up.to);
    }
    free(connection);
}

void proxy_sweep(void)
{
    size_t i = 0;

    proxy.trap.sprung = false;
    while (i < proxy.count) {
        struct connection *connection = proxy.connections[i];

        if (connection->broken ||
            (connection->up.sent_end && connection->down.sent_end)) {
            free_connection(connection);
            proxy.connections[i] = proxy.connections[--proxy.count];
        } else {
            i++;
        }
    }
}

void proxy_serve(struct connection *connection, short client, short target)
{
    int64_t now;
    int rc = 0;

    if (client & (POLLIN | POLLHUP | POLLERR))
        rc |= pull(&connection->up);
    if (target & (POLLIN | POLLHUP | POLLERR))
        rc |= pull(&connection->down);
    now = proxy_now_us();
    rc |= push(&connection->up, now);
    rc |= push(&connection->down, now);
    connection->broken = connection->broken || rc != 0;
}
