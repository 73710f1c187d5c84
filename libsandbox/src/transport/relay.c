#include "transport/relay.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/thread.h"
#include "base/wait.h"

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

struct course {
    struct sbi_process *process;
    int fd;
    struct way out; /* from the process to fd */
    struct way in;  /* from fd to the process */
    bool in_closed;
};

struct sbi_relay {
    struct sbi_process *process;
    int fd;
    sbx_cancel *stop;
    atomic_bool over;
    pthread_t thread;
};

/* True if something moved. A write that fails ends its direction. */
static bool move_out(struct course *course)
{
    struct way *way = &course->out;
    ssize_t got;

    if (way->length == 0 && !way->ended) {
        got = sbi_process_read(course->process, SBI_STDOUT, way->data, PIECE);
        if (got == 0) {
            way->ended = true;
            (void)shutdown(course->fd, SHUT_WR);
        }
        if (got <= 0)
            return got == 0;
        way->start = 0;
        way->length = (size_t)got;
    }
    if (way->length == 0)
        return false;
    got = send(course->fd, way->data + way->start, way->length, MSG_NOSIGNAL);
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

static bool move_in(struct course *course)
{
    struct way *way = &course->in;
    ssize_t got;

    if (way->length == 0 && !way->ended) {
        got = recv(course->fd, way->data, PIECE, 0);
        if (got < 0 && (errno == EAGAIN || errno == EINTR))
            return false;
        way->ended = got <= 0;
        way->start = 0;
        way->length = got > 0 ? (size_t)got : 0;
    }
    if (way->length > 0) {
        got = sbi_process_write(course->process, way->data + way->start, way->length);
        if (got < 0) {
            way->ended = true;
            way->length = 0;
            return true;
        }
        way->start += (size_t)got;
        way->length -= (size_t)got;
        return got > 0;
    }
    if (way->ended && !course->in_closed) {
        course->in_closed = true;
        sbi_process_close_input(course->process);
        return true;
    }
    return false;
}

static int wait_for_more(struct course *course, sbx_cancel *stop)
{
    short events = 0;
    struct pollfd fds[6];
    size_t count;

    if (course->in.length == 0 && !course->in.ended)
        events |= POLLIN;
    if (course->out.length > 0)
        events |= POLLOUT;
    count = sbi_process_poll(course->process, course->in.length > 0, fds, 4);
    if (events != 0)
        fds[count++] = (struct pollfd){course->fd, events, 0};
    return sbi_wait_any(fds, count, SBI_NEVER, stop);
}

/*
 * An end without an end of its output is a line that died: the socket goes with it. Where
 * both directions have ended, what was written last still has to leave.
 */
static bool is_over(struct course *course, bool has_ended)
{
    if (!course->out.ended)
        return false;
    return has_ended || (course->in.ended && course->in_closed &&
                         !sbi_process_unsent(course->process));
}

int sbi_relay_run(struct sbi_process *process, int fd, sbx_cancel *stop, sbx_error *err)
{
    SBI_AUTOFREE struct course *course = calloc(1, sizeof(*course));
    struct sbi_end end;
    bool moved, has_ended;
    int rc = SBX_OK;

    if (course == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "relay a connection: out of memory");
    course->process = process;
    course->fd = fd;
    while (rc == SBX_OK && !sbx_cancel_fired(stop)) {
        has_ended = sbi_process_end(process, &end);
        moved = move_out(course);
        moved = move_in(course) || moved;
        if (is_over(course, has_ended))
            break;
        if (!moved)
            rc = wait_for_more(course, stop);
    }
    return SBX_OK;
}

static void *relay_main(void *userdata)
{
    struct sbi_relay *relay = userdata;

    (void)sbi_relay_run(relay->process, relay->fd, relay->stop, NULL);
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

    if (relay != NULL && sbx_cancel_new(&relay->stop, NULL) == SBX_OK) {
        relay->process = process;
        relay->fd = fd;
        atomic_init(&relay->over, false);
        if (sbi_thread_start(&relay->thread, relay_main, relay) == 0) {
            *out = relay;
            return SBX_OK;
        }
        sbx_cancel_free(relay->stop);
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
    sbx_cancel_fire(relay->stop);
    (void)pthread_join(relay->thread, NULL);
    sbx_cancel_free(relay->stop);
    free(relay);
}
