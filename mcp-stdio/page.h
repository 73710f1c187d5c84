/* page.h - pages of a list, and the opaque word that leads to the next one. */
#ifndef MCP_PAGE_H
#define MCP_PAGE_H

#include "rpc.h"

enum { PAGE_ITEMS = 50 };

/* Where a request's page begins; false: its cursor is none of ours, and fault says so. */
bool page_start(const struct call *call, size_t count, size_t *start,
                struct rpc_fault *fault);

/* Adds nextCursor, if there is more. */
void page_end(tree *result, size_t start, size_t count);

#endif
