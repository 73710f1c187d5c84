/*
 * job.h - commands that outlive the connection, the client and its machine's sleep.
 *
 * A job is a folder on its place: the script, its log, what it runs as, how it ended.
 * Nothing about it is kept here, so any machine that reaches the place sees the same. It
 * runs in a tmux session of its own where there is tmux, else in a session of setsid's,
 * and its state is told by processes and files, never by what is in the log. See
 * docs/jobs.md.
 *
 * An id is made here and given with the start. A start whose answer was lost is made
 * again with the same id, and the command runs once.
 */
#ifndef SANDBOX_JOB_H
#define SANDBOX_JOB_H

#include <sandbox/session.h>

SBX_BEGIN_DECLS

typedef enum sbx_job_state {
    SBX_JOB_RUNNING = 1,
    SBX_JOB_EXITED = 2,   /* exit_code is the command's own */
    SBX_JOB_SIGNALED = 3, /* a signal ended it that nobody sent through sbx */
    SBX_JOB_OOM = 4,      /* the kernel killed it for want of memory, and says so */
    SBX_JOB_STOPPED = 5,  /* by sbx_job_stop or its time limit; see stopped_by */
    SBX_JOB_LOST = 6, /* it runs no more, and how it ended was not recorded; see loss */
    SBX_JOB_UNREACHABLE = 7 /* its place cannot be asked; see error */
} sbx_job_state;

typedef enum sbx_job_loss {
    SBX_JOB_REBOOT = 1,   /* the machine was started anew meanwhile */
    SBX_JOB_KILLED = 2,   /* the process that watched it was killed too */
    SBX_JOB_UNKNOWN = 3,  /* nothing tells */
    SBX_JOB_UNSTARTED = 4 /* the start was cut off before it ran; start it again */
} sbx_job_loss;

/* What became of asking that a job be resumed; see sbx_job_resume. */
typedef enum sbx_job_answer {
    SBX_JOB_RESUMED = 1,    /* by this call */
    SBX_JOB_ALREADY = 2,    /* by another one: resumed_by of the job, at its last run */
    SBX_JOB_TOO_EARLY = 3,  /* left_ms are to go */
    SBX_JOB_GAVE_UP = 4,    /* resume_max is used up */
    SBX_JOB_CRASH_LOOP = 5, /* it ended within a minute of its start three times */
    SBX_JOB_IS_RUNNING = 6,
    SBX_JOB_FINISHED = 7,     /* it exited with 0 */
    SBX_JOB_FAILED = 8,       /* by itself, and that is not to be resumed */
    SBX_JOB_WAS_STOPPED = 9,  /* by a person, or by its time limit */
    SBX_JOB_NO_POLICY = 10,   /* it was started without one */
    SBX_JOB_NEVER_BEGAN = 11, /* start it again, with the same id */
    SBX_JOB_ELSEWHERE = 12, /* a machine of another name ran it, which shares this home */
    SBX_JOB_LEFTOVERS = 13  /* processes of it cannot be killed: survivors of the job */
} sbx_job_answer;

typedef enum sbx_job_way {
    SBX_JOB_PLAIN = 1, /* setsid; there is no terminal */
    SBX_JOB_TMUX = 2,
    SBX_JOB_ADOPTED = 3 /* a tmux session that was not ours */
} sbx_job_way;

/* One generation of a job: from its start, or a resume, to its end. */
typedef struct sbx_job_run {
    int32_t generation; /* 0: the first */
    int32_t state;      /* an sbx_job_state, and so on as in sbx_job */
    int32_t loss;
    int32_t exit_code;
    int32_t signal;
    int32_t forced; /* 1: a person asked for it */
    int64_t started_at_s;
    int64_t ended_at_s;
    const char *stopped_by;
    const char *resumed_by; /* NULL: of the first */
} sbx_job_run;

/* Made and freed by the library; it may grow at its end. Text is bytes, maybe not UTF-8.
 */
