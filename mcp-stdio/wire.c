#include "wire.h"

#include "own.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PIECE = 64 << 10 };

/* What was handed out makes room for what comes. */
static void make_room(struct wire_in *in)
{
    if (in->start > 0) {
        memmove(in->data, in->data + in->start, in->end - in->start);
        in->end -= in->start;
        in->seen -= in->start;
        in->start = 0;
    }
    if (in->capacity - in->end >= PIECE)
        return;
    in->capacity = in->capacity * 2 + PIECE;
    in->data = own_grown(in->data, in->capacity, 1);
}

/* false at the end. A last line without its end is one all the same. */
static bool read_more(struct wire_in *in)
{
    ssize_t n;

    make_room(in);
    do
        n = read(in->fd, in->data + in->end, in->capacity - in->end);
    while (n < 0 && errno == EINTR);
    if (n < 0 && errno == EAGAIN) {
        struct pollfd ready = {.fd = in->fd, .events = POLLIN};

        (void)poll(&ready, 1, -1);
        return true;
    }
    if (n > 0)
        in->end += (size_t)n;
    return n > 0;
}

static bool take_line(struct wire_in *in, struct raw *line)
{
    char *from = in->data == NULL ? NULL : in->data + in->seen;
    char *end = from == NULL ? NULL : memchr(from, '\n', in->end - in->seen);

    if (end == NULL) {
        in->seen = in->end;
        return false;
    }
    *line = (struct raw){in->data + in->start, (size_t)(end - in->data) - in->start};
    in->start = in->seen = (size_t)(end - in->data) + 1;
    return true;
}

/* Drops a line up to its end but for its beginning, where its id is. */
static enum wire_got drop_line(struct wire_in *in, struct raw *line)
{
    struct raw rest;

    memcpy(in->kept, in->data + in->start, sizeof(in->kept));
    *line = (struct raw){in->kept, sizeof(in->kept)};
    do
        in->start = in->seen = in->end;
    while (read_more(in) && !take_line(in, &rest));
    return WIRE_TOO_LONG;
}

enum wire_got wire_next(struct wire_in *in, struct raw *line)
{
    while (!take_line(in, line)) {
        if (in->end - in->start > WIRE_LONGEST)
            return drop_line(in, line);
        if (read_more(in))
            continue;
        if (in->end == in->start)
            return WIRE_END;
        *line = (struct raw){in->data + in->start, in->end - in->start};
        in->start = in->seen = in->end;
        return WIRE_LINE;
    }
    return WIRE_LINE;
}

void wire_in_clear(struct wire_in *in)
{
    free(in->data);
    *in = (struct wire_in){.fd = -1};
}

static bool write_all(int fd, struct iovec *parts, int count)
{
    while (count > 0) {
        ssize_t n = writev(fd, parts, count);

        if (n < 0 && errno == EAGAIN) {
            struct pollfd ready = {.fd = fd, .events = POLLOUT};

            (void)poll(&ready, 1, -1);
            continue;
        }
        if (n < 0 && errno != EINTR)
            return false;
        for (; n > 0 && count > 0 && (size_t)n >= parts->iov_len; parts++, count--)
            n -= (ssize_t)parts->iov_len;
        if (n > 0) {
            parts->iov_base = (char *)parts->iov_base + n;
            parts->iov_len -= (size_t)n;
        }
    }
    return true;
}

static bool send_locked(struct wire_out *out, const char *line, size_t length)
{
    static char end[] = "\n";
    struct iovec parts[] = {{(void *)(uintptr_t)line, length}, {end, 1}};

    return write_all(out->fd, parts, 2);
}

bool wire_send(struct wire_out *out, const char *line, size_t length)
{
    bool sent;

    (void)pthread_mutex_lock(&out->lock);
    sent = send_locked(out, line, length);
    (void)pthread_mutex_unlock(&out->lock);
    return sent;
}

/* What is writable takes PIPE_BUF bytes without waiting. */
bool wire_try(struct wire_out *out, const char *line, size_t length)
{
    struct pollfd ready = {.fd = out->fd, .events = POLLOUT};
    bool sent;

    if (length >= PIPE_BUF || pthread_mutex_trylock(&out->lock) != 0)
        return false;
    sent = poll(&ready, 1, 0) == 1 && ready.revents == POLLOUT &&
           send_locked(out, line, length);
    (void)pthread_mutex_unlock(&out->lock);
    return sent;
}
