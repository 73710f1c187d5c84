/* session.h - what else the session layer asks of a session: its host's defaults. */
#ifndef SANDBOX_SESSION_SESSION_H
#define SANDBOX_SESSION_SESSION_H

#include "session/host.h"
#include "session/host_prefix.h"
#include "session/session_lines.h"

bool sbi_session_is_local(const sbx_session *session);

/* What stands before its commands; NULL: nothing does. */
const struct sbi_host_prefix *sbi_session_prefix(const sbx_session *session);

/* True if another holds it than the one who asks. */
bool sbi_session_is_shared(const sbx_session *session);

const struct sbi_host_defaults *sbi_session_defaults(const sbx_session *session);

#endif
