#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    int code;
    const char *name;
    bool retryable;
} codes[] = {
    {SBX_OK, "SBX_OK", false},
    {SBX_ERR_INTERNAL, "SBX_ERR_INTERNAL", false},
    {SBX_ERR_NO_MEMORY, "SBX_ERR_NO_MEMORY", false},
    {SBX_ERR_INVALID, "SBX_ERR_INVALID", false},
    {SBX_ERR_CONFIG, "SBX_ERR_CONFIG", false},
    {SBX_ERR_NOT_FOUND, "SBX_ERR_NOT_FOUND", false},
    {SBX_ERR_EXISTS, "SBX_ERR_EXISTS", false},
    {SBX_ERR_CONNECT, "SBX_ERR_CONNECT", true},
    {SBX_ERR_HOST_KEY, "SBX_ERR_HOST_KEY", false},
    {SBX_ERR_AUTH, "SBX_ERR_AUTH", false},
    {SBX_ERR_DISCONNECTED, "SBX_ERR_DISCONNECTED", true},
    {SBX_ERR_TIMEOUT, "SBX_ERR_TIMEOUT", true},
    {SBX_ERR_CANCELLED, "SBX_ERR_CANCELLED", false},
    {SBX_ERR_LIMIT, "SBX_ERR_LIMIT", false},
    {SBX_ERR_IO, "SBX_ERR_IO", false},
    {SBX_ERR_REMOTE, "SBX_ERR_REMOTE", false},
    {SBX_ERR_UNSUPPORTED, "SBX_ERR_UNSUPPORTED", false},
    {SBX_ERR_CONFLICT, "SBX_ERR_CONFLICT", false},
};

static bool code_is_retryable(int code)
{
    size_t i;

    for (i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
        if (codes[i].code == code)
            return codes[i].retryable;
    return false;
}

/* An error is one line: what came from a server or a file name may not be. */
static void keep_one_line(char *text)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            *text = ' ';
}

SBI_PRINTF(2, 0)
static void set_text(sbx_error *err, const char *format, va_list args)
{
    (void)vsnprintf(err->text, sizeof(err->text), format, args);
    keep_one_line(err->text);
}

static void append(sbx_error *err, const char *text)
{
    size_t used = strlen(err->text);

    (void)snprintf(err->text + used, sizeof(err->text) - used, ": %s", text);
}

static void start(sbx_error *err, int code, int sys_errno)
{
    memset(err, 0, sizeof(*err));
    err->code = code;
    err->sys_errno = sys_errno;
    err->retryable = code_is_retryable(code);
}

int sbi_fail(sbx_error *err, int code, const char *format, ...)
{
    va_list args;

    if (err == NULL)
        return code;

    start(err, code, 0);
    va_start(args, format);
    set_text(err, format, args);
    va_end(args);
    return code;
}

int sbi_fail_errno(sbx_error *err, int code, const char *format, ...)
{
    int cause = errno;
    char reason[96];
    va_list args;

    if (cause == ENOMEM)
        code = SBX_ERR_NO_MEMORY;
    if (err == NULL)
        return code;

    start(err, code, cause);
    va_start(args, format);
    set_text(err, format, args);
    va_end(args);
    append(err, strerror_r(cause, reason, sizeof(reason)));
    return code;
}

int sbi_wrap(sbx_error *err, int code, const char *format, ...)
{
    char below[sizeof(err->text)];
    va_list args;

    if (err == NULL)
        return code;

    memcpy(below, err->text, sizeof(below));
    err->code = code;
    va_start(args, format);
    set_text(err, format, args);
    va_end(args);
    append(err, below);
    return code;
}

int sbi_fix(sbx_error *err, int code, const char *check, const char *format, ...)
{
    va_list args;

    if (err == NULL)
        return code;

    if (check != NULL && err->check[0] == '\0')
        (void)snprintf(err->check, sizeof(err->check), "%s", check);
    if (err->fix[0] == '\0') {
        va_start(args, format);
        (void)vsnprintf(err->fix, sizeof(err->fix), format, args);
        va_end(args);
        keep_one_line(err->fix);
    }
    return code;
}

int sbi_explain(sbx_error *err, int code)
{
    static const struct {
        int code;
        const char *check;
    } table[] = {
        {SBX_ERR_CONFIG, "config"},       {SBX_ERR_CONNECT, "connect"},
        {SBX_ERR_TIMEOUT, "connect"},     {SBX_ERR_HOST_KEY, "host-key"},
        {SBX_ERR_AUTH, "auth"},           {SBX_ERR_DISCONNECTED, "latency"},
        {SBX_ERR_LIMIT, "session-limit"},
    };
    size_t i;

    if (err == NULL || err->check[0] != '\0')
        return code;
    for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (table[i].code == code)
            (void)snprintf(err->check, sizeof(err->check), "%s", table[i].check);
    return code;
}

int sbi_executed(sbx_error *err, int code, int executed)
{
    if (err != NULL)
        err->executed = executed;
    return code;
}

const char *sbx_code_name(int code)
{
    size_t i;

    for (i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
        if (codes[i].code == code)
            return codes[i].name;
    return "SBX_ERR_UNKNOWN";
}

const char *sbx_executed_name(int executed)
{
    static const char *const names[] = {"no", "yes", "unknown"};

    return executed >= 0 && executed <= 2 ? names[executed] : "unknown";
}
