/* pull.h - carries a plan from there to here: tar over there, files put in place here. */
#ifndef SANDBOX_SYNC_PULL_H
#define SANDBOX_SYNC_PULL_H

#include "sync/sync_state.h"

/*
 * Carries it out, each file by a rename as soon as it has come. *changed becomes true
 * once something here was changed. What failed, or was not what had been listed, is a
 * note. The tree of here is as it is now, then.
 */
int sbi_pull(struct sbi_sync *sync, bool *changed, sbx_error *err);

#endif
