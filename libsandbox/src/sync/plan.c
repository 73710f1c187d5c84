/*
 * plan.c - walks two trees side by side and notes what makes the second like the first.
 *
 * A folder is open while the walk is in it. What happens in it is known when it closes:
 * whether its mtime has to be set again, and whether a folder that is to go holds
 * something that has to stay. So a folder's own removal and mtime are noted at its close,
 * behind all that lies in it, which is also the order to do them in.
 */
#include "sync/plan.h"

#include "base/array.h"
#include "sync/plan_compare.h"
#include "sync/plan_links.h"

#include <string.h>

#define DEPTH_LIMIT (SBI_TREE_PATH_LIMIT / 2 + 2)

struct folder {
    uint32_t source; /* or SBI_TREE_NONE: it is in the target alone, and is to go */
    uint32_t target;
    uint8_t finish; /* why its mode and mtime are to be set, or 0 */
    bool stays;     /* something in it does */
};

struct walk {
    struct sbi_tree_pair pair;
    const struct sbi_plan_opts *opts;
    struct sbi_plan *plan;
    struct sbi_plan_links links;
    struct folder open[DEPTH_LIMIT];
    size_t depth;
};

static void walk_clear(struct walk *walk)
{
    sbi_plan_links_clear(&walk->links);
}

static int note(struct sbi_plan_list *list, struct sbi_plan_action action, sbx_error *err)
{
    int rc = sbi_array_reserve(&list->items, sizeof(*list->items), list->count + 1,
                               &list->capacity, err);

    if (rc == SBX_OK)
        list->items[list->count++] = action;
    return rc;
}

static struct sbi_plan_action action_of(size_t source, size_t target, uint8_t what,
                                        uint8_t why)
{
    return (struct sbi_plan_action){(uint32_t)source, (uint32_t)target, SBI_TREE_NONE,
                                    what, why};
}

static const struct sbi_tree_entry *source_at(const struct walk *walk, size_t index)
{
    return &walk->pair.a->entries[index];
}

static const struct sbi_tree_entry *target_at(const struct walk *walk, size_t index)
{
    return &walk->pair.b->entries[index];
}

static bool wants(const struct walk *walk, unsigned flag)
{
    return (walk->opts->flags & flag) != 0;
}

/* Something was done, or is to be done, in the folder that is open. */
static void touch(struct walk *walk)
{
    struct folder *folder = walk->depth > 0 ? &walk->open[walk->depth - 1] : NULL;

    if (folder != NULL && folder->finish == 0)
        folder->finish = SBI_WHY_TOUCHED;
}

static void keep_above(struct walk *walk)
{
    if (walk->depth > 0)
        walk->open[walk->depth - 1].stays = true;
}

static void open_folder(struct walk *walk, size_t source, size_t target, uint8_t finish)
{
    walk->open[walk->depth++] =
        (struct folder){(uint32_t)source, (uint32_t)target, finish, false};
}

static int remove_one(struct walk *walk, size_t target, sbx_error *err)
{
    walk->plan->removed_count++;
    walk->plan->removed_bytes += target_at(walk, target)->size;
    touch(walk);
    return note(&walk->plan->remove,
                action_of(SBI_TREE_NONE, target, SBI_PLAN_REMOVE, SBI_WHY_GONE), err);
}

static int close_doomed(struct walk *walk, const struct folder *folder, sbx_error *err)
{
    if (!folder->stays)
        return remove_one(walk, folder->target, err);
    keep_above(walk);
    return note(&walk->plan->skipped,
                action_of(SBI_TREE_NONE, folder->target, 0, SBI_WHY_HOLDS_KEPT), err);
}

/* A root that exists is the user's own, as is whoever may enter it. */
static bool is_old_root(const struct walk *walk, const struct folder *folder)
{
    return folder->target != SBI_TREE_NONE &&
           target_at(walk, folder->target)->path_length == 0;
}

static int close_folder(struct walk *walk, sbx_error *err)
{
    const struct folder folder = walk->open[--walk->depth];

    if (folder.source == SBI_TREE_NONE)
        return close_doomed(walk, &folder, err);
    if (folder.finish == 0 || is_old_root(walk, &folder))
        return SBX_OK;
    return note(&walk->plan->finish,
                action_of(folder.source, folder.target, SBI_PLAN_META, folder.finish),
                err);
}

