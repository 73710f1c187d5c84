/*
 * ssh_listen.h - ports of the server's that it listens on for us: the I/O thread's side.
 */
#ifndef SANDBOX_TRANSPORT_SSH_LISTEN_H
#define SANDBOX_TRANSPORT_SSH_LISTEN_H

#include "transport/listener.h"
#include "transport/ssh_line.h"

/* From any thread. */
int sbi_ssh_listen(struct sbi_line *line, const char *host, int port,
                   struct sbi_listener **out, sbx_error *err);

/* A step; true if something moved. No ping may be under way. */
bool sbi_ssh_listen_tend(struct sbi_ssh_line *line);

/* True while the answer to a request of ours is due: no other may be asked for then. */
bool sbi_ssh_listen_waits(const struct sbi_ssh_line *line);

/* Accepts a connection that came to one of these ports; false: it is none of theirs. */
bool sbi_ssh_listen_take(struct sbi_ssh_line *line, ssh_message request);

/* The line is gone, for this reason. With `dead` set, so that none comes any more. */
void sbi_ssh_listen_end(struct sbi_ssh_line *line, const sbx_error *why);

#endif
