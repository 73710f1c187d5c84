/* compare.h - hashes the contents of files that size and mtime do not decide. */
#ifndef SANDBOX_SYNC_COMPARE_H
#define SANDBOX_SYNC_COMPARE_H

#include "sync/sync_state.h"

/* Sets the digests of both trees where the plan is in doubt; what fails has none. */
int sbi_compare(struct sbi_sync *sync, sbx_error *err);

#endif
