/* ended.h - how a command ended, for a model: what it printed, what is left of it,
 * advice.
 */
#ifndef MCP_ENDED_H
#define MCP_ENDED_H

#include "tree.h"

#include <sandbox/exec.h>

/* Adds stdout, stderr, truncated and output_id; both streams share the characters. */
void ended_add_output(tree *out, const sbx_exec_result *result, size_t characters);

/* Adds the pids of what we could not kill. */
void ended_add_survivors(tree *out, const sbx_exec_result *result);

/*
 * Adds what to do about an end that is not the command's own, and tells whether it is
 * such; limit: the argument that was its time, lost: what became of a lost one. What an
 * end of its own lacked is advice, too.
 */
bool ended_add_advice(tree *out, const sbx_exec_result *result, const char *limit,
                      const char *lost);

#endif
