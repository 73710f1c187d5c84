/*
 * ending.h - watches for what ends the program, and ends it within a tenth of a second:
 * a signal, the end of standard input, a client that is gone.
 */
#ifndef MCP_ENDING_H
#define MCP_ENDING_H

#include "server.h"

/* Blocks the signals; before any other thread is there. 0, or an errno. */
int ending_begin(struct server *server);

/* Watches, from its own thread on; 0, or an errno. */
int ending_watch(struct server *server);

void ending_ring(struct server *server);

#endif
