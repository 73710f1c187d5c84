/*
 * pull_after.c - the target as a pull has left it: what the plan touched is looked at,
 * all else is as it was found.
 */
#include "sync/pull_state.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NANOSECONDS 1000000000

struct looking {
    struct sbi_pulling *pulling;
    uint8_t *source; /* of each entry: 1 where it was touched */
    uint8_t *target;
    struct sbi_tree to;
};

static void looking_clear(struct looking *looking)
{
    free(looking->source);
    free(looking->target);
    sbi_tree_clear(&looking->to);
}

/* What comes into a folder or leaves it moves the folder's times. */
static void mark_parent(struct looking *looking, const char *path)
{
    const struct sbi_tree *target = looking->pulling->target;
    const char *slash = strrchr(path, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - path);
    size_t parent = sbi_tree_find(target, path, length);

    if (parent != SBI_TREE_NONE)
        looking->target[parent] = 1;
}

static void mark(struct looking *looking, const struct sbi_plan_list *list)
{
    const struct sbi_tree *source = looking->pulling->source;
    const struct sbi_tree *target = looking->pulling->target;
    size_t i;

    for (i = 0; i < list->count; i++) {
        const struct sbi_plan_action *action = &list->items[i];

        if (action->source != SBI_TREE_NONE) {
            looking->source[action->source] = 1;
            mark_parent(looking, sbi_tree_path(source, action->source));
        }
        if (action->target != SBI_TREE_NONE) {
            looking->target[action->target] = 1;
            mark_parent(looking, sbi_tree_path(target, action->target));
        }
    }
}

static int add_found(struct looking *looking, const char *path, const struct stat *info,
                     const char *link, sbx_error *err)
{
    const struct sbi_tree_item item = {
        .path = path,
        .path_length = strlen(path),
        .target = link,
        .kind = sbi_tree_local_kind(info->st_mode),
        .mode = info->st_mode & 07777,
        .size = (uint64_t)info->st_size,
        .mtime = info->st_mtim.tv_sec,
        .mtime_ns = (unsigned)info->st_mtim.tv_nsec,
        .digits = 9,
        .device = (uint64_t)info->st_dev,
        .inode = (uint64_t)info->st_ino,
        .links = (uint64_t)info->st_nlink,
        .ctime_sec = info->st_ctim.tv_sec,
        .ctime_ns = (unsigned)info->st_ctim.tv_nsec,
    };

    return sbi_tree_add(&looking->to, &item, err);
}

/* One that is not there (it was removed, or could not be made) is not in the tree. */
static int look_at(struct looking *looking, const char *path, sbx_error *err)
{
    struct sbi_pulling *pulling = looking->pulling;
    const char *own = sbi_sync_below(path, pulling->sync->here.name);
    char link[PATH_MAX];
    struct stat info;
    const char *name;
    ssize_t length = 0;
    int folder;
    int failed =
        own[0] == '\0' ? 0 : sbi_beneath_find(&pulling->beneath, own, &folder, &name);

    if (failed == 0 && own[0] == '\0')
        failed = fstat(pulling->beneath.root, &info) < 0 ? errno : 0;
    else if (failed == 0)
        failed = fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) < 0 ? errno : 0;
    if (failed == 0 && S_ISLNK(info.st_mode)) {
        length = readlinkat(folder, name, link, sizeof(link) - 1);
        failed = length < 0 ? errno : 0;
    }
    if (failed != 0)
        return SBX_OK;
    link[length] = '\0';
    return add_found(looking, path, &info, S_ISLNK(info.st_mode) ? link : NULL, err);
}

static int keep(struct looking *looking, size_t index, sbx_error *err)
{
    const struct sbi_tree *tree = looking->pulling->target;
    const struct sbi_tree_entry *entry = &tree->entries[index];
    int64_t nanoseconds = entry->ctime % NANOSECONDS;
    int64_t seconds = entry->ctime / NANOSECONDS - (nanoseconds < 0);
    const struct sbi_tree_item item = {
        .path = sbi_tree_path(tree, index),
        .path_length = entry->path_length,
        .target = entry->kind == SBI_TREE_LINK ? sbi_tree_target(tree, index) : NULL,
        .kind = (int)entry->kind,
        .mode = entry->mode,
        .size = entry->size,
        .mtime = entry->mtime,
        .mtime_ns = entry->mtime_ns,
        .digits = entry->digits,
        .device = sbi_tree_device(tree, index),
        .inode = entry->inode,
        .links = entry->links,
        .ctime_sec = seconds,
        .ctime_ns = (unsigned)(nanoseconds + (nanoseconds < 0 ? NANOSECONDS : 0)),
    };

    return sbi_tree_add(&looking->to, &item, err);
}

static int look_at_all(struct looking *looking, sbx_error *err)
{
    const struct sbi_tree *source = looking->pulling->source;
    const struct sbi_tree *target = looking->pulling->target;
    struct sbi_tree_pair pair = {.a = source, .b = target};
    int rc = SBX_OK;

    while (rc == SBX_OK && sbi_tree_pair_next(&pair)) {
        bool known = pair.at_b != SBI_TREE_NONE;
        bool touched = (known && looking->target[pair.at_b] != 0) ||
                       (pair.at_a != SBI_TREE_NONE && looking->source[pair.at_a] != 0);

        if (touched)
            rc = look_at(looking,
                         known ? sbi_tree_path(target, pair.at_b)
                               : sbi_tree_path(source, pair.at_a),
                         err);
        else if (known)
            rc = keep(looking, pair.at_b, err);
    }
    return rc == SBX_OK ? sbi_tree_sort(&looking->to, err) : rc;
}

int sbi_pull_after(struct sbi_pulling *pulling, sbx_error *err)
{
    const struct sbi_plan *plan = &pulling->sync->plan;
    struct sbi_tree *here = &pulling->sync->here.tree;
    SBI_CLEANUP(looking_clear)
    struct looking looking = {.pulling = pulling,
                              .source = calloc(pulling->source->count + 1, 1),
                              .target = calloc(pulling->target->count + 1, 1)};
    int rc;

    if (looking.source == NULL || looking.target == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    mark(&looking, &plan->clear);
    mark(&looking, &plan->make);
    mark(&looking, &plan->remove);
    mark(&looking, &plan->finish);
    rc = look_at_all(&looking, err);
    if (rc < 0)
        return rc;
    looking.to.partial = here->partial;
    looking.to.root_is_mount = here->root_is_mount;
    sbi_tree_clear(here);
    *here = looking.to;
    looking.to = (struct sbi_tree){0};
    pulling->sync->here.missing = false;
    return SBX_OK;
}
