/*
 * account.h - why an account runs no commands, read from what it said instead.
 */
#ifndef SANDBOX_SESSION_ACCOUNT_H
#define SANDBOX_SESSION_ACCOUNT_H

#include "base/str.h"

struct sbi_account_words {
    const struct sbi_str *said[2]; /* by stream: all that came in place of the start */
    int exit_code;                 /* of what ran instead */
    const char *prefix;            /* the words before its commands, or NULL */
    const char *on;                /* where these stand */
    bool computer;                 /* the words are ours: it is a container's engine */
};

/* Fills in the error of a command that was not started on place. Returns its code. */
int sbi_account_explain(const char *place, const struct sbi_account_words *words,
                        sbx_error *err);

#endif
