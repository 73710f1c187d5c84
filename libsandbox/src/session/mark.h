/*
 * mark.h - what a far-side script says in its output: `sbx:NONCE:WORD WORD...;`
 *
 * The nonce is told to the script on its standard input, so neither the noise of
 * a login shell nor a command that prints can make a mark by accident.
 */
#ifndef SANDBOX_SESSION_MARK_H
#define SANDBOX_SESSION_MARK_H

#include "base/error.h"
#include "base/str.h"

#define SBI_MARK_MAX 4096

struct sbi_mark {
    size_t start;  /* where it begins in the text */
    size_t length; /* with the semicolon */
    const char *words;
    size_t words_length;
};

enum sbi_mark_found {
    SBI_MARK_NONE = 0,    /* not in this text; it may begin in its last bytes */
    SBI_MARK_PARTIAL = 1, /* it begins at `start` and does not end yet */
    SBI_MARK_WHOLE = 2
};

/* Looks for a mark with this nonce in text, which may hold any bytes. */
int sbi_mark_find(const char *text, size_t length, const char *nonce,
                  struct sbi_mark *out);

/*
 * Reads "word 12 34": true if the first word is `word` and the rest are at most
 * room decimal numbers, put into numbers.
 */
bool sbi_mark_read(const struct sbi_mark *mark, const char *word, int64_t *numbers,
                   size_t room, size_t *count);

/* True if the words of the mark are these. */
bool sbi_mark_is(const struct sbi_mark *mark, const char *words);

#endif
