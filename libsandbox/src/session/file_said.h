/*
 * file_said.h - what a script on files said of its failure, and the error that it is.
 *
 * It says lines "sbx-file:WORD DETAIL" on standard error. The first WORD that is a
 * failure counts, with all of the text behind it as its detail: names there are any
 * bytes.
 */
#ifndef SANDBOX_SESSION_FILE_SAID_H
#define SANDBOX_SESSION_FILE_SAID_H

#include "base/error.h"

struct sbi_file_said {
    char word[16];    /* "", or what failed */
    size_t detail_at; /* where its detail begins in text; 0 without a word */
    char text[1024];  /* the start of all that came, cut at a NUL */
    int64_t size;     /* of the file that is read; -1: not said */
    bool partly;      /* something was changed nonetheless */
    bool broken;      /* the file could not be read to its end */
};

void sbi_file_said_read(const char *text, size_t length, struct sbi_file_said *out);

/* The first line that a tool has said, *length bytes of it; "" where none has. */
const char *sbi_file_said_by_tool(const struct sbi_file_said *said, size_t *length);

/* action 'place:path': what was said. */
int sbi_file_said_fail(const struct sbi_file_said *said, const char *action,
                       const char *place, const char *path, sbx_error *err);

#endif
