/*
 * tree_local.c - goes through a folder without ever naming more than one step of a path.
 *
 * Each folder is opened from the one above it and not through links, so a link put in
 * place of a folder during the walk leads nowhere. A deep tree would need a descriptor
 * for each level: those far above are closed, and opened again from below by "..".
 */
#include "sync/tree_local.h"

#include "base/array.h"
#include "base/clock.h"
#include "sync/tree_local_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define ENTRY_LIMIT 10000000
#define FAILURES_KEPT 1000
#define FOLDERS_OPEN 64
#define LOOK_UP_EVERY 256 /* entries between two looks at clock and cancel */
#define DIGITS 9

struct walk {
    const struct sbi_tree_local_opts *opts;
    const char *root;
    struct sbi_tree *tree;
    struct sbi_tree_local_failures failures;
    struct sbi_local_folder *folders; /* that the walk is in, from the root down */
    size_t depth;
    size_t capacity;
    char path[SBI_TREE_PATH_LIMIT + NAME_MAX + 2];
};

static void walk_clear(struct walk *walk)
{
    while (walk->depth > 0)
        sbi_local_folder_clear(&walk->folders[--walk->depth]);
    free(walk->folders);
    sbi_tree_local_failures_clear(&walk->failures);
}

static bool wants(const struct walk *walk, unsigned flag)
{
    return (walk->opts->flags & flag) != 0;
}

static int look_up(const struct walk *walk, sbx_error *err)
{
    if (walk->opts->cancel != NULL && sbx_cancel_fired(walk->opts->cancel))
        return sbi_fail(err, SBX_ERR_CANCELLED, "read '%s': cancelled", walk->root);
    if (sbi_now_ms() >= walk->opts->deadline)
        return sbi_fail(err, SBX_ERR_TIMEOUT, "read '%s': time is up", walk->root);
    return SBX_OK;
}

static int note_failure(struct walk *walk, const char *path, int sys_errno,
                        sbx_error *err)
{
    struct sbi_tree_local_failures *failures = &walk->failures;
    size_t capacity = failures->items == NULL ? 0 : FAILURES_KEPT;
    char *copy;
    int rc;

    walk->tree->partial = true;
    failures->count++;
    if (failures->kept == FAILURES_KEPT)
        return SBX_OK;
    rc = sbi_array_reserve(&failures->items, sizeof(*failures->items), FAILURES_KEPT,
                           &capacity, err);
    if (rc < 0)
        return rc;
    copy = strdup(path);
    if (copy == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "read '%s': out of memory", walk->root);
    failures->items[failures->kept++] = (struct sbi_tree_local_failure){copy, sys_errno};
    return SBX_OK;
}

int sbi_tree_local_kind(mode_t mode)
{
    return S_ISREG(mode)   ? SBI_TREE_FILE
           : S_ISDIR(mode) ? SBI_TREE_FOLDER
           : S_ISLNK(mode) ? SBI_TREE_LINK
                           : SBI_TREE_OTHER;
}

static int add_entry(struct walk *walk, const struct stat *info, int kind,
                     const char *target, sbx_error *err)
{
    size_t limit = walk->opts->entry_limit == 0 ? ENTRY_LIMIT : walk->opts->entry_limit;
    struct sbi_tree_item item = {
        .path = walk->path,
        .path_length = strlen(walk->path),
        .target = target,
        .kind = kind,
        .mode = info->st_mode & 07777,
        .size = (uint64_t)info->st_size,
        .mtime = info->st_mtim.tv_sec,
        .mtime_ns = (unsigned)info->st_mtim.tv_nsec,
        .digits = DIGITS,
        .device = (uint64_t)info->st_dev,
        .inode = (uint64_t)info->st_ino,
        .links = (uint64_t)info->st_nlink,
        .ctime_sec = info->st_ctim.tv_sec,
        .ctime_ns = (unsigned)info->st_ctim.tv_nsec,
    };

    if (walk->tree->count >= limit)
        return sbi_fail(err, SBX_ERR_LIMIT, "read '%s': over %zu entries", walk->root,
                        limit);
    if (walk->tree->count % LOOK_UP_EVERY == 0) {
        int rc = look_up(walk, err);

        if (rc < 0)
            return rc;
    }
    return sbi_tree_add(walk->tree, &item, err);
}

static int add_unread(struct walk *walk, int sys_errno, sbx_error *err)
{
    const struct stat nothing = {0};
    int rc = note_failure(walk, walk->path, sys_errno, err);

    return rc < 0 ? rc : add_entry(walk, &nothing, SBI_TREE_UNREAD, NULL, err);
}

/* What is gone by now was not there. */
static bool is_gone(int sys_errno)
{
    return sys_errno == ENOENT || sys_errno == ENOTDIR;
}

static struct sbi_local_folder *current(const struct walk *walk)
{
    return &walk->folders[walk->depth - 1];
}

