/*
 * reaper.h - temporary computers end with the server, however that ends.
 *
 * A process that outlives the server is told which places have some, and removes them
 * when the server is gone: at the end of its input, which nothing keeps from coming. What
 * it cannot reach then is removed by the next one that looks: a server's start, the next
 * computer that is made there, or a person's `sbx computer gc`.
 */
#ifndef MCP_REAPER_H
#define MCP_REAPER_H

#include "server.h"

struct reaper;

struct reaper *reaper_new(const struct serve_opts *opts);

/* One is about to be made on that place; or it is gone, or was not made after all. */
void reaper_add(struct server *server, const char *place);
void reaper_remove(struct server *server, const char *place);

/* Looks, where computers go by themselves, for what an earlier server left. Waits for
 * nothing. */
void reaper_look(struct server *server);

/* That process; its exit status. */
int reaper_run(const struct serve_opts *opts);

#endif
