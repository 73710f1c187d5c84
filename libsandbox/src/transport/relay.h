/*
 * relay.h - moves bytes between a descriptor and a process, both ways.
 */
#ifndef SANDBOX_TRANSPORT_RELAY_H
#define SANDBOX_TRANSPORT_RELAY_H

#include "transport/transport.h"

/*
 * Does it on this thread, until both directions have ended, the process has, or stop is
 * fired. fd is a non-blocking socket; it and the process stay the caller's. An end in one
 * direction is passed on, and the other goes on.
 */
int sbi_relay_run(struct sbi_process *process, int fd, sbx_cancel *stop, sbx_error *err);

struct sbi_relay;

/*
 * The same on a thread of its own. Takes over the process and fd. It ends by itself, or
 * by sbi_relay_free; then both are freed and closed.
 */
int sbi_relay_start(struct sbi_process *process, int fd, struct sbi_relay **out,
                    sbx_error *err);

/* True once both are freed and closed. */
bool sbi_relay_over(struct sbi_relay *relay);

/* Ends it, whatever is under way. NULL is fine. */
void sbi_relay_free(struct sbi_relay *relay);

#endif
