/*
 * pool.h - sessions kept open between uses, one for each place.
 *
 * acquire hands out the shared session of a place and opens it where there is
 * none; callers that ask for the same place at once wait for one opening, and
 * callers for other places do not wait. A failure is told to those who waited
 * and is not remembered. Any thread may call any of these.
 *
 * A pool keeps up to 256 places. Beyond that the one that was not asked for the longest,
 * and that nobody holds, makes room; where all are held, acquire is SBX_ERR_LIMIT.
 */
#ifndef SANDBOX_POOL_H
#define SANDBOX_POOL_H

#include <sandbox/session.h>

SBX_BEGIN_DECLS

typedef struct sbx_pool sbx_pool;

/*
 * The pool keeps the set of hosts alive for itself: hosts may be freed at once. Without
 * an idle_ms in opts, connections that nothing ran on for ten minutes are closed.
 */
SBX_API int sbx_pool_new(sbx_hosts *hosts, const sbx_session_opts *opts, sbx_pool **out,
                         sbx_error *err);

/* *out is the caller's own hold: sbx_session_free gives it back. */
SBX_API int sbx_pool_acquire(sbx_pool *pool, const char *place, sbx_cancel *cancel,
                             sbx_session **out, sbx_error *err);

/* Lets go of a place, so that the next acquire connects anew. */
SBX_API void sbx_pool_forget(sbx_pool *pool, const char *place);

SBX_API void sbx_pool_free(sbx_pool *pool);

SBX_END_DECLS
#endif
