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

/* Starts as all zero: no lock. */
struct sbi_sync_lock {
    char *path;    /* of the target; NULL: no lock */
    int fd;        /* -1: no lock can be kept here, and none is */
    bool is_first; /* nobody has ever held it, as far as a lock can be kept here */
};

/*
 * The lock is let go by sbi_sync_lock_clear, as by the end of the process. Fails with
 * SBX_ERR_CANCELLED too, and after an hour with SBX_ERR_TIMEOUT.
 */
int sbi_sync_lock(const struct sbi_sync_target *target, struct sbi_sync_lock *out,
                  sbx_error *err);
void sbi_sync_lock_clear(struct sbi_sync_lock *lock);

#define SBI_AUTO_SYNC_LOCK SBI_CLEANUP(sbi_sync_lock_clear) struct sbi_sync_lock

/*
 * A target may be told in many ways, and is one by its absolute path, which only the side
 * that it is on can tell for sure. What a path that was told so was the last time, for
 * free(); NULL: it is not known.
 */
char *sbi_sync_lock_known(const char *place, const char *told);

/* Keeps that for the next time; want of it costs time, and no more. */
void sbi_sync_lock_learn(const char *place, const char *told, const char *path);

#endif
