/* mux_frame.c - any bytes as what a master, or a client of one, says. */
#include "transport/mux_frame.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_at(const struct sbi_mux_text *text, const char *data, size_t used)
{
    if (text->length > used ||
        (text->length > 0 &&
         (text->data < data || text->data + text->length > data + used)))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *at = (const char *)data;
    struct sbi_mux_message message;
    struct sbi_mux_text one;
    size_t used;

    while (sbi_mux_parse(at, size, &message, &used) == SBI_MUX_WHOLE) {
        if (used < 8 || used > size)
            abort();
        look_at(&message.reason, at, used);
        look_at(&message.term, at, used);
        look_at(&message.command, at, used);
        look_at(&message.env, at, used);
        while (sbi_mux_next_env(&message.env, &one))
            look_at(&one, at, used);
        if (message.env.length > 0)
            abort();
        at += used;
        size -= used;
    }
    return 0;
}
