/*
 * pull.c - the order of things: what is in the way goes, folders and links come to be,
 * files as they come, hard links to them, then what is gone goes, and folders get the
 * times that all this has moved.
 */
#include "sync/pull.h"

#include "sync/far_script.h"
#include "sync/pull_state.h"

#include <stdio.h>
#include <string.h>

static void pulling_clear(struct sbi_pulling *pulling)
{
    sbi_archive_reader_free(pulling->reader);
    sbi_far_free(pulling->far);
    sbi_pull_close(pulling);
    free(pulling->state);
    free(pulling->piece);
}

static ssize_t get(const void **data, void *userdata, sbx_error *err)
{
    struct sbi_pulling *pulling = userdata;

    *data = pulling->piece + SBI_PULL_PIECE;
    return sbi_far_get(pulling->far, pulling->piece + SBI_PULL_PIECE, SBI_PULL_PIECE,
                       err);
}

static int do_action(struct sbi_pulling *pulling, const struct sbi_plan_action *action,
                     sbx_error *err)
{
    switch (action->what) {
    case SBI_PLAN_MAKE_FOLDER:
        return sbi_pull_folder(pulling, action->source, err);
    case SBI_PLAN_LINK:
        return sbi_pull_link(pulling, action->source, err);
    case SBI_PLAN_META:
        pulling->sync->other++;
        return sbi_pull_meta(pulling, action->source, err);
    case SBI_PLAN_SEND:
        pulling->state[action->source] = SBI_PULL_WANTED;
        return SBX_OK;
    default:
        return SBX_OK;
    }
}

static int make_all(struct sbi_pulling *pulling, sbx_error *err)
{
    const struct sbi_plan *plan = &pulling->sync->plan;
    size_t i;
    int rc = SBX_OK;

    for (i = 0; i < plan->clear.count && rc == SBX_OK; i++)
        rc = sbi_pull_remove(pulling, plan->clear.items[i].target, err);
    for (i = 0; i < plan->make.count && rc == SBX_OK; i++)
        rc = do_action(pulling, &plan->make.items[i], err);
    return rc;
}

static int add_names(const struct sbi_pulling *pulling, struct sbi_str *names,
                     sbx_error *err)
{
    const struct sbi_plan_list *make = &pulling->sync->plan.make;
    size_t i;

    for (i = 0; i < make->count; i++) {
        const char *path;

        if (make->items[i].what != SBI_PLAN_SEND ||
            pulling->state[make->items[i].source] != SBI_PULL_WANTED)
            continue;
        path = sbi_sync_below(sbi_tree_path(pulling->source, make->items[i].source),
                              pulling->sync->there.name);
        sbi_str_add(names, "./");
        sbi_str_add_bytes(names, path, strlen(path) + 1);
    }
    return names->status == SBX_OK ? SBX_OK
                                   : sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
}

/* The entry that an item's name stands for, or SBI_TREE_NONE. */
static size_t find_entry(const struct sbi_pulling *pulling, const char *path)
{
    if (strncmp(path, "./", 2) == 0)
        path += 2;
    if (pulling->sync->there.name[0] != '\0')
        return strcmp(path, pulling->sync->there.name) == 0 ? 0 : SBI_TREE_NONE;
    return sbi_tree_find(pulling->source, path, strlen(path));
}

static bool is_state(const struct sbi_pulling *pulling, size_t index, int state)
{
    return index != SBI_TREE_NONE && pulling->state[index] == state;
}

/* What was not asked for, or comes a second time, is passed over. */
static int take_item(struct sbi_pulling *pulling, const struct sbi_archive_item *item,
                     sbx_error *err)
{
    size_t index = find_entry(pulling, item->path), leader;
    int rc;

    if (!is_state(pulling, index, SBI_PULL_WANTED))
        return SBX_OK;
    if (item->kind == SBI_ARCHIVE_FILE)
        return sbi_pull_file(pulling, item, (uint32_t)index, err);
    leader = item->kind == SBI_ARCHIVE_SAME ? find_entry(pulling, item->target)
                                            : SBI_TREE_NONE;
    if (!is_state(pulling, leader, SBI_PULL_DONE))
        return SBX_OK;
    rc = sbi_pull_hard_link(pulling, (uint32_t)leader, (uint32_t)index, err);
    if (rc == SBX_OK)
        pulling->state[index] = SBI_PULL_DONE;
    return rc;
}

static int take_all(struct sbi_pulling *pulling, sbx_error *err)
{
    const struct sbi_archive_reader_opts opts = {.get = get, .userdata = pulling};
    struct sbi_archive_item item;
    int rc = sbi_archive_reader_new(&opts, &pulling->reader, err);
    int next = 1;

    while (rc == SBX_OK && next > 0) {
        next = sbi_archive_next(pulling->reader, &item, err);
        rc = next > 0 ? take_item(pulling, &item, err) : next;
    }
    return rc;
}

/* What was asked for and did not come. */
static void note_missing(struct sbi_pulling *pulling, const char *errors)
{
    const struct sbi_plan_list *make = &pulling->sync->plan.make;
    size_t i;

    sbi_sync_note_lines(&pulling->sync->notes, errors);
    for (i = 0; i < make->count; i++)
        if (is_state(pulling, make->items[i].source, SBI_PULL_WANTED))
            sbi_sync_note(&pulling->sync->notes, SBI_NOTE_FAIL,
                          sbi_tree_path(pulling->source, make->items[i].source),
                          "it did not come");
}

