/*
 * exec.h - runs one command to its end, and tells the truth about that end.
 *
 * What the command does is a result, not an error: a non-zero exit, a signal, a
 * time-out and a connection lost on the way all return SBX_OK and say so in
 * `end`. An error means that the command was not started (err->executed is no).
 *
 * Two clocks watch each command. Here, at timeout_ms, the library kills the
 * command's whole tree over there and looks whether it is dead. There, a
 * watcher does the same a moment later by itself, for the case that the line
 * is what hangs, and when the client goes away. See docs/timeouts.md.
 */
#ifndef SANDBOX_EXEC_H
#define SANDBOX_EXEC_H

#include <sandbox/session.h>

SBX_BEGIN_DECLS

typedef enum sbx_exec_end {
    SBX_EXEC_EXITED = 1,    /* exit_code is the command's own */
    SBX_EXEC_SIGNALED = 2,  /* a signal ended it, and not one of ours */
    SBX_EXEC_TIMED_OUT = 3, /* we killed it at the limit; see confirmed_dead */
    SBX_EXEC_CANCELLED = 4, /* we killed it as asked; see confirmed_dead */
    SBX_EXEC_LOST = 5       /* the connection is gone, and the answer with it */
} sbx_exec_end;

typedef enum sbx_exec_stream { SBX_EXEC_STDOUT = 1, SBX_EXEC_STDERR = 2 } sbx_exec_stream;

/*
 * Sees output as it arrives, on the thread that made the call. Return non-zero to
 * cancel the command, and not to be called again. A slow one slows the command down,
 * nothing else.
 */
typedef int (*sbx_exec_output_fn)(int stream, const void *data, size_t length,
                                  void *userdata);

/*
 * Tells how large the terminal is to be, on the thread that made the call. What is
 * left 0 or below, or is over 65535, changes nothing.
 */
typedef void (*sbx_exec_size_fn)(int64_t *rows, int64_t *columns, void *userdata);

enum sbx_exec_flags {
    SBX_EXEC_INPUT_FD = 1,         /* standard input is read from input_fd */
    SBX_EXEC_PTY = 2,              /* a terminal; stderr comes with stdout */
    SBX_EXEC_DETACH_ON_HANGUP = 4, /* a client that goes away does not end it */
    SBX_EXEC_NO_SPOOL = 8,         /* keep only what is returned */
    SBX_EXEC_INTERACTIVE_ENV = 16, /* leave pagers and prompts armed */
    SBX_EXEC_RESIZE_FD = 32,       /* the terminal follows resize_fd and terminal_size */
    SBX_EXEC_HANG_UP = 64, /* a cancel lets go of the streams, and kills nothing */
    SBX_EXEC_KEEP_OUTCOME =
        128 /* how it ended is noted over there, for sbx_exec_outcome;
               so it is of one that is detached, but not with HANG_UP or NO_SPOOL */
};

/* How a command is to run. Zero is the default of each. */
typedef struct sbx_exec_opts {
    size_t size;
    uint64_t flags;  /* sbx_exec_flags */
    const char *cwd; /* default: the host's own, else where the login shell starts */
    const char *const *env; /* "NAME=value", NULL-ended; on top of the host's own */
    const void *input;      /* default: empty standard input */
    size_t input_length;
    int64_t input_fd;      /* with SBX_EXEC_INPUT_FD; stays the caller's */
    int64_t timeout_ms;    /* of the whole call: connecting, start, run; 0: none */
    int64_t kill_after_ms; /* from TERM to KILL, default 2 s */
    int64_t grace_ms;      /* how long to wait for the word that it is dead, after
                              kill_after_ms; default 5 s */
    int64_t output_limit;  /* bytes returned of each stream, default 64 KiB; -1: all */
    int64_t spool_limit;   /* bytes kept of each stream, default 256 MiB */
    int64_t pty_rows;      /* default 24 */
    int64_t pty_columns;   /* default 80 */
    sbx_exec_output_fn on_output;
    void *userdata; /* for on_output and terminal_size */
    sbx_cancel *cancel;
    int64_t resize_fd; /* with SBX_EXEC_RESIZE_FD: readable when the size is another;
                          read empty by the call, and stays the caller's */
    sbx_exec_size_fn terminal_size;
    const void *input_end; /* with SBX_EXEC_INPUT_FD: written once input_fd has ended, but
                              not when it failed or this side died: so a whole input can
                              be told from a cut one */
    size_t input_end_length;
} sbx_exec_opts;

/* Owned by the caller, made and freed by the library; it may grow at its end. */
typedef struct sbx_exec_result {
    const char *place;
    const char *run_id;       /* 32 hex digits; see output.h */
    int32_t end;              /* an sbx_exec_end */
    int32_t exit_code;        /* of an exited one, else -1 */
    int32_t signal;           /* number over there, 0: none, or one without a name */
    int32_t confirmed_dead;   /* timed out, cancelled: 1 when nothing of it is left; 0
                                 after SBX_EXEC_HANG_UP: nobody looked */
    const char *signal_name;  /* "KILL", or NULL */
    const int64_t *survivors; /* pids that we could not kill */
    size_t survivor_count;
    const char *output;   /* bytes, a NUL follows the last; what output_limit leaves: */
    size_t output_length; /* the head, a line that says how much is left out, the tail */
    const char *errors;
    size_t errors_length;
    uint64_t output_total; /* bytes that came, returned or not */
    uint64_t errors_total;
    int32_t output_truncated;
    int32_t errors_truncated;
    int32_t spooled;       /* 1: the whole, to spool_limit, can be read by run_id; 0
                              too where nothing was printed */
    int32_t holds_output;  /* 1: a background child still held a stream at the end */
    int64_t duration_ms;   /* from the start over there to the end, seen from here */
    sbx_error error;       /* of a lost one: what happened to the connection */
    int32_t out_of_memory; /* 1: it was killed in a computer that has run out of memory,
                              now or before: the count there is not of each command */
    int32_t reserved;      /* zero */
} sbx_exec_result;

