/* host_target.h - what ssh_config says of a host, with its list entry on top. */
#ifndef SANDBOX_SESSION_HOST_TARGET_H
#define SANDBOX_SESSION_HOST_TARGET_H

#include "session/host_entry.h"
#include "transport/ssh_config.h"
#include "transport/ssh_target.h"

/*
 * place is its name in messages. user, if not NULL, stands in for the entry's
 * own, whose passwords are then none of his.
 */
int sbi_host_target_make(const struct sbi_host_entry *entry, const char *place,
                         const char *user, struct sbi_ssh_config *ssh_config,
                         struct sbi_ssh_target **out, sbx_error *err);

#endif
