#include "base/df.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_NUMBER 18

/* The start of the word before at, within line; NULL where there is none. */
static const char *word_before(const char *line, const char *at)
{
    while (at > line && at[-1] == ' ')
        at--;
    if (at == line)
        return NULL;
    while (at > line && at[-1] != ' ')
        at--;
    return at;
}

static bool read_number(const char *word, int64_t *value)
{
    size_t length = word == NULL ? 0 : strspn(word, "0123456789");

    if (length == 0 || length > LONGEST_NUMBER || word[length] != ' ')
        return false;
    *value = strtoll(word, NULL, 10);
    return true;
}

/*
 * Names of file systems and mount points may hold blanks: the share in per cent,
 * behind three numbers, is what a row is known by.
 */
bool sbi_df_row(const char *line, int column, int64_t *value)
{
    const char *words[4];
    const char *mark, *at;
    int64_t ignored;
    int i;

    for (mark = strchr(line, '%'); mark != NULL; mark = strchr(mark + 1, '%')) {
        at = word_before(line, mark);
        for (i = 3; i >= 1 && at != NULL; i--)
            words[i] = at = word_before(line, at);
        if (at != NULL && read_number(words[1], &ignored) &&
            read_number(words[2], &ignored) && read_number(words[3], &ignored))
            return read_number(words[column], value);
    }
    return false;
}
