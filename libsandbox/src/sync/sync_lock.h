/*
 * sync_lock.h - of two syncs of one target by one user the second waits for the first, so
 * that neither plans by what the other is about to change.
 */
#ifndef SANDBOX_SYNC_SYNC_LOCK_H
#define SANDBOX_SYNC_SYNC_LOCK_H

#include "base/cleanup.h"
#include "base/error.h"

#include <sandbox/cancel.h>

struct sbi_sync_target {
    const char *place; /* NULL: this machine */
    const char *path;
    bool waits; /* for whoever has it; else that is SBX_ERR_CONFLICT */
    sbx_cancel *cancel;
};

/*
 * *out is the lock, to be closed: that lets it go, as the end of the process does. -1: no
 * lock can be kept here, and none is. Fails with SBX_ERR_CANCELLED too, and after an hour
 * with SBX_ERR_TIMEOUT.
 */
int sbi_sync_lock(const struct sbi_sync_target *target, int *out, sbx_error *err);

#endif
