/* call.h - one call on computers: the script runs over there, and what became of it. */
#ifndef SANDBOX_COMPUTER_CALL_H
#define SANDBOX_COMPUTER_CALL_H

#include "base/cleanup.h"
#include "base/error.h"

#include <sandbox/computer.h>
#include <sandbox/exec.h>

struct sbi_computer_call {
    const char *action;        /* "pause": for the text of an error */
    const char *verb;          /* of the script */
    const char *name;          /* "": all */
    const char *const *words;  /* of the verb, NULL-ended; NULL: none */
    char *const *engine_words; /* that follow them; NULL: none */
    const char *why; /* what the engine itself said, if its command line is not there */
    bool goes_on;    /* it is not cut off in its midst when this side goes away */
    const sbx_computer_opts *opts;
};

/* What the script reports where a name is taken by one of the same owner. */
#define SBI_CALL_CLASH 1

/*
 * Runs it: SBX_OK with what it printed, an error, or SBI_CALL_CLASH. *out is for
 * sbx_exec_result_free.
 */
int sbi_computer_call(sbx_session *session, const struct sbi_computer_call *call,
                      sbx_exec_result **out, sbx_error *err);

void sbi_computer_result_clear(sbx_exec_result **result);

#define SBI_AUTO_COMPUTER_RESULT SBI_CLEANUP(sbi_computer_result_clear) sbx_exec_result *

#endif
