/*
 * openssh.h - a line that the installed ssh holds: for what libssh cannot, as GSSAPI,
 * certificates of hosts and FIDO keys without an agent.
 *
 * ssh logs in by itself, by its own files and with its own questions, as a master whose
 * control socket is ours; all else is mux.h. It goes with its line, and with this
 * process.
 */
#ifndef SANDBOX_TRANSPORT_OPENSSH_H
#define SANDBOX_TRANSPORT_OPENSSH_H

#include "transport/ssh_care.h"
#include "transport/ssh_target.h"
#include "transport/transport.h"

/* Where the target's prompt is NULL, ssh asks nothing. */
int sbi_openssh_open(const struct sbi_ssh_target *target, const struct sbi_ssh_care *care,
                     int64_t deadline, sbx_cancel *cancel, struct sbi_line **out,
                     sbx_error *err);

#endif
