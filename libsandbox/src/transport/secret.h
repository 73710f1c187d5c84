/* secret.h - where a password comes from when nobody is asked. */
#ifndef SANDBOX_TRANSPORT_SECRET_H
#define SANDBOX_TRANSPORT_SECRET_H

#include "transport/ssh_target.h"

bool sbi_secret_has_password(const struct sbi_ssh_target *target);

/*
 * The target's password, from itself, its file or its command, into secret. Fails
 * with SBX_ERR_NOT_FOUND, and no text, where it has none. The caller wipes secret.
 */
int sbi_secret_password(const struct sbi_ssh_target *target, int64_t deadline,
                        sbx_cancel *cancel, char *secret, size_t room, sbx_error *err);

#endif
