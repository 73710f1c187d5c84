/* ssh_accept.h - accepts a channel that the server opens. */
#ifndef SANDBOX_TRANSPORT_SSH_ACCEPT_H
#define SANDBOX_TRANSPORT_SSH_ACCEPT_H

#include "transport/ssh_line.h"

/*
 * From the callback of a request: a process that runs, which is its caller's. peer: what
 * it leads to. aside: it does not keep its line from being idle. NULL: no memory.
 */
struct sbi_ssh_process *sbi_ssh_accept(struct sbi_ssh_line *line, ssh_message request,
                                       const char *peer, bool aside);

#endif
