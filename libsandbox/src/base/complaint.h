/*
 * complaint.h - what a script over there said of its failure, as an error.
 *
 * A script that fails prints "BEGINS:WORD DETAIL" as a line of standard error, and exits
 * with 9. Whatever tools or start-up files printed before it may stand on that line, too.
 */
#ifndef SANDBOX_BASE_COMPLAINT_H
#define SANDBOX_BASE_COMPLAINT_H

#include "base/error.h"

struct sbi_complaint {
    const char *word;
    int code;
    const char *text;  /* for a person */
    const char *joint; /* between that and the detail; NULL: it is not told */
    const char *fix;   /* or NULL */
};

struct sbi_complaints {
    const char *begins; /* "sbx-job:" */
    const struct sbi_complaint *rows;
    size_t count;
};

/* The last complaint, from its word on, or NULL. errors may be NULL. */
const char *sbi_complaint_find(const struct sbi_complaints *known, const char *errors);

/* Its row, or NULL, and its detail: the rest of the line. */
const struct sbi_complaint *sbi_complaint_row(const struct sbi_complaints *known,
                                              const char *line, const char **detail,
                                              size_t *length);

/* That row as an error, with so much of the detail as has room. */
int sbi_complaint_fail(const struct sbi_complaint *row, const char *detail, size_t length,
                       sbx_error *err);

/* What an exit code and standard error come to: SBX_OK for 0, else an error. */
int sbi_complaint_judge(const struct sbi_complaints *known, int exit_code,
                        const char *errors, sbx_error *err);

#endif
