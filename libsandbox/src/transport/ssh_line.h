/*
 * ssh_line.h - one connection, its I/O thread, and the processes on it.
 *
 * The I/O thread alone touches the libssh session and its channels. Callers reach
 * it through what is marked as shared here, under the lock that is named with it,
 * and ring its wake-up descriptor. A process has two holders, its user and the
 * I/O thread, and is freed by the last.
 */
#ifndef SANDBOX_TRANSPORT_SSH_LINE_H
#define SANDBOX_TRANSPORT_SSH_LINE_H

#include "base/bell.h"
#include "base/error.h"
#include "base/ring.h"
#include "transport/ssh_care.h"
#include "transport/ssh_library.h"
#include "transport/ssh_way.h"
#include "transport/transport.h"

#include <pthread.h>
#include <stdatomic.h>

/* How many over there may talk to the agent at once. */
#define SBI_SSH_MOST_LENT 16

struct sbi_ssh_line;
struct sbi_ssh_listening;

enum sbi_ssh_stage {
    SBI_STAGE_OPENING = 0, /* the channel is asked for */
    SBI_STAGE_TERMINAL,    /* the terminal is asked for */
    SBI_STAGE_STARTING,    /* the command has been sent, the answer is due */
    SBI_STAGE_RUNNING,
    SBI_STAGE_OVER /* refused, closed or lost: nothing more is done with it */
};

struct sbi_ssh_process {
    struct sbi_process base;
    atomic_int holders;
    struct sbi_ssh_line *line; /* valid while the line's thread holds the process */

    /* Fixed at the start. */
    char *command;
    bool pty;
    char *term;
    char *connect_host; /* NULL: it runs the command */
    int connect_port;

    pthread_mutex_t lock; /* over these: */
    struct sbi_ring in;
    struct sbi_ring out[2]; /* by stream */
    bool input_closed;      /* by the user */
    bool unsent;            /* the socket has not taken all that the user wrote */
    bool input_dead;        /* nobody reads it over there */
    bool abandoned;         /* by the user */
    bool detached;          /* by the line: it is dead or closed */
    bool eof;               /* of both streams */
    size_t since_widened;   /* bytes that came since its window was widened */
    size_t left[2];         /* bytes that libssh holds, having found no room in `out` */
    bool resized;
    int rows, columns;
    uint64_t barrier; /* a ping asked for, to see whether bytes follow; 0: none */
    int quiet;        /* pings in a row that were answered while nothing came */
    struct sbi_end end;
    struct sbi_bell bell; /* of its user's, for all of these */

    /* The I/O thread's own. */
    struct sbi_ssh_process *next;
    enum sbi_ssh_stage stage;
    ssh_channel channel;
    struct ssh_channel_callbacks_struct callbacks;
    bool aside; /* does not keep its line from being idle */
    bool ahead; /* nothing depends on it before it is written to */
    bool asked; /* the request of this stage has been sent */
    bool eof_sent;
    bool closed; /* by the server */
};

/* True while libssh still holds bytes of a stream. With the lock held. */
static inline bool sbi_ssh_process_left(const struct sbi_ssh_process *process)
{
    return process->left[SBI_STDOUT] > 0 || process->left[SBI_STDERR] > 0;
}

/* With the lock held. */
static inline bool sbi_ssh_process_fits(const struct sbi_ssh_process *process, int stream)
{
    const struct sbi_ring *out = &process->out[stream];

    return out->length == 0 || out->length + process->left[stream] <= out->limit;
}

/*
 * True if all that libssh still holds has room, of both streams. It takes each read for a
 * sign that more may come, and what it holds would grow without end if it were read bit
 * by bit. With the lock held.
 */
static inline bool sbi_ssh_process_takes(const struct sbi_ssh_process *process)
{
    return sbi_ssh_process_left(process) && sbi_ssh_process_fits(process, SBI_STDOUT) &&
           sbi_ssh_process_fits(process, SBI_STDERR);
}

struct sbi_ssh_ping {
    struct sbi_ssh_ping *next;
    uint64_t number;
    int wake;
};

struct sbi_ssh_line {
    struct sbi_line base;
    pthread_t thread;
    int wake; /* rung for the I/O thread */
    int fd;
    struct sbi_ssh_way way; /* what the socket hangs on */
    struct sbi_ssh_care care;
    atomic_bool mute; /* the server answers no global request, as far as is known */
    struct sbi_line_facts facts;
    char *agent; /* the socket of the agent that is lent to the far side; NULL: none */

