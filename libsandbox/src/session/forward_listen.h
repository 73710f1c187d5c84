/* forward_listen.h - the sockets here that a forward listens on. */
#ifndef SANDBOX_SESSION_FORWARD_LISTEN_H
#define SANDBOX_SESSION_FORWARD_LISTEN_H

#include "session/forward_spec.h"

#include <sys/types.h>

#define SBI_FORWARD_SOCKETS 4

struct sbi_forward_sockets {
    int fds[SBI_FORWARD_SOCKETS];
    size_t count;
    int port;
    char *name; /* of the first: "127.0.0.1:8080" */
    char *path; /* of a socket, to be removed; else NULL */
    ino_t inode;
};

/*
 * SBX_ERR_EXISTS: the port is taken, or something answers at the path; a socket there
 * that nobody listens on is replaced.
 */
int sbi_forward_listen(const struct sbi_forward_end *end, struct sbi_forward_sockets *out,
                       sbx_error *err);

void sbi_forward_sockets_clear(struct sbi_forward_sockets *sockets);

#endif
