/*
 * outcome_read.h - from what the look over there says to what became of a run.
 *
 * The text is lines of words, ended by `bye`:
 *
 *     now SECONDS UPTIME          the clock over there, seconds since 1970 and since boot
 *     blind                       it could not look for processes
 *     process PID PARENT SESSION TICKS   of the run, alive; TICKS from boot to its start
 *     process PID                 the same, where no more is known
 *     starting PID                a login shell that has not begun it
    busy                        somebody who may kill it and note that is at work
 *     run SECONDS PID KEEPER      it was started; who waits for its end, if anybody does
 *     end exit|signal N PEAK SECONDS
 *     killed SECONDS CAUSE running|over PID...   or `blind` in place of the pids
 */
#ifndef SANDBOX_SESSION_OUTCOME_READ_H
#define SANDBOX_SESSION_OUTCOME_READ_H

#include "base/error.h"

#include <sandbox/exec.h>

#define SBI_OUTCOME_MOST 256 /* processes that are told */

struct sbi_outcome {
    int state;
    int cause;
    int exit_code;
    int signal;
    bool blind; /* what is left is not known */
    bool busy;  /* it seems to be over, and how may be noted in a moment */
    int64_t pid;
    int64_t asked;
    int64_t started;
    int64_t ended;
    int64_t left[SBI_OUTCOME_MOST]; /* alive, and not its command */
    size_t left_count;
};

/* SBX_ERR_REMOTE: it is not whole. text may hold any bytes. */
int sbi_outcome_read(const char *text, size_t length, struct sbi_outcome *out,
                     sbx_error *err);

#endif
