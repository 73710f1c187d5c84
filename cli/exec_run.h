/* exec_run.h - one command on one place or many: what `exec` asked for, what came. */
#ifndef CLI_EXEC_RUN_H
#define CLI_EXEC_RUN_H

#include "app.h"
#include "lines.h"
#include "places.h"
#include "shell_keys.h"

#include <sandbox/exec.h>

#include <stdatomic.h>

/* The options of `exec`. */
struct exec_values {
    int64_t timeout_ms;
    const char *cwd;
    struct words env;
    int64_t use_stdin;
    int64_t stdin_commands;
    int64_t stop_at_failure;
    int64_t pty;
    int64_t detach;
    int64_t keep_outcome;
    int64_t max_output;
    int64_t forward_agent;
};

/* One place. */
struct exec_job {
    struct exec_run *run;
    const char *place;
    int code; /* of the call: below zero, `error` says why it did not start */
    sbx_error error;
    sbx_exec_result *result;
    struct lines lines[2]; /* standard output, standard error */
};

struct exec_run {
    struct app *app;
    const struct exec_values *values;
    const char *const *command; /* one word of shell text, or an argv; NULL-ended */
    int64_t line;      /* of standard input, which the command is from; 0: it is not */
    bool broken;       /* one was cancelled, lost or not started, or cannot be printed */
    struct words env;  /* ours and the user's */
    const void *input; /* where standard input was read beforehand */
    size_t input_length;
    bool input_from_fd;
    bool shell;              /* a person's own: it hangs up and kills nothing */
    struct shell_keys *keys; /* of a shell that runs */
    bool left;               /* by ~. */
    int window;              /* a descriptor of window.h; with a terminal only */
    bool live;               /* output is printed as it comes */
    int64_t rows;
    int64_t columns;
    struct exec_job *jobs;
    size_t count;
    atomic_int write_errno; /* the first failure to print */
};

/*
 * Runs what is told of in run (app, values, command, live, shell) on the places, tells
 * how it ended, and returns the status of the program.
 */
int exec_on_places(struct exec_run *run, struct places *places);

/* Runs the command on every place; each job has its result or its error then. */
void exec_run_all(struct exec_run *run);

/* Says on stderr how the jobs ended, as far as that is not what was hoped for. */
void exec_say_all(const struct exec_run *run);

/* The JSON of each job, one a line. */
void exec_print_json(const struct exec_run *run);

/* The status of the worst job. */
int exec_status(const struct exec_run *run);

#endif
