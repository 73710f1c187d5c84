/* facts.h - what is said of an event: a line for a person, an object for a program. */
#ifndef SANDBOX_WATCH_FACTS_H
#define SANDBOX_WATCH_FACTS_H

#include "watch/turn.h"

struct sbi_facts {
    const char *place;
    const char *id;       /* of the job */
    const sbx_job *job;   /* NULL: its place did not answer */
    const sbx_error *why; /* of what failed; may be NULL */
    const char *said;     /* of a resume: what was answered; may be NULL */
    int64_t percent;      /* -1: not told */
    int64_t generation;   /* the run of the job that it is of */
};

/* Both are for free(). */
int sbi_facts_tell(const struct sbi_facts *facts, int kind, char **summary, char **detail,
                   sbx_error *err);

#endif
