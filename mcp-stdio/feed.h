/*
 * feed.h - who wants to hear when a job's log grows or the job ends: each such wish is a
 * feed. A thread of its own follows the log; the program's clock tells the client, once a
 * second at most, and never waits for one that does not read.
 */
#ifndef MCP_FEED_H
#define MCP_FEED_H

#include "call.h"

#include <sandbox/error.h>

enum { FEED_MOST = 32 };

struct feed;

/*
 * Looks whether there is such a job, and where its log stands: what comes from then on is
 * told. owner: of a listen, whose id each line carries; NULL for what is subscribed to.
 */
int feed_new(struct call *call, const char *uri, const struct call *owner,
             struct feed **out, sbx_error *err);

/* Takes it over. It ends with its job, or by feed_drop. */
int feed_start(struct feed *feed, sbx_error *err);
void feed_free(struct feed *feed);

/* Those of a listen, or with owner NULL what was subscribed to at that address. */
void feed_drop(const struct call *owner, const char *uri);

/* Tells what is due. True: more will be, in a second. */
bool feed_tick(struct server *server);

#endif
