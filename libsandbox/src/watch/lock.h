/*
 * lock.h - one watchdog at the work, and which of those that took something still live.
 *
 * Each watchdog has a number, drawn by chance, and holds the byte of that number in a
 * file beside the ledger; the one at the work holds byte 0 as well. The kernel lets go of
 * them when the process ends, however that is.
 */
#ifndef SANDBOX_WATCH_LOCK_H
#define SANDBOX_WATCH_LOCK_H

#include "base/cleanup.h"
#include "base/error.h"

struct sbi_lock {
    int fd; /* -1: not open */
    int64_t name;
};
#define SBI_LOCK_NONE                                                                    \
    {                                                                                    \
        .fd = -1                                                                         \
    }
#define SBI_AUTO_LOCK SBI_CLEANUP(sbi_lock_close) struct sbi_lock

/* Opens the file beside that ledger, and takes a number. */
int sbi_lock_open(const char *ledger_path, struct sbi_lock *out, sbx_error *err);
void sbi_lock_close(struct sbi_lock *lock);

/* Goes to the work; false where another is at it. */
bool sbi_lock_work(struct sbi_lock *lock);
void sbi_lock_rest(struct sbi_lock *lock);

/* Whether the watchdog of that number lives; 0: whether any is at the work. */
bool sbi_lock_lives(const struct sbi_lock *lock, int64_t name);

/* The process at the work, as it wrote it down itself; 0: not known. */
int64_t sbi_lock_worker(const struct sbi_lock *lock);

#endif
