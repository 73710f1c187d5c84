/*
 * ssh_arrive.h - all the way in: to a host's server, through its door, logged in.
 */
#ifndef SANDBOX_TRANSPORT_SSH_ARRIVE_H
#define SANDBOX_TRANSPORT_SSH_ARRIVE_H

#include "transport/ssh_handshake.h"
#include "transport/ssh_way.h"

/*
 * Opens the way and logs in over it. A server that turns us away at its door, as busy
 * ones do, is asked again, at growing and random distances, while the deadline lasts.
 * way is to be closed also on failure; where way->hop is set, the way leads through it.
 */
int sbi_ssh_arrive(const struct sbi_ssh_target *target, int64_t deadline,
                   sbx_cancel *cancel, struct sbi_ssh_way *way, int *fd,
                   ssh_session *session, sbx_error *err);

/* True if these words of a server, in place of its banner, say that it is too busy. */
bool sbi_ssh_says_busy(const char *words);

#endif
