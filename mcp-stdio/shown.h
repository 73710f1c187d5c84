/*
 * shown.h - what a program printed, as text for a model: no colours, no progress bars,
 * no control characters, no half characters, and no more than was asked for.
 */
#ifndef MCP_SHOWN_H
#define MCP_SHOWN_H

#include "text.h"

#include <stdint.h>

enum { SHOWN_DEFAULT = 20000, SHOWN_MOST = 100000 }; /* characters */

struct shown {
    size_t limit;    /* characters */
    uint64_t total;  /* bytes that there were, of which the given ones may be a part */
    const char *how; /* how the rest is got, for the line between, or NULL */
};

/*
 * Adds bytes so cleaned; what is over the limit goes from the middle, and one line there
 * says how much. true: something was left out.
 */
bool shown_add(struct text *out, const char *bytes, size_t length,
               const struct shown *opts);

/* Characters in it. */
size_t shown_count(const char *text, size_t length);

#endif