static int read_ignore(struct walk *walk, const struct sbi_local_folder *folder,
                       const char *name, int level, sbx_error *err)
{
    SBI_AUTOFREE char *text = NULL;
    size_t length = 0;
    int rc = sbi_local_folder_text(folder, name, &text, &length, err);

    if (rc < 0)
        return sbi_wrap(err, rc, "read '%s/%s'", walk->root, walk->path);
    if (text == NULL)
        return SBX_OK;
    return sbi_exclude_add_text(walk->opts->exclude, level, walk->path, text, length,
                                err);
}

static int read_ignores(struct walk *walk, const struct sbi_local_folder *folder,
                        sbx_error *err)
{
    int rc = SBX_OK;

    if (walk->opts->exclude == NULL)
        return SBX_OK;
    if (wants(walk, SBI_LOCAL_GITIGNORE))
        rc = read_ignore(walk, folder, ".gitignore", SBI_EXCLUDE_GITIGNORE, err);
    if (rc == SBX_OK && wants(walk, SBI_LOCAL_SBXIGNORE))
        rc = read_ignore(walk, folder, ".sbxignore", SBI_EXCLUDE_SBXIGNORE, err);
    return rc;
}

/* Closes a folder far above, if it can be found again from the one below it. */
static void save_descriptor(struct walk *walk)
{
    size_t above;

    if (walk->depth <= FOLDERS_OPEN)
        return;
    above = walk->depth - FOLDERS_OPEN - 1;
    if (walk->folders[above + 1].by_link)
        return;
    sbi_close_fd(&walk->folders[above].fd);
    walk->folders[above].fd = -1;
}

static bool is_open(const struct walk *walk, const struct stat *info)
{
    size_t i;

    for (i = 0; i < walk->depth; i++)
        if (walk->folders[i].device == (uint64_t)info->st_dev &&
            walk->folders[i].inode == (uint64_t)info->st_ino)
            return true;
    return false;
}

/* Enters the folder at fd, which is taken. Its entry is the path of the walk. */
static int enter(struct walk *walk, int fd, const struct stat *info, bool by_link,
                 sbx_error *err)
{
    SBI_CLEANUP(sbi_local_folder_clear)
    struct sbi_local_folder folder = {.fd = fd,
                                      .device = (uint64_t)info->st_dev,
                                      .inode = (uint64_t)info->st_ino,
                                      .entry = walk->tree->count,
                                      .path_length = strlen(walk->path),
                                      .by_link = by_link};
    int rc = sbi_local_folder_read(&folder);

    if (rc == SBX_ERR_IO && walk->depth > 0)
        return add_unread(walk, errno, err);
    if (rc < 0)
        return sbi_fail_errno(err, rc, "read '%s'", walk->root);
    rc = add_entry(walk, info, SBI_TREE_FOLDER, NULL, err);
    if (rc == SBX_OK)
        rc = read_ignores(walk, &folder, err);
    if (rc == SBX_OK)
        rc = sbi_array_reserve(&walk->folders, sizeof(*walk->folders), walk->depth + 1,
                               &walk->capacity, err);
    if (rc < 0)
        return rc;
    walk->folders[walk->depth++] = folder;
    folder = (struct sbi_local_folder){.fd = -1};
    save_descriptor(walk);
    return SBX_OK;
}

static int enter_named(struct walk *walk, const char *name, const struct stat *info,
                       sbx_error *err)
{
    bool follow = wants(walk, SBI_LOCAL_FOLLOW);
    bool by_link = follow && sbi_local_type(name) != DT_DIR;
    int fd;

    if (by_link && is_open(walk, info))
        return add_unread(walk, ELOOP, err);
    fd = openat(current(walk)->fd, name,
                O_RDONLY | O_DIRECTORY | O_CLOEXEC | (by_link ? 0 : O_NOFOLLOW));
    if (fd < 0)
        return is_gone(errno) ? SBX_OK : add_unread(walk, errno, err);
    return enter(walk, fd, info, by_link, err);
}

static int add_link(struct walk *walk, const char *name, const struct stat *info,
                    sbx_error *err)
{
    char target[SBI_TREE_PATH_LIMIT + 2];
    ssize_t length = readlinkat(current(walk)->fd, name, target, sizeof(target));

    if (length < 0 && (is_gone(errno) || errno == EINVAL))
        return SBX_OK;
    if (length <= 0 || length > SBI_TREE_PATH_LIMIT)
        return add_unread(walk, length < 0 ? errno : ENAMETOOLONG, err);
    target[length] = '\0';
    return add_entry(walk, info, SBI_TREE_LINK, target, err);
}

static bool is_excluded(const struct walk *walk, bool is_folder)
{
    return walk->opts->exclude != NULL &&
           sbi_exclude_entry(walk->opts->exclude, walk->path, strlen(walk->path),
                             is_folder);
}

