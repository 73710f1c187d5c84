/*
 * ask.h - runs commands in a test and holds what came back against what is due.
 *
 * What is made here is leaked on failure only: a failed check ends its process.
 */
#ifndef TESTS_SUPPORT_ASK_H
#define TESTS_SUPPORT_ASK_H

#include "support/unit.h"

#include <sandbox/exec.h>

#include <sys/types.h>

/* Runs shell text; the call must succeed, however the command ends. */
sbx_exec_result *ask(sbx_session *session, const char *command,
                     const sbx_exec_opts *opts);
sbx_exec_result *ask_argv(sbx_session *session, const char *const *argv,
                          const sbx_exec_opts *opts);

/*
 * Runs shell text to a time-out. Where it has not said `word` so many times by then,
 * the machine was too busy to start it: again, with a longer limit. opts->timeout_ms is
 * the first limit, 0: one that an idle machine keeps; it is left at the one that held.
 */
sbx_exec_result *ask_to_limit(sbx_session *session, const char *command,
                              sbx_exec_opts *opts, const char *word, int times);

/* Ended by itself with this code. */
void expect_exit(const sbx_exec_result *result, int code);

/* Ended so by us, a timed_out or cancelled one, and confirmed dead with all of it. */
void expect_stopped(const sbx_exec_result *result, int end, const char *what);

/* Exactly these bytes of standard output; of standard error nothing. */
void expect_bytes(const sbx_exec_result *result, const void *bytes, size_t length);
void expect_text(const sbx_exec_result *result, const char *text);

/* ask, expect_exit 0, expect_text, freed. */
void expect_says(sbx_session *session, const char *command, const sbx_exec_opts *opts,
                 const char *text);

/* As expect_says for a command that prints nothing: what a `test` holds. */
void expect_holds(sbx_session *session, const char *command);

/* Asks again until the shell text exits with 0; fails after that many seconds. */
void expect_soon(sbx_session *session, const char *command, int seconds);

int64_t now_ms(void);

/* Gone, or a zombie, which is as dead. */
bool is_gone(pid_t pid);
bool is_gone_within(pid_t pid, int64_t ms);

/* The number behind "word " in text: "child 12" has 12; 0 where there is none. */
pid_t pid_after(const char *text, const char *word);

/* How many processes carry the run's id in their environment; zombies do not. */
int processes_of_run(const char *run_id);

#endif
