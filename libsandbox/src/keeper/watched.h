/*
 * watched.h - a client's run on a supervisor of the keeper's.
 *
 * A keeper stays, so it has what a session that is warm has: a warden, and a supervisor
 * that was started ahead of the call. A run that gets these costs one round trip, and no
 * process but its own. The client has sent a command line for where they cannot be had,
 * and is told the tag of the supervisor before it sends that a header.
 */
#ifndef SANDBOX_KEEPER_WATCHED_H
#define SANDBOX_KEEPER_WATCHED_H

#include "session/session.h"
#include "session/shell.h"

/* All zero: the client asks for none. */
struct sbi_watched {
    bool wanted;
    int64_t limit_s;
    char nonce[SBI_NONCE_SIZE]; /* of its header, and so of the mark of its start */
    bool given;                 /* it has a supervisor of ours */
    bool named;                 /* its pid is known, or will not be */
    int64_t pid;                /* 0: not known */
    struct sbi_str head;        /* of its output, until it is named */
};

/* As sbi_session_start; run_id lives as long as *out. */
int sbi_watched_start(sbx_session *session, struct sbi_watched *watched,
                      const char *run_id, struct sbi_process_spec *spec, int64_t deadline,
                      sbx_cancel *cancel, struct sbi_started *out, sbx_error *err);

/* Sees what it prints; the warden is told its pid, which the mark of its start has. */
void sbi_watched_hear(sbx_session *session, struct sbi_watched *watched,
                      const struct sbi_started *started, const char *run_id,
                      const char *data, size_t length);

/* It has ended, or nothing is left of it: the warden lets it alone. */
void sbi_watched_end(sbx_session *session, struct sbi_watched *watched,
                     const struct sbi_started *started, const char *run_id);

#endif
