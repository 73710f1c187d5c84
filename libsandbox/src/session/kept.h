/* kept.h - where the keeper of a connection listens. */
#ifndef SANDBOX_SESSION_KEPT_H
#define SANDBOX_SESSION_KEPT_H

#include "transport/ssh_target.h"

/* The folder of the sockets; makes nothing. */
int sbi_kept_folder(char **out, sbx_error *err);

/*
 * Its socket: the place's name, and a digest of all that the connection is made by. So
 * another setting, or another password, is another connection. The folder's salt, without
 * which passwords could be guessed by that, is made if the caller says so; without one
 * nothing is kept, which is SBX_ERR_NOT_FOUND.
 */
int sbi_kept_path(const struct sbi_ssh_target *target, bool salts, char **out,
                  sbx_error *err);

#endif
