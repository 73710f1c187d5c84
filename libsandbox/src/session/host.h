/* host.h - what the session layer needs of a set of hosts beyond the public header. */
#ifndef SANDBOX_SESSION_HOST_H
#define SANDBOX_SESSION_HOST_H

#include "base/error.h"
#include "base/strv.h"
#include "transport/ssh_target.h"

#include <sandbox/host.h>

/* How commands run on a place unless a call says otherwise. NULL: nothing said. */
struct sbi_host_defaults {
    char **env; /* "NAME=value" */
    char *cwd;
    char *shell;
};

/* A further holder of the set; each calls sbx_hosts_free. */
sbx_hosts *sbi_hosts_hold(sbx_hosts *hosts);

/*
 * A fresh copy of what it takes to log in to an SSH host of the set. A hop named
 * in `jump` is looked up in the same set by sbx_hosts_get.
 */
int sbi_host_target(sbx_hosts *hosts, const sbx_host *host, struct sbi_ssh_target **out,
                    sbx_error *err);

/* Copies; clear them with sbi_host_defaults_clear. */
int sbi_host_defaults(sbx_hosts *hosts, const sbx_host *host,
                      struct sbi_host_defaults *out, sbx_error *err);
void sbi_host_defaults_clear(struct sbi_host_defaults *defaults);

#endif
