/*
 * log.h - the library's diary, for whoever debugs it.
 *
 * The library never prints. What it wants to tell goes to one sink for the
 * whole process: set it before the first other call, or not at all. Errors do
 * not come this way; they are returned. No line ever holds a secret.
 */
#ifndef SANDBOX_LOG_H
#define SANDBOX_LOG_H

#include <sandbox/api.h>

SBX_BEGIN_DECLS

typedef enum sbx_log_level {
    SBX_LOG_WARN = 1, /* something a user should hear, though the call goes on */
    SBX_LOG_INFO = 2,
    SBX_LOG_DEBUG = 3
} sbx_log_level;

/* line: one line of UTF-8 without its end. May be called from any thread. */
typedef void (*sbx_log_fn)(int level, const char *line, void *userdata);

/* Lines up to `level` go to fn. fn NULL: silence, which is also the start. */
SBX_API void sbx_log_to(sbx_log_fn fn, int level, void *userdata);

SBX_END_DECLS
#endif
