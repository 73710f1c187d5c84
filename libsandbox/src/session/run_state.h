/*
 * run_state.h - what the parts of a run share: run.c (start, stop, end), run_pump.c
 * (the loop), run_mark.c (where noise ends and output begins), run_input.c,
 * run_window.c (its terminal's size).
 */
#ifndef SANDBOX_SESSION_RUN_STATE_H
#define SANDBOX_SESSION_RUN_STATE_H

#include "base/str.h"
#include "session/run_opts.h"

#define SBI_RUN_PIECE (64 * 1024)
#define SBI_RUN_LARGE_PIECE (256 * 1024) /* where one is not enough */

/* Why the loop was left. */
enum sbi_run_outcome {
    SBI_RUN_GO_ON = 0,
    SBI_RUN_ENDED, /* `end` tells how */
    SBI_RUN_TIMED_OUT,
    SBI_RUN_CANCELLED,
    SBI_RUN_NO_START, /* no mark in time */
    SBI_RUN_REFUSED   /* the mark said no: see err */
};

struct sbi_run_stream {
    struct sbi_str noise; /* until the mark */
    bool marked;
    bool open;
};

struct sbi_running {
    sbx_session *session;
    const struct sbi_run_opts *opts;
    struct sbi_started started;
    struct sbi_run_stream streams[2];
    struct sbi_end end;
    uint64_t late; /* bytes read since the end is known */
    bool cut;    /* what it wrote is not here, or not known to be: it is on its way yet */
    char *piece; /* for what is read */
    size_t piece_size;
    char nonce[SBI_NONCE_SIZE];
    int64_t limit_s; /* of the far clock */
    char *header;
    size_t header_length;

    int64_t deadline;       /* of all of it */
    int64_t start_deadline; /* of the mark */
    int64_t started_at;     /* 0 until the first mark */
    int64_t pid;
    int64_t watchdog;
    int64_t guard_at; /* when its warden is seen to; 0: not yet known, or never */
    int64_t world;    /* behind a prefix: which one it is in; 0: not known */
    bool fresh; /* one that was ready has died under this run: none is taken again */
    bool header_sent; /* a terminal gets it later, when it is raw */
    bool cancelled;   /* by the receiver of its output */

    const char *input; /* what is left to write */
    size_t input_left;
    bool input_given; /* the caller's bytes were taken up */
    bool input_reads; /* input_fd, or what is kept of it, may have more */
    bool input_closed;

    /* Of input_fd. Kept from the first byte on until the command has begun. */
    char *input_piece; /* SBI_RUN_LARGE_PIECE bytes, or NULL */
    size_t input_kept; /* bytes in it */
    size_t input_used; /* of those, taken up in this try */
    bool input_ended;  /* input_fd has no more */
    bool input_failed; /* nor was that its end */

    bool window_dead; /* resize_fd tells of no more changes */
};

/* Moves what can be moved until the command has ended or must be stopped. */
int sbi_run_pump(struct sbi_running *run, sbx_error *err);

/*
 * After the end: reads on until both streams have ended, or until all that the
 * command wrote is here and only a background child still holds them: then *drained
 * is false. Where the line broke ahead of the rest, or it does not come in time, the
 * run is `cut`. Returns SBI_RUN_GO_ON, or SBI_RUN_REFUSED with err filled in.
 */
int sbi_run_drain(struct sbi_running *run, bool *drained, sbx_error *err);

/* Takes one piece of each stream; *moved becomes true if there was any. */
int sbi_run_read(struct sbi_running *run, bool *moved, sbx_error *err);

/* Takes bytes of a stream: noise until its mark, then the command's own. */
int sbi_run_take(struct sbi_running *run, int stream, const char *data, size_t length,
                 sbx_error *err);

/* Writes what the process takes of the header and the caller's input. */
void sbi_run_feed(struct sbi_running *run, bool *moved);

/* True while the loop must also wait for input_fd. */
bool sbi_run_wants_input(const struct sbi_running *run);

/* Gives the terminal the caller's size, if resize_fd says that it is another. */
void sbi_run_resize(struct sbi_running *run);

/* True while the loop must also wait for resize_fd. */
bool sbi_run_wants_resize(const struct sbi_running *run);

static inline bool sbi_run_uses_terminal(const struct sbi_running *run)
{
    return (run->opts->exec->flags & SBX_EXEC_PTY) != 0;
}

static inline bool sbi_run_is_marked(const struct sbi_running *run)
{
    return run->streams[SBI_STDOUT].marked && run->streams[SBI_STDERR].marked;
}

#endif
