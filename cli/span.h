/* span.h - "A:B" of an option: two numbers, either of which may be left out. */
#ifndef CLI_SPAN_H
#define CLI_SPAN_H

#include "fault.h"

#include <stdbool.h>
#include <stdint.h>

/* A side that is left out is not `given`. */
struct span {
    int64_t from;
    int64_t to;
    bool from_given;
    bool to_given;
};

/* Fails with SBX_ERR_INVALID, naming the option. */
int span_read(const char *option, const char *text, struct span *span, sbx_error *err);

#endif