static bool is_inside(const struct walk *walk, const struct folder *folder)
{
    const struct sbi_tree_pair *pair = &walk->pair;
    const struct sbi_tree *tree = pair->at_a == SBI_TREE_NONE ? pair->b : pair->a;
    size_t index = pair->at_a == SBI_TREE_NONE ? pair->at_b : pair->at_a;
    const struct sbi_tree *of = folder->source == SBI_TREE_NONE ? pair->b : pair->a;
    size_t folder_index =
        folder->source == SBI_TREE_NONE ? folder->target : folder->source;
    size_t length = of->entries[folder_index].path_length;
    const char *path = sbi_tree_path(tree, index);

    return length == 0 ||
           (tree->entries[index].path_length > length && path[length] == '/' &&
            memcmp(path, sbi_tree_path(of, folder_index), length) == 0);
}

static int close_left(struct walk *walk, sbx_error *err)
{
    int rc = SBX_OK;

    while (rc == SBX_OK && walk->depth > 0 &&
           !is_inside(walk, &walk->open[walk->depth - 1]))
        rc = close_folder(walk, err);
    return rc;
}

/* Leaves a path alone on both sides, with all that is in it. */
static int skip(struct walk *walk, uint8_t why, sbx_error *err)
{
    struct sbi_tree_pair *pair = &walk->pair;

    if (pair->at_a != SBI_TREE_NONE)
        pair->next_a = sbi_tree_end_of(pair->a, pair->at_a);
    if (pair->at_b != SBI_TREE_NONE)
        pair->next_b = sbi_tree_end_of(pair->b, pair->at_b);
    keep_above(walk);
    if (pair->at_a == SBI_TREE_NONE && !wants(walk, SBI_PLAN_DELETE))
        return SBX_OK; /* nobody asked for anything to be done with it */
    return note(&walk->plan->skipped, action_of(pair->at_a, pair->at_b, 0, why), err);
}

/* The first name of a file goes like any file, and is what the others are tied to. */
static int make_file(struct walk *walk, struct sbi_plan_verdict verdict, sbx_error *err)
{
    size_t source = walk->pair.at_a, target = walk->pair.at_b;
    const struct sbi_tree_entry *entry = source_at(walk, source);
    struct sbi_plan_link link = {.inode = entry->inode,
                                 .device = entry->device,
                                 .leader = (uint32_t)source,
                                 .target = (uint32_t)target,
                                 .sent = verdict.what == SBI_PLAN_SEND};
    int rc = SBX_OK;

    if (entry->links > 1 && entry->inode != 0 && !wants(walk, SBI_PLAN_NO_HARD_LINKS))
        rc = sbi_plan_links_put(&walk->links, &link, err);
    if (rc < 0)
        return rc;
    if (verdict.what == 0) {
        walk->plan->same_count++;
        walk->plan->same_bytes += entry->size;
        return SBX_OK;
    }
    if (verdict.what == SBI_PLAN_SEND) {
        walk->plan->send_count++;
        walk->plan->send_bytes += entry->size;
        touch(walk); /* a rename moves the folder's mtime; META does not */
    }
    return note(&walk->plan->make, action_of(source, target, verdict.what, verdict.why),
                err);
}

/* Whether the target's file is tied to the target's first name already. */
static bool is_tied(const struct walk *walk, const struct sbi_plan_link *link,
                    const struct sbi_plan_both *both)
{
    const struct sbi_tree_entry *mine, *first;

    if (link->sent || link->target == SBI_TREE_NONE || both->at_target == SBI_TREE_NONE)
        return false;
    mine = target_at(walk, both->at_target);
    first = target_at(walk, link->target);
    if (mine->kind != SBI_TREE_FILE)
        return false;
    if (mine->inode == 0 || first->inode == 0)
        return sbi_plan_compare(both, walk->opts).what == 0;
    return mine->inode == first->inode && mine->device == first->device;
}

static int tie(struct walk *walk, const struct sbi_plan_link *link, sbx_error *err)
{
    struct sbi_plan_both both = {walk->pair.a, walk->pair.b, walk->pair.at_a,
                                 walk->pair.at_b};
    struct sbi_plan_action action =
        action_of(both.at_source, both.at_target, SBI_PLAN_HARD_LINK,
                  both.at_target == SBI_TREE_NONE ? SBI_WHY_NEW : SBI_WHY_LINKED);

    if (is_tied(walk, link, &both)) {
        walk->plan->same_count++;
        walk->plan->same_bytes += source_at(walk, both.at_source)->size;
        return SBX_OK;
    }
    action.leader = link->leader;
    touch(walk);
    return note(&walk->plan->make, action, err);
}