typedef struct sbx_job {
    const char *place;
    const char *id;
    const char *name;     /* as it was given; any bytes */
    const char *command;  /* the first 200 bytes of what was asked for */
    const char *folder;   /* of the job over there */
    const char *cwd;      /* NULL: where commands of the place start */
    const char *owner;    /* "user@machine" that started it */
    int32_t state;        /* an sbx_job_state */
    int32_t loss;         /* an sbx_job_loss of a lost one, else 0 */
    int32_t exit_code;    /* of an exited one, else -1; 137 of an oom one whose shell
                             outlived what was killed */
    int32_t signal;       /* number over there, of one that a signal ended, else 0 */
    int32_t maybe_signal; /* 1: nothing over there could tell exit code N from a death by
                             signal N - 128; exit_code has N */
    int32_t way;          /* an sbx_job_way; 0 while it is not known */
    int32_t created;      /* of a start: 0 where that job was there already */
    int32_t generation;   /* how often it was resumed */
    const char *signal_name;  /* "KILL", or NULL */
    const char *stopped_by;   /* of a stopped one, else NULL */
    int64_t started_at_s;     /* since 1970, by the clock over there; -1: not known */
    int64_t ended_at_s;       /* -1: not known, or not yet */
    int64_t seen_at_s;        /* when this was told, by the clock over there */
    int64_t limit_ms;         /* 0: none */
    int64_t pid;              /* of the command over there, 0: not known */
    int64_t peak_memory;      /* bytes of its largest process; -1: not known */
    int64_t log_size;         /* bytes printed so far; -1: not known */
    int64_t log_cut_from;     /* bytes from here ... */
    int64_t log_cut_to;       /* ... to here are no more kept; both 0: all are */
    const int64_t *survivors; /* of a stop: pids that could not be killed */
    size_t survivor_count;
    const char *warning; /* of a start: what may end it that was not asked for, or NULL */
    const char *const *attach; /* words of the program that shows its terminal over there,
                                  NULL-ended; NULL where it has none */
    sbx_error error;           /* of an unreachable one */
    int64_t resume_max;        /* how often by itself; 0: it has no policy */
    int64_t resume_used;       /* how often it was by itself */
    int64_t resume_delay_ms;   /* from its end; doubled for each quick end before */
    int64_t resume_at_s;       /* when it is due, once somebody asked; else -1 */
    int64_t resume_on_failure; /* 1: when it failed by itself too */
    const char *resume_command;     /* the first 200 bytes; NULL: the job's own */
    const char *held_by;            /* who had it not be resumed after its end, or NULL */
    const char *checkpoint_path;    /* as given, or NULL */
    const char *checkpoint_command; /* its first 200 bytes, or NULL */
    const char *checkpoint;         /* of sbx_job_show: what the file holds or the command
                                       printed, at most 16 KiB; NULL: nothing, or none */
    const sbx_job_run *const *runs; /* the first ... */
    size_t run_count;               /* ... to the last, which the job is told by */
    const char *const *labels; /* "NAME=VALUE", as given to its start; NULL-ended, never
                                  NULL */
    int64_t unreachable_at_s;  /* of an unreachable one: since when, by the clock here,
                                  where  a watchdog saw that; -1: not known, as the library
                                  alone  has it */
    int64_t cgroup_peak; /* of an ended one: the most bytes that all of it had at once,
                            with what files were cached; -1: not known, as where its
                            cgroup was not its own */
    int64_t oom_kills;   /* processes of it that the kernel killed for want of memory, as
                            its cgroup or the kernel's log has it; -1: not known */
} sbx_job;

/* How a job is to run. Zero is the default of each. */
typedef struct sbx_job_start_opts {
    size_t size;
    const char *id;         /* default: made of the name and chance */
    const char *name;       /* default: the beginning of the command */
    const char *cwd;        /* as in sbx_exec_opts */
    const char *const *env; /* the same */
    int64_t limit_ms;       /* stopped after that long, with all it started; 0: never */
    int64_t log_limit;  /* bytes of log kept over there: the head and the tail of it, half
                           each; default 1 GiB, negative: all */
    uint64_t flags;     /* sbx_job_start_flags */
    int64_t timeout_ms; /* of the call; default 30 s */
    sbx_cancel *cancel;
    int64_t resume_max; /* how often sbx_job_resume starts it anew after an interruption;
                           default: never, or once where one of the next two, the flag or
                           a plan is given */
    int64_t resume_delay_ms;        /* from its end; default 300 s, negative: none */
    const char *resume_command;     /* shell text, at most 32 KiB; default: its own */
    const char *checkpoint;         /* a path over there, as in file.h */
    const char *checkpoint_command; /* or shell text that prints where it stands */
    const char *resume_plan; /* the same as JSON, see docs/jobs.md; what stands above goes
                                first */
    const char *const *labels; /* "NAME=VALUE", NULL-ended: kept with the job, and told by
                                  it; at most 64, a name of letters, digits, '_', '.',
                                  '-', a value of at most 4096 bytes */
} sbx_job_start_opts;

