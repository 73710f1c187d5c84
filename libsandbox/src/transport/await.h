/* await.h - waits for a connection that a process is, from over there. */
#ifndef SANDBOX_TRANSPORT_AWAIT_H
#define SANDBOX_TRANSPORT_AWAIT_H

#include "transport/transport.h"

/*
 * Until it is open, or the far side has said why not: SBX_ERR_UNSUPPORTED where it lets
 * no connection through to there, SBX_ERR_CONNECT where nothing took it.
 */
int sbi_await_connection(struct sbi_process *process, int64_t deadline,
                         sbx_cancel *cancel, sbx_error *err);

#endif
