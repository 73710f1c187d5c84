/*
 * local.c - starts processes on this machine.
 *
 * The host program's signals are left alone: a child is awaited by its own pid,
 * through a pidfd. Where the host program ignores SIGCHLD the kernel forgets the
 * status, and the end is then told as lost, not guessed.
 */
#include "transport/local.h"

#include "base/cleanup.h"
#include "base/write.h"
#include "transport/local_socket.h"
#include "transport/local_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

struct local_process {
    struct sbi_process base;
    pid_t pid;
    int pidfd;
    struct sbi_streams streams; /* -1 once it is closed, or has ended */
    bool close_input;
    bool eof_seen;
    char *first; /* the spec's input that is still to be written */
    size_t first_length;
    size_t first_written;
    struct sbi_end end;
};

static void close_end(int *fd)
{
    sbi_close_fd(fd);
    *fd = -1;
}

static void local_free(struct sbi_process *base)
{
    struct local_process *process = (struct local_process *)base;

    close_end(&process->streams.in);
    close_end(&process->streams.out[SBI_STDOUT]);
    close_end(&process->streams.out[SBI_STDERR]);
    if (process->pid > 0 && process->end.kind == SBI_END_NONE)
        sbi_local_bury(process->pid);
    close_end(&process->pidfd);
    free(process->first);
    free(process);
}

static void local_clear(struct local_process **process)
{
    if (*process != NULL)
        local_free(&(*process)->base);
}

static ssize_t local_read(struct sbi_process *base, int stream, void *data, size_t room)
{
    struct local_process *process = (struct local_process *)base;
    ssize_t got;

    if (process->streams.out[stream] < 0)
        return 0;
    do
        got = read(process->streams.out[stream], data, room);
    while (got < 0 && errno == EINTR);
    if (got > 0)
        return got;
    if (got < 0 && errno == EAGAIN)
        return -1;
    close_end(&process->streams.out[stream]); /* end, or EIO of a terminal that hung up */
    return 0;
}

/* Writes what is left of the spec's input; true once none is. */
static bool write_first(struct local_process *process)
{
    ssize_t written;

    while (process->streams.in >= 0 && process->first_written < process->first_length) {
        written =
            sbi_write_some(process->streams.in, process->first + process->first_written,
                           process->first_length - process->first_written);
        if (written < 0 && errno == EAGAIN)
            return false;
        if (written < 0) {
            close_end(&process->streams.in);
            return true;
        }
        process->first_written += (size_t)written;
    }
    if (process->close_input)
        close_end(&process->streams.in);
    return true;
}

static ssize_t local_write(struct sbi_process *base, const void *data, size_t length)
{
    struct local_process *process = (struct local_process *)base;
    ssize_t written;

    if (!write_first(process))
        return 0;
    if (process->streams.in < 0)
        return -1;
    written = sbi_write_some(process->streams.in, data, length);
    if (written >= 0)
        return written;
    if (errno == EAGAIN)
        return 0;
    close_end(&process->streams.in);
    return -1;
}

static void local_close_input(struct sbi_process *base)
{
    struct local_process *process = (struct local_process *)base;

    process->close_input = true;
    (void)write_first(process);
}

static void name_signal(int number, char *name, size_t room)
{
    const char *abbreviation = sigabbrev_np(number);

    if (abbreviation != NULL)
        (void)snprintf(name, room, "%s", abbreviation);
    else
        (void)snprintf(name, room, "RTMIN+%d", number - SIGRTMIN);
}

static bool local_end(struct sbi_process *base, struct sbi_end *out)
{
    struct local_process *process = (struct local_process *)base;
    siginfo_t info = {0};

    (void)write_first(process); /* each round begins here */
    if (process->end.kind == SBI_END_NONE) {
        if (waitid(P_PID, (id_t)process->pid, &info, WEXITED | WNOHANG) < 0) {
            process->end.kind = SBI_END_LOST;
            (void)sbi_fail_errno(&process->end.error, SBX_ERR_INTERNAL,
                                 "wait for process %d", (int)process->pid);
        } else if (info.si_pid == 0) {
            *out = process->end;
            return false;
        } else if (info.si_code == CLD_EXITED) {
            process->end.kind = SBI_END_EXITED;
            process->end.code = info.si_status;
        } else {
            process->end.kind = SBI_END_SIGNALED;
            name_signal(info.si_status, process->end.signal, sizeof(process->end.signal));
        }
    }
    *out = process->end;
    return true;
}

