/* noted.h - what an agent's calls changed, noted in the user's ledger (`sbx audit`). */
#ifndef MCP_NOTED_H
#define MCP_NOTED_H

#include "tool.h"

/*
 * Notes a call of a tool that changes something, with its arguments, secrets masked and
 * long ones cut; why: what it failed of, or NULL. That it cannot be noted is told once on
 * standard error, and is no failure of the call.
 */
void noted_call(const struct call *call, const struct tool *tool, const tree *args,
                const char *why);

#endif
