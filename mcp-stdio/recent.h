/* recent.h - the outputs and jobs that this server's calls were about, newest first. */
#ifndef MCP_RECENT_H
#define MCP_RECENT_H

#include <stdbool.h>
#include <stddef.h>

enum { RECENT_MOST = 50 };

enum recent_kind { RECENT_OUTPUT = 0, RECENT_JOB = 1 };

struct recent {
    char id[128];
    char place[128];
};

/* One that is known already moves to the front. */
void recent_add(enum recent_kind kind, const char *id, const char *place);

/* How many of a kind were copied to out. */
size_t recent_list(enum recent_kind kind, struct recent out[RECENT_MOST]);

#endif
