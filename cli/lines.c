#include "lines.h"

#include "out.h"

#include <pthread.h>
#include <string.h>

enum { LONGEST = 1 << 20 };

/* Lines of one write stay together: no other place's line comes between them. */
static pthread_mutex_t writing = PTHREAD_MUTEX_INITIALIZER;

static int print(const struct lines *lines, const struct text *text)
{
    int failed;

    if (text->length == 0)
        return 0;
    (void)pthread_mutex_lock(&writing);
    failed = out_write(lines->fd, text->data, text->length);
    (void)pthread_mutex_unlock(&writing);
    return failed;
}

static void move_partial(struct lines *lines, struct text *ready, const char *ending)
{
    text_addf(ready, "%s: ", lines->prefix);
    text_add_bytes(ready, lines->partial.data, lines->partial.length);
    text_add(ready, ending);
    lines->partial.length = 0;
}

int lines_add(struct lines *lines, const void *bytes, size_t length)
{
    AUTO_TEXT ready = {0};
    const char *at = bytes;
    const char *end = at + length;

    while (at < end) {
        size_t room = LONGEST - lines->partial.length;
        size_t piece = (size_t)(end - at) < room ? (size_t)(end - at) : room;
        const char *newline = memchr(at, '\n', piece);

        if (newline != NULL)
            piece = (size_t)(newline - at) + 1;
        text_add_bytes(&lines->partial, at, piece);
        at += piece;
        if (newline != NULL)
            move_partial(lines, &ready, "");
        else if (lines->partial.length == LONGEST)
            move_partial(lines, &ready, "\n");
    }
    return print(lines, &ready);
}

int lines_end(struct lines *lines)
{
    AUTO_TEXT ready = {0};
    int failed = 0;

    if (lines->partial.length > 0) {
        move_partial(lines, &ready, "\n");
        failed = print(lines, &ready);
    }
    text_clear(&lines->partial);
    return failed;
}
