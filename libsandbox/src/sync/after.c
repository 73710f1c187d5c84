#include "sync/after.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT = 0, GONE = 1, DRESSED = 2 };

struct making {
    const struct sbi_after *after;
    uint8_t *fate;     /* of each entry of the target */
    uint32_t *dressed; /* by which entry of the source, where it is DRESSED */
    struct sbi_tree *to;
};

static int add(struct making *making, const struct sbi_tree *tree, size_t index,
               const struct sbi_tree_entry *dress, bool coarse, sbx_error *err)
{
    const struct sbi_tree_entry *entry = &tree->entries[index];
    struct sbi_tree_item item = {.path = sbi_tree_path(tree, index),
                                 .path_length = entry->path_length,
                                 .kind = (int)entry->kind,
                                 .mode = dress->mode,
                                 .size = entry->size,
                                 .mtime = dress->mtime,
                                 .mtime_ns = coarse ? 0 : dress->mtime_ns,
                                 .digits = coarse ? 0 : dress->digits};

    if (entry->kind == SBI_TREE_LINK) {
        item.target = sbi_tree_target(tree, index);
        item.mode = 0777;
    }
    return sbi_tree_add(making->to, &item, err);
}

static bool is_undone(const struct sbi_after *after, uint32_t source)
{
    return after->undone != NULL && after->undone[source] != 0;
}

static void mark_gone(struct making *making, const struct sbi_plan_list *list)
{
    size_t i;

    for (i = 0; i < list->count; i++)
        making->fate[list->items[i].target] = GONE;
}

static void mark_dressed(struct making *making, const struct sbi_plan_list *list)
{
    size_t i;

    for (i = 0; i < list->count; i++) {
        const struct sbi_plan_action *action = &list->items[i];

        if (action->what != SBI_PLAN_META || action->target == SBI_TREE_NONE)
            continue;
        making->fate[action->target] = DRESSED;
        making->dressed[action->target] = action->source;
    }
}

static int add_made(struct making *making, sbx_error *err)
{
    const struct sbi_after *after = making->after;
    const struct sbi_plan_list *make = &after->plan->make;
    size_t i;
    int rc = SBX_OK;

    for (i = 0; i < make->count && rc == SBX_OK; i++) {
        const struct sbi_plan_action *action = &make->items[i];

        if (action->what == SBI_PLAN_META || is_undone(after, action->source))
            continue;
        if (action->target != SBI_TREE_NONE)
            making->fate[action->target] = GONE;
        rc = add(making, after->source, action->source,
                 &after->source->entries[action->source], after->seconds, err);
    }
    return rc;
}

static int add_kept(struct making *making, sbx_error *err)
{
    const struct sbi_after *after = making->after;
    size_t i;
    int rc = SBX_OK;

    for (i = 0; i < after->target->count && rc == SBX_OK; i++) {
        bool dressed = making->fate[i] == DRESSED;
        const struct sbi_tree_entry *dress =
            dressed ? &after->source->entries[making->dressed[i]]
                    : &after->target->entries[i];

        if (making->fate[i] != GONE)
            rc = add(making, after->target, i, dress, dressed && after->seconds, err);
    }
    return rc;
}

int sbi_after_make(const struct sbi_after *after, struct sbi_tree *out, sbx_error *err)
{
    size_t count = after->target->count + 1;
    SBI_AUTOFREE uint8_t *fate = calloc(count, sizeof(*fate));
    SBI_AUTOFREE uint32_t *dressed = calloc(count, sizeof(*dressed));
    SBI_AUTO_TREE tree = {0};
    struct making making = {
        .after = after, .fate = fate, .dressed = dressed, .to = &tree};
    int rc;

    if (fate == NULL || dressed == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    mark_gone(&making, &after->plan->clear);
    mark_gone(&making, &after->plan->remove);
    mark_dressed(&making, &after->plan->make);
    mark_dressed(&making, &after->plan->finish);
    rc = add_made(&making, err);
    if (rc == SBX_OK)
        rc = add_kept(&making, err);
    if (rc == SBX_OK)
        rc = sbi_tree_sort(&tree, err);
    if (rc < 0)
        return rc;
    *out = tree;
    tree = (struct sbi_tree){0};
    return SBX_OK;
}
