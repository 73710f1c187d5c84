/*
 * file_glob.c - a matcher that goes back only to the last star of each kind.
 *
 * That is enough: what a star took, a later one of its kind may take just as well. So the
 * work is at most the product of both lengths for each kind of star, whatever the
 * pattern.
 */
#include "session/file_glob.h"

#include <stddef.h>
#include <string.h>

/* The end of a set that begins at its bracket, or NULL: then the bracket is plain. */
static const char *set_end(const char *at)
{
    at++;
    if (*at == '!' || *at == '^')
        at++;
    if (*at == ']')
        at++;
    while (*at != '\0' && *at != ']' && *at != '/')
        at++;
    return *at == ']' ? at : NULL;
}

static bool in_set(const char *at, const char *end, unsigned char byte)
{
    bool negated = at[1] == '!' || at[1] == '^';
    bool found = false;

    for (at += negated ? 2 : 1; at < end; at++) {
        unsigned char low = (unsigned char)*at, high = low;

        if (at[1] == '-' && at + 2 < end) {
            high = (unsigned char)at[2];
            at += 2;
        }
        found = found || (byte >= low && byte <= high);
    }
    return found != negated;
}

/* Bytes of the character there; one where it is no UTF-8. */
static size_t character(const char *at)
{
    unsigned char lead = (unsigned char)*at;
    size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1, i;

    for (i = 1; i < length; i++)
        if (((unsigned char)at[i] & 0xC0) != 0x80)
            return 1;
    return length;
}

/* What one piece of pattern takes of the path: false where it does not match. */
static bool step(const char **pattern, const char **path)
{
    const char *end = **pattern == '[' ? set_end(*pattern) : NULL;

    if (**path == '\0')
        return false;
    if (**pattern == '?' || end != NULL) {
        if (**path == '/' ||
            (end != NULL && !in_set(*pattern, end, (unsigned char)**path)))
            return false;
        *path += end != NULL ? 1 : character(*path);
        *pattern = end != NULL ? end + 1 : *pattern + 1;
        return true;
    }
    if (**pattern == '\\' && (*pattern)[1] != '\0')
        ++*pattern;
    if (**pattern != **path)
        return false;
    ++*pattern;
    ++*path;
    return true;
}

/* Where a match may be taken up again: pattern behind a star, path where it stopped. */
struct star {
    const char *pattern;
    const char *path;
};

/* Of `**` takes one more segment, of `*` one more byte that is no slash. */
static bool retry(struct star *star, bool deep, const char **pattern, const char **path)
{
    const char *slash;

    if (star->pattern == NULL)
        return false;
    if (deep) {
        slash = strchr(star->path, '/');
        if (slash == NULL)
            return false;
        star->path = slash + 1;
    } else if (*star->path == '\0' || *star->path == '/') {
        return false;
    } else {
        star->path++;
    }
    *pattern = star->pattern;
    *path = star->path;
    return true;
}

/* `**` as a whole segment, with its slash; at the end it takes all that is left. */
static bool is_deep(const char *start, const char *at)
{
    return at[0] == '*' && at[1] == '*' && (at == start || at[-1] == '/') &&
           (at[2] == '/' || at[2] == '\0');
}

static bool match(const char *start, const char *path)
{
    const char *pattern = start;
    struct star star = {NULL, NULL}, deep = {NULL, NULL};

    for (;;) {
        if (is_deep(start, pattern)) {
            if (pattern[2] == '\0')
                return *path != '\0';
            pattern += 3;
            deep = (struct star){pattern, path};
            star.pattern = NULL;
        } else if (*pattern == '*') {
            star = (struct star){++pattern, path};
        } else if (*pattern == '\0' && *path == '\0') {
            return true;
        } else if ((*pattern == '\0' || !step(&pattern, &path)) &&
                   !retry(&star, false, &pattern, &path)) {
            star.pattern = NULL;
            if (!retry(&deep, true, &pattern, &path))
                return false;
        }
    }
}

bool sbi_file_glob(const char *pattern, const char *path)
{
    const char *name = strrchr(path, '/');

    if (strchr(pattern, '/') == NULL && strcmp(pattern, "**") != 0)
        path = name == NULL ? path : name + 1;
    return match(pattern, path);
}

bool sbi_file_glob_is_plain(const char *pattern)
{
    return strpbrk(pattern, "?[\\/") == NULL;
}
