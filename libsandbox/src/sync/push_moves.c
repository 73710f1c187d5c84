/*
 * push_moves.c - which names of `t` are moved where. A folder that is new moves with all
 * that is in it; so a first push is one mv, whatever its size. What goes into folders
 * that are there already is grouped by them, or, where these are many, copied by links
 * (push_merge.c).
 */
#include "sync/push_moves.h"

#include <string.h>

#define MOST_MOVES 4    /* more folders than that are better merged at once */
#define MOVE_LIMIT 8192 /* of names; the folder's own comes behind them */

static size_t parent_length(const struct sbi_tree *tree, uint32_t index)
{
    const char *path = sbi_tree_path(tree, index);
    const char *slash = strrchr(path, '/');

    return slash == NULL ? 0 : (size_t)(slash - path);
}

static int by_parent(const void *a, const void *b, void *userdata)
{
    const struct sbi_tree *tree = userdata;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    int order = sbi_tree_compare(sbi_tree_path(tree, i), parent_length(tree, i),
                                 sbi_tree_path(tree, j), parent_length(tree, j));

    return order != 0 ? order : i < j ? -1 : i > j;
}

static bool is_below(const struct sbi_tree *tree, uint32_t index, uint32_t folder)
{
    return folder != SBI_TREE_NONE && index < sbi_tree_end_of(tree, folder);
}

/* The plan has them by path: a new folder comes right before what is in it. */
static void find_moves(struct sbi_push_moves *moves)
{
    const struct sbi_plan_list *make = &moves->pushing->sync->plan.make;
    const struct sbi_tree *source = moves->pushing->source;
    uint32_t top = SBI_TREE_NONE;
    size_t i;

    for (i = 0; i < make->count; i++) {
        const struct sbi_plan_action *action = &make->items[i];
        bool makes = action->what == SBI_PLAN_MAKE_FOLDER;

        if (action->what == SBI_PLAN_META || is_below(source, action->source, top) ||
            moves->pushing->state[action->source] == SBI_PUSH_FAILED ||
            (makes && source->entries[action->source].path_length == 0))
            continue;
        moves->items[moves->count++] = action->source;
        if (makes)
            top = action->source;
    }
}

static int end_move(struct sbi_push_list *list, const struct sbi_tree *tree,
                    uint32_t index, sbx_error *err)
{
    if (list->text.length == 0)
        return SBX_OK;
    sbi_str_add(&list->text, "./");
    sbi_str_add_bytes(&list->text, sbi_tree_path(tree, index),
                      parent_length(tree, index));
    sbi_str_add_bytes(&list->text, "/", 2);
    return sbi_push_list_end(list, err);
}

static bool have_one_parent(const struct sbi_tree *tree, uint32_t a, uint32_t b)
{
    return sbi_tree_compare(sbi_tree_path(tree, a), parent_length(tree, a),
                            sbi_tree_path(tree, b), parent_length(tree, b)) == 0;
}

static size_t count_parents(const struct sbi_push_moves *moves)
{
    size_t count = moves->count > 0, i;

    for (i = 1; i < moves->count; i++)
        count += !have_one_parent(moves->pushing->source, moves->items[i],
                                  moves->items[i - 1]);
    return count;
}

static int add_moves(struct sbi_push_moves *moves, sbx_error *err)
{
    struct sbi_pushing *pushing = moves->pushing;
    const struct sbi_tree *source = pushing->source;
    SBI_AUTO_PUSH_LIST list = {.pushing = pushing, .name = "mv"};
    size_t i;
    int rc = SBX_OK;

    for (i = 0; i < moves->count && rc == SBX_OK; i++) {
        const char *path = sbi_sync_below(sbi_tree_path(source, moves->items[i]),
                                          pushing->sync->there.name);
        bool next =
            i > 0 && !have_one_parent(source, moves->items[i], moves->items[i - 1]);

        if (i > 0 && (next || list.text.length + strlen(path) > MOVE_LIMIT))
            rc = end_move(&list, source, moves->items[i - 1], err);
        if (rc == SBX_OK)
            rc = sbi_push_list_add(&list, pushing->stage, path, err);
    }
    if (rc == SBX_OK && moves->count > 0)
        rc = end_move(&list, source, moves->items[moves->count - 1], err);
    return rc;
}

int sbi_push_moves(struct sbi_pushing *pushing, sbx_error *err)
{
    SBI_AUTOFREE uint32_t *items =
        calloc(pushing->sync->plan.make.count + 1, sizeof(*items));
    struct sbi_push_moves moves = {.pushing = pushing, .items = items};

    if (items == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    find_moves(&moves);
    qsort_r(items, moves.count, sizeof(*items), by_parent,
            (void *)(uintptr_t)pushing->source);
    if (pushing->sync->there.links && count_parents(&moves) > MOST_MOVES)
        return sbi_push_merge(&moves, err);
    return add_moves(&moves, err);
}
