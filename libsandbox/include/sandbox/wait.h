/*
 * wait.h - waits until something is so over there: a job has ended, its log has a line, a
 * file is there, a port is listened on, a host can be reached.
 *
 * A connection that breaks is made anew, and the wait goes on.
 */
#ifndef SANDBOX_WAIT_H
#define SANDBOX_WAIT_H

#include <sandbox/job.h>
#include <sandbox/pool.h>

SBX_BEGIN_DECLS

typedef enum sbx_wait_kind {
    SBX_WAIT_JOB = 1,  /* `job` has ended, however */
    SBX_WAIT_LOG = 2,  /* a line of the log of `job` matches `text` */
    SBX_WAIT_FILE = 3, /* there is something at the path `text` */
    SBX_WAIT_PORT = 4, /* something over there listens on TCP `port` */
    SBX_WAIT_HOST = 5  /* the place answers */
} sbx_wait_kind;

/* One thing to wait for. */
typedef struct sbx_wait_for {
    size_t size;
    int64_t kind;     /* an sbx_wait_kind */
    const char *job;  /* its id */
    const char *text; /* a POSIX extended regular expression, or a path as in file.h */
    int64_t port;
    int64_t cursor; /* of a log: the byte to begin at; see sbx_wait_answer */
} sbx_wait_for;

/* Zero is the default of each. */
typedef struct sbx_wait_opts {
    size_t size;
    uint64_t flags;     /* sbx_wait_flags */
    int64_t timeout_ms; /* default and negative: none */
    sbx_cancel *cancel;
} sbx_wait_opts;

enum sbx_wait_flags {
    SBX_WAIT_ANY = 1 /* the first that is so ends it; default: all must be */
};

/* What came of one thing that was waited for. */
typedef struct sbx_wait_answer {
    int32_t kind;     /* an sbx_wait_kind */
    int32_t met;      /* 1: it is so */
    int64_t cursor;   /* of a log: behind the line that matched, to go on from; else 0 */
    const char *line; /* the line, at most 64 KiB of it, without its end; else NULL */
    const sbx_job *job; /* of a job that was waited for, as it ended; else NULL */
    sbx_error error; /* why it can be so no more: the job ended without such a line, there
                        is no such job, the login is refused. Code 0: it still can */
} sbx_wait_answer;

/* What came of all of them. */
typedef struct sbx_waited {
    const char *place;
    int32_t met;                           /* 1: all, or any of them, as was asked for */
    int32_t timed_out;                     /* 1: not within timeout_ms */
    const sbx_wait_answer *const *answers; /* in the order asked for */
    size_t count;
} sbx_waited;

/*
 * Waits for count conditions, at most 16. That it is not so, or can never be, is a
 * result; an error is a condition that no place could meet, or SBX_ERR_CANCELLED.
 */
SBX_API int sbx_wait(sbx_pool *pool, const char *place, const sbx_wait_for *conditions,
                     size_t count, const sbx_wait_opts *opts, sbx_waited **out,
                     sbx_error *err);

/* "job", "log", "file", "port", "host"; never NULL. */
SBX_API const char *sbx_wait_kind_name(int kind);

/* One object; its keys are in docs/jobs.md. */
SBX_API char *sbx_waited_json(const sbx_waited *waited);
SBX_API void sbx_waited_free(sbx_waited *waited);

SBX_END_DECLS
#endif
