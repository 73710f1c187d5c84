/* wire.h - the pipe to the client: bytes into lines on the way in, whole lines out. */
#ifndef MCP_WIRE_H
#define MCP_WIRE_H

#include "raw.h"

#include <pthread.h>

enum { WIRE_LONGEST = 24 << 20 }; /* bytes of a line */

enum wire_got {
    WIRE_LINE = 1,
    WIRE_TOO_LONG, /* only its beginning is there; the rest was dropped */
    WIRE_END
};

/* Of one thread. All zero but fd. */
struct wire_in {
    int fd;
    char *data;
    size_t start; /* of what was not handed out yet */
    size_t seen;  /* up to where no end of line was found */
    size_t end;
    size_t capacity;
    char kept[4096]; /* the beginning of a line that was dropped */
};

/* Waits for the next line; it lives until the next call. */
enum wire_got wire_next(struct wire_in *in, struct raw *line);

void wire_in_clear(struct wire_in *in);

/* Of any thread. */
struct wire_out {
    pthread_mutex_t lock;
    int fd;
};

/* Writes a line and its end, all of it or what there was room for before it broke. */
bool wire_send(struct wire_out *out, const char *line, size_t length);

/* The same for a short line that may be left out: false where it would have to wait. */
bool wire_try(struct wire_out *out, const char *line, size_t length);

#endif
