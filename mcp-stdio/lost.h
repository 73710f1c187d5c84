/* lost.h - what became of a command whose answer was lost, in words for an agent. */
#ifndef MCP_LOST_H
#define MCP_LOST_H

#include "call.h"

#include <sandbox/exec.h>

/*
 * Asks its place, for a few seconds, until it is not running any more: the place needs
 * two to notice that we are gone. Constant text.
 */
const char *lost_advice(const struct call *call, sbx_session *session,
                        const sbx_exec_result *result);

#endif
