/* rpc.h - JSON-RPC: from a line to the method it asks for, and back to an answer. */
#ifndef MCP_RPC_H
#define MCP_RPC_H

#include "server.h"

enum rpc_code {
    RPC_PARSE = -32700,
    RPC_REQUEST = -32600,
    RPC_METHOD = -32601,
    RPC_PARAMS = -32602,
    RPC_INTERNAL = -32603,
    RPC_VERSION = -32022, /* of 2026-07-28 */
    RPC_BUSY = -32000
};

/* Why a request got no result. */
struct rpc_fault {
    int code;
    char text[512];
    tree *data; /* or NULL */
};

/* Returns NULL, so that a failure is one statement. */
tree *rpc_fail(struct rpc_fault *fault, int code, const char *form, ...) PRINTF(3, 4);

enum method_flags {
    METHOD_QUICK = 1,     /* answered by the reader, before it reads on */
    METHOD_CACHEABLE = 2, /* its result says how long it holds */
    METHOD_TOOL = 4,      /* as quick as the tool that it calls */
    METHOD_FIRST = 8      /* may be asked for before a version is said */
};

struct method {
    const char *name;
    uint64_t eras; /* of era_has: which know it */
    uint64_t flags;
    tree *(*run)(struct call *call, struct rpc_fault *fault); /* its result */
};

/* NULL name at the end; in methods.c. */
extern const struct method method_all[];

void rpc_take(struct server *server, struct raw line);

/* Of a line over the limit only the beginning is there. */
void rpc_refuse_long(struct server *server, struct raw beginning);

/* Works on a call to its end, its answer included. */
void rpc_run(struct call *call);

/* Sends a notification; params is taken over. */
void rpc_notify(struct server *server, const char *method, tree *params);

#endif
