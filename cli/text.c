#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void make_room(struct text *text, size_t more)
{
    size_t need = text->length + more + 1;
    size_t capacity = text->capacity > 0 ? text->capacity : 64;

    if (need <= text->capacity)
        return;
    while (capacity < need)
        capacity *= 2;
    text->data = own_grown(text->data, capacity, 1);
    text->capacity = capacity;
}

void text_add_bytes(struct text *text, const void *bytes, size_t length)
{
    make_room(text, length);
    if (length > 0)
        memcpy(text->data + text->length, bytes, length);
    text->length += length;
    text->data[text->length] = '\0';
}

void text_add(struct text *text, const char *more)
{
    text_add_bytes(text, more, strlen(more));
}

void text_addf(struct text *text, const char *form, ...)
{
    va_list args;
    int length;

    va_start(args, form);
    length = vsnprintf(NULL, 0, form, args);
    va_end(args);
    if (length < 0)
        return;

    make_room(text, (size_t)length);
    va_start(args, form);
    (void)vsnprintf(text->data + text->length, (size_t)length + 1, form, args);
    va_end(args);
    text->length += (size_t)length;
}

/*
 * The length of the UTF-8 character that starts here, 0 where none does. A NUL is
 * no continuation byte, so nothing is read behind the end of the string.
 */
static size_t character_length(const unsigned char *at)
{
    static const struct {
        unsigned char first, last, low, high; /* of the lead byte, then of the second */
        size_t length;
    } forms[] = {
        {0x01, 0x7f, 0x00, 0xff, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2},
        {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
        {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4},
        {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    size_t i;
    size_t j;

    for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        if (at[0] >= forms[i].first && at[0] <= forms[i].last)
            break;
    if (i == sizeof(forms) / sizeof(forms[0]))
        return 0;
    if (forms[i].length > 1 && (at[1] < forms[i].low || at[1] > forms[i].high))
        return 0;
    for (j = 2; j < forms[i].length; j++)
        if ((at[j] & 0xc0) != 0x80)
            return 0;
    return forms[i].length;
}

void text_add_json(struct text *text, const char *string)
{
    const unsigned char *at = (const unsigned char *)string;
    size_t length;

    text_add(text, "\"");
    for (; *at != '\0'; at += length > 0 ? length : 1) {
        length = character_length(at);
        if (length == 0)
            text_add(text, "\\ufffd");
        else if (*at == '"' || *at == '\\')
            text_addf(text, "\\%c", *at);
        else if (*at < 0x20 || *at == 0x7f)
            text_addf(text, "\\u%04x", *at);
        else
            text_add_bytes(text, at, length);
    }
    text_add(text, "\"");
}

void text_clear(struct text *text)
{
    if (text->data != NULL)
        explicit_bzero(text->data, text->capacity);
    free(text->data);
    *text = (struct text){0};
}

void words_add(struct words *words, const char *word)
{
    words->items = own_grown(words->items, words->count + 2, sizeof(words->items[0]));
    words->items[words->count++] = word;
    words->items[words->count] = NULL;
}

bool words_have(const struct words *words, const char *word)
{
    size_t i;

    for (i = 0; i < words->count; i++)
        if (strcmp(words->items[i], word) == 0)
            return true;
    return false;
}

void words_clear(struct words *words)
{
    free(words->items);
    *words = (struct words){0};
}

void text_add_age(struct text *text, int64_t seconds)
{
    static const struct {
        int64_t size;
        char unit;
    } units[] = {{86400, 'd'}, {3600, 'h'}, {60, 'm'}, {1, 's'}};
    size_t i = 0;

    seconds = seconds < 0 ? 0 : seconds;
    while (i < 3 && seconds < 2 * units[i].size)
        i++;
    text_addf(text, "%lld%c", (long long)(seconds / units[i].size), units[i].unit);
}

void text_add_shown(struct text *text, const char *shown)
{
    for (; *shown != '\0'; shown++) {
        unsigned char byte = (unsigned char)*shown;

        if (byte == '\n')
            text_add(text, "\\n");
        else if (byte < 0x20 || byte == 0x7f)
            text_addf(text, "\\x%02x", byte);
        else
            text_add_bytes(text, shown, 1);
    }
}
