/* kept.h - where the keeper of a connection listens. */
#ifndef SANDBOX_SESSION_KEPT_H
#define SANDBOX_SESSION_KEPT_H

#include "transport/ssh_target.h"

/* The folder of the sockets; makes nothing. */
int sbi_kept_folder(char **out, sbx_error *err);

/*
 * Its socket: the place's name, and a digest of all that the connection is made by. So
 * another setting, or another password, is another connection.
 */
int sbi_kept_path(const struct sbi_ssh_target *target, char **out, sbx_error *err);

#endif
