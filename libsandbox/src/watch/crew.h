/* crew.h - work that is done side by side, at most so much of it at once. */
#ifndef SANDBOX_WATCH_CREW_H
#define SANDBOX_WATCH_CREW_H

#include "base/error.h"

#include <pthread.h>

#define SBI_CREW_MOST 16

typedef void (*sbi_crew_fn)(void *userdata);

struct sbi_hand {
    pthread_t thread;
    bool busy; /* of the crew's owner alone */
    bool done; /* under the lock */
    sbi_crew_fn work;
    sbi_crew_fn after;
    void *userdata;
    struct sbi_crew *crew;
};

/* One thread owns a crew, and alone calls what is below. */
struct sbi_crew {
    pthread_mutex_t lock;
    int wake; /* rung when one has done; the owner's */
    struct sbi_hand hands[SBI_CREW_MOST];
};

void sbi_crew_init(struct sbi_crew *crew, int wake);
bool sbi_crew_has_room(const struct sbi_crew *crew);
bool sbi_crew_works(const struct sbi_crew *crew);

/* work runs on a thread of its own; after, of the same, on the owner's in a later reap.
 */
int sbi_crew_start(struct sbi_crew *crew, sbi_crew_fn work, sbi_crew_fn after,
                   void *userdata, sbx_error *err);

/* Calls `after` of all that have done. */
void sbi_crew_reap(struct sbi_crew *crew);

/* Waits for all, and reaps them. */
void sbi_crew_end(struct sbi_crew *crew);

#endif