enum sbx_job_start_flags {
    SBX_JOB_NO_TERMINAL = 1,      /* no tmux, where there is one too */
    SBX_JOB_RESUME_ON_FAILURE = 2 /* resume it when it failed by itself too */
};

/*
 * An id for opts.id: letters of name, and chance; for sbx_free. Kept by a caller that
 * means to ask again after a failure.
 */
SBX_API int sbx_job_make_id(const char *name, char **out, sbx_error *err);

/*
 * Starts shell text, at most 1 MiB, read by bash, else by sh; returns when it runs. What
 * it prints goes to its log. A job of that id is left as it is: the same one is told of
 * with created 0, another is SBX_ERR_EXISTS. On failure err->executed says whether it may
 * run; then ask with the same id.
 */
SBX_API int sbx_job_start(sbx_session *session, const char *command,
                          const sbx_job_start_opts *opts, sbx_job **out, sbx_error *err);

/* The same for a program and its arguments, as in sbx_exec_argv. */
SBX_API int sbx_job_start_argv(sbx_session *session, const char *const *argv,
                               const sbx_job_start_opts *opts, sbx_job **out,
                               sbx_error *err);

/* What the calls on a job share. Zero is the default of each. */
typedef struct sbx_job_opts {
    size_t size;
    int64_t timeout_ms; /* default 30 s */
    sbx_cancel *cancel;
    const char *by;        /* stop: who; default "user@machine" of the caller */
    int64_t kill_after_ms; /* stop: from TERM to KILL, default 10 s */
} sbx_job_opts;

/* The jobs of a place. */
typedef struct sbx_job_list {
    const char *place;
    const sbx_job *const *items; /* the youngest first */
    size_t count;
    int32_t truncated; /* 1: there are over 10000, the rest is left out */
} sbx_job_list;

/* All jobs of this account there, in one round trip. */
SBX_API int sbx_job_list_all(sbx_session *session, const sbx_job_opts *opts,
                             sbx_job_list **out, sbx_error *err);

/* One job; SBX_ERR_NOT_FOUND where there is none of that id. */
SBX_API int sbx_job_show(sbx_session *session, const char *id, const sbx_job_opts *opts,
                         sbx_job **out, sbx_error *err);

/*
 * Ends the command with all that it started, children that left its session too: TERM,
 * then KILL, then a look. survivors are those that could not be killed. One that has
 * ended is left as it is, but is not resumed any more.
 */
SBX_API int sbx_job_stop(sbx_session *session, const char *id, const sbx_job_opts *opts,
                         sbx_job **out, sbx_error *err);

/* Which generation is resumed, and by whom. */
typedef struct sbx_job_resume_opts {
    size_t size;
    int64_t generation; /* to be made: one more than was seen lost; default: the next */
    uint64_t flags;     /* sbx_job_resume_flags */
    const char *by;     /* who; default "user@machine" of the caller */
    int64_t timeout_ms; /* default 60 s */
    sbx_cancel *cancel;
} sbx_job_resume_opts;

enum sbx_job_resume_flags {
    SBX_JOB_FORCE = 1 /* a person asks: whatever its policy says, but not while it runs */
};

/* Made and freed by the library; it may grow at its end. */
typedef struct sbx_job_resumed {
    int32_t answer;     /* an sbx_job_answer */
    int32_t generation; /* that the job is in now */
    int64_t left_ms;    /* too early: how long still, by the clock over there; else 0 */
    const sbx_job *job; /* as it is now */
} sbx_job_resumed;

/*
 * Starts the next generation of a job that was interrupted, if its policy says so and it
 * is time: the machine went down, or a signal ended it that nobody sent through sbx. That
 * it is not so is an answer. However many ask at once, from whatever machines, one
 * generation begins; asked again after a failure, it begins once. One round trip.
 */
SBX_API int sbx_job_resume(sbx_session *session, const char *id,
                           const sbx_job_resume_opts *opts, sbx_job_resumed **out,
                           sbx_error *err);

/* "resumed", "already", "too_early"...; never NULL. */
SBX_API const char *sbx_job_answer_name(int answer);

/* One object; its keys are in docs/jobs.md. */
SBX_API char *sbx_job_resumed_json(const sbx_job_resumed *resumed);
SBX_API void sbx_job_resumed_free(sbx_job_resumed *resumed);

/* Removes the folder of a job that runs no more; SBX_ERR_CONFLICT while it runs. */
SBX_API int sbx_job_remove(sbx_session *session, const char *id, const sbx_job_opts *opts,
                           sbx_error *err);

