/*
 * ssh_way.h - the way to a host's SSH server: straight, through other hosts, or
 * through a command.
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

/* The socket is closed before. */
void sbi_ssh_way_close(struct sbi_ssh_way *way);

#endif
