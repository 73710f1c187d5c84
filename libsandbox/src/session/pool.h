/* pool.h - what a pool is told by those who know it from inside. */
#ifndef SANDBOX_SESSION_POOL_H
#define SANDBOX_SESSION_POOL_H

#include <sandbox/pool.h>

/* How many places it keeps, in place of 256. Before the first is acquired. */
void sbi_pool_set_most(sbx_pool *pool, size_t most);

#endif
