/* error.h - filling in the sbx_error that a caller handed us. */
#ifndef SANDBOX_BASE_ERROR_H
#define SANDBOX_BASE_ERROR_H

#include <sandbox/error.h>

#define SBI_PRINTF(at, first) __attribute__((__format__(__printf__, at, first)))

/* Each returns code, so that a failure is one statement: return sbi_fail(...). */

/* Starts an error. Whether it is retryable follows from the code. */
int sbi_fail(sbx_error *err, int code, const char *format, ...) SBI_PRINTF(3, 4);

/* Starts an error whose cause is errno; that of ENOMEM is SBX_ERR_NO_MEMORY. */
int sbi_fail_errno(sbx_error *err, int code, const char *format, ...) SBI_PRINTF(3, 4);

/* Says, ahead of an error from below, what we were about to do. */
int sbi_wrap(sbx_error *err, int code, const char *format, ...) SBI_PRINTF(3, 4);

/*
 * Adds to an error what mends it, and the doctor check that explains it (NULL:
 * none). The innermost fix stays: it knows most.
 */
int sbi_fix(sbx_error *err, int code, const char *check, const char *format, ...)
    SBI_PRINTF(4, 5);

/*
 * A failure of the way to a place, or of a start there: names the doctor check that
 * explains its code, where nobody nearer has named one.
 */
int sbi_explain(sbx_error *err, int code);

/* Notes on an error what is known of the far side: an sbx_executed. */
int sbi_executed(sbx_error *err, int code, int executed);

#endif
