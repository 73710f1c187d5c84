/* host_file.h - the list of hosts as a file: who may read it, and changing it whole. */
#ifndef SANDBOX_SESSION_HOST_FILE_H
#define SANDBOX_SESSION_HOST_FILE_H

#include "session/host_list.h"

/* The user's own list, $XDG_CONFIG_HOME/sbx/hosts.json. */
int sbi_host_file_default(char **out, sbx_error *err);

/*
 * Reads a list file. No such file is SBX_ERR_NOT_FOUND; one that holds a secret
 * and is open to others, SBX_ERR_CONFIG with the chmod that mends it.
 */
int sbi_host_file_load(const char *path, struct sbi_host_list *out, sbx_error *err);

#endif
