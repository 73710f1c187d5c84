/*
 * flock.c - flock(2) has no limit of its own, and a blocked one hears of no token. So it
 * is asked again and again: soon at first, for most locks are held for a moment, then
 * less often.
 */
#include "base/flock.h"

#include "base/clock.h"
#include "base/wait.h"

#include <errno.h>
#include <sys/file.h>

#define FIRST_STEP_MS 1
#define LAST_STEP_MS 50

/* SBX_ERR_TIMEOUT where only the step is over. */
static int pause_for(int64_t step_ms, int64_t deadline, sbx_cancel *cancel)
{
    int64_t until = sbi_deadline(step_ms);
    struct pollfd none = {-1, 0, 0};

    return sbi_wait_any(&none, 1, until < deadline ? until : deadline, cancel);
}

int sbi_flock_take(int fd, int64_t deadline, sbx_cancel *cancel)
{
    int64_t step_ms = FIRST_STEP_MS;

    while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return SBX_ERR_IO;
        if (sbi_left_ms(deadline) == 0)
            return SBX_ERR_TIMEOUT;
        if (pause_for(step_ms, deadline, cancel) == SBX_ERR_CANCELLED)
            return SBX_ERR_CANCELLED;
        step_ms = step_ms * 2 < LAST_STEP_MS ? step_ms * 2 : LAST_STEP_MS;
    }
    return SBX_OK;
}
