/*
 * run.h - from a need to a job, in one call: a place is chosen, its GPUs are taken, files
 * go there, and a command starts.
 *
 * It is what probe.h, pick.h, lease.h, sync.h and job.h do, one behind the other. The
 * leases end with the job, whatever its end, and at once where it does not start. The job
 * sees its GPUs alone, and its labels name them: "gpus", "gpu_driver", and "code", the
 * hash of the files that were brought. See docs/gpus.md.
 */
#ifndef SANDBOX_RUN_H
#define SANDBOX_RUN_H

#include <sandbox/job.h>
#include <sandbox/pick.h>

SBX_BEGIN_DECLS

enum sbx_run_flags {
    SBX_RUN_WAIT = 1, /* where no place has what is needed, ask again until one has */
    SBX_RUN_DRY = 2,  /* choose, and do nothing */
    SBX_RUN_GIT = 4   /* of sync: leave out what git ignores */
};

/*
 * What may be said on the way: that it waits, that a lease could not be bound to the job.
 * One line. Return non-zero to give up, which is SBX_ERR_CANCELLED; once the job has
 * started it changes nothing.
 */
typedef int (*sbx_run_note_fn)(const char *text, void *userdata);

/* Zero is the default of each. */
typedef struct sbx_run_opts {
    size_t size;
    uint64_t flags;                  /* sbx_run_flags */
    const sbx_pick_need *need;       /* default: nothing, so that any place will do */
    const sbx_job_start_opts *job;   /* its env comes behind what names the GPUs; its cwd
                                        is the folder that was brought, by default */
    const sbx_session_opts *session; /* how places are opened */
    int64_t place_ms;                /* that one place has to tell of itself, with its
                                        opening; default 8 s */
    int64_t again_ms;                /* SBX_RUN_WAIT: how often it asks; default 15 s */
    int64_t wait_ms;                 /* SBX_RUN_WAIT: for how long; default: no limit */
    const char *sync;                /* a folder of this machine that is brought first */
    const char *sync_to;             /* default: ~/sbx/NAME-OF-FOLDER */
    const char *const *exclude;      /* of sync; NULL-ended */
    sbx_run_note_fn on_note;
    void *userdata; /* for on_note */
    sbx_cancel *cancel;
} sbx_run_opts;

/* Owned by the caller, made and freed by the library; it may grow at its end. */
typedef struct sbx_run {
    const char *place;
    const char *const *gpus; /* ids of those that were taken, NULL-ended, never NULL */
    size_t gpu_count;
    const char *gpu_driver; /* NULL: there is no GPU, or it is not known */
    const char *folder; /* that the files lie in over there; NULL: none were brought */
    const char *code;   /* their hash, 64 hex digits, or NULL */
    const sbx_job *job; /* NULL where it was dry */
} sbx_run;

/*
 * Chooses among the places (NULL-ended; NULL: all that are known) and starts shell text,
 * as sbx_job_start does. SBX_ERR_NOT_FOUND: none has what is needed. A failure after the
 * start was asked for says by err->executed whether the job may run; then its leases end
 * within ten minutes, unless that is asked again by the id of opts.job.
 */
SBX_API int sbx_run_start(sbx_hosts *hosts, const char *const *places,
                          const char *command, const sbx_run_opts *opts, sbx_run **out,
                          sbx_error *err);

/* The same for a program and its arguments, as in sbx_exec_argv. */
SBX_API int sbx_run_start_argv(sbx_hosts *hosts, const char *const *places,
                               const char *const *argv, const sbx_run_opts *opts,
                               sbx_run **out, sbx_error *err);

/* {"place","gpus","gpu_driver","folder","code","job"}; null where there is no such thing.
 */
SBX_API char *sbx_run_json(const sbx_run *run);

SBX_API void sbx_run_free(sbx_run *run);

SBX_END_DECLS
#endif
