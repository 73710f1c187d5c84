/*
 * sync_end.c - what both sides are now. After a push that went well that is told from
 * the plan; the next one asks over there whether it holds, by a hash. After a failure
 * the far side is listed once more: what the plan would still do has failed.
 */
#include "sync/sync_state.h"

#include "base/log.h"
#include "base/str.h"
#include "sync/after.h"

#include <string.h>

static void note_rest(struct sbi_sync *sync, const char *path, const char *errors)
{
    const char *line = errors;
    size_t length;

    for (; path[0] != '\0' && *line != '\0'; line += length + (line[length] == '\n')) {
        const char *reason;
        char text[200];

        length = strcspn(line, "\n");
        if (memmem(line, length, path, strlen(path)) == NULL)
            continue;
        reason = memrchr(line, ':', length);
        reason = reason == NULL ? line : reason + 1;
        reason += strspn(reason, " ");
        (void)strncpy(text, reason, sizeof(text) - 1);
        text[sizeof(text) - 1] = '\0';
        text[strcspn(text, "\n")] = '\0';
        sbi_sync_note(&sync->notes, SBI_NOTE_FAIL, path, text);
        return;
    }
    sbi_sync_note(&sync->notes, SBI_NOTE_FAIL, path, "it did not get to its place");
}

static void note_list(struct sbi_sync *sync, const struct sbi_plan_list *list,
                      const char *errors)
{
    size_t i;

    for (i = 0; i < list->count; i++) {
        const struct sbi_plan_action *action = &list->items[i];
        bool gone = action->what == SBI_PLAN_REMOVE;

        if (!gone && sync->undone != NULL && sync->undone[action->source] != 0)
            continue;
        note_rest(sync,
                  gone ? sbi_tree_path(sbi_sync_target(sync), action->target)
                       : sbi_tree_path(sbi_sync_source(sync), action->source),
                  errors);
    }
}

/* What a plan of the same two sides would still do. */
static int look_again(struct sbi_sync *sync, sbx_error *err)
{
    SBI_AUTO_FAR_LIST list = {0};
    SBI_AUTO_PLAN plan = {0};
    struct sbi_far_list_opts opts;
    SBI_AUTOFREE char *errors = SBI_STEAL(sync->there.errors);
    uint64_t before = sync->notes.totals[SBI_NOTE_FAIL];
    int rc;

    sbi_sync_list_opts(sync, &opts);
    rc = sbi_far_list(sync->session, &opts, &list, err);
    if (rc < 0)
        return rc;
    sync->wire_up += list.up;
    sync->wire_down += list.down;
    sbi_far_list_clear(&sync->there);
    sync->there = list;
    list = (struct sbi_far_list){0};
    rc = sbi_plan_make(sbi_sync_source(sync), sbi_sync_target(sync), &sync->plan_opts,
                       &plan, err);
    if (rc < 0)
        return rc;
    note_list(sync, &plan.clear, errors);
    note_list(sync, &plan.make, errors);
    note_list(sync, &plan.remove, errors);
    if (sync->notes.totals[SBI_NOTE_FAIL] == before && !sbi_plan_is_empty(&plan))
        sbi_sync_note_lines(&sync->notes, errors);
    sync->sent_files -=
        plan.send_count < sync->sent_files ? plan.send_count : sync->sent_files;
    sync->sent_bytes -=
        plan.send_bytes < sync->sent_bytes ? plan.send_bytes : sync->sent_bytes;
    sync->deleted -=
        plan.removed_count < sync->deleted ? plan.removed_count : sync->deleted;
    return SBX_OK;
}

static int make_after(const struct sbi_sync *sync, struct sbi_tree *out, sbx_error *err)
{
    const struct sbi_after after = {.source = &sync->here.tree,
                                    .target = &sync->there.tree,
                                    .plan = &sync->plan,
                                    .undone = sync->undone,
                                    .seconds = sync->there.tar == SBI_TAR_SMALL};

    return sbi_after_make(&after, out, err);
}

void sbi_sync_foresee(struct sbi_sync *sync)
{
    struct sbi_sync_foreseen *foreseen = &sync->foreseen;
    const struct sbi_tree *here = &sync->here.tree, *there = &foreseen->tree;

    sbi_tree_clear(&foreseen->tree);
    foreseen->told = make_after(sync, &foreseen->tree, NULL) == SBX_OK &&
                     sbi_tree_seal(&foreseen->tree, NULL) == SBX_OK &&
                     sbi_memory_set(&foreseen->memory, here, there, NULL) == SBX_OK;
}

