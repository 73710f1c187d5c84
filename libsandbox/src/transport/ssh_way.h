/*
 * ssh_way.h - the way to a host's SSH server: straight, through other hosts, through
 * a proxy, or through a command. A host "unix:/path" is a socket on this machine.
 */
#ifndef SANDBOX_TRANSPORT_SSH_WAY_H
#define SANDBOX_TRANSPORT_SSH_WAY_H

#include "transport/relay.h"
#include "transport/ssh_target.h"

/* What must live as long as the socket that leads there. All zero: nothing. */
struct sbi_ssh_way {
    struct sbi_line *hop; /* the connection to the host before it */
    struct sbi_relay *relay;
    pid_t proxy; /* the command's process, or 0 */
};

/*
 * *fd is a connected socket, non-blocking and close-on-exec, and the caller's. Where
 * way->hop is set, the way leads through it. way is to be closed also on failure.
 */
int sbi_ssh_way_open(const struct sbi_ssh_target *target, int64_t deadline,
                     sbx_cancel *cancel, struct sbi_ssh_way *way, int *fd,
                     sbx_error *err);

/*
 * A log-in over the way has failed with rc: says so where it was the way that broke.
 * Returns the code.
 */
int sbi_ssh_way_explain(const struct sbi_ssh_way *way,
                        const struct sbi_ssh_target *target, int rc, sbx_error *err);

/* Lets go of all but the hop, so that the way can be opened once more. */
void sbi_ssh_way_rewind(struct sbi_ssh_way *way);

/* The path of a host that is a socket, or NULL. */
const char *sbi_ssh_socket_path(const char *hostname);

/* The socket is closed before. Waits a moment for a command to end. */
void sbi_ssh_way_close(struct sbi_ssh_way *way);

#endif
