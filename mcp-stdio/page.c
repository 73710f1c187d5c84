#include "page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool page_start(const struct call *call, size_t count, size_t *start,
                struct rpc_fault *fault)
{
    const char *cursor = tree_text(call->params, "cursor");
    char expected[32];

    *start = 0;
    if (tree_at(call->params, "cursor") == NULL)
        return true;
    if (cursor != NULL && strncmp(cursor, "p", 1) == 0)
        *start = (size_t)strtoul(cursor + 1, NULL, 10);
    (void)snprintf(expected, sizeof(expected), "p%zu", *start);
    if (cursor != NULL && *start > 0 && *start < count && strcmp(cursor, expected) == 0)
        return true;
    (void)rpc_fail(fault, RPC_PARAMS,
                   "'cursor' is none that was given out: begin anew "
                   "without one");
    return false;
}

void page_end(tree *result, size_t start, size_t count)
{
    char cursor[32];

    if (start + PAGE_ITEMS >= count)
        return;
    (void)snprintf(cursor, sizeof(cursor), "p%zu", start + PAGE_ITEMS);
    tree_add_text(result, "nextCursor", cursor);
}
