/* fault.h - the program's own failures, in the form that the library gives its own. */
#ifndef CLI_FAULT_H
#define CLI_FAULT_H

#include "own.h"

#include <sandbox/error.h>

/* Each returns code, so that a failure is one statement. */
int fault(sbx_error *err, int code, const char *form, ...) PRINTF(3, 4);
int fault_errno(sbx_error *err, int code, const char *form, ...) PRINTF(3, 4);

/* Adds what mends it. */
int fault_fix(sbx_error *err, int code, const char *form, ...) PRINTF(3, 4);

#endif
