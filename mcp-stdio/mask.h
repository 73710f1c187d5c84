/* mask.h - secrets in a text, found by the formats that services give them. */
#ifndef MCP_MASK_H
#define MCP_MASK_H

#include "text.h"

/*
 * Puts text with its secrets masked to out, if there is one: any of known, and with
 * formats also what looks like a token or a private key. false: there is none, and out
 * is left alone.
 */
bool mask_text(const char *text, const struct words *known, bool formats,
               struct text *out);

#endif
