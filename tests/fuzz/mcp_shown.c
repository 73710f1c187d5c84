/* mcp_shown.c - any bytes as what a program printed: what a model gets is harmless text.
 */
#include "mask.h"
#include "raw.h"
#include "shown.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const struct text *text)
{
    size_t at = 0;

    while (at < text->length) {
        size_t step = raw_character(text->data + at, text->length - at);
        unsigned char c = (unsigned char)text->data[at];

        if (step == 0 || c == 0x7f || (c < 0x20 && c != '\n' && c != '\t'))
            abort();
        at += step;
    }
}

static void show(const uint8_t *data, size_t size, size_t limit)
{
    const struct shown opts = {.limit = limit, .total = size, .how = "see there"};
    AUTO_TEXT text = {0};
    AUTO_TEXT masked = {0};
    const struct words nothing = {0};

    text_add(&text, "");
    (void)shown_add(&text, (const char *)data, size, &opts);
    check_text(&text);
    if (shown_count(text.data, text.length) > limit + 120)
        abort();
    if (mask_text(text.data, &nothing, true, &masked))
        check_text(&masked);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    show(data, size, 16);
    show(data, size, 20000);
    return 0;
}
