/*
 * listener.h - a port of the far side's that is listened on for us: where its line leaves
 * the connections that come there, and its user fetches them.
 *
 * It has two holders, its user and its line, and is freed by the last. Nothing blocks.
 */
#ifndef SANDBOX_TRANSPORT_LISTENER_H
#define SANDBOX_TRANSPORT_LISTENER_H

#include "transport/transport.h"

struct sbi_listener;

enum sbi_listener_state {
    SBI_LISTENER_ASKED = 0,
    SBI_LISTENER_OPEN,
    SBI_LISTENER_OVER /* refused, or its line is gone */
};

/* With both holders. bell: rung for the line once its user lets go; copied. */
int sbi_listener_new(const char *host, int port, int bell, struct sbi_listener **out,
                     sbx_error *err);

/*
 * The user's side. `state` hushes the bell; *port is the one that is listened on, why is
 * filled in where it is over.
 */
int sbi_listener_state(struct sbi_listener *listener, int *port, sbx_error *why);

/* The next connection, an open process that is the caller's; NULL: none waits. */
struct sbi_process *sbi_listener_accept(struct sbi_listener *listener);

/* Readable once something has changed. */
int sbi_listener_fd(const struct sbi_listener *listener);

/* What waits is closed, and the line is to have the port closed. NULL is fine. */
void sbi_listener_free(struct sbi_listener *listener);

/* The line's side. */
const char *sbi_listener_host(const struct sbi_listener *listener);
int sbi_listener_port(struct sbi_listener *listener);
bool sbi_listener_abandoned(struct sbi_listener *listener);
void sbi_listener_opened(struct sbi_listener *listener, int port);
void sbi_listener_over(struct sbi_listener *listener, const sbx_error *why);

/* True if there is room for one more connection. */
bool sbi_listener_has_room(struct sbi_listener *listener);

/* Takes over the process. */
void sbi_listener_offer(struct sbi_listener *listener, struct sbi_process *process);
void sbi_listener_release(struct sbi_listener *listener);

#endif
