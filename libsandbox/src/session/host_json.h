/* host_json.h - a host as JSON: what a connection to it would use, and no secret. */
#ifndef SANDBOX_SESSION_HOST_JSON_H
#define SANDBOX_SESSION_HOST_JSON_H

#include "session/host_entry.h"
#include "transport/ssh_target.h"

#include <sandbox/host.h>

/*
 * stated and target are NULL for this machine, target too where fault tells why there is
 * none. For sbx_free; NULL when there is no memory.
 */
char *sbi_host_json(const sbx_host *host, const struct sbi_host_entry *stated,
                    const struct sbi_ssh_target *target, const char *fault);

#endif
