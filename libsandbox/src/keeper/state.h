/* state.h - what a keeper holds: connections, each with its socket and its clients. */
#ifndef SANDBOX_KEEPER_STATE_H
#define SANDBOX_KEEPER_STATE_H

#include "base/error.h"

#include <pthread.h>
#include <sys/types.h>

#include <sandbox/keeper.h>

struct sbi_keeper;

struct sbi_kept {
    struct sbi_keeper *keeper;
    sbx_session *session;
    char *path;
    int listener; /* -1: it takes no more clients */
    ino_t inode;  /* of the socket, as we made it */

    /* With the keeper's lock held: */
    int sessions; /* that run */
    int64_t idle_since;
    bool told_to_stop;
};

struct sbi_keeper {
    pthread_mutex_t lock;
    pthread_cond_t client_left;
    int clients;      /* threads */
    sbx_cancel *stop; /* fired for all clients */
    int wake;         /* rung for the main thread */
    int64_t idle_ms;
    struct sbi_kept *kept;
    size_t count;
};

/* Serves a client on a thread of its own. Takes fd, also where it fails. */
void sbi_keeper_serve(struct sbi_kept *kept, int fd);

#endif
