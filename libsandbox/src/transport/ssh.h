/* ssh.h - the transport to a host over SSH. */
#ifndef SANDBOX_TRANSPORT_SSH_H
#define SANDBOX_TRANSPORT_SSH_H

#include "transport/ssh_care.h"
#include "transport/ssh_target.h"
#include "transport/transport.h"

/*
 * Connects, checks the host's key and logs in, all before the deadline. The line
 * keeps nothing of target. The lines of jump hosts get the same care.
 */
int sbi_ssh_open(const struct sbi_ssh_target *target, const struct sbi_ssh_care *care,
                 int64_t deadline, sbx_cancel *cancel, struct sbi_line **out,
                 sbx_error *err);

#endif
