/*
 * warden.h - the one process over there that watches the runs of a line.
 *
 * A run that has no watchdog of its own costs two processes less at its start. The
 * warden is told of a run before its command is sent, and of its end as soon as that is
 * known; a client that goes away leaves it with what was still running. The caller
 * has the lock.
 */
#ifndef SANDBOX_SESSION_WARDEN_H
#define SANDBOX_SESSION_WARDEN_H

#include "session/shell.h"
#include "transport/transport.h"

/* All zero: none. */
struct sbi_warden {
    struct sbi_process *process;
    char nonce[SBI_NONCE_SIZE];
    struct sbi_str noise; /* until it has said that it is ready */
    bool ready;
    bool hears;  /* what it is told, though it has not said that it is ready */
    int watched; /* runs */
    int64_t told_at;
    int starts; /* it is tried a few times in the life of a line */
};

/* Starts one, unless it lives, or has been tried often enough. */
void sbi_warden_start(struct sbi_warden *warden, struct sbi_line *line);

/* True if it watches this run from now on; else the run needs a watchdog of its own. */
bool sbi_warden_watch(struct sbi_warden *warden, const char *run_id, int64_t limit_s);

/*
 * Tells it of a run before it is ready. False: it is not to be had. The run needs a
 * watchdog all the same, which keeps the time.
 */
bool sbi_warden_tell(struct sbi_warden *warden, const char *run_id);

/*
 * What its command became over there: found by that where its environment is not ours.
 * watchdog: one that waits for a warden, and need not any more; or 0.
 */
void sbi_warden_name(struct sbi_warden *warden, const char *run_id, int64_t pid,
                     int64_t watchdog);

/* False where one would have to be started, and may be. */
bool sbi_warden_is_there(struct sbi_warden *warden);

/*
 * The run has ended; what it left in the background is let alone. Returns when the word
 * has left, so that a client may exit at once.
 */
void sbi_warden_dismiss(struct sbi_warden *warden, const char *run_id);

/*
 * Lets it go, and it ends with what it still watches. What it was told lately it has
 * heard first: a server that reads a goodbye right behind may not pass it on. Waits for
 * that, at most a second.
 */
void sbi_warden_part(struct sbi_warden *warden);

/* Lets it go at once. */
void sbi_warden_clear(struct sbi_warden *warden);

#endif
