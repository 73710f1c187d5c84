/* holder.h - the process that a temporary computer ends with, as a word for a label. */
#ifndef SANDBOX_COMPUTER_HOLDER_H
#define SANDBOX_COMPUTER_HOLDER_H

#include "base/error.h"

/*
 * MACHINE:BOOT:NAMESPACE:PID:START of a process of this machine; for free(). A process
 * that is not there is SBX_ERR_INVALID.
 */
int sbi_holder_text(int64_t pid, char **out, sbx_error *err);

/* Whether a process of this machine was meant, and it is gone; false where in doubt. */
bool sbi_holder_gone(const char *text);

#endif
