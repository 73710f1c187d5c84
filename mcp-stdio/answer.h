/* answer.h - what goes back to the client: results, errors, and batches of both. */
#ifndef MCP_ANSWER_H
#define MCP_ANSWER_H

#include "rpc.h"

/* Takes call and result over. Nothing is sent for one that was dropped. */
void answer_call(struct call *call, tree *result, struct rpc_fault *fault);

/* An id of no length is none. Clears fault. */
void answer_fault(struct server *server, struct batch *batch, struct raw id,
                  struct rpc_fault *fault);

/* The failure of a request that says a version we do not speak. */
void answer_versions(struct rpc_fault *fault, const char *requested);

/* The versions, newest first. */
void answer_add_versions(tree *parent, const char *name);

/* {"name","version"...} of this server. */
void answer_add_server(tree *parent, const char *name);

/* Answers that leave as one array, once the last holder has let go. */
struct batch *batch_new(struct server *server);
struct batch *batch_hold(struct batch *batch); /* NULL stays NULL */
void batch_release(struct batch *batch);

#endif
