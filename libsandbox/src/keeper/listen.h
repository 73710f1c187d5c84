/* listen.h - the socket of a kept connection. */
#ifndef SANDBOX_KEEPER_LISTEN_H
#define SANDBOX_KEEPER_LISTEN_H

#include "keeper/state.h"

/*
 * Listens at kept->path, where only this user can reach it. SBX_ERR_EXISTS: a keeper does
 * so already; a socket that nobody answers at is replaced.
 */
int sbi_keeper_listen(struct sbi_kept *kept, sbx_error *err);

/* Removes the socket, unless it is another's by now. */
void sbi_keeper_unlisten(struct sbi_kept *kept);

/* The pid of what answers at a socket, 0: nothing does. */
int64_t sbi_keeper_ask(const char *path);

/* Tells what answers there to let its connection go; waits until the socket is gone. */
int sbi_keeper_tell_stop(const char *path, sbx_error *err);

#endif
