/*
 * cancel.h - stops a blocking call from outside.
 *
 * A token is passed in the options of any call that may block. Firing it makes
 * that call, and every later call given the same token, stop what it does over
 * there and say that it was cancelled. Any thread may fire it while others use
 * it; sbx_cancel_fire may even run in a signal handler.
 */
#ifndef SANDBOX_CANCEL_H
#define SANDBOX_CANCEL_H

#include <sandbox/error.h>

SBX_BEGIN_DECLS

typedef struct sbx_cancel sbx_cancel;

SBX_API int sbx_cancel_new(sbx_cancel **out, sbx_error *err);

/* Async-signal-safe. Firing twice is firing once. */
SBX_API void sbx_cancel_fire(sbx_cancel *cancel);

SBX_API bool sbx_cancel_fired(const sbx_cancel *cancel);

/* No call may still be using the token. NULL is fine. */
SBX_API void sbx_cancel_free(sbx_cancel *cancel);

SBX_END_DECLS
#endif
