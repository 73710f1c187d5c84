/*
 * forward_state.h - a forward, as the thread that takes its connections (forward.c,
 * forward_remote.c) and those that carry them (forward_carry.c) share it.
 */
#ifndef SANDBOX_SESSION_FORWARD_STATE_H
#define SANDBOX_SESSION_FORWARD_STATE_H

#include "session/forward_listen.h"
#include "session/session_lines.h"
#include "transport/listener.h"

#include <pthread.h>

struct sbx_forward {
    /* Fixed at the start. */
    int kind;
    char *place;
    struct sbi_forward_spec spec;
    struct sbi_forward_sockets sockets; /* none of a remote one */
    char *listens;
    char *target; /* NULL: as each client says */
    sbx_session *session;
    int64_t connect_ms;
    int64_t most;
    sbx_cancel *stop;
    pthread_t thread;

    /* The thread's of a remote one. */
    struct sbi_started held; /* its place on a line, which then stays */
    struct sbi_listener *listener;

    pthread_mutex_t lock; /* over these: */
    pthread_cond_t guest_left;
    int64_t guests;
    int64_t total;
    int port;
    bool up; /* of a remote one: it is listened on over there */
    char error[sizeof(((sbx_error *)NULL)->text)];
    int64_t retry_at;   /* before that nobody connects to the place */
    int64_t backoff_ms; /* after the next failure */
};

/*
 * Carries one connection on a thread of its own: a client's that came here (fd), or one
 * that came over there (process). Takes both over.
 */
void sbi_forward_carry(struct sbx_forward *forward, int fd, struct sbi_process *process);

/* Has the place listen: returns once it does, or has refused. */
int sbi_forward_remote_open(struct sbx_forward *forward, int64_t deadline,
                            sbx_cancel *cancel, sbx_error *err);

/* The thread of a remote one, until it is stopped. */
void *sbi_forward_remote_main(void *userdata);

/* Notes what went wrong, in the log too unless it is the same as the last; NULL: it went
 * well. */
void sbi_forward_note(struct sbx_forward *forward, const sbx_error *why);

/* The place was connected to, or was not: how long to wait before it is tried again. */
void sbi_forward_reached(struct sbx_forward *forward, bool reached);

/* Waits until it may be tried: SBX_OK, SBX_ERR_TIMEOUT or SBX_ERR_CANCELLED. */
int sbi_forward_wait_turn(struct sbx_forward *forward, int64_t deadline);

#endif
