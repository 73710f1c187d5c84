#include "transport/relay.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/thread.h"
#include "base/wait.h"
#include "base/wake.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>

#define PIECE (64 * 1024)

/* One direction: bytes that were read and are still to be written. */
struct way {
    char data[PIECE];
    size_t start;
    size_t length;
    bool ended; /* nothing more will be read */
};

struct sbi_relay {
    struct sbi_process *process;
    int fd;
    int wake;
    atomic_bool stopping;
    atomic_bool over;
    pthread_t thread;
    struct way out; /* from the process to fd */
    struct way in;  /* from fd to the process */
    bool in_closed;
};

/* True if something moved. A write that fails ends its direction. */
static bool move_out(struct sbi_relay *relay)
{
    struct way *way = &relay->out;
    ssize_t got;

    if (way->length == 0 && !way->ended) {
        got = sbi_process_read(relay->process, SBI_STDOUT, way->data, PIECE);
        if (got == 0) {
            way->ended = true;
            (void)shutdown(relay->fd, SHUT_WR);
        }
        if (got <= 0)
            return got == 0;
        way->start = 0;
        way->length = (size_t)got;
    }
    if (way->length == 0)
        return false;
    got = send(relay->fd, way->data + way->start, way->length, MSG_NOSIGNAL);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (got < 0) {
        way->length = 0;
        way->ended = true;
        return true;
    }
    way->start += (size_t)got;
    way->length -= (size_t)got;
    return true;
}

static bool move_in(struct sbi_relay *relay)
{
    struct way *way = &relay->in;
    ssize_t got;

    if (way->length == 0 && !way->ended) {
        got = recv(relay->fd, way->data, PIECE, 0);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return false;
        way->ended = got <= 0;
        way->start = 0;
        way->length = got > 0 ? (size_t)got : 0;
    }
    if (way->length > 0) {
        got = sbi_process_write(relay->process, way->data + way->start, way->length);
        if (got < 0) {
            way->ended = true;
            way->length = 0;
            return true;
        }
        way->start += (size_t)got;
        way->length -= (size_t)got;
        return got > 0;
    }
    if (way->ended && !relay->in_closed) {
        relay->in_closed = true;
        sbi_process_close_input(relay->process);
        return true;
    }
    return false;
}

static void wait_for_more(struct sbi_relay *relay)
{
    short events = 0;
    struct pollfd fds[6];
    size_t count;

    if (relay->in.length == 0 && !relay->in.ended)
        events |= POLLIN;
    if (relay->out.length > 0)
        events |= POLLOUT;
    count = sbi_process_poll(relay->process, relay->in.length > 0, fds, 4);
    fds[count++] = (struct pollfd){relay->wake, POLLIN, 0};
    if (events != 0)
        fds[count++] = (struct pollfd){relay->fd, events, 0};
    (void)sbi_wait_any(fds, count, SBI_NEVER, NULL);
}

/* An end without an end of its output is a line that died: the socket goes with it. */
static void *relay_main(void *userdata)
{
    struct sbi_relay *relay = userdata;
    struct sbi_end end;
    bool moved;

    while (!atomic_load(&relay->stopping) && !(relay->in.ended && relay->out.ended)) {
        (void)sbi_process_end(relay->process, &end);
        moved = move_out(relay);
        moved = move_in(relay) || moved;
        if (relay->out.ended && relay->out.length == 0)
            break;
        if (!moved)
            wait_for_more(relay);
    }
    sbi_process_free(relay->process);
    (void)close(relay->fd);
    atomic_store(&relay->over, true);
    return NULL;
}

bool sbi_relay_over(struct sbi_relay *relay)
{
    return atomic_load(&relay->over);
}

int sbi_relay_start(struct sbi_process *process, int fd, struct sbi_relay **out,
                    sbx_error *err)
{
    struct sbi_relay *relay = calloc(1, sizeof(*relay));
    int rc = SBX_ERR_NO_MEMORY;

    if (relay != NULL)
        rc = sbi_wake_open(&relay->wake, err);
    if (rc == SBX_OK) {
        relay->process = process;
        relay->fd = fd;
        atomic_init(&relay->stopping, false);
        atomic_init(&relay->over, false);
        if (sbi_thread_start(&relay->thread, relay_main, relay) == 0) {
            *out = relay;
            return SBX_OK;
        }
        (void)close(relay->wake);
    }
    free(relay);
    sbi_process_free(process);
    (void)close(fd);
    return sbi_fail(err, SBX_ERR_NO_MEMORY, "relay a connection: no resources");
}

void sbi_relay_free(struct sbi_relay *relay)
{
    if (relay == NULL)
        return;
    atomic_store(&relay->stopping, true);
    sbi_wake_ring(relay->wake);
    (void)pthread_join(relay->thread, NULL);
    (void)close(relay->wake);
    free(relay);
}
