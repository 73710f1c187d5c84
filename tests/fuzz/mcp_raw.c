/* mcp_raw.c - any bytes as a message, looked into without reading it. */
#include "raw.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool is_inside(struct raw part, struct raw whole)
{
    return part.length <= whole.length && part.at >= whole.at &&
           part.at + part.length <= whole.at + whole.length;
}

static void look_inside(struct raw text)
{
    static const char *const names[] = {"id", "params", "method", "_meta", ""};
    struct raw rest = raw_inside(text);
    struct raw part;
    size_t items = 0;
    size_t i;

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (raw_member(text, names[i], &part) && !is_inside(part, text))
            abort();
    while (raw_next(&rest, &part))
        if (!is_inside(part, text) || ++items > text.length)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct raw text = {(const char *)data, size};
    struct raw_look look = raw_look_over(text);

    if (look.depth > size || (look.whole && look.depth == 0))
        abort();
    if (raw_is_id(text) && size == 0)
        abort();
    look_inside(text);
    return 0;
}