static int leave_out(struct walk *walk, sbx_error *err)
{
    const struct stat nothing = {0};

    return wants(walk, SBI_LOCAL_MARK_HIDDEN)
               ? add_entry(walk, &nothing, SBI_TREE_HIDDEN, NULL, err)
               : SBX_OK;
}

/* One name of the folder, its path being that of the walk. */
static int look_at(struct walk *walk, const char *name, sbx_error *err)
{
    int type = sbi_local_type(name);
    bool follow = wants(walk, SBI_LOCAL_FOLLOW);
    bool is_known = type != DT_UNKNOWN && !(type == DT_LNK && follow);
    struct stat info;

    if (is_known && is_excluded(walk, type == DT_DIR))
        return leave_out(walk, err);
    if (fstatat(current(walk)->fd, name, &info, follow ? 0 : AT_SYMLINK_NOFOLLOW) < 0) {
        if (type == DT_LNK && follow)
            return is_excluded(walk, false) ? leave_out(walk, err)
                                            : add_unread(walk, errno, err);
        return is_gone(errno) ? SBX_OK : add_unread(walk, errno, err);
    }
    if (!is_known && is_excluded(walk, S_ISDIR(info.st_mode)))
        return leave_out(walk, err);
    if (S_ISDIR(info.st_mode))
        return enter_named(walk, name, &info, err);
    if (S_ISLNK(info.st_mode))
        return add_link(walk, name, &info, err);
    return add_entry(walk, &info, sbi_tree_local_kind(info.st_mode), NULL, err);
}

/*
 * Leaves a folder. Where the one above is not found again, what was left to read in it is
 * not known: all of it counts as unread.
 */
static int leave(struct walk *walk, sbx_error *err)
{
    struct sbi_local_folder *folder = current(walk);
    struct sbi_local_folder *above = walk->depth > 1 ? folder - 1 : NULL;
    bool found =
        above == NULL || above->fd >= 0 || sbi_local_folder_reopen(above, folder->fd);

    sbi_local_folder_clear(folder);
    walk->depth--;
    if (found)
        return SBX_OK;
    above->next = above->count;
    walk->path[above->path_length] = '\0';
    walk->tree->entries[above->entry].kind = SBI_TREE_UNREAD;
    return note_failure(walk, walk->path, ESTALE, err);
}

static int step(struct walk *walk, sbx_error *err)
{
    struct sbi_local_folder *folder = current(walk);
    size_t length = folder->path_length;
    const char *name;

    if (folder->next == folder->count)
        return leave(walk, err);
    name = folder->names[folder->next++];
    (void)snprintf(walk->path + length, sizeof(walk->path) - length, "%s%s",
                   length == 0 ? "" : "/", name);
    if (!sbi_tree_path_is_safe(walk->path, strlen(walk->path)))
        return note_failure(walk, walk->path, ENAMETOOLONG, err);
    return look_at(walk, name, err);
}

static bool begins_file_system(int fd, const struct stat *info)
{
    struct stat above;

    return fstatat(fd, "..", &above, 0) == 0 &&
           (above.st_dev != info->st_dev || above.st_ino == info->st_ino);
}

static int enter_root(struct walk *walk, sbx_error *err)
{
    int fd = -1;
    struct stat info;

    if (stat(walk->root, &info) < 0)
        return sbi_fail_errno(err, is_gone(errno) ? SBX_ERR_NOT_FOUND : SBX_ERR_IO,
                              "read '%s'", walk->root);
    if (S_ISREG(info.st_mode))
        return add_entry(walk, &info, SBI_TREE_FILE, NULL, err);
    if (!S_ISDIR(info.st_mode))
        return sbi_fail(err, SBX_ERR_INVALID, "'%s' is neither a folder nor a file",
                        walk->root);
    fd = open(walk->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "read '%s'", walk->root);
    walk->tree->root_is_mount = begins_file_system(fd, &info);
    return enter(walk, fd, &info, true, err);
}

int sbi_tree_local(const char *root, const struct sbi_tree_local_opts *opts,
                   struct sbi_tree *out, struct sbi_tree_local_failures *failures,
                   sbx_error *err)
{
    SBI_AUTO_TREE tree = {0};
    SBI_CLEANUP(walk_clear)
    struct walk walk = {.opts = opts, .root = root, .tree = &tree};
    int rc = look_up(&walk, err);

    if (rc == SBX_OK)
        rc = enter_root(&walk, err);
    while (rc == SBX_OK && walk.depth > 0)
        rc = step(&walk, err);
    if (rc < 0)
        return rc;
    if (failures != NULL) {
        *failures = walk.failures;
        walk.failures = (struct sbi_tree_local_failures){0};
    }
    *out = tree;
    tree = (struct sbi_tree){0};
    return SBX_OK;
}

void sbi_tree_local_failures_clear(struct sbi_tree_local_failures *failures)
{
    size_t i;

    for (i = 0; i < failures->kept; i++)
        free(failures->items[i].path);
    free(failures->items);
    *failures = (struct sbi_tree_local_failures){0};
}