/* Types bytes into its terminal. SBX_ERR_UNSUPPORTED where it has none. */
SBX_API int sbx_job_send(sbx_session *session, const char *id, const void *keys,
                         size_t length, const sbx_job_opts *opts, sbx_error *err);

/*
 * Makes a job of a tmux session that runs already, of the server behind that socket name
 * (NULL: the usual one). From now on it has a log, and a state that is told true; its
 * exit code where tmux tells it. Of the options, id, name, timeout_ms and cancel are
 * taken.
 */
SBX_API int sbx_job_adopt(sbx_session *session, const char *socket,
                          const char *tmux_session, const sbx_job_start_opts *opts,
                          sbx_job **out, sbx_error *err);

/* "running", "exited", "signaled", "oom", "stopped", "lost", "unreachable"; never NULL.
 */
SBX_API const char *sbx_job_state_name(int state);

/* "reboot", "killed", "unknown", "unstarted"; "" for 0. */
SBX_API const char *sbx_job_loss_name(int loss);

/* True once it can change no more by itself: not running, and not unreachable. */
SBX_API bool sbx_job_ended(const sbx_job *job);

/* What a shell would report: the code, 128 + signal, 137 oom, 143 stopped, 255 else. */
SBX_API int sbx_job_status(const sbx_job *job);

/* One object; its keys are in docs/jobs.md. */
SBX_API char *sbx_job_json(const sbx_job *job);

/* A job that could not be asked about: state unreachable. NULL where there is no memory.
 */
SBX_API sbx_job *sbx_job_unreachable(const char *place, const char *id,
                                     const sbx_error *why);

SBX_API void sbx_job_free(sbx_job *job);
SBX_API void sbx_job_list_free(sbx_job_list *list);

/* Takes a piece of a log. Return non-zero to get no more. */
typedef int (*sbx_job_bytes_fn)(const void *data, size_t length, void *userdata);

enum sbx_job_log_flags {
    SBX_JOB_FOLLOW = 1,  /* on until the job ends, over broken connections too */
    SBX_JOB_COLLAPSE = 2 /* of what carriage returns overwrote, the last stays */
};

/* All zero is the whole log. One of offset, lines and pattern. */
typedef struct sbx_job_log_opts {
    size_t size;
    uint64_t flags;      /* sbx_job_log_flags */
    int64_t offset;      /* negative: from the end */
    int64_t length;      /* default: to the end */
    int64_t lines;       /* the last so many */
    const char *pattern; /* lines that match this POSIX extended regular expression, as
                            "NUMBER:LINE"; not with SBX_JOB_FOLLOW */
    int64_t max_bytes;   /* of the answer, default 16 MiB; more is `truncated` */
    sbx_job_bytes_fn on_bytes; /* then there is no data, and max_bytes no default */
    void *userdata;
    int64_t timeout_ms; /* default: five minutes; with SBX_JOB_FOLLOW none */
    sbx_cancel *cancel;
} sbx_job_log_opts;

/* A part of a log, and where it lies. */
typedef struct sbx_job_log {
    const char *data; /* a NUL follows the last byte */
    size_t length;
    int64_t offset;    /* of the first byte; -1 for a pattern */
    int64_t next;      /* where to go on later; -1 for a pattern */
    int64_t size;      /* of the whole log when it was read */
    int64_t left_out;  /* bytes of what was asked for that are no more kept over there */
    int32_t truncated; /* 1: max_bytes left something out */
    int32_t ended;     /* 1: the job had ended, so that no more will come */
} sbx_job_log;

SBX_API int sbx_job_log_read(sbx_session *session, const char *id,
                             const sbx_job_log_opts *opts, sbx_job_log **out,
                             sbx_error *err);

SBX_API char *sbx_job_log_json(const sbx_job_log *log);
SBX_API void sbx_job_log_free(sbx_job_log *log);

/* What the end of a log tells of how far it got, in one of the common forms. */
typedef struct sbx_job_progress {
    size_t size;    /* set by the caller */
    double percent; /* 0 to 100; negative: not told, as with all below */
    double loss;    /* NAN: not told */
    int64_t step;
    int64_t steps; /* of so many */
    int64_t epoch;
    int64_t epochs;
    int64_t eta_s; /* seconds to go */
} sbx_job_progress;

/* Reads "45%|####", "step 10/200", "Epoch 3/10", "loss: 0.5", "ETA 1:02:03"... */
SBX_API int sbx_job_progress_read(const char *log, size_t length, sbx_job_progress *out,
                                  sbx_error *err);

SBX_END_DECLS
#endif
