/* text.h - a text that grows, and a list of words that grows. All zero is empty. */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include "own.h"

#include <stdbool.h>
#include <stdint.h>

struct text {
    char *data; /* NULL, or ends in a NUL */
    size_t length;
    size_t capacity;
};

#define AUTO_TEXT CLEANUP(text_clear) struct text

void text_add(struct text *text, const char *more);
void text_add_bytes(struct text *text, const void *bytes, size_t length);
void text_addf(struct text *text, const char *form, ...) PRINTF(2, 3);

/* Adds a JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD. */
void text_add_json(struct text *text, const char *string);

/* "45s", "12m", "3h", "2d". */
void text_add_age(struct text *text, int64_t seconds);

/* Text of a person's, on one line: what a terminal obeys is made visible. */
void text_add_shown(struct text *text, const char *shown);

/* Frees what it holds, over which zeros are written first: it may be a password. */
void text_clear(struct text *text);

/* Borrowed words; the array has a NULL behind the last one (NULL itself when new). */
struct words {
    const char **items;
    size_t count;
};

#define AUTO_WORDS CLEANUP(words_clear) struct words

void words_add(struct words *words, const char *word);
bool words_have(const struct words *words, const char *word);
void words_clear(struct words *words);

#endif