/* Makes what stands in the source, where nothing of its kind stands in the target. */
static int make(struct walk *walk, uint8_t why, sbx_error *err)
{
    size_t source = walk->pair.at_a, target = walk->pair.at_b;
    const struct sbi_tree_entry *entry = source_at(walk, source);
    const struct sbi_plan_link *link = NULL;
    int rc;

    if (entry->kind == SBI_TREE_FILE) {
        if (entry->links > 1 && entry->inode != 0)
            link = sbi_plan_links_find(&walk->links, entry);
        return link != NULL
                   ? tie(walk, link, err)
                   : make_file(walk, (struct sbi_plan_verdict){SBI_PLAN_SEND, why}, err);
    }
    touch(walk);
    if (entry->kind == SBI_TREE_LINK)
        return note(&walk->plan->make, action_of(source, target, SBI_PLAN_LINK, why),
                    err);
    rc = note(&walk->plan->make, action_of(source, target, SBI_PLAN_MAKE_FOLDER, why),
              err);
    open_folder(walk, source, SBI_TREE_NONE, why);
    return rc;
}

static int compare(struct walk *walk, sbx_error *err)
{
    struct sbi_plan_both both = {walk->pair.a, walk->pair.b, walk->pair.at_a,
                                 walk->pair.at_b};
    const struct sbi_tree_entry *entry = source_at(walk, both.at_source);
    const struct sbi_plan_link *link = NULL;
    struct sbi_plan_verdict verdict;

    if (entry->kind == SBI_TREE_FILE && entry->links > 1 && entry->inode != 0)
        link = sbi_plan_links_find(&walk->links, entry);
    if (link != NULL)
        return tie(walk, link, err);

    verdict = sbi_plan_compare(&both, walk->opts);
    if (entry->kind == SBI_TREE_FILE)
        return make_file(walk, verdict, err);
    if (entry->kind == SBI_TREE_FOLDER)
        open_folder(walk, both.at_source, both.at_target, verdict.why);
    if (verdict.what == 0 || entry->path_length == 0) /* nothing is done to a root */
        walk->plan->same_count++;
    return verdict.what == SBI_PLAN_LINK ? make(walk, verdict.why, err) : SBX_OK;
}

static bool holds_kept(const struct walk *walk, size_t from, size_t end)
{
    for (; from < end; from++)
        if (target_at(walk, from)->kind == SBI_TREE_UNREAD ||
            sbi_plan_is_excluded(walk->pair.b, from, walk->opts->exclude))
            return true;
    return false;
}

/* A folder of the target makes way for a file or link, if it may. */
static int clear_folder(struct walk *walk, sbx_error *err)
{
    struct sbi_tree_pair *pair = &walk->pair;
    size_t end = sbi_tree_end_of(pair->b, pair->at_b);
    size_t i;
    int rc = SBX_OK;

    if (end - pair->at_b > 1 && !wants(walk, SBI_PLAN_DELETE))
        return skip(walk, SBI_WHY_FOLDER_STAYS, err);
    if (holds_kept(walk, pair->at_b + 1, end))
        return skip(walk, SBI_WHY_HOLDS_KEPT, err);
    for (i = end; rc == SBX_OK && i > pair->at_b; i--) {
        walk->plan->removed_count++;
        walk->plan->removed_bytes += target_at(walk, i - 1)->size;
        rc = note(&walk->plan->clear,
                  action_of(SBI_TREE_NONE, i - 1, SBI_PLAN_REMOVE, SBI_WHY_IN_WAY), err);
    }
    walk->plan->target_count += end - pair->at_b - 1;
    pair->next_b = end;
    return rc < 0 ? rc : make(walk, SBI_WHY_KIND, err);
}

