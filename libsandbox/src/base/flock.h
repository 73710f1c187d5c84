/* flock.h - the lock of a file (flock(2)), waited for within a deadline. */
#ifndef SANDBOX_BASE_FLOCK_H
#define SANDBOX_BASE_FLOCK_H

#include "base/cancel.h"
#include "base/error.h"

/*
 * Takes the lock of an open file for us alone; closing fd lets it go. SBX_OK,
 * SBX_ERR_TIMEOUT, SBX_ERR_CANCELLED, or SBX_ERR_IO with errno set: without an error
 * text, since the caller knows what it locks. A lock that is free is had after any
 * deadline.
 */
int sbi_flock_take(int fd, int64_t deadline, sbx_cancel *cancel);

#endif