static int end_fetch(struct sbi_pulling *pulling, int rc, sbx_error *err)
{
    struct sbi_sync *sync = pulling->sync;
    struct sbi_far_end end;
    sbx_error ours = {0};
    uint64_t up, down;
    int ended = sbi_far_finish(pulling->far, &end, &ours);

    sbi_far_bytes(pulling->far, &up, &down);
    sync->wire_up += up;
    sync->wire_down += down;
    if (rc == SBX_ERR_CANCELLED || rc == SBX_ERR_IO || rc == SBX_ERR_NO_MEMORY)
        return rc;
    if (ended < 0 && (rc == SBX_OK || ended != SBX_ERR_CANCELLED)) {
        if (err != NULL)
            *err = ours;
        return ended;
    }
    if (rc < 0)
        return rc;
    if (strstr(end.errors, "sbx1 tar 0") == NULL || end.code != 0)
        note_missing(pulling, end.errors);
    else
        note_missing(pulling, "");
    return SBX_OK;
}

static int fetch(struct sbi_pulling *pulling, sbx_error *err)
{
    static const char *const packs[] = {"none", "gzip", "zstd"};
    static const char *const tars[] = {"small", "gnu", "bsd", "small"};
    struct sbi_sync *sync = pulling->sync;
    SBI_AUTO_STR names = {0};
    const char *args[] = {sync->there.folder, packs[SBI_PACK_NONE], tars[sync->there.tar],
                          (sync->flags & SBX_SYNC_FOLLOW) != 0 ? "1" : "0", NULL};
    struct sbi_far_flow flow;
    struct sbi_far_opts opts = {.script = sbi_far_pull_script,
                                .args = args,
                                .reads = true,
                                .cancel = sync->cancel};
    int pack;
    int rc = sbi_pull_rests(pulling, err);

    if (rc == SBX_OK)
        rc = add_names(pulling, &names, err);
    if (rc < 0 || names.length == 0)
        return rc;
    opts.input = names.data;
    opts.input_length = names.length;
    pack = sbi_sync_choose_pack(sync);
    args[1] = packs[pack];
    rc = sbi_far_start(sync->session, &opts, &pulling->far, err);
    if (rc < 0)
        return rc;
    rc = take_all(pulling, err);
    sbi_far_flow(pulling->far, false, &flow);
    rc = end_fetch(pulling, rc, err);
    if (rc == SBX_OK)
        sbi_sync_learn_rate(sync, pack, &flow);
    sbi_far_clear(&pulling->far);
    return rc;
}

static int finish_all(struct sbi_pulling *pulling, sbx_error *err)
{
    const struct sbi_plan *plan = &pulling->sync->plan;
    size_t i;
    int rc = SBX_OK;

    for (i = 0; i < plan->make.count && rc == SBX_OK; i++) {
        const struct sbi_plan_action *action = &plan->make.items[i];

        if (action->what == SBI_PLAN_HARD_LINK)
            rc = sbi_pull_hard_link(pulling, action->leader, action->source, err);
    }
    for (i = 0; i < plan->remove.count && rc == SBX_OK; i++)
        rc = sbi_pull_remove(pulling, plan->remove.items[i].target, err);
    return rc;
}

/* The last of all, when nothing of ours is left in any of them. */
static int dress_folders(struct sbi_pulling *pulling, sbx_error *err)
{
    const struct sbi_plan_list *finish = &pulling->sync->plan.finish;
    size_t i;
    int rc = SBX_OK;

    for (i = 0; i < finish->count && rc == SBX_OK; i++)
        rc = sbi_pull_meta(pulling, finish->items[i].source, err);
    return rc;
}

static int prepare(struct sbi_pulling *pulling, sbx_error *err)
{
    pulling->piece = malloc(2 * SBI_PULL_PIECE);
    pulling->state = calloc(pulling->source->count + 1, 1);
    if (pulling->piece == NULL || pulling->state == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    return SBX_OK;
}

int sbi_pull(struct sbi_sync *sync, bool *changed, sbx_error *err)
{
    SBI_CLEANUP(pulling_clear)
    struct sbi_pulling pulling = {.sync = sync,
                                  .source = sbi_sync_source(sync),
                                  .target = sbi_sync_target(sync),
                                  .beneath = {.root = -1, .fd = -1},
                                  .all = -1,
                                  .stage = -1};
    int rc = prepare(&pulling, err);

    if (rc == SBX_OK)
        rc = sbi_sync_phase(sync, SBX_SYNC_CARRYING, err);
    if (rc == SBX_OK)
        rc = sbi_pull_open(&pulling, err);
    if (rc < 0)
        return rc;
    *changed = true;
    rc = make_all(&pulling, err);
    if (rc == SBX_OK)
        rc = fetch(&pulling, err);
    if (rc == SBX_OK)
        rc = sbi_sync_phase(sync, SBX_SYNC_PLACING, err);
    if (rc == SBX_OK)
        rc = finish_all(&pulling, err);
    if (rc < 0)
        return rc;
    sbi_pull_unstage(&pulling);
    rc = dress_folders(&pulling, err);
    return rc == SBX_OK ? sbi_pull_after(&pulling, err) : rc;
}
