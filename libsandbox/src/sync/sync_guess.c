/*
 * sync_guess.c - a push that does not wait to hear that the far side is as the last one
 * left it: the plan is made of what is remembered, and what it sends is little, so it is
 * on its way by then. The far side does none of it unless its own listing hashes to what
 * we hold; so a wrong guess costs some bytes, and nothing else.
 */
#include "sync/sync_state.h"

#include "sync/push.h"

#include <string.h>

/*
 * All of it must have room on the way: while a listing comes instead of what was
 * expected, nobody over there reads.
 */
#define FEW_BYTES (768 * 1024)
#define FEW_ACTIONS 400

static int take_recall(struct sbi_sync *sync, sbx_error *err)
{
    const struct sbi_recall *recall = &sync->recall;
    struct sbi_far_list *there = &sync->there;

    sbi_far_list_take_facts(recall->facts, there);
    there->state = recall->name[0] == '\0' ? SBI_FAR_FOLDER : SBI_FAR_FILE;
    there->same = true;
    there->facts = strdup(recall->facts);
    there->folder = strdup(recall->folder);
    there->name = strdup(recall->name);
    there->home = strdup(recall->home);
    there->errors = strdup("");
    if (there->facts == NULL || there->folder == NULL || there->name == NULL ||
        there->home == NULL || there->errors == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    return SBX_OK;
}

/* To compare contents takes a word of the far side. */
static int has_doubts(const struct sbi_sync *sync, bool *out, sbx_error *err)
{
    SBI_AUTO_PLAN_DOUBTS doubts = {0};
    int rc = sbi_plan_doubts(&sync->here.tree, &sync->there.tree, &sync->plan_opts,
                             &doubts, err);

    *out = doubts.count > 0;
    return rc;
}

static bool is_little(const struct sbi_plan *plan)
{
    return plan->send_bytes <= FEW_BYTES && plan->clear.count + plan->make.count +
                                                    plan->remove.count +
                                                    plan->finish.count <=
                                                FEW_ACTIONS;
}

/* What goes there unasked goes to no target but the one that is locked. */
static bool is_locked(const struct sbi_sync *sync)
{
    return sync->lock.path != NULL && strcmp(sync->lock.path, sync->far_path) == 0;
}

static void forget(struct sbi_sync *sync)
{
    struct sbi_tree recalled = sync->there.tree;

    sync->there.tree = (struct sbi_tree){0};
    sbi_push_forget(sync);
    sbi_plan_clear(&sync->plan);
    sbi_far_list_clear(&sync->there);
    sync->there.tree = recalled;
    sbi_sync_notes_clear(&sync->notes);
    sync->sent_files = sync->sent_bytes = sync->deleted = sync->other = 0;
    sync->progress.now = (sbx_sync_progress){.phase = SBX_SYNC_LOOKING};
    sync->planned = false;
}

/* A plan that is refused is refused again, if it is one, once all is known. */
int sbi_sync_guess(struct sbi_sync *sync, sbx_error *err)
{
    bool doubts = true;
    int rc = take_recall(sync, err);

    if (rc == SBX_OK)
        rc = has_doubts(sync, &doubts, err);
    if (rc < 0)
        return rc;
    if (doubts || sbi_sync_plan(sync, NULL) < 0 || !is_locked(sync)) {
        forget(sync);
        return SBX_OK;
    }
    sync->planned = true;
    sync->progress.now.files_total = sync->plan.send_count;
    sync->progress.now.bytes_total = sync->plan.send_bytes;
    if (sbi_plan_is_empty(&sync->plan))
        sbi_far_end_input(sync->listing.far);
    else if (is_little(&sync->plan))
        return sbi_push_ahead(sync, err);
    return SBX_OK;
}

int sbi_sync_settle(struct sbi_sync *sync, sbx_error *err)
{
    bool nothing = sync->planned && sbi_plan_is_empty(&sync->plan);
    bool spoken = nothing || sync->pushing != NULL;
    int rc = SBX_OK;

    if (!sync->planned)
        return SBX_OK;
    sync->there.parts = SBI_STEAL(sync->listing.list.parts);
    if (sync->listing.list.same && !nothing)
        return SBX_OK;
    if (!sync->listing.list.same) {
        sync->listing.list.parts = SBI_STEAL(sync->there.parts);
        forget(sync);
    }
    sync->listing.opts.pushes = sync->listing.opts.pushes && !spoken;
    if (nothing && sync->planned)
        rc = sbi_far_list_leave(&sync->listing, &sync->there, err);
    sync->wire_up += sync->there.up;
    sync->wire_down += sync->there.down;
    return rc;
}