/* The target over there as the plan has left it. */
static int tell_ahead(struct sbi_sync *sync, sbx_error *err)
{
    SBI_AUTO_TREE tree = sync->foreseen.tree;
    int rc = SBX_OK;

    sync->foreseen.tree = (struct sbi_tree){0};
    if (!sync->foreseen.told) {
        sbi_tree_clear(&tree);
        rc = make_after(sync, &tree, err);
    }
    if (rc < 0)
        return rc;
    sbi_tree_clear(&sync->there.tree);
    sync->there.tree = tree;
    tree = (struct sbi_tree){0};
    return SBX_OK;
}

static int keep_recall(struct sbi_sync *sync, sbx_error *err)
{
    char hash[65];
    const struct sbi_recall recall = {.hash = hash,
                                      .facts = sync->there.facts,
                                      .folder = sync->there.folder,
                                      .name = sync->there.name,
                                      .home = sync->there.home};
    int rc = sbi_far_list_hash(&sync->there.tree, hash, err);

    if (rc == SBX_OK)
        rc = sbi_recall_save(sync->here_path, sbx_session_place(sync->session),
                             sync->remote, &recall, &sync->there.tree, err);
    return rc;
}

#define NEAR "near "

const char *sbi_sync_near_facts(const struct sbi_sync *sync)
{
    const char *note = sync->memory.note;

    return note != NULL && strncmp(note, NEAR, strlen(NEAR)) == 0 ? note + strlen(NEAR)
                                                                  : NULL;
}

/*
 * On a short way a listing comes sooner than the far side sorts and hashes one, and what
 * it would be held against need not be kept. *moved: the way is another than it was.
 */
static int keep_way(struct sbi_sync *sync, bool *moved, sbx_error *err)
{
    bool near = sync->way.asked && sbi_sync_way_is_near(&sync->way);
    SBI_AUTO_STR note = {.limit = 512};

    *moved = near != sync->near;
    sync->near = near;
    free(SBI_STEAL(sync->memory.note));
    if (!near)
        return SBX_OK;
    sbi_str_addf(&note, NEAR "%s", sync->there.facts);
    sbi_recall_forget(sync->here_path, sbx_session_place(sync->session), sync->remote);
    return sbi_str_take(&note, &sync->memory.note, err);
}

static int set_memory(struct sbi_sync *sync, sbx_error *err)
{
    if (!sync->foreseen.told)
        return sbi_memory_set(&sync->memory, &sync->here.tree, &sync->there.tree, err);
    sync->foreseen.told = false;
    sync->foreseen.memory.note = SBI_STEAL(sync->memory.note);
    sbi_memory_clear(&sync->memory);
    sync->memory = sync->foreseen.memory;
    sync->foreseen.memory = (struct sbi_memory){0};
    return SBX_OK;
}

/* Want of it makes the next sync slower, and no more. */
static void keep(struct sbi_sync *sync, bool all)
{
    const char *place = sbx_session_place(sync->session);
    bool push = sync->direction == SBX_SYNC_PUSH, moved = false;
    sbx_error why = {0};
    int rc = SBX_OK;

    all = all || sync->memory.count == 0;
    if (push && (sync->at_once || all))
        rc = keep_way(sync, &moved, &why);
    if (rc == SBX_OK && push && !sync->near && sync->there.exact &&
        !sync->there.tree.partial && (all || !sync->there.same))
        rc = keep_recall(sync, &why);
    if (rc == SBX_OK && all)
        rc = set_memory(sync, &why);
    if (rc == SBX_OK && (all || moved))
        rc = sbi_memory_save(&sync->memory, sync->here_path, place, sync->remote, &why);
    if (rc < 0)
        sbi_log(SBX_LOG_INFO, "nothing is kept of this sync: %s", why.text);
}

void sbi_sync_forget(struct sbi_sync *sync)
{
    const char *place = sbx_session_place(sync->session);

    sbi_recall_forget(sync->here_path, place, sync->remote);
    sbi_memory_forget(sync->here_path, place, sync->remote);
}

int sbi_sync_end(struct sbi_sync *sync, bool again, sbx_error *err)
{
    bool nothing = sbi_plan_is_empty(&sync->plan);
    bool learnt = sync->memory.count == 0;
    int rc = SBX_OK;

    sync->foreseen.told = sync->foreseen.told && !again;
    if (again)
        rc = look_again(sync, err);
    else if (!nothing && sync->direction == SBX_SYNC_PUSH)
        rc = tell_ahead(sync, err);
    if (rc < 0)
        return rc;
    if (sync->notes.totals[SBI_NOTE_FAIL] > 0) /* what differs is not known to be alike */
        sbi_sync_forget(sync);
    else
        keep(sync, !nothing || learnt);
    return SBX_OK;
}
