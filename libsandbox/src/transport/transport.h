/*
 * transport.h - the one thing that a place can do: start a process with three
 * streams, and tell how it ended.
 *
 * A line is an open way to a place; it starts processes, many at once. A process
 * is used by one thread at a time. Nothing here blocks but sbi_line_ping and
 * sbi_line_free: whoever waits, waits in poll(2) on sbi_process_poll.
 *
 * A backend fills in both tables. It must tell the truth in sbi_process_end:
 * SBI_END_LOST where it did not see how the process ended, and `sent` as soon as
 * a byte of the request may have left.
 */
#ifndef SANDBOX_TRANSPORT_TRANSPORT_H
#define SANDBOX_TRANSPORT_TRANSPORT_H

#include "base/error.h"

#include <poll.h>
#include <sys/types.h>

#include <sandbox/cancel.h>

struct sbi_line;
struct sbi_listener;
struct sbi_process;

struct sbi_process_spec {
    const char
        *command;      /* for the login shell over there: always `exec /bin/sh -c '...'`,
                          with nothing in it that any login shell would change; of a
                          keeper's client: any text, and "" for the login shell itself */
    const void *input; /* written first, ahead of what sbi_process_write brings */
    size_t input_length;
    bool pty;
    int rows;
    int columns;
    const char *term;   /* of the pty */
    bool aside;         /* a line with nothing else on it is idle */
    bool ahead;         /* it is aside, and counts as not sent, until it is written to */
    const char *run_id; /* of a run that a keeper is to end when we go; or NULL */
    const char *watch;  /* what a keeper needs to watch it by itself, as session/shell.h
                           has it; or NULL */
    bool outside;       /* of a line behind a prefix: on the place that this stands on */

    /* Instead of a command: a connection from over there to this address. */
    const char *connect_host;
    int connect_port; /* or SBI_CONNECT_SOCKET: connect_host is a socket's path there */
};

#define SBI_CONNECT_SOCKET (-2) /* as OpenSSH's masters have it */

enum sbi_end_kind {
    SBI_END_NONE = 0, /* it runs, or has not begun */
    SBI_END_EXITED = 1,
    SBI_END_SIGNALED = 2,
    SBI_END_REFUSED = 3, /* the far side did not start it: see error */
    SBI_END_LOST = 4     /* the way there broke: see error */
};

struct sbi_end {
    int kind;        /* enum sbi_end_kind */
    int code;        /* of an exited one */
    char signal[16]; /* "KILL"; "" where the far side has no name for it */
    bool sent;       /* a byte of the request may have left; told before the end, too */
    char tag[33];    /* of the supervisor that a keeper had started ahead, and gave it;
                        told before its input leaves; or "" */
    sbx_error error;
};

enum sbi_process_stream { SBI_STDOUT = 0, SBI_STDERR = 1 };

struct sbi_process_ops {
    ssize_t (*read)(struct sbi_process *process, int stream, void *data, size_t room);
    ssize_t (*write)(struct sbi_process *process, const void *data, size_t length);
    void (*close_input)(struct sbi_process *process);
    bool (*unsent)(struct sbi_process *process);
    bool (*end)(struct sbi_process *process, struct sbi_end *out);
    size_t (*poll)(struct sbi_process *process, bool writing, struct pollfd *fds,
                   size_t room);
    bool (*drained)(struct sbi_process *process);
    void (*resize)(struct sbi_process *process, int rows, int columns);
    void (*free)(struct sbi_process *process);
};

/* What a connection was made of; "" where there is no such thing. */
struct sbi_line_facts {
    char server[128]; /* "SSH-2.0-OpenSSH_9.2" */
    char peer[64];    /* the address that was reached: "192.0.2.10" */
    char kex[64];
    char cipher[64];
    char mac[64];
    char host_key[96]; /* "ssh-ed25519 SHA256:..." */
    char via[108];     /* the control socket of who has the connection: then the rest is
                          not known, and its server does not see us go */
    bool kept;         /* that one is a keeper, which does */
};

