/* ssh.h - the transport to a host over SSH. */
#ifndef SANDBOX_TRANSPORT_SSH_H
#define SANDBOX_TRANSPORT_SSH_H

#include "transport/ssh_target.h"
#include "transport/transport.h"

/*
 * Connects, checks the host's key and logs in, all before the deadline. The line
 * keeps nothing of target. keepalive_ms: how long silence lasts until it is asked
 * for a sign of life; two unanswered, and the line is dead; negative: never.
 */
int sbi_ssh_open(const struct sbi_ssh_target *target, int64_t keepalive_ms,
                 int64_t deadline, sbx_cancel *cancel, struct sbi_line **out,
                 sbx_error *err);

#endif
