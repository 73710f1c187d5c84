/* cancel.h - how a wait looks at the token that its caller handed down. */
#ifndef SANDBOX_BASE_CANCEL_H
#define SANDBOX_BASE_CANCEL_H

#include <sandbox/cancel.h>

/* Readable for poll(2) once the token fires, and ever after; -1 for a NULL token. */
int sbi_cancel_fd(const sbx_cancel *cancel);

#endif
