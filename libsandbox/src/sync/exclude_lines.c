/* exclude_lines.c - cuts ignore files into rules: comments, CRs, blanks at the end. */
#include "sync/exclude_lines.h"

#include <string.h>

struct sbi_rule_lines sbi_rule_lines_of(const char *text, size_t length)
{
    static const char mark[] = "\xef\xbb\xbf";

    if (length >= 3 && memcmp(text, mark, 3) == 0)
        return (struct sbi_rule_lines){text + 3, length - 3};
    return (struct sbi_rule_lines){text, length};
}

/* Without the blanks at its end, unless one is behind a backslash. */
static size_t trimmed(const char *line, size_t length)
{
    size_t end = 0;
    size_t i;

    for (i = 0; i < length; i++) {
        if (line[i] == ' ')
            continue;
        if (line[i] == '\\' && ++i == length)
            return length;
        end = i + 1;
    }
    return end;
}

bool sbi_rule_lines_next(struct sbi_rule_lines *lines, const char **rule, size_t *length)
{
    while (lines->left > 0) {
        const char *line = lines->rest;
        const char *end = memchr(line, '\n', lines->left);
        size_t whole = end == NULL ? lines->left : (size_t)(end - line);
        size_t size = whole;
        const char *nul;

        lines->rest += whole + (end != NULL ? 1 : 0);
        lines->left -= whole + (end != NULL ? 1 : 0);
        if (size > 0 && line[size - 1] == '\r')
            size--;
        nul = memchr(line, '\0', size); /* git ends a line there too */
        size = trimmed(line, nul == NULL ? size : (size_t)(nul - line));
        if (whole == 0 || line[0] == '#' || size == 0)
            continue;
        *rule = line;
        *length = size;
        return true;
    }
    return false;
}
