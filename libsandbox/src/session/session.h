/*
 * session.h - how the session layer gets a process on a session's place: over the
 * line it has, over a further one where the server allows no more on that, over
 * a new one where it died.
 */
#ifndef SANDBOX_SESSION_SESSION_H
#define SANDBOX_SESSION_SESSION_H

#include "session/host.h"
#include "transport/transport.h"

#include <sandbox/session.h>

struct sbi_slot;

struct sbi_started {
    struct sbi_process *process;
    struct sbi_slot *slot; /* its place on a line; given back by sbi_session_leave */
};

/* Waits for a place on a line. A cancel or the deadline end the wait. */
int sbi_session_start(sbx_session *session, const struct sbi_process_spec *spec,
                      int64_t deadline, sbx_cancel *cancel, struct sbi_started *out,
                      sbx_error *err);

/*
 * Frees the process and gives its place back. refused: the server would not open
 * one more on that line, which is remembered. True if others are on the line, or
 * were: then a refusal was one for want of room, and another start finds room elsewhere.
 */
bool sbi_session_leave(sbx_session *session, struct sbi_started *started, bool refused);

/* The command of this watchdog has ended by itself, before the client takes its leave. */
void sbi_session_note_end(sbx_session *session, int64_t watchdog);

/* From a call's start: when a connection, or the start of a command, has failed. */
int64_t sbi_session_connect_deadline(const sbx_session *session, int64_t deadline);

/* True if another holds it than the one who asks. */
bool sbi_session_is_shared(const sbx_session *session);

const struct sbi_host_defaults *sbi_session_defaults(const sbx_session *session);

#endif
