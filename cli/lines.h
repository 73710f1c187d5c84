/* lines.h - output of several places on one stream: whole lines, each with its place. */
#ifndef CLI_LINES_H
#define CLI_LINES_H

#include "text.h"

/* One stream of one place. A line over 1 MiB is broken in pieces of that size. */
struct lines {
    int fd;
    const char *prefix; /* "gpu1"; borrowed */
    struct text partial;
};

/* Prints the lines that are whole now. Returns 0 or an errno, as out_write. */
int lines_add(struct lines *lines, const void *bytes, size_t length);

/* Prints what is left, with a line end of ours. */
int lines_end(struct lines *lines);

#endif
