/* connect.h - opens a line to a session's place. */
#ifndef SANDBOX_SESSION_CONNECT_H
#define SANDBOX_SESSION_CONNECT_H

#include "transport/transport.h"

#include <sandbox/session.h>

/*
 * further: for a crowd, as it has lines that live. direct: over a connection of our own,
 * whoever else has one. Without the lock.
 */
int sbi_session_connect(sbx_session *session, bool further, bool direct, int64_t deadline,
                        sbx_cancel *cancel, struct sbi_line **out, sbx_error *err);

#endif
