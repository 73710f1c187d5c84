#include "fault.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

PRINTF(4, 0)
static void start(sbx_error *err, int code, int sys_errno, const char *form, va_list args)
{
    memset(err, 0, sizeof(*err));
    err->code = code;
    err->sys_errno = sys_errno;
    (void)vsnprintf(err->text, sizeof(err->text), form, args);
}

int fault(sbx_error *err, int code, const char *form, ...)
{
    va_list args;

    va_start(args, form);
    start(err, code, 0, form, args);
    va_end(args);
    return code;
}

int fault_errno(sbx_error *err, int code, const char *form, ...)
{
    int cause = errno;
    char reason[96];
    size_t used;
    va_list args;

    va_start(args, form);
    start(err, code, cause, form, args);
    va_end(args);
    used = strlen(err->text);
    (void)snprintf(err->text + used, sizeof(err->text) - used, ": %s",
                   strerror_r(cause, reason, sizeof(reason)));
    return code;
}

int fault_fix(sbx_error *err, int code, const char *form, ...)
{
    va_list args;

    va_start(args, form);
    (void)vsnprintf(err->fix, sizeof(err->fix), form, args);
    va_end(args);
    return code;
}
