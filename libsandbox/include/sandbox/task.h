/*
 * task.h - makes any blocking call of this library a background one.
 *
 * A task runs one function on a thread of its own. The token it is given is
 * fired by sbx_task_cancel; hand it on in the options of the calls it makes.
 */
#ifndef SANDBOX_TASK_H
#define SANDBOX_TASK_H

#include <sandbox/cancel.h>

SBX_BEGIN_DECLS

typedef struct sbx_task sbx_task;

/* Returns SBX_OK, or an sbx_code with err filled in. */
typedef int (*sbx_task_fn)(sbx_cancel *cancel, void *userdata, sbx_error *err);
typedef void (*sbx_task_release_fn)(void *userdata);

/* release, if not NULL, is called once on userdata when the task is freed. */
SBX_API int sbx_task_start(sbx_task_fn fn, void *userdata, sbx_task_release_fn release,
                           sbx_task **out, sbx_error *err);

/* Waits at most timeout_ms (negative: for ever); true once fn has returned. */
SBX_API bool sbx_task_wait(sbx_task *task, int64_t timeout_ms);

/* What fn returned, with its error. Waits for it. */
SBX_API int sbx_task_result(sbx_task *task, sbx_error *err);

SBX_API void sbx_task_cancel(sbx_task *task);

/* Cancels, waits, then frees. NULL is fine. */
SBX_API void sbx_task_free(sbx_task *task);

SBX_END_DECLS
#endif
