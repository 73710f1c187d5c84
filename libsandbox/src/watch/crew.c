#include "watch/crew.h"

#include "base/thread.h"
#include "base/wake.h"

#include <errno.h>

void sbi_crew_init(struct sbi_crew *crew, int wake)
{
    *crew = (struct sbi_crew){.wake = wake};
    (void)pthread_mutex_init(&crew->lock, NULL);
}

static struct sbi_hand *free_hand(const struct sbi_crew *crew)
{
    size_t i;

    for (i = 0; i < SBI_CREW_MOST; i++)
        if (!crew->hands[i].busy)
            return (struct sbi_hand *)(uintptr_t)&crew->hands[i];
    return NULL;
}

bool sbi_crew_has_room(const struct sbi_crew *crew)
{
    return free_hand(crew) != NULL;
}

bool sbi_crew_works(const struct sbi_crew *crew)
{
    size_t i;

    for (i = 0; i < SBI_CREW_MOST; i++)
        if (crew->hands[i].busy)
            return true;
    return false;
}

static void *run(void *userdata)
{
    struct sbi_hand *hand = userdata;

    hand->work(hand->userdata);
    (void)pthread_mutex_lock(&hand->crew->lock);
    hand->done = true;
    (void)pthread_mutex_unlock(&hand->crew->lock);
    sbi_wake_ring(hand->crew->wake);
    return NULL;
}

int sbi_crew_start(struct sbi_crew *crew, sbi_crew_fn work, sbi_crew_fn after,
                   void *userdata, sbx_error *err)
{
    struct sbi_hand *hand = free_hand(crew);

    if (hand == NULL)
        return sbi_fail(err, SBX_ERR_LIMIT, "no hand is free");
    *hand = (struct sbi_hand){
        .busy = true, .work = work, .after = after, .userdata = userdata, .crew = crew};
    errno = sbi_thread_start(&hand->thread, run, hand);
    if (errno == 0)
        return SBX_OK;
    hand->busy = false;
    return sbi_fail_errno(err, SBX_ERR_LIMIT, "make a thread");
}

static void reap(struct sbi_crew *crew, bool wait)
{
    bool done;
    size_t i;

    for (i = 0; i < SBI_CREW_MOST; i++) {
        struct sbi_hand *hand = &crew->hands[i];

        if (!hand->busy)
            continue;
        (void)pthread_mutex_lock(&crew->lock);
        done = hand->done;
        (void)pthread_mutex_unlock(&crew->lock);
        if (!done && !wait)
            continue;
        (void)pthread_join(hand->thread, NULL);
        hand->busy = false;
        hand->after(hand->userdata);
    }
}

void sbi_crew_reap(struct sbi_crew *crew)
{
    reap(crew, false);
}

void sbi_crew_end(struct sbi_crew *crew)
{
    reap(crew, true);
    (void)pthread_mutex_destroy(&crew->lock);
}
