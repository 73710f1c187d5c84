/*
 * file_call.h - one call on files: a script that runs over there, and what became of it.
 */
#ifndef SANDBOX_SESSION_FILE_CALL_H
#define SANDBOX_SESSION_FILE_CALL_H

#include "base/str.h"
#include "session/file_said.h"

#include <sandbox/exec.h>

struct sbi_file_call {
    const char *action; /* "read": for the text of an error */
    const char *path;
    const char *script;
    const char *words[8]; /* arguments behind the path, NULL-ended */
    bool changes;         /* not a mere look: when it is lost, executed is unknown */
    sbx_exec_opts input;  /* its input fields, timeout_ms and cancel are taken */

    /* Sees standard output; non-zero ends the call well. NULL: it goes to answer. */
    int (*on_output)(const char *data, size_t length, void *userdata);
    void *userdata;
};

struct sbi_file_answer {
    struct sbi_str output; /* what the script answered, to a limit */
    struct sbi_file_said said;
    struct sbi_str complaints; /* of its tools */
    int exit_code;             /* 0, or that of a tool which complained */
    bool ended;                /* by on_output */
};

#define SBI_AUTO_FILE_ANSWER SBI_CLEANUP(sbi_file_answer_clear) struct sbi_file_answer

/*
 * A script that says what failed is an error; so is one that did not come to its end. A
 * tool that complained is none.
 */
int sbi_file_call(sbx_session *session, const struct sbi_file_call *call,
                  struct sbi_file_answer *out, sbx_error *err);

/* Checks flags and path, and that there is a session. */
int sbi_file_check(sbx_session *session, const char *action, const char *path,
                   uint64_t flags, uint64_t known, sbx_error *err);

/* "0" or "1", as scripts take flags. */
const char *sbi_file_flag(uint64_t flags, uint64_t flag);

/* A mode as chmod takes it, "" for none. Fails on one over 07777. */
int sbi_file_mode(int64_t mode, char out[8], sbx_error *err);

void sbi_file_answer_clear(struct sbi_file_answer *answer);

#endif
