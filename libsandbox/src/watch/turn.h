/*
 * turn.h - from what was seen before and what is seen now to what happened: pure.
 *
 * What comes out is written as one; so what was told before is told no more.
 */
#ifndef SANDBOX_WATCH_TURN_H
#define SANDBOX_WATCH_TURN_H

#include "ledger/watches.h"

#include <sandbox/job.h>

struct sbi_look {
    bool reached;       /* the place answered */
    const sbx_job *job; /* NULL: there is no such job there any more */
    int64_t percent;    /* how far its log says it got; -1: not told */
    int64_t step;       /* an event each so many percent; 0: none */
};

/* How a run of a job ended, whether it is the last or not. */
struct sbi_end {
    int32_t state; /* an sbx_job_state */
    int32_t loss;
    int32_t exit_code;
    int32_t signal;
    int32_t maybe_signal; /* as in sbx_job; of the last run alone */
    int32_t reserved;
    int64_t started_at_s;
    int64_t ended_at_s;
    const char *stopped_by;
    const char *resumed_by; /* who began it */
};

/* Of the run of that generation; its texts stay the job's. */
void sbi_turn_end_of(const sbx_job *job, int64_t generation, struct sbi_end *out);

struct sbi_told {
    int kind; /* an sbi_kind */
    int64_t generation;
    int64_t n;
};

#define SBI_TURN_MOST 16

struct sbi_turn {
    struct sbi_seen seen;
    bool done;         /* nothing can happen any more */
    bool changed;      /* there is something to write */
    const char *state; /* NULL: as it was */
    struct sbi_told told[SBI_TURN_MOST];
    size_t count;
};

void sbi_turn_look(const struct sbi_seen *before, const struct sbi_look *look,
                   struct sbi_turn *out);

/* What came of asking whether the job is to be resumed. */
enum sbi_resumed {
    SBI_RESUMED = 1,    /* by us, or by another: it runs as that generation */
    SBI_RESUME_EARLY,   /* it will be, later */
    SBI_RESUME_NO,      /* it is not to be */
    SBI_RESUME_GAVE_UP, /* it was, as often as it may */
    SBI_RESUME_LOOP,    /* it ends as soon as it is started */
    SBI_RESUME_FAILED   /* it is to be, and could not */
};

void sbi_turn_resume(const struct sbi_seen *before, int resumed, int64_t generation,
                     struct sbi_turn *out);

#endif
