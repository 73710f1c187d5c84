/*
 * bell.h - a descriptor that rings when something has changed, and only for one who
 * waits.
 *
 * A waiter's round begins with sbi_bell_begin; a change after it rings, one before it is
 * seen by the round itself. While the waiter is busy nothing rings. No lock inside: the
 * owner has one.
 */
#ifndef SANDBOX_BASE_BELL_H
#define SANDBOX_BASE_BELL_H

#include "base/error.h"

#include <stdint.h>

struct sbi_bell {
    int fd;           /* -1: none */
    uint64_t changes; /* of anything that the waiter looks at */
    uint64_t seen;    /* of those, when its round began */
    bool waiting;     /* it is, or is about to */
    bool rung;        /* and it is not hushed yet */
};

int sbi_bell_open(struct sbi_bell *bell, sbx_error *err);

/* Something has changed. */
void sbi_bell_tell(struct sbi_bell *bell);

/* A round of the waiter's begins. */
void sbi_bell_begin(struct sbi_bell *bell);

/* The descriptor to poll for: it is rung if something has changed since the round began.
 */
int sbi_bell_wait(struct sbi_bell *bell);

/* fd is -1 again. */
void sbi_bell_close(struct sbi_bell *bell);

#endif
