/*
 * cmd.h - what a command of the program is.
 *
 * Each command is one row in a file of its own; main.c holds only pointers to
 * them. A command reads its options from a struct that the parser filled in.
 */
#ifndef CLI_CMD_H
#define CLI_CMD_H

#include "app.h"

struct cmd;

/* Returns the exit status of the program. */
typedef int (*cmd_run_fn)(struct app *app, const void *values,
                          const struct words *operands);

struct cmd {
    const char *name;     /* "host add" */
    const char *usage;    /* what follows the name in its usage line */
    const char *help;     /* one line */
    const char *about;    /* paragraphs for its own help, each one line; or NULL */
    const char *examples; /* lines that begin with the command's name */
    const struct opt *options;
    size_t values_size;    /* of the struct that options fill in */
    int stop;              /* an opt_stop */
    size_t least;          /* operands */
    size_t most;           /* or CMD_ANY_NUMBER */
    const char *operand;   /* what the first one is: "PLACE" */
    const char *second;    /* the one behind it, where it must be there */
    const char *completes; /* what cmd_complete.c knows, or the words; of each operand
                            * by itself with '|' between */
    const struct cmd *const *commands; /* of a group, else NULL; one that runs, too, does
                                        * where the word behind it is none of these */
    cmd_run_fn run;
};

#define CMD_ANY_NUMBER SIZE_MAX

/* All commands, NULL-ended; in main.c. */
extern const struct cmd *const cmd_all[];

extern const struct opt cmd_no_options[];

/* The row of that name in a table of commands, or NULL. name is its last word. */
const struct cmd *cmd_named(const struct cmd *const *table, const char *name);

/* "add" of "host add". */
const char *cmd_word(const struct cmd *cmd);

/* Hidden ones ("__hosts") are for scripts. */
bool cmd_hidden(const struct cmd *cmd);

/* Follows words down the table: from `host`, `add` to the row of `host add`. */
int cmd_find(const struct words *words, const struct cmd **out, sbx_error *err);

/* Calls fn on each command that runs, groups unfolded. */
void cmd_each(void (*fn)(const struct cmd *cmd, void *userdata), void *userdata);

/* Adds the help of one command, or of the program where cmd is NULL. */
void cmd_help_text(const struct app *app, const struct cmd *cmd, struct text *help);

extern const struct cmd cmd_exec;
extern const struct cmd cmd_shell;
extern const struct cmd cmd_host;
extern const struct cmd cmd_host_ls;
extern const struct cmd cmd_host_show;
extern const struct cmd cmd_host_add;
extern const struct cmd cmd_host_rm;
extern const struct cmd cmd_host_check;
extern const struct cmd cmd_file;
extern const struct cmd cmd_file_stat;
extern const struct cmd cmd_file_ls;
extern const struct cmd cmd_file_cat;
extern const struct cmd cmd_file_write;
extern const struct cmd cmd_file_edit;
extern const struct cmd cmd_file_append;
extern const struct cmd cmd_file_mkdir;
extern const struct cmd cmd_file_cp;
extern const struct cmd cmd_file_mv;
extern const struct cmd cmd_file_rm;
extern const struct cmd cmd_file_sum;
extern const struct cmd cmd_doctor;
extern const struct cmd cmd_probe;
extern const struct cmd cmd_pick;
extern const struct cmd cmd_audit;
extern const struct cmd cmd_audit_show;
extern const struct cmd cmd_audit_verify;
extern const struct cmd cmd_run;
extern const struct cmd cmd_lease;
extern const struct cmd cmd_lease_ls;
extern const struct cmd cmd_lease_take;
extern const struct cmd cmd_lease_free;
extern const struct cmd cmd_lease_gc;
extern const struct cmd cmd_computer;
extern const struct cmd cmd_computer_create;
extern const struct cmd cmd_computer_ls;
extern const struct cmd cmd_computer_show;
extern const struct cmd cmd_computer_exec;
extern const struct cmd cmd_computer_shell;
extern const struct cmd cmd_computer_restart;
extern const struct cmd cmd_computer_pause;
extern const struct cmd cmd_computer_resume;
extern const struct cmd cmd_computer_reset;
extern const struct cmd cmd_computer_renew;
extern const struct cmd cmd_computer_snapshot;
extern const struct cmd cmd_computer_rm;
extern const struct cmd cmd_computer_gc;
extern const struct cmd cmd_top;
extern const struct cmd cmd_output;
extern const struct cmd cmd_outcome;
extern const struct cmd cmd_sync;
extern const struct cmd cmd_sync_push;
extern const struct cmd cmd_sync_pull;
extern const struct cmd cmd_cp;
extern const struct cmd cmd_mcp;
extern const struct cmd cmd_job;
extern const struct cmd cmd_job_start;
extern const struct cmd cmd_job_adopt;
extern const struct cmd cmd_job_ls;
extern const struct cmd cmd_job_show;
extern const struct cmd cmd_job_log;
extern const struct cmd cmd_job_attach;
extern const struct cmd cmd_job_send;
extern const struct cmd cmd_job_stop;
extern const struct cmd cmd_job_resume;
extern const struct cmd cmd_job_rm;
extern const struct cmd cmd_wait;
extern const struct cmd cmd_watch;
extern const struct cmd cmd_watch_add;
extern const struct cmd cmd_watch_ls;
extern const struct cmd cmd_watch_show;
extern const struct cmd cmd_watch_rm;
extern const struct cmd cmd_watch_events;
extern const struct cmd cmd_watch_run;
extern const struct cmd cmd_watch_install;
extern const struct cmd cmd_watch_uninstall;
extern const struct cmd cmd_watch_status;
extern const struct cmd cmd_keeper;
extern const struct cmd cmd_forward;
extern const struct cmd cmd_completion;
extern const struct cmd cmd_help;
extern const struct cmd cmd_version;
extern const struct cmd cmd_complete;
extern const struct cmd cmd_hosts;
extern const struct cmd cmd_options;

#endif
