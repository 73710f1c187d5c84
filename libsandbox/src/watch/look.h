/* look.h - one look at one place: all its watches, by one question. */
#ifndef SANDBOX_WATCH_LOOK_H
#define SANDBOX_WATCH_LOOK_H

#include "ledger/watches.h"

#include <sandbox/cancel.h>

struct sbi_looking {
    sbx_ledger *ledger;
    const struct sbi_watch *place; /* as sbi_watches_places has it */
    sbx_cancel *cancel;
};

struct sbi_looked {
    bool reached;
    int64_t
        again_ms; /* how soon something is due there; -1: nothing before the interval */
};

/*
 * Looks, and writes what happened. An error is one of the ledger; that the place does not
 * answer is none, nor that one of its watches is damaged.
 */
int sbi_look(const struct sbi_looking *looking, struct sbi_looked *out, sbx_error *err);

#endif
