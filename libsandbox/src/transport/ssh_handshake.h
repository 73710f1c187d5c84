/*
 * ssh_handshake.h - what the steps of a login share: the session, its socket, the
 * deadline over all of them.
 *
 * The session is in non-blocking mode from the start: libssh's blocking calls know
 * no deadline that can be trusted. A step calls libssh until it no longer says
 * "again", and waits for the socket in between with sbi_handshake_wait.
 */
#ifndef SANDBOX_TRANSPORT_SSH_HANDSHAKE_H
#define SANDBOX_TRANSPORT_SSH_HANDSHAKE_H

#include "base/error.h"
#include "transport/ssh_library.h"
#include "transport/ssh_target.h"

/* What a server says first. */
struct sbi_greeting {
    bool missing;   /* the connection was closed, and no banner had come */
    char words[80]; /* what came in its place, as far as it was seen; printable */
};

struct sbi_handshake {
    const struct sbi_ssh_target *target;
    ssh_session session;
    int fd; /* the session's */
    int64_t deadline;
    sbx_cancel *cancel;
    struct sbi_greeting greeting;
    char disagreement[400]; /* why the keys cannot be exchanged, or "" */
};

/*
 * Frees a session and its socket, with a word to the server or without. What is dead
 * gets none: libssh would wait for ever to send it.
 */
void sbi_ssh_session_end(ssh_session session, int fd, bool goodbye);

/*
 * Logs in over fd, which is taken over: the steps below, in order. *greeting is written
 * on failure too.
 */
int sbi_ssh_login(const struct sbi_ssh_target *target, int fd, int64_t deadline,
                  sbx_cancel *cancel, struct sbi_greeting *greeting, ssh_session *out,
                  sbx_error *err);

/* Waits for the socket. An error says that `doing` was cut short, and by what. */
int sbi_handshake_wait(struct sbi_handshake *shake, const char *doing, sbx_error *err);

/* Refuses a host that cannot show that it is who it was. Comes before any secret. */
int sbi_ssh_check_host_key(struct sbi_handshake *shake, sbx_error *err);

/* Asks for the key types by which the host is known. */
int sbi_ssh_prefer_known_types(struct sbi_handshake *shake, sbx_error *err);

int sbi_ssh_authenticate(struct sbi_handshake *shake, sbx_error *err);

/* What libssh has to say of its last failure, never NULL. */
const char *sbi_ssh_reason(ssh_session session);

#endif
