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
 *     cut         resets every connection
 *     blackhole   forwards nothing and keeps all open
 *     refuse      takes no new connection; those that stand stay
 *     after up|down BYTES cut|blackhole
 *                 does that when so many more bytes have gone that way
 *     heal        ends blackhole and refuse, forgets an `after`
 *     count       answers "CONNECTIONS UP DOWN": taken so far, bytes forwarded
 *
 * It ends with its standard input. Delay costs no bandwidth: bytes wait in a queue
 * with the moment each is due, 64 MiB of them a direction.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define CHUNK_SIZE 262144
#define QUEUE_LIMIT ((size_t)64 << 20)
#define CONNECTION_LIMIT 1024
#define NEVER INT64_MAX

struct chunk {
    struct chunk *next;
    int64_t due_us;
    size_t start;
    size_t end; /* start == end: the sender has closed */
    char bytes[];
};

struct way {
    int from;
    int to;
    struct chunk *first;
    struct chunk *last;
    size_t queued;
    bool read_end; /* no more comes */
    bool sent_end; /* and that was passed on */
    uint64_t *total;
};

struct connection {
    struct way up;
    struct way down;
    bool broken;
};

static struct {
    int listener; /* -1 while refusing */
    uint16_t port;
    uint16_t target;
    int64_t delay_us;
    bool blackhole;
    uint64_t taken;
    uint64_t up;
    uint64_t down;
    struct {
        uint64_t *total; /* NULL: none is set */
        uint64_t at;     /* of *total */
        bool cuts;       /* else it is a black hole */
        bool sprung;     /* a cut is due before anything else is sent */
    } trap;
    struct connection *connections[CONNECTION_LIMIT];
    size_t count;
} proxy;

static int64_t now_us(void)
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

static int start_listening(void)
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

static void stop_listening(void)
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

static void take_connection(void)
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
    ssize_t got;

    if (way->read_end || way->queued >= QUEUE_LIMIT)
        return 0;
    got = recv(way->from, bytes, sizeof(bytes), 0);
    if (got < 0)
        return errno == EAGAIN || errno == EINTR ? 0 : -1;
    chunk = malloc(sizeof(*chunk) + (size_t)got);
    if (chunk == NULL)
        return -1;
    *chunk = (struct chunk){.due_us = now_us() + proxy.delay_us, .end = (size_t)got};
    memcpy(chunk->bytes, bytes, (size_t)got);
    way->read_end = got == 0;
    append(way, chunk);
    return 0;
}

static void break_all(void)
{
    size_t i;

    for (i = 0; i < proxy.count; i++)
        proxy.connections[i]->broken = true;
}

static void spring_trap(void)
{
    if (proxy.trap.total == NULL || *proxy.trap.total < proxy.trap.at)
        return;
    proxy.trap.total = NULL;
    proxy.trap.sprung = proxy.trap.cuts;
    if (proxy.trap.cuts)
        break_all();
    else
        proxy.blackhole = true;
}

/* Not a byte goes past the trap. */
static size_t allowed(const struct way *way, size_t length)
{
    uint64_t left;

    if (proxy.trap.total != way->total)
        return length;
    left = proxy.trap.at - *way->total;
    return left < length ? (size_t)left : length;
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
                        allowed(way, chunk->end - chunk->start), MSG_NOSIGNAL);
            if (sent < 0)
                return errno == EAGAIN || errno == EINTR ? 0 : -1;
        }
        chunk->start += (size_t)sent;
        way->queued -= (size_t)sent;
        *way->total += (uint64_t)sent;
        spring_trap();
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

static void sweep(void)
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

static void cut_all(void)
{
    break_all();
    sweep();
}

/* "up|down BYTES cut|blackhole"; false if it is something else. */
static bool set_trap(const char *words)
{
    bool up = strncmp(words, "up ", 3) == 0;
    char *end;

    if (!up && strncmp(words, "down ", 5) != 0)
        return false;
    proxy.trap.total = up ? &proxy.up : &proxy.down;
    proxy.trap.at = *proxy.trap.total + strtoull(words + (up ? 3 : 5), &end, 10);
    proxy.trap.cuts = strcmp(end, " cut") == 0;
    spring_trap();
    sweep();
    return true;
}

static void obey(const char *line)
{
    if (strncmp(line, "delay ", 6) == 0)
        proxy.delay_us = (int64_t)(strtod(line + 6, NULL) * 1000);
    else if (strcmp(line, "cut") == 0)
        cut_all();
    else if (strcmp(line, "blackhole") == 0)
        proxy.blackhole = true;
    else if (strcmp(line, "refuse") == 0)
        stop_listening();
    else if (strcmp(line, "heal") == 0) {
        proxy.blackhole = false;
        proxy.trap.total = NULL;
        if (proxy.listener < 0 && start_listening() < 0) {
            puts("cannot listen");
            return;
        }
    } else if (strncmp(line, "after ", 6) == 0) {
        if (!set_trap(line + 6)) {
            puts("unknown");
            return;
        }
    } else if (strcmp(line, "count") == 0) {
        printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", proxy.taken, proxy.up,
               proxy.down);
        return;
    } else {
        puts("unknown");
        return;
    }
    puts("ok");
}

/* Returns false at the end of standard input. */
static bool read_orders(void)
{
    static char text[256];
    static size_t used;
    ssize_t got = read(STDIN_FILENO, text + used, sizeof(text) - 1 - used);
    char *end;

    if (got <= 0)
        return got < 0 && errno == EINTR;
    used += (size_t)got;
    text[used] = '\0';
    while ((end = strchr(text, '\n')) != NULL) {
        *end = '\0';
        obey(text);
        used -= (size_t)(end + 1 - text);
        memmove(text, end + 1, used + 1);
    }
    if (used == sizeof(text) - 1)
        used = 0;
    return true;
}

/* Of what is due already, it is the descriptor that is waited for. */
static int64_t earlier(const struct way *way, int64_t now, int64_t due)
{
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

    if (!out_of->read_end && out_of->queued < QUEUE_LIMIT)
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

static void serve(struct connection *connection, short client, short target)
{
    int64_t now;
    int rc = 0;

    if (client & (POLLIN | POLLHUP | POLLERR))
        rc |= pull(&connection->up);
    if (target & (POLLIN | POLLHUP | POLLERR))
        rc |= pull(&connection->down);
    now = now_us();
    rc |= push(&connection->up, now);
    rc |= push(&connection->down, now);
    connection->broken = connection->broken || rc != 0;
}

static void run(void)
{
    static struct pollfd fds[2 + 2 * CONNECTION_LIMIT];

    for (;;) {
        int64_t now = now_us();
        size_t i;
        size_t count = fill(fds, now);

        wait_for(fds, count, now);
        for (i = 2; i < count; i += 2)
            serve(proxy.connections[(i - 2) / 2], fds[i].revents, fds[i + 1].revents);
        sweep();
        if (fds[1].revents != 0)
            take_connection();
        if (fds[0].revents != 0 && !read_orders())
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
    if (start_listening() < 0) {
        fprintf(stderr, "cannot listen on port %s: errno %d\n", argv[1], errno);
        return 1;
    }
    printf("%u\n", (unsigned)proxy.port);
    run();
    cut_all();
    return 0;
}
