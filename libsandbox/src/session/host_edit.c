/*
 * host_edit.c - finds where the entries of a list lie in its text, and edits there.
 *
 * The text was parsed before, so it is whole: this scanner trusts that every string,
 * comment and bracket ends, and only must not look for brackets within the former.
 */
#include "session/host_edit.h"

#include "base/digest.h"
#include "base/str.h"

#include <string.h>

/* Of one value in the text: its first byte, and the one behind its last. */
struct span {
    const char *from, *to;
};

/* Behind the string or comment that starts there; at itself where none does. */
static const char *past_opaque(const char *at)
{
    const char *end = at;

    if (*at == '"') {
        for (at++; *at != '"' && *at != '\0'; at++)
            if (*at == '\\' && at[1] != '\0')
                at++;
        return *at == '"' ? at + 1 : at;
    }
    if (at[0] == '/' && at[1] == '/')
        return at + strcspn(at, "\n");
    if (at[0] == '/' && at[1] == '*')
        end = strstr(at + 2, "*/");
    if (end == at)
        return at;
    return end == NULL ? at + strlen(at) : end + 2;
}

/* Past comments and blanks, which to cJSON is every byte up to the blank itself. */
static const char *past_gap(const char *at)
{
    const char *next;

    for (;; at = next) {
        next = at;
        while (*next != '\0' && (unsigned char)*next <= ' ')
            next++;
        if (*next == '/')
            next = past_opaque(next);
        if (next == at)
            return at;
    }
}

/* Behind the object or array that starts there. */
static const char *past_value(const char *at)
{
    const char *next;
    size_t depth = 0;

    for (; *at != '\0'; at = next) {
        next = past_opaque(at);
        if (next != at)
            continue;
        next = at + 1;
        if (*at == '{' || *at == '[')
            depth++;
        else if ((*at == '}' || *at == ']') && --depth == 0)
            return next;
    }
    return at;
}

/* A byte order mark is the one thing ahead of a gap. */
static const char *start_of(const char *text)
{
    return past_gap(strncmp(text, "\xEF\xBB\xBF", 3) == 0 ? text + 3 : text);
}

static struct span value_at(const char *at)
{
    return (struct span){.from = at, .to = past_value(at)};
}

/*
 * Walks the entries of the array at `array`: the span of the place-th one goes to
 * *found, where it is not NULL; of the last, where place is too large. Returns
 * how many entries there are.
 */
static size_t find_entry(const char *array, size_t place, struct span *found)
{
    const char *at = past_gap(array + 1);
    struct span entry;
    size_t count = 0;

    while (*at == '{') {
        entry = value_at(at);
        if (count <= place)
            *found = entry;
        count++;
        at = past_gap(entry.to);
        if (*at == ',')
            at = past_gap(at + 1);
    }
    return count;
}

/* Without the blanks at its end; a line comment there keeps the end of its line. */
static size_t trimmed(const char *from, const char *to)
{
    while (to > from && strchr(" \t\r\n", to[-1]) != NULL)
        to--;
    return (size_t)(to - from);
}

static void add_to_array(struct sbi_str *out, const char *text, const char *array,
                         struct span entry)
{
    const char *close = past_value(array) - 1;
    struct span last = {.from = array, .to = array + 1};
    size_t count = find_entry(array, SIZE_MAX, &last);

    sbi_str_add_bytes(out, text, (size_t)(last.to - text));
    if (count > 0)
        sbi_str_add(out, ",");
    sbi_str_add_bytes(out, last.to, trimmed(last.to, close));
    sbi_str_add(out, "\n    ");
    sbi_str_add_bytes(out, entry.from, (size_t)(entry.to - entry.from));
    sbi_str_add(out, "\n");
    sbi_str_add(out, close);
}

/* A list that is one object becomes an array of it and the new one. */
static void add_to_object(struct sbi_str *out, const char *text, struct span only,
                          struct span entry)
{
    sbi_str_add_bytes(out, text, (size_t)(only.from - text));
    sbi_str_add(out, "[\n    ");
    sbi_str_add_bytes(out, only.from, (size_t)(only.to - only.from));
    sbi_str_add(out, ",\n    ");
    sbi_str_add_bytes(out, entry.from, (size_t)(entry.to - entry.from));
    sbi_str_add(out, "\n]");
    sbi_str_add(out, only.to);
}

/* What was built is wiped where it cannot be given out: it may hold passwords. */
static int take(struct sbi_str *text, char **out, sbx_error *err)
{
    int rc = sbi_str_take(text, out, err);

    if (rc < 0 && text->data != NULL)
        explicit_bzero(text->data, text->length);
    sbi_str_clear(text);
    return rc;
}

int sbi_host_edit_add(const char *text, const char *entry, char **out, sbx_error *err)
{
    const char *root = start_of(text);
    struct span added = value_at(start_of(entry));
    struct sbi_str edited = {0};

    if (*added.from == '[')
        (void)find_entry(added.from, 0, &added);
    if (*root == '[')
        add_to_array(&edited, text, root, added);
    else
        add_to_object(&edited, text, value_at(root), added);
    return take(&edited, out, err);
}

/* With the comma behind it and, where nothing else stands on its line, the line. */
static struct span with_comma_behind(const char *text, struct span entry)
{
    const char *from = entry.from, *to = past_gap(entry.to);

    entry.to = to + 1;
    while (from > text && (from[-1] == ' ' || from[-1] == '\t'))
        from--;
    to = entry.to + strspn(entry.to, " \t\r");
    if (*to != '\n' || (from > text && from[-1] != '\n'))
        return entry;
    return (struct span){.from = from, .to = to + 1};
}

static const char *comma_between(struct span before, struct span entry)
{
    const char *at = past_gap(before.to);

    return at < entry.from && *at == ',' ? at : entry.from;
}

/* The last one takes the comma ahead of it along, and leaves what lies between. */
static void cut_last(struct sbi_str *out, const char *text, const char *array,
                     size_t place, struct span entry)
{
    struct span before;
    const char *comma;
    size_t kept;

    if (place == 0) {
        sbi_str_add_bytes(out, text, (size_t)(entry.from - text));
    } else {
        (void)find_entry(array, place - 1, &before);
        comma = comma_between(before, entry);
        sbi_str_add_bytes(out, text, (size_t)(comma - text));
        kept = trimmed(comma + 1, entry.from);
        sbi_str_add_bytes(out, comma + 1, kept);
        if (kept > 0 && entry.to[strspn(entry.to, " \t\r")] != '\n')
            sbi_str_add(out, "\n"); /* it may be a line comment */
    }
    sbi_str_add(out, entry.to);
}

int sbi_host_edit_remove(const char *text, size_t place, char **out, sbx_error *err)
{
    const char *root = start_of(text);
    struct span entry = value_at(root);
    struct sbi_str edited = {0};
    size_t count;

    if (*root != '[') {
        sbi_str_add_bytes(&edited, text, (size_t)(entry.from - text));
        sbi_str_add(&edited, "[]");
        sbi_str_add(&edited, entry.to);
        return take(&edited, out, err);
    }

    count = find_entry(root, place, &entry);
    if (place >= count)
        return sbi_fail(err, SBX_ERR_INTERNAL, "no entry %zu of %zu", place, count);
    if (place + 1 == count) {
        cut_last(&edited, text, root, place, entry);
    } else {
        entry = with_comma_behind(text, entry);
        sbi_str_add_bytes(&edited, text, (size_t)(entry.from - text));
        sbi_str_add(&edited, entry.to);
    }
    return take(&edited, out, err);
}
