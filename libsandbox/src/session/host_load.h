/* host_load.h - gathers the hosts known by name, from every place that names some. */
#ifndef SANDBOX_SESSION_HOST_LOAD_H
#define SANDBOX_SESSION_HOST_LOAD_H

#include "session/host_list.h"
#include "transport/ssh_config.h"

/*
 * The list file (NULL: the user's own), then what the environment adds to it, then what
 * ssh_config does. A name that stands in two of them is the earlier one's.
 */
int sbi_host_load_all(const char *list_file, struct sbi_ssh_config *ssh_config,
                      struct sbi_host_list *out, sbx_error *err);

/* The list in a text, then what ssh_config adds. */
int sbi_host_load_text(const char *json, size_t length, struct sbi_ssh_config *ssh_config,
                       struct sbi_host_list *out, sbx_error *err);

#endif
