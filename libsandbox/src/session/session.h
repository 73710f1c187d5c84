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

/* Nobody is there to be asked any more: a connection that needs an answer is not made. */
void sbi_session_stop_asking(sbx_session *session);

/* Where the keeper of a host would listen. Free *out. */
int sbi_session_socket(sbx_hosts *hosts, const sbx_host *host, char **out,
                       sbx_error *err);

const struct sbi_host_defaults *sbi_session_defaults(const sbx_session *session);

#endif
