/* exec_list.h - commands that come on standard input, a line each, one behind another. */
#ifndef CLI_EXEC_LIST_H
#define CLI_EXEC_LIST_H

#include "exec_run.h"

/* Runs run->command on every place, tells how it ended; the status of the worst. */
typedef int (*exec_once_fn)(struct exec_run *run);

/*
 * Each line that is not blank becomes the command, and once is called. Ends with the
 * input, with a command that was cancelled, lost or not started, and, where run->values
 * say so, with one that failed. The status is the highest of all.
 */
int exec_list_run(struct exec_run *run, exec_once_fn once);

#endif
