/*
 * shell.h - every text that a shell over there gets to read, built from parts.
 *
 * A command travels in two pieces. The command line for the login shell is
 * constant but for a tag: `exec /bin/sh -c '...'` with a script that has no quote,
 * newline or backslash in it, nor a '!' but before a blank, so that every login shell
 * (fish and csh too) passes it on unharmed. What differs from run to run (folder,
 * environment, words) is one line of shell code, the header, which that script reads from
 * its standard input and evaluates; so it shows in no argument list over there, and what
 * follows it is the command's own standard input. See docs/exec.md.
 */
#ifndef SANDBOX_SESSION_SHELL_H
#define SANDBOX_SESSION_SHELL_H

#include "base/error.h"
#include "base/str.h"

#define SBI_NONCE_SIZE 33
#define SBI_RUN_ID_SIZE 33

struct sbi_shell_kind {
    const char *tag;    /* hex digits, which show in its command line until its end */
    bool pty;           /* its standard input is a terminal */
    bool watched;       /* a warden watches it: it needs no watchdog of its own */
    bool guarded_later; /* its watchdog waits for a warden, without which it kills */
    bool prefixed;      /* it stands behind a prefix: it tells in which world it is */
};

/* The supervisor: reads a header, starts a watchdog, becomes the command. */
int sbi_shell_supervisor(const struct sbi_shell_kind *kind, char **out, sbx_error *err);

/*
 * The warden: watches the runs of one connection, and kills those that are left at the
 * end of its standard input. It reads the line `sbx_n=NONCE`, says `ready` or `blind`,
 * and then reads lines: `+ RUN LIMIT_S` (about to start; 0: no limit), `= RUN PID
 * [WATCHDOG]` (its command's, and of a watchdog that waits for it), `- RUN` (no more to
 * be watched).
 */
int sbi_shell_warden(char **out, sbx_error *err);

struct sbi_shell_run {
    const char *nonce;
    const char *run_id;
    const char *cwd;         /* NULL: where the login shell starts */
    const char *const *env;  /* "NAME=value", NULL-ended, checked; NULL: none */
    const char *const *argv; /* the words, or NULL for shell text */
    const char *command;     /* the shell text */
    const char *shell;       /* words of the program that reads it; NULL: bash, else sh */
    int64_t limit_s;         /* of the far clock, whole seconds; 0: none */
    bool detach;             /* its watchdog does not look for the client */
    bool interactive;        /* pagers and prompts stay armed */
    bool keep;               /* how it ends is noted over there */
    bool pty;                /* bash reads more than a line from a terminal */
};

/* The line that a supervisor reads, with its newline. */
int sbi_shell_header(const struct sbi_shell_run *run, char **out, size_t *length,
                     sbx_error *err);

/*
 * The undertaker: kills what belongs to a run, looks, and tells what is left. tag: of the
 * run, by which another one finds this one too; or "".
 */
int sbi_shell_undertaker(const char *tag, char **out, sbx_error *err);

struct sbi_shell_burial {
    const char *nonce;
    const char *run_id;
    const char *tag;       /* of its supervisor, which is looked for where pid is 0 */
    int64_t pid;           /* of the command: its session and group */
    int64_t watchdog;      /* of its watchdog, which is not counted */
    int64_t kill_after_ms; /* from TERM to KILL */
    int64_t world;         /* as the supervisor told it; 0: it is not asked for */
};

int sbi_shell_burial_header(const struct sbi_shell_burial *burial, char **out,
                            size_t *length, sbx_error *err);

/* Dismisses watchdogs whose commands have ended; a command line, without a header. */
int sbi_shell_farewell(const int64_t *watchdogs, size_t count, char **out,
                       sbx_error *err);

#endif
