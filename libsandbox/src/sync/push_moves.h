/* push_moves.h - what goes from `t` to its place. */
#ifndef SANDBOX_SYNC_PUSH_MOVES_H
#define SANDBOX_SYNC_PUSH_MOVES_H

#include "sync/push_state.h"

struct sbi_push_moves {
    struct sbi_pushing *pushing;
    uint32_t *items; /* entries of the source, by the folder they are in */
    size_t count;
};

/* Has `t` copied by links; in push_merge.c. */
int sbi_push_merge(const struct sbi_push_moves *moves, sbx_error *err);

#endif
