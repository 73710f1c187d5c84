/* log.h - lines for whoever set a sink with sbx_log_to; free when nobody did. */
#ifndef SANDBOX_BASE_LOG_H
#define SANDBOX_BASE_LOG_H

#include "base/error.h"

#include <sandbox/log.h>

bool sbi_log_wanted(int level);

/* One line, cut at 1 KiB; control characters become blanks. Never a secret. */
void sbi_log(int level, const char *format, ...) SBI_PRINTF(2, 3);

#endif
