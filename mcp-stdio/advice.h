/* advice.h - what mends a failure, said in the words of the tools. */
#ifndef MCP_ADVICE_H
#define MCP_ADVICE_H

#include <sandbox/error.h>

/* The library's fixes name options of the program, or of C, which an agent has not. */
void advice_translate(sbx_error *err);

#endif
