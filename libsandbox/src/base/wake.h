/*
 * wake.h - a descriptor that poll(2) finds readable once it has been rung.
 *
 * Ringing is async-signal-safe and never blocks; rings add up to one.
 */
#ifndef SANDBOX_BASE_WAKE_H
#define SANDBOX_BASE_WAKE_H

#include "base/error.h"

/* *fd is the caller's, to be closed; close-on-exec and non-blocking. */
int sbi_wake_open(int *fd, sbx_error *err);

void sbi_wake_ring(int fd);

/* Makes it silent again. */
void sbi_wake_hush(int fd);

#endif
