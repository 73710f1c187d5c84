/* host_env.h - the hosts that the environment names. */
#ifndef SANDBOX_SESSION_HOST_ENV_H
#define SANDBOX_SESSION_HOST_ENV_H

#include "session/host_list.h"

/*
 * REMOTE_SANDBOX_LIST, a list in JSON; where that is not set, the one host of
 * REMOTE_HOST, _PORT, _USER, _PASSWORD, _KEY_FILE, _KEY_PASSPHRASE, called
 * REMOTE_NAME or else as the host. An empty variable is one that is not set.
 */
int sbi_host_env_load(struct sbi_host_list *out, sbx_error *err);

#endif
