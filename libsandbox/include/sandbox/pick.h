/*
 * pick.h - which of several places to take for a job, and why none of the others.
 *
 * Hard needs come first: what is not known not to be there counts as not there. Among
 * the places that have all, a score decides; docs/gpus.md has the formula. It asks
 * nobody: the reports are the caller's.
 */
#ifndef SANDBOX_PICK_H
#define SANDBOX_PICK_H

#include <sandbox/pool.h>
#include <sandbox/probe.h>

SBX_BEGIN_DECLS

enum sbx_pick_flags {
    SBX_PICK_SCHEDULED = 1 /* a node that a scheduler hands out may be taken too */
};

/* What the job needs; zero is no need. Bytes are 1 MiB at least. */
typedef struct sbx_pick_need {
    size_t size;
    uint64_t flags; /* sbx_pick_flags */
    int64_t gpus;   /* free ones on one host; 1 where only vram or gpu_model is set */
    int64_t vram;   /* bytes free on each of them */
    const char *gpu_model; /* extended regular expression, in any case, for their names */
    int64_t cpus;          /* idle ones that we may use */
    int64_t memory;        /* bytes available to us */
    int64_t disk;          /* bytes free in the folder, else in the home folder */
    int64_t max_age_s;     /* of a report, default 60 */
} sbx_pick_need;

/* A place that may be taken. Borrowed during the call. */
typedef struct sbx_pick_candidate {
    size_t size;
    const char *place;
    const sbx_probe_report *report; /* NULL: there is none, and error says why */
    const sbx_error *error;
} sbx_pick_candidate;

/* Read-only; it may grow at its end. */
typedef struct sbx_pick_row {
    const char *place;
    int64_t fits;            /* 1: it has all that is needed */
    double score;            /* 0 to 1; 0 where it does not fit */
    double idle_score;       /* 0 to 1, of the report */
    int64_t age_s;           /* of the report, or SBX_UNKNOWN */
    int64_t free_gpus;       /* that fit, or SBX_UNKNOWN */
    const char *const *gpus; /* uuids, or PCI addresses, of those that would be taken */
    size_t gpu_count;
    const char *const *reasons; /* why it does not fit */
    size_t reason_count;
} sbx_pick_row;

/* Owned by the caller, made and freed by the library; it may grow at its end. */
typedef struct sbx_pick_result {
    const char *place;               /* that of the first row, or NULL where none fits */
    const sbx_pick_row *const *rows; /* best first, then those that do not fit */
    size_t row_count;
} sbx_pick_result;

/* That no place fits is a result. Fails with SBX_ERR_INVALID on a bad need. */
SBX_API int sbx_pick(const sbx_pick_candidate *const *candidates, size_t count,
                     const sbx_pick_need *need, sbx_pick_result **out, sbx_error *err);

/* One object; its keys are in docs/gpus.md. */
SBX_API char *sbx_pick_json(const sbx_pick_result *result);

SBX_API void sbx_pick_result_free(sbx_pick_result *result);

/* How places are asked. Zero is the default of each. */
typedef struct sbx_pick_ask_opts {
    size_t size;
    int64_t place_ms; /* of one place, with its opening; default: the pool's own for that,
                         and sbx_probe's for the rest */
    int64_t sample_ms;
    const char *folder; /* both as in sbx_probe_opts */
    sbx_cancel *cancel;
} sbx_pick_ask_opts;

/* What places told: candidates, in the order of the places. It may grow at its end. */
typedef struct sbx_pick_told {
    const sbx_pick_candidate *const *items;
    size_t count;
} sbx_pick_told;

/*
 * Probes all places (NULL-ended), up to 64 at once; one that is dead or slow delays none,
 * and is a candidate with its error. The pool has to have a connect_timeout_ms that suits
 * place_ms. Fails with SBX_ERR_NO_MEMORY alone.
 */
SBX_API int sbx_pick_ask(sbx_pool *pool, const char *const *places,
                         const sbx_pick_ask_opts *opts, sbx_pick_told **out,
                         sbx_error *err);

SBX_API void sbx_pick_told_free(sbx_pick_told *told);

SBX_END_DECLS
#endif
