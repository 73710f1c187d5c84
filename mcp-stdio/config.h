/* config.h - the block that makes a client start this server. */
#ifndef MCP_CONFIG_H
#define MCP_CONFIG_H

#include "text.h"

#include <sandbox/error.h>

/*
 * Adds the block for a client, and puts where it belongs to *where (borrowed): command
 * and its arguments are what starts the server, NULL-ended. SBX_ERR_NOT_FOUND names the
 * clients there are.
 */
int config_block(const char *client, const char *const *command, struct text *out,
                 const char **where, sbx_error *err);

/* Writes it to the file it belongs to, beside what is there; *path is what was written.
 */
int config_write(const char *client, const char *const *command, struct text *path,
                 sbx_error *err);

#endif
