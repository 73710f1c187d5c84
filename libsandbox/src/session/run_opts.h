/* run_opts.h - what a run is given, and what is told of it. */
#ifndef SANDBOX_SESSION_RUN_OPTS_H
#define SANDBOX_SESSION_RUN_OPTS_H

#include "session/session.h"
#include "session/shell.h"

#include <sandbox/exec.h>

struct sbi_run_opts {
    struct sbi_shell_run shell; /* nonce and run_id are filled in by sbi_run */
    const char *run_id;
    const sbx_exec_opts *exec;
    const char *term;

    /* Sees every byte of the command's own; non-zero cancels. */
    int (*on_bytes)(int stream, const void *data, size_t length, void *userdata);
    void *userdata;
};

struct sbi_ran {
    int end; /* an sbx_exec_end */
    int exit_code;
    char signal[16];
    bool confirmed_dead;
    int64_t *survivors;
    size_t survivor_count;
    bool holds_output;
    int64_t duration_ms;
    sbx_error error; /* of a lost one */
};

#endif