/*
 * command is shell text, at most 1 MiB, for the host's `shell`, else bash, else sh over
 * there.
 */
SBX_API int sbx_exec_shell(sbx_session *session, const char *command,
                           const sbx_exec_opts *opts, sbx_exec_result **out,
                           sbx_error *err);

/* argv is NULL-ended; each word, at most 128 KiB, reaches the program as it stands. */
SBX_API int sbx_exec_argv(sbx_session *session, const char *const *argv,
                          const sbx_exec_opts *opts, sbx_exec_result **out,
                          sbx_error *err);

/* "exited", "signaled", "timed_out", "cancelled", "lost"; never NULL. */
SBX_API const char *sbx_exec_end_name(int end);

/*
 * For a caller to whom only a command that exited is any good: SBX_OK for one, with
 * whatever code. Else an error that says what became of it: SBX_ERR_TIMEOUT,
 * SBX_ERR_CANCELLED, SBX_ERR_REMOTE of one that a signal ended, or what befell the
 * connection; its executed is never no.
 */
SBX_API int sbx_exec_check_end(const sbx_exec_result *result, sbx_error *err);

/* What a shell would report: the code, 128 + signal, 124 timed out, 130 cancelled, 255.
 */
SBX_API int sbx_exec_status(const sbx_exec_result *result);

/* One object; its keys are in docs/exec.md. NULL where a field does not apply. */
SBX_API char *sbx_exec_result_json(const sbx_exec_result *result);

/* The same object for a command that an error kept from starting: "not_started". */
SBX_API char *sbx_exec_error_json(const char *place, const sbx_error *err);

SBX_API void sbx_exec_result_free(sbx_exec_result *result);

/* What became of a run whose answer was lost. */
typedef enum sbx_outcome_state {
    SBX_OUTCOME_NO_TRACE =
        1, /* never started, or it left no note, or that is a day old */
    SBX_OUTCOME_STARTING = 2, /* its login shell is there, and has not begun it */
    SBX_OUTCOME_RUNNING = 3,
    SBX_OUTCOME_EXITED = 4,
    SBX_OUTCOME_SIGNALED = 5,
    SBX_OUTCOME_KILLED = 6, /* by us, see cause */
    SBX_OUTCOME_ENDED = 7   /* by itself or with its machine; how is not known */
} sbx_outcome_state;

/* Why it was killed. */
typedef enum sbx_outcome_cause {
    SBX_OUTCOME_GONE = 1,  /* its client went away, or the line to it */
    SBX_OUTCOME_LIMIT = 2, /* the far clock had passed its time limit */
    SBX_OUTCOME_ASKED = 3  /* the client asked for it: a time-out, or a cancel */
} sbx_outcome_cause;

/* Owned by the caller, made and freed by the library; it may grow at its end. */
typedef struct sbx_outcome {
    const char *place;
    const char *run_id;
    int32_t state;            /* an sbx_outcome_state */
    int32_t cause;            /* of a killed one: an sbx_outcome_cause, else 0 */
    int32_t exit_code;        /* of an exited one, of a killed one if known; else -1 */
    int32_t signal;           /* likewise, else 0 */
    int32_t confirmed_dead;   /* of a killed one: 1 when nothing of it is left now */
    int32_t reserved;         /* zero */
    const char *signal_name;  /* "KILL", or NULL */
    int64_t pid;              /* of a running one's command, of a starting one's shell */
    int64_t asked;            /* by the clock over there, as are those below: now, */
    int64_t started;          /* seconds since 1970; 0: not known */
    int64_t ended;            /* that, or when it was killed */
    const int64_t *survivors; /* what lives of a run that runs no more, such as a child */
    size_t survivor_count;    /* that was left in the background on purpose */
} sbx_outcome;

/* How long an outcome is asked for. */
typedef struct sbx_outcome_opts {
    size_t size;
    int64_t timeout_ms; /* default 30 s */
    sbx_cancel *cancel;
} sbx_outcome_opts;

/*
 * Asks what became of a run, on the place where it was, over any session to that; one
 * that is just being killed is waited for, a few seconds. Exactly how one ended by itself
 * is noted of those with SBX_EXEC_KEEP_OUTCOME. See docs/timeouts.md.
 */
SBX_API int sbx_exec_outcome(sbx_session *session, const char *run_id,
                             const sbx_outcome_opts *opts, sbx_outcome **out,
                             sbx_error *err);

/* "no_trace", "starting", "running", "exited", "signaled", "killed", "ended". */
SBX_API const char *sbx_outcome_state_name(int state);

/* One object; its keys are in docs/exec.md. NULL where a field does not apply. */
SBX_API char *sbx_outcome_json(const sbx_outcome *outcome);

SBX_API void sbx_outcome_free(sbx_outcome *outcome);

SBX_END_DECLS
#endif
