/*
 * push_merge.c - `t` is copied by links at once. Where nothing else moves the mtime of a
 * folder, the folders of `t` have the mtimes that they are to have over there, and the
 * copy brings them along: no second archive is needed for that.
 */
#include "sync/push_moves.h"

#include <string.h>

#define MOST_TOPS 256

enum { IN_STAGE = 1, FINISHED = 2, PLACED = 4 }; /* marks of entries of the source */

static bool is_top(const struct sbi_tree *source, size_t index)
{
    return source->entries[index].path_length > 0 &&
           strchr(sbi_tree_path(source, index), '/') == NULL;
}

/* Nor must a mode be set behind it. */
static bool is_flat(const struct sbi_pushing *pushing)
{
    const struct sbi_plan *plan = &pushing->sync->plan;
    const struct sbi_tree *target = sbi_sync_target(pushing->sync);
    size_t i;

    if (plan->remove.count > 0 || pushing->dropped.length > 0 || pushing->tied)
        return false;
    for (i = 0; i < plan->finish.count; i++) {
        const struct sbi_plan_action *action = &plan->finish.items[i];

        if (action->target == SBI_TREE_NONE ||
            target->entries[action->target].kind != SBI_TREE_FOLDER ||
            target->entries[action->target].mode !=
                pushing->source->entries[action->source].mode)
            return false;
    }
    return true;
}

static void mark_above(const struct sbi_tree *source, uint32_t index, uint8_t *marks)
{
    size_t length = source->entries[index].path_length;
    const char *path = sbi_tree_path(source, index);
    const char *slash;

    while ((slash = memrchr(path, '/', length)) != NULL) {
        size_t found = sbi_tree_find(source, path, (size_t)(slash - path));

        length = (size_t)(slash - path);
        if (found == SBI_TREE_NONE || (marks[found] & IN_STAGE) != 0)
            return;
        marks[found] |= IN_STAGE;
    }
}

static void mark_all(const struct sbi_push_moves *moves, uint8_t *marks)
{
    const struct sbi_tree *source = moves->pushing->source;
    const struct sbi_plan_list *finish = &moves->pushing->sync->plan.finish;
    size_t i;

    for (i = 0; i < finish->count; i++) {
        marks[finish->items[i].source] |= FINISHED;
        mark_above(source, finish->items[i].source, marks);
    }
    for (i = 0; i < moves->count; i++) {
        marks[moves->items[i]] |= PLACED;
        mark_above(source, moves->items[i], marks);
    }
}

/* One that is only on the way to others keeps the mtime that it has over there. */
static int add_folder(struct sbi_pushing *pushing, size_t index, bool finished,
                      sbx_error *err)
{
    const struct sbi_tree *target = sbi_sync_target(pushing->sync);
    const struct sbi_tree_entry *entry = &pushing->source->entries[index];
    size_t at = finished ? SBI_TREE_NONE
                         : sbi_tree_find(target, sbi_tree_path(pushing->source, index),
                                         entry->path_length);
    struct sbi_archive_item item = {.kind = SBI_ARCHIVE_FOLDER, .mode = 0700};
    int rc = sbi_push_staged(pushing, "t/", (uint32_t)index, err);

    if (at != SBI_TREE_NONE)
        entry = &target->entries[at];
    item.path = pushing->path.data;
    item.seconds = entry->mtime;
    item.nanoseconds = entry->mtime_ns;
    return rc == SBX_OK ? sbi_archive_add(pushing->writer, &item, err) : rc;
}

static int add_folders(struct sbi_pushing *pushing, const uint8_t *marks, sbx_error *err)
{
    size_t i;
    int rc = SBX_OK;

    for (i = 0; i < pushing->source->count && rc == SBX_OK; i++)
        if ((marks[i] & (IN_STAGE | FINISHED)) != 0)
            rc = add_folder(pushing, i, (marks[i] & FINISHED) != 0, err);
    return rc;
}

/* They are the arguments of one call over there. */
static bool has_few_tops(const struct sbi_tree *source, const uint8_t *marks)
{
    size_t count = 0, i;

    for (i = 0; i < source->count; i++)
        count += marks[i] != 0 && is_top(source, i);
    return count <= MOST_TOPS;
}

int sbi_push_merge(const struct sbi_push_moves *moves, sbx_error *err)
{
    struct sbi_pushing *pushing = moves->pushing;
    SBI_AUTOFREE uint8_t *marks = calloc(pushing->source->count + 1, 1);
    int rc = sbi_push_control(pushing, "merge", "1", pushing->sync->there.linked, err);

    if (marks == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    pushing->merges = true;
    mark_all(moves, marks);
    pushing->flat = is_flat(pushing) && has_few_tops(pushing->source, marks);
    if (rc < 0 || !pushing->flat)
        return rc;
    rc = add_folders(pushing, marks, err);
    return rc == SBX_OK ? sbi_push_control(pushing, "top", "", 0, err) : rc;
}
