/* owner.h - who asks: the account and the machine of this process. */
#ifndef SANDBOX_JOB_OWNER_H
#define SANDBOX_JOB_OWNER_H

#include "base/error.h"

/*
 * "user@machine", or given where it is not NULL, with each byte that a line cannot hold
 * as %XX; for free().
 */
int sbi_owner_text(const char *given, char **out, sbx_error *err);

#endif
