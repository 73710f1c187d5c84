/* posts.h - the places that are watched, and when each is looked at again. */
#ifndef SANDBOX_WATCH_POSTS_H
#define SANDBOX_WATCH_POSTS_H

#include "ledger/watches.h"

struct sbi_post {
    struct sbi_post *next;
    struct sbi_watches place; /* one row, as sbi_watches_places has it */
    int64_t interval_ms;
    int64_t due;      /* of sbi_schedule_now */
    int64_t failures; /* in a row */
    bool busy;        /* somebody looks */
    bool kept;        /* the ledger still has it */
};

struct sbi_posts {
    struct sbi_post *first;
};
#define SBI_AUTO_POSTS SBI_CLEANUP(sbi_posts_clear) struct sbi_posts
void sbi_posts_clear(struct sbi_posts *posts);

/*
 * Brings them up to what the ledger has: a place that is new, or has a new watch, is due
 * now. interval_ms: of watches that name none.
 */
int sbi_posts_read(struct sbi_posts *posts, sbx_ledger *ledger, int64_t interval_ms,
                   int64_t now, sbx_error *err);

/* The next one that is due, or NULL. */
struct sbi_post *sbi_posts_due(const struct sbi_posts *posts, int64_t now);

/* When the first of those that nobody looks at is due; INT64_MAX: there is none. */
int64_t sbi_posts_next(const struct sbi_posts *posts);

#endif
