/* mark.c - any bytes as the output of a far-side script, in one piece and in two. */
#include "session/mark.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NONCE "0123456789abcdef"

static void look_at(const char *text, size_t length, const struct sbi_mark *mark)
{
    int64_t numbers[4];
    size_t count = 0, i;

    if (mark->length > length || mark->start > length - mark->length ||
        text[mark->start + mark->length - 1] != ';' ||
        memchr(mark->words, ';', mark->words_length) != NULL)
        abort();
    if (!sbi_mark_read(mark, "alive", numbers, 4, &count))
        return;
    if (count > 4)
        abort();
    for (i = 0; i < count; i++)
        if (numbers[i] < 0)
            abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    struct sbi_mark mark, again;
    int found = sbi_mark_find(text, size, NONCE, &mark);
    int half = sbi_mark_find(text, size / 2, NONCE, &again);

    if (found == SBI_MARK_WHOLE)
        look_at(text, size, &mark);
    if (half == SBI_MARK_WHOLE && (found != SBI_MARK_WHOLE || again.start != mark.start))
        abort();
    if (half == SBI_MARK_PARTIAL && (found == SBI_MARK_NONE || again.start != mark.start))
        abort();
    return 0;
}
