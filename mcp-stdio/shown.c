#include "shown.h"

#include "raw.h"

#include <stdlib.h>
#include <string.h>

/* Bytes of a control sequence that starts with the ESC there. */
static size_t escape_length(const char *at, size_t left)
{
    size_t i = 2;

    if (left < 2)
        return left;
    if (at[1] == '[') {
        while (i < left && ((unsigned char)at[i] < 0x40 || (unsigned char)at[i] > 0x7e) &&
               (unsigned char)at[i] >= 0x20)
            i++;
        return i < left ? i + 1 : left;
    }
    if (strchr("]PX^_", at[1]) == NULL || at[1] == '\0')
        return strchr("()*+-./#%", at[1]) != NULL && at[1] != '\0' && left > 2 ? 3 : 2;
    for (; i < left && at[i] != '\n'; i++) {
        if (at[i] == '\a')
            return i + 1;
        if (at[i] == '\033' && i + 1 < left && at[i + 1] == '\\')
            return i + 2;
    }
    return i;
}

/* Characters that turn what stands around them about, or cannot be seen. */
static bool is_hidden(const unsigned char *at, size_t length)
{
    if (length == 2)
        return at[0] == 0xc2 && at[1] < 0xa0;
    if (length == 3 && at[0] == 0xe2 && at[1] == 0x80)
        return (at[2] >= 0x8b && at[2] <= 0x8f) || (at[2] >= 0xaa && at[2] <= 0xae);
    if (length == 3 && at[0] == 0xe2 && at[1] == 0x81)
        return at[2] >= 0xa0 && at[2] <= 0xaf;
    if (length == 4 && at[0] == 0xf3 && at[1] == 0xa0)
        return at[2] == 0x80 || at[2] == 0x81;
    return length == 3 && at[0] == 0xef && at[1] == 0xbb && at[2] == 0xbf;
}

/* A picture of a control character. */
static void add_picture(struct text *out, unsigned char c)
{
    const char picture[] = {'\xe2', '\x90', (char)(c == 0x7f ? 0xa1 : 0x80 + c)};

    text_add_bytes(out, picture, sizeof(picture));
}

static void drop_last(struct text *out, size_t line)
{
    while (out->length > line) {
        out->length--;
        if (((unsigned char)out->data[out->length] & 0xc0) != 0x80)
            break;
    }
    out->data[out->length] = '\0';
}

/*
 * A carriage return begins the line anew: what follows stands where the line was, so
 * that only the last state of a progress bar is left.
 */
static void add_control(struct text *out, const char *at, size_t left, size_t *line)
{
    if (*at == '\n') {
        text_add(out, "\n");
        *line = out->length;
    } else if (*at == '\r') {
        if (left > 1 && at[1] != '\n' && at[1] != '\r') {
            out->length = *line;
            out->data[out->length] = '\0';
        }
    } else if (*at == '\b') {
        drop_last(out, *line);
    } else if (*at == '\t') {
        text_add(out, "\t");
    } else if (*at != '\a') {
        add_picture(out, (unsigned char)*at);
    }
}

static void clean(struct text *out, const char *bytes, size_t length)
{
    size_t line = 0;
    size_t at = 0;

    text_add(out, "");
    while (at < length) {
        const unsigned char *here = (const unsigned char *)bytes + at;
        size_t step = raw_character(bytes + at, length - at);

        if (step == 0)
            text_add(out, "\xEF\xBF\xBD");
        else if (*here == '\033')
            step = escape_length(bytes + at, length - at);
        else if (*here < 0x20 || *here == 0x7f)
            add_control(out, bytes + at, length - at, &line);
        else if (!is_hidden(here, step))
            text_add_bytes(out, here, step);
        at += step > 0 ? step : 1;
    }
}

/* A NUL or much that is no text among the first bytes. */
static bool is_binary(const char *bytes, size_t length)
{
    size_t look = length < 4096 ? length : 4096;
    size_t bad = 0;
    size_t at = 0;

    while (at < look) {
        size_t step = raw_character(bytes + at, length - at);

        bad += step == 0;
        if (bytes[at] == '\0')
            bad += 4;
        at += step > 0 ? step : 1;
    }
    return bad > 3 && bad * 10 > look;
}

size_t shown_count(const char *text, size_t length)
{
    size_t count = 0;
    size_t i;

    for (i = 0; i < length; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

/* Bytes of the first so many characters. */
static size_t head_length(const struct text *text, size_t characters)
{
    size_t at = 0;

    for (; at < text->length; at++)
        if (((unsigned char)text->data[at] & 0xc0) != 0x80 && characters-- == 0)
            break;
    return at;
}

/* Where the last so many begin. */
static size_t tail_start(const struct text *text, size_t characters)
{
    size_t at = text->length;

    while (at > 0 && characters > 0) {
        at--;
        characters -= ((unsigned char)text->data[at] & 0xc0) != 0x80;
    }
    return at;
}

/* The end of a line near that place, if one is not far. */
static size_t to_line(const struct text *text, size_t at, bool back)
{
    enum { FAR = 400 };
    size_t i;

    for (i = 0; i < FAR; i++) {
        if (back ? i >= at : at + i >= text->length)
            break;
        if (text->data[back ? at - i - 1 : at + i] == '\n')
            return back ? at - i : at + i + 1;
    }
    return at;
}

static void cut(struct text *out, const struct text *all, const struct shown *opts)
{
    size_t head = to_line(all, head_length(all, opts->limit / 2), true);
    size_t tail = to_line(all, tail_start(all, opts->limit - opts->limit / 2), false);
    size_t kept = head + (all->length - tail);
    uint64_t total = opts->total > all->length ? opts->total : all->length;

    text_add_bytes(out, all->data, head);
    if (head > 0 && all->data[head - 1] != '\n')
        text_add(out, "\n");
    text_addf(out, "[... %llu of %llu bytes left out", (unsigned long long)(total - kept),
              (unsigned long long)total);
    if (opts->how != NULL)
        text_addf(out, "; %s", opts->how);
    text_add(out, " ...]\n");
    text_add_bytes(out, all->data + tail, all->length - tail);
}

bool shown_add(struct text *out, const char *bytes, size_t length,
               const struct shown *opts)
{
    AUTO_TEXT all = {0};

    if (is_binary(bytes, length)) {
        text_addf(out, "[binary: %llu bytes%s%s]",
                  (unsigned long long)(opts->total > length ? opts->total : length),
                  opts->how != NULL ? "; " : "", opts->how != NULL ? opts->how : "");
        return true;
    }
    clean(&all, bytes, length);
    if (shown_count(all.data, all.length) <= opts->limit) {
        text_add_bytes(out, all.data, all.length);
        return false;
    }
    cut(out, &all, opts);
    return true;
}
