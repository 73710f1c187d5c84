#include "transport/local_socket.h"

#include "base/cleanup.h"
#include "transport/dial.h"

#include <errno.h>
#include <sys/socket.h>

struct local_socket {
    struct sbi_process base;
    int fd;
    bool deaf; /* nobody reads over there any more */
    bool over; /* nothing more will come */
};

static ssize_t socket_read(struct sbi_process *base, int stream, void *data, size_t room)
{
    struct local_socket *process = (struct local_socket *)base;
    ssize_t got;

    if (process->over || stream != SBI_STDOUT)
        return 0;
    do
        got = recv(process->fd, data, room, 0);
    while (got < 0 && errno == EINTR);
    if (got < 0 && errno == EAGAIN)
        return -1;
    process->over = got <= 0;
    return got > 0 ? got : 0;
}

static ssize_t socket_write(struct sbi_process *base, const void *data, size_t length)
{
    struct local_socket *process = (struct local_socket *)base;
    ssize_t sent;

    if (process->deaf)
        return -1;
    do
        sent = send(process->fd, data, length, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    if (sent < 0 && errno == EAGAIN)
        return 0;
    process->deaf = sent < 0;
    return sent;
}

static void socket_close_input(struct sbi_process *base)
{
    struct local_socket *process = (struct local_socket *)base;

    if (!process->deaf)
        (void)shutdown(process->fd, SHUT_WR);
    process->deaf = true;
}

static bool socket_unsent(struct sbi_process *base)
{
    (void)base;
    return false;
}

static bool socket_end(struct sbi_process *base, struct sbi_end *out)
{
    const struct local_socket *process = (const struct local_socket *)base;

    *out = (struct sbi_end){.kind = process->over ? SBI_END_EXITED : SBI_END_NONE,
                            .sent = true};
    return process->over;
}

static size_t socket_poll(struct sbi_process *base, bool writing, struct pollfd *fds,
                          size_t room)
{
    const struct local_socket *process = (const struct local_socket *)base;
    short events = (short)(writing && !process->deaf ? POLLIN | POLLOUT : POLLIN);

    (void)room;
    if (process->over)
        return 0;
    fds[0] = (struct pollfd){process->fd, events, 0};
    return 1;
}

static bool socket_drained(struct sbi_process *base)
{
    return ((const struct local_socket *)base)->over;
}

static void socket_resize(struct sbi_process *base, int rows, int columns)
{
    (void)base;
    (void)rows;
    (void)columns;
}

static void socket_free(struct sbi_process *base)
{
    (void)close(((struct local_socket *)base)->fd);
    free(base);
}

static const struct sbi_process_ops process_ops = {
    .read = socket_read,
    .write = socket_write,
    .close_input = socket_close_input,
    .unsent = socket_unsent,
    .end = socket_end,
    .poll = socket_poll,
    .drained = socket_drained,
    .resize = socket_resize,
    .free = socket_free,
};

int sbi_local_socket_start(const char *path, struct sbi_process **out, sbx_error *err)
{
    SBI_AUTOCLOSE int fd = -1;
    struct local_socket *process;
    int rc = sbi_dial_socket(path, &fd, err);

    if (rc < 0)
        return rc;
    process = calloc(1, sizeof(*process));
    if (process == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "open a connection: out of memory");
    *process = (struct local_socket){.base = {&process_ops}, .fd = fd};
    fd = -1;
    *out = &process->base;
    return SBX_OK;
}
