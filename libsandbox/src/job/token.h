/* token.h - words, numbers and texts of one line, read with a cursor that moves on. */
#ifndef SANDBOX_JOB_TOKEN_H
#define SANDBOX_JOB_TOKEN_H

#include "base/str.h"

#include <stdint.h>

struct sbi_token {
    const char *at;
    const char *end;
};

/* The next word, and one blank behind it; an empty one at the end of the line. */
struct sbi_token sbi_token_word(struct sbi_token *line);

bool sbi_token_is(struct sbi_token word, const char *text);

/* The next word as a number without a sign, at most 18 digits; what is none: otherwise.
 */
int64_t sbi_token_number(struct sbi_token *line, int64_t otherwise);

/* A word that does not fit is "". */
void sbi_token_copy(struct sbi_token word, char *out, size_t room);

/* What is left of the line, each %XX decoded, at most 64 KiB; replaces *out. */
int sbi_token_text(struct sbi_token line, char **out);

/* Adds "KEY TEXT" as one line: each byte that a line cannot hold becomes %XX. */
void sbi_token_add(struct sbi_str *text, const char *key, const char *value,
                   size_t length);

#endif
