/*
 * sync_way.h - how long the way to the far side is: asked beside all else, so that nobody
 * waits for it, and kept for the next time.
 */
#ifndef SANDBOX_SYNC_SYNC_WAY_H
#define SANDBOX_SYNC_SYNC_WAY_H

#include "base/error.h"

#include <sandbox/session.h>

#include <pthread.h>

/* Starts as all zero; may not move once it was asked. */
struct sbi_sync_way {
    sbx_session *session; /* the caller's */
    pthread_t thread;
    bool running;
    bool asked;
    bool near;
};

void sbi_sync_way_ask(struct sbi_sync_way *way, sbx_session *session);

/* Waits for the answer: a round trip is shorter than a program takes to start there. */
bool sbi_sync_way_is_near(struct sbi_sync_way *way);

void sbi_sync_way_clear(struct sbi_sync_way *way);

#endif