static int replace(struct walk *walk, sbx_error *err)
{
    struct sbi_tree_pair *pair = &walk->pair;
    int rc = SBX_OK;

    /* A rule for folders alone keeps the folder, whatever the source has in its place. */
    if (sbi_plan_is_excluded(pair->b, pair->at_b, walk->opts->exclude))
        return skip(walk, SBI_WHY_EXCLUDED, err);
    if (target_at(walk, pair->at_b)->kind == SBI_TREE_FOLDER)
        return clear_folder(walk, err);
    if (source_at(walk, pair->at_a)->kind == SBI_TREE_FOLDER)
        rc = note(&walk->plan->clear,
                  action_of(SBI_TREE_NONE, pair->at_b, SBI_PLAN_REMOVE, SBI_WHY_IN_WAY),
                  err);
    return rc < 0 ? rc : make(walk, SBI_WHY_KIND, err);
}

/* What may neither be carried nor touched: a reason, or 0. */
static uint8_t reason_to_skip(const struct walk *walk)
{
    const struct sbi_tree_pair *pair = &walk->pair;
    unsigned source = pair->at_a == SBI_TREE_NONE ? 0 : source_at(walk, pair->at_a)->kind;
    unsigned target = pair->at_b == SBI_TREE_NONE ? 0 : target_at(walk, pair->at_b)->kind;

    if (source == SBI_TREE_UNREAD || target == SBI_TREE_UNREAD)
        return SBI_WHY_UNREAD;
    if (source == SBI_TREE_HIDDEN || target == SBI_TREE_HIDDEN)
        return SBI_WHY_EXCLUDED;
    if (source != 0 && !wants(walk, SBI_PLAN_FILTERED) &&
        sbi_plan_is_excluded(pair->a, pair->at_a, walk->opts->exclude))
        return SBI_WHY_EXCLUDED;
    if (source == 0 && wants(walk, SBI_PLAN_DELETE) &&
        sbi_plan_is_excluded(pair->b, pair->at_b, walk->opts->exclude))
        return SBI_WHY_EXCLUDED;
    return source == SBI_TREE_OTHER ? SBI_WHY_SPECIAL : 0;
}

static int target_only(struct walk *walk, sbx_error *err)
{
    size_t target = walk->pair.at_b;

    if (target_at(walk, target)->path_length == 0)
        return SBX_OK;
    if (!wants(walk, SBI_PLAN_DELETE)) {
        walk->plan->extra_count++;
        return SBX_OK;
    }
    if (target_at(walk, target)->kind == SBI_TREE_FOLDER) {
        open_folder(walk, SBI_TREE_NONE, target, 0);
        return SBX_OK;
    }
    return remove_one(walk, target, err);
}

static int step(struct walk *walk, sbx_error *err)
{
    const struct sbi_tree_pair *pair = &walk->pair;
    uint8_t reason = reason_to_skip(walk);
    int rc = close_left(walk, err);

    if (rc < 0)
        return rc;
    if (reason != 0)
        return skip(walk, reason, err);
    if (pair->at_b != SBI_TREE_NONE && target_at(walk, pair->at_b)->path_length > 0)
        walk->plan->target_count++;

    if (pair->at_a == SBI_TREE_NONE)
        return target_only(walk, err);
    if (pair->at_b == SBI_TREE_NONE)
        return make(walk, SBI_WHY_NEW, err);
    if (source_at(walk, pair->at_a)->kind == target_at(walk, pair->at_b)->kind)
        return compare(walk, err);
    if (source_at(walk, pair->at_a)->path_length == 0)
        return sbi_fix(err,
                       sbi_fail(err, SBX_ERR_INVALID,
                                "source and target are not of one kind: one is a file, "
                                "one a folder"),
                       NULL, "name the file in the target's folder too");
    return replace(walk, err);
}

int sbi_plan_make(const struct sbi_tree *source, const struct sbi_tree *target,
                  const struct sbi_plan_opts *opts, struct sbi_plan *out, sbx_error *err)
{
    SBI_AUTO_PLAN plan = {0};
    SBI_CLEANUP(walk_clear)
    struct walk walk = {.pair = {.a = source, .b = target}, .opts = opts, .plan = &plan};
    int rc = SBX_OK;

    while (rc == SBX_OK && sbi_tree_pair_next(&walk.pair))
        rc = step(&walk, err);
    while (rc == SBX_OK && walk.depth > 0)
        rc = close_folder(&walk, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "plan");
    *out = plan;
    plan = (struct sbi_plan){0};
    return SBX_OK;
}
