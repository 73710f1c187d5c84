#include "job/collapse.h"

#include <string.h>

/* A '\r' at the very end overwrote nothing yet: what stands before it is still seen. */
static void add_seen(const struct sbi_str *line, struct sbi_str *out)
{
    size_t end = line->length, start;

    if (line->status != SBX_OK)
        out->status = line->status; /* not all of it was held */
    while (end > 0 && line->data[end - 1] == '\r')
        end--;
    for (start = end; start > 0 && line->data[start - 1] != '\r';)
        start--;
    if (end > start)
        sbi_str_add_bytes(out, line->data + start, end - start);
}

static void hold(struct sbi_collapse *collapse, const char *data, size_t length)
{
    struct sbi_str *line = &collapse->line;
    size_t drop = 0, kept;

    if (length > SBI_COLLAPSE_MOST) {
        data += length - SBI_COLLAPSE_MOST;
        length = SBI_COLLAPSE_MOST;
    }
    if (line->length + length > SBI_COLLAPSE_MOST)
        drop = line->length + length - SBI_COLLAPSE_MOST;
    if (drop > 0) {
        kept = line->length - drop;
        memmove(line->data, line->data + drop, kept);
        line->length = kept;
        line->data[kept] = '\0';
    }
    sbi_str_add_bytes(line, data, length);
}

void sbi_collapse_feed(struct sbi_collapse *collapse, const char *data, size_t length,
                       struct sbi_str *out)
{
    const char *end = data + length;

    while (data < end) {
        const char *stop = memchr(data, '\n', (size_t)(end - data));

        hold(collapse, data, (size_t)((stop == NULL ? end : stop) - data));
        if (stop == NULL)
            return;
        add_seen(&collapse->line, out);
        sbi_str_add(out, "\n");
        sbi_str_clear(&collapse->line);
        data = stop + 1;
    }
}

void sbi_collapse_end(struct sbi_collapse *collapse, struct sbi_str *out)
{
    add_seen(&collapse->line, out);
    sbi_str_clear(&collapse->line);
}
