/*
 * ssh_lend.h - lends this side's agent to the far side of a line, where that was asked
 * for; all else that a server would open by itself is refused.
 */
#ifndef SANDBOX_TRANSPORT_SSH_LEND_H
#define SANDBOX_TRANSPORT_SSH_LEND_H

#include "transport/ssh_line.h"

/*
 * Before the I/O thread runs. line->agent is set if there is an agent to lend; where the
 * caller wants one lent and there is none, that is a failure.
 */
int sbi_ssh_lend_begin(struct sbi_ssh_line *line, const struct sbi_ssh_target *target,
                       sbx_error *err);

/* After the I/O thread. */
void sbi_ssh_lend_end(struct sbi_ssh_line *line);

#endif
