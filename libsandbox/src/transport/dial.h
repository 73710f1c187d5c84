/* dial.h - from a host's name to a connected TCP socket, before a deadline. */
#ifndef SANDBOX_TRANSPORT_DIAL_H
#define SANDBOX_TRANSPORT_DIAL_H

#include "base/cancel.h"
#include "base/error.h"

struct sbi_dial {
    const char *host; /* a name or a literal address */
    int port;
    int family;               /* AF_UNSPEC, AF_INET, AF_INET6 */
    const char *bind_address; /* NULL: any */
    bool keepalive;
};

/*
 * Tries the addresses of the name a quarter of a second apart, the families by
 * turns, and takes the first that answers: one dead address costs no more. *out
 * is close-on-exec and non-blocking.
 */
int sbi_dial(const struct sbi_dial *dial, int64_t deadline, sbx_cancel *cancel, int *out,
             sbx_error *err);

/*
 * Connects to a socket of this machine, which takes the connection at once or says
 * EAGAIN: its queue is full. *out as above.
 */
int sbi_dial_socket(const char *path, int *out, sbx_error *err);

/*
 * Whether the resolver knows the name: SBX_OK, and out is the name that it calls the true
 * one, or "". Fails with SBX_ERR_CONNECT where it does not, SBX_ERR_TIMEOUT if it is
 * slow.
 */
int sbi_dial_true_name(const char *name, int family, int64_t deadline, char *out,
                       size_t room, sbx_error *err);

#endif
