/* process.h - a process of this program's own that outlives the server. */
#ifndef MCP_PROCESS_H
#define MCP_PROCESS_H

#include "serve.h"

#include <sandbox/error.h>

#include <sys/types.h>

/*
 * Starts `sbx mcp WORD...`, with the words NULL-ended, in a session of its own and with
 * no stream of the server's. input: its standard input, which stays the caller's; -1:
 * none.
 */
int process_start(const struct serve_opts *opts, const char *const *words, int input,
                  pid_t *out, sbx_error *err);

#endif