static size_t local_poll(struct sbi_process *base, bool writing, struct pollfd *fds,
                         size_t room)
{
    struct local_process *process = (struct local_process *)base;
    size_t count = 0;
    int stream;

    (void)room;
    for (stream = SBI_STDOUT; stream <= SBI_STDERR; stream++)
        if (process->streams.out[stream] >= 0)
            fds[count++] = (struct pollfd){process->streams.out[stream], POLLIN, 0};
    if (process->end.kind == SBI_END_NONE)
        fds[count++] = (struct pollfd){process->pidfd, POLLIN, 0};
    if (process->streams.in >= 0 &&
        (writing || process->first_written < process->first_length))
        fds[count++] = (struct pollfd){process->streams.in, POLLOUT, 0};
    return count;
}

/* What was taken stands in the pipe. */
static bool local_unsent(struct sbi_process *base)
{
    (void)base;
    return false;
}

/* What a dead process wrote is in the pipe already: an empty pipe is a drained one. */
static bool local_drained(struct sbi_process *base)
{
    struct local_process *process = (struct local_process *)base;
    int stream, waiting;

    for (stream = SBI_STDOUT; stream <= SBI_STDERR; stream++)
        if (process->streams.out[stream] >= 0 &&
            ioctl(process->streams.out[stream], FIONREAD, &waiting) == 0 && waiting > 0)
            return false;
    return true;
}

static void local_resize(struct sbi_process *base, int rows, int columns)
{
    struct local_process *process = (struct local_process *)base;
    struct winsize size = {.ws_row = (unsigned short)rows,
                           .ws_col = (unsigned short)columns};

    if (process->streams.in >= 0)
        (void)ioctl(process->streams.in, TIOCSWINSZ, &size);
}

static const struct sbi_process_ops process_ops = {
    .read = local_read,
    .write = local_write,
    .close_input = local_close_input,
    .end = local_end,
    .poll = local_poll,
    .drained = local_drained,
    .unsent = local_unsent,
    .resize = local_resize,
    .free = local_free,
};

static int take_input(struct local_process *process, const struct sbi_process_spec *spec,
                      sbx_error *err)
{
    process->first = malloc(spec->input_length + 1);
    if (process->first == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "start a process: out of memory");
    if (spec->input_length > 0)
        memcpy(process->first, spec->input, spec->input_length);
    process->first_length = spec->input_length;
    return SBX_OK;
}

static int local_start(struct sbi_line *line, const struct sbi_process_spec *spec,
                       struct sbi_process **out, sbx_error *err)
{
    SBI_CLEANUP(local_clear) struct local_process *process = NULL;
    int rc;

    (void)line;
    if (spec->connect_host != NULL && spec->connect_port == SBI_CONNECT_SOCKET)
        return sbi_local_socket_start(spec->connect_host, out, err);
    if (spec->connect_host != NULL)
        return sbi_fail(err, SBX_ERR_UNSUPPORTED, "connect through this machine");
    process = calloc(1, sizeof(*process));
    if (process == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "start a process: out of memory");
    *process = (struct local_process){
        .base = {&process_ops}, .pidfd = -1, .streams = {-1, {-1, -1}}};

    rc = take_input(process, spec, err);
    if (rc == SBX_OK)
        rc = sbi_local_spawn(spec, &process->streams, &process->pid, err);
    if (rc < 0)
        return rc;
    process->end.sent = true;
    process->pidfd = (int)syscall(SYS_pidfd_open, process->pid, 0);
    if (process->pidfd < 0)
        return sbi_fail_errno(err, SBX_ERR_UNSUPPORTED, "watch process %d",
                              (int)process->pid);
    (void)write_first(process);
    *out = &SBI_STEAL(process)->base;
    return SBX_OK;
}

static bool local_alive(struct sbi_line *line)
{
    (void)line;
    return true;
}

static int local_ping(struct sbi_line *line, int64_t deadline, sbx_cancel *cancel,
                      sbx_error *err)
{
    (void)line;
    (void)deadline;
    (void)cancel;
    (void)err;
    return SBX_OK;
}

static const struct sbi_line_facts *local_facts(struct sbi_line *line)
{
    static const struct sbi_line_facts none;

    (void)line;
    return &none;
}

static void local_line_free(struct sbi_line *line)
{
    free(line);
}

static const struct sbi_line_ops line_ops = {
    .start = local_start,
    .alive = local_alive,
    .ping = local_ping,
    .facts = local_facts,
    .free = local_line_free,
};

int sbi_local_open(struct sbi_line **out, sbx_error *err)
{
    struct sbi_line *line = malloc(sizeof(*line));

    if (line == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "open 'local': out of memory");
    line->ops = &line_ops;
    *out = line;
    return SBX_OK;
}
