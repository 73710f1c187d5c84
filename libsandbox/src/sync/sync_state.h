/*
 * sync_state.h - what the parts of one sync share: sync_plan.c (looks and plans), push*.c
 * and pull*.c (carry), sync_report.c (tells).
 */
#ifndef SANDBOX_SYNC_SYNC_STATE_H
#define SANDBOX_SYNC_SYNC_STATE_H

#include "sync/exclude.h"
#include "sync/far_list.h"
#include "sync/here.h"
#include "sync/memory.h"
#include "sync/plan.h"
#include "sync/recall.h"
#include "sync/sync_lock.h"
#include "sync/sync_notes.h"
#include "sync/sync_rate.h"
#include "sync/sync_way.h"

#include <sandbox/sync.h>

struct sbi_sync_progress {
    sbx_sync_progress now;
    sbx_sync_progress_fn fn;
    void *userdata;
    int64_t started;
    int64_t told; /* when */
    bool stopped; /* fn said so */
};

struct sbi_pushing;

/* What a push will have made, told while the far side is at it. */
struct sbi_sync_foreseen {
    bool told;
    struct sbi_tree tree; /* over there */
    struct sbi_memory memory;
};

struct sbi_sync {
    sbx_session *session; /* held */
    int direction;
    uint64_t flags;
    sbx_cancel *cancel;
    char *remote; /* as it was told */
    char *local;
    char *far_path; /* absolute, of the root over there */
    struct sbi_here here;
    struct sbi_far_list there;
    struct sbi_far_listing listing; /* far: waits over there for what a push sends */
    struct sbi_pushing *pushing;    /* sent already, in push.c; NULL: nothing is */
    struct sbi_exclude *exclude;
    struct sbi_memory memory;
    struct sbi_recall recall;
    struct sbi_sync_way way;
    struct sbi_sync_foreseen foreseen;
    struct sbi_sync_lock lock; /* of the target */
    uint8_t *undone; /* of each entry of the source: it failed; NULL: none did */
    char *here_path;
    struct sbi_plan_opts plan_opts;
    struct sbi_plan plan;
    char token[65];
    struct sbi_sync_progress progress;
    struct sbi_sync_notes notes;
    uint64_t wire_up;
    uint64_t wire_down;
    uint64_t sent_files;
    uint64_t sent_bytes;
    uint64_t deleted;
    uint64_t other;
    bool near;    /* the way was short the last time */
    bool at_once; /* looked at and carried out in one call */
    bool planned; /* before the far side has told: see sync_guess.c */
};

static inline const struct sbi_tree *sbi_sync_source(const struct sbi_sync *sync)
{
    return sync->direction == SBX_SYNC_PUSH ? &sync->here.tree : &sync->there.tree;
}

static inline const struct sbi_tree *sbi_sync_target(const struct sbi_sync *sync)
{
    return sync->direction == SBX_SYNC_PUSH ? &sync->there.tree : &sync->here.tree;
}

/* The path of an entry below a folder: its own, or the name of a root that is one file.
 */
static inline const char *sbi_sync_below(const char *path, const char *name)
{
    return path[0] == '\0' ? name : path;
}

/* Tells of what is done so far; now: whatever was told a moment ago. A failure where it
 * is to stop: SBX_ERR_CANCELLED. */
int sbi_sync_tell(struct sbi_sync *sync, bool now, sbx_error *err);
int sbi_sync_phase(struct sbi_sync *sync, int phase, sbx_error *err);

/* Looks at both sides and makes the plan; in sync_look.c. */
int sbi_sync_look(struct sbi_sync *sync, const sbx_sync_opts *opts, sbx_error *err);

/* Both sides as they are after all was carried, and what is kept of that for the next
 * time; in sync_end.c. again: some of it failed over there, and what is to be found out.
 */
int sbi_sync_end(struct sbi_sync *sync, bool again, sbx_error *err);

/* What will be once all that was sent is in its place: nothing where that cannot be told.
 * Asks nobody. */
void sbi_sync_foresee(struct sbi_sync *sync);

/* Forgets what was kept: nothing of it can be relied on. */
void sbi_sync_forget(struct sbi_sync *sync);

/* "gpu1:proj", as it is told of in errors; in room. */
const char *sbi_sync_far_name(const struct sbi_sync *sync, char *room, size_t size);

/* Compares what differs, makes the plan of both trees, and holds it against the rails; in
 * sync_look.c. */
int sbi_sync_plan(struct sbi_sync *sync, sbx_error *err);

/*
 * Plans, and sends what is little, as if the far side were what the last push left; the
 * listing is under way, and the walk over. Then, once its head was read, takes back what
 * proved wrong. In sync_guess.c. An error is one of this side, and ends the sync.
 */
int sbi_sync_guess(struct sbi_sync *sync, sbx_error *err);
int sbi_sync_settle(struct sbi_sync *sync, sbx_error *err);

/* What is remembered of the tools over there, where the way was short; else NULL. */
const char *sbi_sync_near_facts(const struct sbi_sync *sync);

/* How the far side of this sync is listed; hash and facts are not set. */
void sbi_sync_list_opts(const struct sbi_sync *sync, struct sbi_far_list_opts *out);

/*
 * The best packer that both sides have, or none where that would take longer than the way
 * does; what a stream that was sent has shown of the way, for the next time. In
 * sync_pack.c.
 */
int sbi_sync_choose_pack(struct sbi_sync *sync);
bool sbi_sync_sends_large(const struct sbi_sync *sync); /* of the files that it carries */
void sbi_sync_learn_rate(struct sbi_sync *sync, int pack,
                         const struct sbi_far_flow *flow);

/* Reads the tree of this side. */
int sbi_sync_walk(struct sbi_sync *sync, sbx_error *err);

void sbi_sync_clear(struct sbi_sync *sync);

#endif
