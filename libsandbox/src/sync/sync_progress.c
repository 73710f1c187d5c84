/* sync_progress.c - tells how far a sync is, at most ten times a second. */
#include "sync/sync_state.h"

#include "base/clock.h"

#define EVERY_MS 100

int sbi_sync_tell(struct sbi_sync *sync, bool now, sbx_error *err)
{
    struct sbi_sync_progress *progress = &sync->progress;
    int64_t moment;

    if (sbx_cancel_fired(sync->cancel))
        return sbi_fail(err, SBX_ERR_CANCELLED, "cancelled");
    if (progress->fn == NULL)
        return SBX_OK;
    moment = sbi_now_ms();
    if (!now && moment - progress->told < EVERY_MS)
        return SBX_OK;
    progress->told = moment;
    progress->now.elapsed_ms = moment - progress->started;
    if (progress->fn(&progress->now, progress->userdata) != 0)
        return sbi_fail(err, SBX_ERR_CANCELLED, "cancelled");
    return SBX_OK;
}

int sbi_sync_phase(struct sbi_sync *sync, int phase, sbx_error *err)
{
    sync->progress.now.phase = phase;
    return sbi_sync_tell(sync, true, err);
}
