/* sync_open.h - a sync begun: both sides looked at, and the target locked, or not. */
#ifndef SANDBOX_SYNC_SYNC_OPEN_H
#define SANDBOX_SYNC_SYNC_OPEN_H

#include "sync/sync_state.h"

/* What is asked for; all of it is the caller's, and lives as long as the call. */
struct sbi_sync_asked {
    sbx_session *session;
    int direction;
    const char *local;
    const char *remote;
    const sbx_sync_opts *opts;
    const char *target; /* its absolute path, where that is known; or NULL */
    bool at_once;       /* it is carried out in the same call */
    bool locks;         /* the target, before either side is looked at */
    bool waits;         /* for whoever holds that lock; else that is SBX_ERR_CONFLICT */
};

/* What was begun is in out even where it fails, for sbi_sync_clear. */
int sbi_sync_open(const struct sbi_sync_asked *asked, struct sbi_sync *out,
                  sbx_error *err);

/* The absolute path of the target, once both sides were looked at. */
const char *sbi_sync_target_path(const struct sbi_sync *sync);

#endif
