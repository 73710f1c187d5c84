/* parallel.h - the same work for each of many, side by side. */
#ifndef CLI_PARALLEL_H
#define CLI_PARALLEL_H

#include <stddef.h>

typedef void (*parallel_fn)(size_t index, void *userdata);

/*
 * Calls fn once for each index below count, at most 64 at a time, and returns when
 * all have returned. A single one runs on the caller's own thread.
 */
void parallel_run(size_t count, parallel_fn fn, void *userdata);

#endif
