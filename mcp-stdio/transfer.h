/*
 * transfer.h - a sync in a process of its own, which outlives the server: what it is to
 * do and how far it is lies in a file of this user's, replaced whole at each change.
 */
#ifndef MCP_TRANSFER_H
#define MCP_TRANSFER_H

#include "serve.h"
#include "tree.h"

#include <sandbox/error.h>

enum { TRANSFER_ID = 17 };

/*
 * Starts one; spec has direction, sandbox, local, remote and the options of a sync.
 * Writes its id.
 */
int transfer_start(const struct serve_opts *opts, const tree *spec, char id[TRANSFER_ID],
                   sbx_error *err);

/* What is known of it; tree_clear. A process that is gone without a word is "lost". */
int transfer_read(const char *id, tree **out, sbx_error *err);

/* Whether it is at its end, one way or another. */
bool transfer_is_over(const tree *status);

/* Asks it to stop; what was moved into place already stays. */
int transfer_cancel(const char *id, sbx_error *err);

/* The process itself: works on the transfer of that id; its exit status. */
int transfer_run(const struct serve_opts *opts, const char *id);

/* When a process began, in the kernel's ticks; -1 where it is gone. */
int64_t transfer_start_time(int64_t pid);

/* Inside: replaces the file of that id. */
int transfer_write(const char *id, const tree *status, sbx_error *err);

#endif
