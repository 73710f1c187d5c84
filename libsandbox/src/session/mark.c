#include "session/mark.h"

#include <stdio.h>
#include <string.h>

int sbi_mark_find(const char *text, size_t length, const char *nonce,
                  struct sbi_mark *out)
{
    char opening[64];
    size_t opened;
    const char *at, *end;

    opened = (size_t)snprintf(opening, sizeof(opening), "sbx:%s:", nonce);
    at = length == 0 ? NULL : memmem(text, length, opening, opened);
    if (at == NULL)
        return SBI_MARK_NONE;

    out->start = (size_t)(at - text);
    out->words = at + opened;
    end = memchr(out->words, ';', length - out->start - opened);
    if (end == NULL)
        return SBI_MARK_PARTIAL;
    out->words_length = (size_t)(end - out->words);
    out->length = (size_t)(end - at) + 1;
    return SBI_MARK_WHOLE;
}

/* A number of at most 18 digits at *at, moved past; false if there is none. */
static bool take_number(const char **at, const char *end, int64_t *number)
{
    const char *first = *at;

    *number = 0;
    while (*at < end && **at >= '0' && **at <= '9' && *at - first < 18)
        *number = *number * 10 + (*(*at)++ - '0');
    return *at > first && (*at == end || **at == ' ');
}

bool sbi_mark_read(const struct sbi_mark *mark, const char *word, int64_t *numbers,
                   size_t room, size_t *count)
{
    const char *at = mark->words, *end = mark->words + mark->words_length;
    size_t named = strlen(word);

    if (mark->words_length < named || memcmp(at, word, named) != 0)
        return false;
    at += named;
    *count = 0;
    while (at < end) {
        if (*at++ != ' ' || *count == room || !take_number(&at, end, &numbers[*count]))
            return false;
        (*count)++;
    }
    return true;
}

bool sbi_mark_is(const struct sbi_mark *mark, const char *words)
{
    return strlen(words) == mark->words_length &&
           memcmp(words, mark->words, mark->words_length) == 0;
}
