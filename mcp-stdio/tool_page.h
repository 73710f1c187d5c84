/* tool_page.h - the tools as a page of the manual, made from the same rows as their
 * schemas. */
#ifndef MCP_TOOL_PAGE_H
#define MCP_TOOL_PAGE_H

#include "text.h"

void tool_page(struct text *out);

#endif
