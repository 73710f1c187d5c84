/* plan_compare.h - whether an entry of one side is the same on the other. */
#ifndef SANDBOX_SYNC_PLAN_COMPARE_H
#define SANDBOX_SYNC_PLAN_COMPARE_H

#include "sync/plan_type.h"

/* One path that both sides have. */
struct sbi_plan_both {
    const struct sbi_tree *source;
    const struct sbi_tree *target;
    size_t at_source;
    size_t at_target;
};

struct sbi_plan_verdict {
    uint8_t what; /* sbi_plan_what; 0: the same */
    uint8_t why;
};

/* Two entries of one kind: FILE, FOLDER or LINK. */
struct sbi_plan_verdict sbi_plan_compare(const struct sbi_plan_both *both,
                                         const struct sbi_plan_opts *opts);

/* Whether contents must be compared to know. */
bool sbi_plan_is_doubtful(const struct sbi_plan_both *both,
                          const struct sbi_plan_opts *opts);

/* Whether an entry of either side stays behind, the folders above it not. */
bool sbi_plan_is_excluded(const struct sbi_tree *tree, size_t index,
                          const struct sbi_exclude *exclude);

#endif
