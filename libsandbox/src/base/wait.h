/* wait.h - waiting for one descriptor, within a deadline and under a cancel token. */
#ifndef SANDBOX_BASE_WAIT_H
#define SANDBOX_BASE_WAIT_H

#include "base/cancel.h"
#include "base/error.h"

#include <poll.h>

/*
 * Waits until one of fds is ready: SBX_OK, SBX_ERR_TIMEOUT or SBX_ERR_CANCELLED,
 * without an error text, since the caller knows what it waited for. count: at most 12.
 */
int sbi_wait_any(struct pollfd *fds, size_t count, int64_t deadline, sbx_cancel *cancel);

/* The same for one descriptor that is to become readable. */
int sbi_wait_readable(int fd, int64_t deadline, sbx_cancel *cancel);

#endif
