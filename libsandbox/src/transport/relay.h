/*
 * relay.h - moves bytes between a descriptor and a process, both ways, on a thread
 * of its own.
 */
#ifndef SANDBOX_TRANSPORT_RELAY_H
#define SANDBOX_TRANSPORT_RELAY_H

#include "transport/transport.h"

struct sbi_relay;

/*
 * Takes over the process and fd, a non-blocking socket. It ends when both
 * directions have, or by sbi_relay_free; then both are freed and closed.
 */
int sbi_relay_start(struct sbi_process *process, int fd, struct sbi_relay **out,
                    sbx_error *err);

/* True once both are freed and closed. */
bool sbi_relay_over(struct sbi_relay *relay);

/* Ends it, whatever is under way. NULL is fine. */
void sbi_relay_free(struct sbi_relay *relay);

#endif