    pthread_mutex_t lock; /* over these: */
    struct sbi_ssh_process *incoming;
    struct sbi_ssh_listening *incoming_listens;
    bool stopping;
    bool dead;
    sbx_error death;
    uint64_t pings_wanted; /* the highest number anyone waits for */
    uint64_t pings_sent;
    uint64_t pings_answered;
    struct sbi_ssh_ping *waiting;

    /* The I/O thread's own. */
    ssh_session session;
    ssh_event event;
    struct sbi_ssh_process *processes;
    struct sbi_ssh_listening *listens;
    struct ssh_counter_struct counter;
    struct sbi_relay *lent[SBI_SSH_MOST_LENT]; /* to the agent; freed with the line */
    ssh_channel spare;                         /* opened ahead, or being opened */
    bool spare_open;
    bool spare_refused;
    bool ping_underway;
    bool woken;     /* the bell was heard since the last turn began */
    bool held_back; /* a process waits for what was written to leave */
    uint64_t packets_seen;
    int64_t heard_at;
    int64_t ping_sent_at;
    int64_t used_at; /* when a process was last on it */
};

static inline void sbi_ssh_line_lock(struct sbi_ssh_line *line)
{
    (void)pthread_mutex_lock(&line->lock);
}

static inline void sbi_ssh_line_unlock(struct sbi_ssh_line *line)
{
    (void)pthread_mutex_unlock(&line->lock);
}

/* Makes a process for the line's list, with both holders. */
int sbi_ssh_process_new(struct sbi_ssh_line *line, const struct sbi_process_spec *spec,
                        struct sbi_ssh_process **out, sbx_error *err);

/* Sets its callbacks, for the channel it is going to have. */
void sbi_ssh_channel_prepare(struct sbi_ssh_process *process);

void sbi_ssh_process_release(struct sbi_ssh_process *process);

/*
 * The I/O thread's step: does what can be done now. True if something moved. A
 * process in SBI_STAGE_OVER is ready to be taken off the list once abandoned.
 */
bool sbi_ssh_process_step(struct sbi_ssh_process *process);

/* Its channel is open: its window is due to be widened. */
void sbi_ssh_window_start(struct sbi_ssh_process *process);

/* Widens its window if that is due. */
void sbi_ssh_window_tend(struct sbi_ssh_process *process);
/* A step of its beginning; then it is in another stage, or the server must be heard. */
bool sbi_ssh_process_begin(struct sbi_ssh_process *process);

/*
 * Its user is told that a byte of the request may have left. False if the user has let go
 * of it, or the line is being closed: then none may.
 */
bool sbi_ssh_process_commit(struct sbi_ssh_process *process);

/* Its user is told its end, unless one is known; and why, if there is a reason. */
void sbi_ssh_process_end(struct sbi_ssh_process *process, int kind, const sbx_error *why);

/* True if the other side has closed the line, though that was not handled yet. */
bool sbi_ssh_process_is_cut(const struct sbi_ssh_process *process);

/* Something has changed for its user. With the lock held. */
void sbi_ssh_process_tell(struct sbi_ssh_process *process);

/* The line is gone: its end, unless it is known, is lost for this reason. */
void sbi_ssh_process_detach(struct sbi_ssh_process *process, const sbx_error *why);

/* A ping was answered: what was written before it is here. */
void sbi_ssh_process_barrier(struct sbi_ssh_process *process, uint64_t answered);

bool sbi_ssh_process_abandoned(struct sbi_ssh_process *process);

/* Reads them off the session, before the I/O thread has it. */
void sbi_ssh_facts_read(ssh_session session, struct sbi_line_facts *facts);

/* Starts the I/O thread, which serves the line until it is to be closed, or dead. */
int sbi_ssh_io_start(struct sbi_ssh_line *line, sbx_error *err);

/* The number of a ping that will be sent after now; the thread is rung. */
uint64_t sbi_ssh_line_want_ping(struct sbi_ssh_line *line);

/* A channel that was opened ahead, or a new one; its open is asked for by the caller. */
ssh_channel sbi_ssh_line_channel(struct sbi_ssh_line *line);

/* A step of opening one ahead, where one is due. */
void sbi_ssh_line_tend_spare(struct sbi_ssh_line *line);

#endif
