/* sync_way.c - one sign of life is asked for, on a thread of its own. */
#include "sync/sync_way.h"

#include "base/clock.h"
#include "base/thread.h"

#define NEAR_MS 5
#define ASK_MS 300
#define TRY_MS 30

static bool answers_soon(sbx_session *session)
{
    int64_t start = sbi_now_ms();

    return sbx_session_check(session, ASK_MS, NULL) == SBX_OK &&
           sbi_now_ms() - start < NEAR_MS;
}

/* A server that has a program to start meanwhile answers late, though it is near. */
static void *ask(void *userdata)
{
    struct sbi_sync_way *way = userdata;
    int64_t start = sbi_now_ms();

    do
        way->near = answers_soon(way->session);
    while (!way->near && sbi_now_ms() - start < TRY_MS);
    return NULL;
}

void sbi_sync_way_ask(struct sbi_sync_way *way, sbx_session *session)
{
    if (way->asked)
        return;
    way->asked = true;
    way->session = session;
    way->running = sbi_thread_start(&way->thread, ask, way) == 0;
}

bool sbi_sync_way_is_near(struct sbi_sync_way *way)
{
    sbi_sync_way_clear(way);
    return way->near;
}

void sbi_sync_way_clear(struct sbi_sync_way *way)
{
    if (way->running)
        (void)pthread_join(way->thread, NULL);
    way->running = false;
}
