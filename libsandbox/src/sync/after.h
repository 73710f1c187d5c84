/* after.h - the target as a plan leaves it, told without looking at it. */
#ifndef SANDBOX_SYNC_AFTER_H
#define SANDBOX_SYNC_AFTER_H

#include "sync/plan.h"

struct sbi_after {
    const struct sbi_tree *source;
    const struct sbi_tree *target;
    const struct sbi_plan *plan;
    const uint8_t
        *undone;  /* of each entry of the source: 1 where it failed; NULL: none */
    bool seconds; /* the target keeps times in whole seconds */
};

/* A sorted tree. */
int sbi_after_make(const struct sbi_after *after, struct sbi_tree *out, sbx_error *err);

#endif
