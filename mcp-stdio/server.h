/* server.h - what all calls share. */
#ifndef MCP_SERVER_H
#define MCP_SERVER_H

#include "call.h"
#include "serve.h"
#include "wire.h"
#include "workers.h"

#include <stdatomic.h>

struct fleet;
struct guard;
struct owning;
struct reaper;

struct server {
    const struct serve_opts *opts;
    struct wire_out out;
    struct calls calls;
    struct workers workers;
    struct fleet *fleet;
    struct guard *guard;
    struct owning *owning;
    struct reaper *reaper;
    int in_fd;          /* of the client, read by one thread */
    int ring;           /* wakes who watches for the end */
    atomic_bool broken; /* the client is gone */
    atomic_bool ended;  /* nothing more will come from it */
    /* What initialize settled. Of the reader's thread, but read by any. */
    _Atomic(const struct era *) era;
    atomic_bool asks; /* the client can ask a person */
    atomic_int asked; /* numbers of our own requests */
};

/* Writes one line to the client; a client that is gone ends the program. */
void server_send(struct server *server, const char *line, size_t length);

#endif