struct sbi_line_ops {
    int (*start)(struct sbi_line *line, const struct sbi_process_spec *spec,
                 struct sbi_process **out, sbx_error *err);
    bool (*alive)(struct sbi_line *line);
    int (*ping)(struct sbi_line *line, int64_t deadline, sbx_cancel *cancel,
                sbx_error *err);
    const struct sbi_line_facts *(*facts)(struct sbi_line *line);
    int (*listen)(struct sbi_line *line, const char *host, int port,
                  struct sbi_listener **out, sbx_error *err); /* NULL: it cannot */
    void (*free)(struct sbi_line *line);
};

/* First member of each backend's own struct. */
struct sbi_process {
    const struct sbi_process_ops *ops;
};
struct sbi_line {
    const struct sbi_line_ops *ops;
};

/* Copies spec. The process may outlive the line, and is then lost. */
static inline int sbi_line_start(struct sbi_line *line,
                                 const struct sbi_process_spec *spec,
                                 struct sbi_process **out, sbx_error *err)
{
    return line->ops->start(line, spec, out, err);
}

/* False once it is known to be dead; it never comes back. */
static inline bool sbi_line_alive(struct sbi_line *line)
{
    return line->ops->alive(line);
}

/* Waits for a sign of life. */
static inline int sbi_line_ping(struct sbi_line *line, int64_t deadline,
                                sbx_cancel *cancel, sbx_error *err)
{
    return line->ops->ping(line, deadline, cancel, err);
}

/* Fixed at the login; alive as long as the line. */
static inline const struct sbi_line_facts *sbi_line_facts(struct sbi_line *line)
{
    return line->ops->facts(line);
}

/*
 * Has the far side listen on a port of its own (0: one of its choice), at an address as
 * ssh's -R takes it ("": all): see listener.h, whose state tells what came of that.
 * SBX_ERR_UNSUPPORTED: this kind of line cannot.
 */
static inline int sbi_line_listen(struct sbi_line *line, const char *host, int port,
                                  struct sbi_listener **out, sbx_error *err)
{
    return line->ops->listen == NULL ? SBX_ERR_UNSUPPORTED
                                     : line->ops->listen(line, host, port, out, err);
}

static inline void sbi_line_free(struct sbi_line *line)
{
    if (line != NULL)
        line->ops->free(line);
}

/* More than 0: bytes; 0: that stream has ended; -1: nothing there now. */
static inline ssize_t sbi_process_read(struct sbi_process *process, int stream,
                                       void *data, size_t room)
{
    return process->ops->read(process, stream, data, room);
}

/* How many bytes were taken, 0: no room now; -1: nobody reads them any more. */
static inline ssize_t sbi_process_write(struct sbi_process *process, const void *data,
                                        size_t length)
{
    return process->ops->write(process, data, length);
}

/*
 * True while some of what was written has not left this process: it would be lost if this
 * process ended now. Rings when it becomes false.
 */
static inline bool sbi_process_unsent(struct sbi_process *process)
{
    return process->ops->unsent(process);
}

/* What was written still goes there; then its standard input ends. */
static inline void sbi_process_close_input(struct sbi_process *process)
{
    process->ops->close_input(process);
}

/*
 * True once the end is known; the streams may still hold bytes. Whoever waits begins
 * each round with this or sbi_process_drained: a change after it rings, one before it
 * is seen by the reads that follow.
 */
static inline bool sbi_process_end(struct sbi_process *process, struct sbi_end *out)
{
    return process->ops->end(process, out);
}

/*
 * Descriptors to poll for: something to read, an end, and with writing also room
 * to write. Returns how many of room (at least 4) were filled in.
 */
static inline size_t sbi_process_poll(struct sbi_process *process, bool writing,
                                      struct pollfd *fds, size_t room)
{
    return process->ops->poll(process, writing, fds, room);
}

/*
 * Asked after the end: true once all that the process itself wrote has been
 * handed out by sbi_process_read, though others may still hold its streams open. Never
 * true when the way there broke ahead of the last of it.
 */
static inline bool sbi_process_drained(struct sbi_process *process)
{
    return process->ops->drained(process);
}

static inline void sbi_process_resize(struct sbi_process *process, int rows, int columns)
{
    process->ops->resize(process, rows, columns);
}

/* Lets go of the streams at once. A process that still runs is not killed by this. */
static inline void sbi_process_free(struct sbi_process *process)
{
    if (process != NULL)
        process->ops->free(process);
}

#endif
