/* recent.h - the outputs that this server's commands left, newest first. */
#ifndef MCP_RECENT_H
#define MCP_RECENT_H

#include <stdbool.h>
#include <stddef.h>

enum { RECENT_MOST = 50 };

struct recent {
    char run_id[40];
    char place[128];
};

void recent_add(const char *run_id, const char *place);

/* How many were copied to out. */
size_t recent_list(struct recent out[RECENT_MOST]);

#endif
