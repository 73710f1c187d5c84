/*
 * pull_place.c - files come to be in a folder beside all others and are renamed from
 * there. No name leads out of the root: see beneath.h.
 */
#include "sync/pull_state.h"

#include "base/digest.h"
#include "base/write.h"
#include "sync/far_script.h"
#include "sync/room.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#define NEW "new" /* in the stage */
#define HOLE_FROM (1024 * 1024)

/* errno says why. */
static int cannot_make(const char *folder, const char *in, sbx_error *err)
{
    int failed = errno;
    char *there = strdup(folder);
    int rc = SBX_ERR_NO_MEMORY;

    if (there != NULL) {
        sbi_room_folder(there);
        rc = sbi_room_fail_here(failed, there, err);
    }
    free(there);
    return sbi_wrap(err, rc, "make %sfolder %s'%s'", in[0] == '\0' ? "" : "a ", in,
                    folder);
}

static int make_folders(char *path, sbx_error *err)
{
    char *slash;

    for (slash = path + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        if (mkdir(path, 0777) < 0 && errno != EEXIST)
            return cannot_make(path, "", err);
        *slash = '/';
    }
    if (mkdir(path, 0777) < 0 && errno != EEXIST)
        return cannot_make(path, "", err);
    return SBX_OK;
}

static int open_folder(int at, const char *name)
{
    return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int open_stage(struct sbi_pulling *pulling, sbx_error *err)
{
    const char *folder = pulling->sync->here.folder;
    int rc = sbi_random_hex(pulling->run, 16, err);

    if (rc < 0)
        return rc;
    if (mkdirat(pulling->beneath.root, SBI_FAR_STAGE, 0700) < 0 && errno != EEXIST)
        return cannot_make(folder, "in ", err);
    pulling->all = open_folder(pulling->beneath.root, SBI_FAR_STAGE);
    if (pulling->all >= 0 && mkdirat(pulling->all, pulling->run, 0700) == 0)
        pulling->stage = open_folder(pulling->all, pulling->run);
    if (pulling->stage < 0)
        return cannot_make(folder, "in ", err);
    return SBX_OK;
}

int sbi_pull_open(struct sbi_pulling *pulling, sbx_error *err)
{
    char *folder = pulling->sync->here.folder;
    int rc = pulling->sync->here.missing ? make_folders(folder, err) : SBX_OK;

    if (rc < 0)
        return rc;
    pulling->beneath.root = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (pulling->beneath.root < 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "open '%s'", folder);
    rc = open_stage(pulling, err);
    if (rc == SBX_OK)
        sbi_pull_sweep(pulling);
    return rc;
}

void sbi_pull_unstage(struct sbi_pulling *pulling)
{
    if (pulling->stage < 0)
        return;
    (void)unlinkat(pulling->stage, NEW, 0);
    (void)unlinkat(pulling->all, pulling->run, AT_REMOVEDIR);
    (void)unlinkat(pulling->beneath.root, SBI_FAR_STAGE, AT_REMOVEDIR);
    sbi_close_fd(&pulling->stage);
    pulling->stage = -1;
}

void sbi_pull_close(struct sbi_pulling *pulling)
{
    sbi_pull_unstage(pulling);
    sbi_close_fd(&pulling->all);
    sbi_close_fd(&pulling->beneath.root);
    pulling->stage = pulling->all = pulling->beneath.root = -1;
    sbi_beneath_clear(&pulling->beneath);
}

/*
 * What every further file would meet as well: not so on another file system in the
 * target, which may be the same one mounted once more.
 */
static bool stops_all(const struct sbi_pulling *pulling, const char *folder, int failed)
{
    struct statvfs mounted;
    struct stat root, info;

    if (failed == EROFS)
        return fstatvfs(pulling->beneath.root, &mounted) < 0 ||
               (mounted.f_flag & ST_RDONLY) != 0;
    return sbi_room_stops(failed) &&
           (fstat(pulling->beneath.root, &root) < 0 || stat(folder, &info) < 0 ||
            info.st_dev == root.st_dev);
}

int sbi_pull_failed(struct sbi_pulling *pulling, const char *path, int failed,
                    sbx_error *err)
{
    const char *root = pulling->sync->here.folder;
    SBI_AUTO_STR folder = {0};
    sbx_error why = {0};

    sbi_str_addf(&folder, "%s/%s", strcmp(root, "/") == 0 ? "" : root, path);
    if (folder.status != SBX_OK)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    sbi_room_folder(folder.data);
    (void)sbi_room_fail_here(failed, folder.data, &why);
    if (!stops_all(pulling, folder.data, failed)) {
        sbi_sync_note(&pulling->sync->notes, SBI_NOTE_FAIL, path, why.text);
        return SBX_OK;
    }
    if (err != NULL)
        *err = why;
    return sbi_wrap(err, SBX_ERR_IO, "write '%s/%s'", root, path);
}

static int find(struct sbi_pulling *pulling, const struct sbi_tree *tree, uint32_t index,
                int *folder, const char **name)
{
    return sbi_beneath_find(
        &pulling->beneath,
        sbi_sync_below(sbi_tree_path(tree, index), pulling->sync->here.name), folder,
        name);
}

int sbi_pull_remove(struct sbi_pulling *pulling, uint32_t target, sbx_error *err)
{
    bool is_folder = pulling->target->entries[target].kind == SBI_TREE_FOLDER;
    const char *name;
    int folder;
    int failed = find(pulling, pulling->target, target, &folder, &name);

    if (failed == 0 && unlinkat(folder, name, is_folder ? AT_REMOVEDIR : 0) < 0)
        failed = errno;
    if (failed != 0 && failed != ENOENT)
        return sbi_pull_failed(pulling, sbi_tree_path(pulling->target, target), failed,
                               err);
    if (is_folder)
        sbi_beneath_forget(&pulling->beneath);
    pulling->sync->deleted++;
    return SBX_OK;
}

int sbi_pull_folder(struct sbi_pulling *pulling, uint32_t source, sbx_error *err)
{
    const char *name;
    int folder, failed;

    pulling->sync->other++;
    if (pulling->source->entries[source].path_length == 0)
        return SBX_OK;
    failed = find(pulling, pulling->source, source, &folder, &name);
    if (failed == 0 && mkdirat(folder, name, 0700) < 0)
        failed = errno;
    return failed == 0 ? SBX_OK
                       : sbi_pull_failed(pulling, sbi_tree_path(pulling->source, source),
                                         failed, err);
}

int sbi_pull_place(struct sbi_pulling *pulling, int from, const char *name,
                   uint32_t source)
{
    const char *own;
    int folder;
    int failed = find(pulling, pulling->source, source, &folder, &own);

    if (failed == 0 && renameat(from, name, folder, own) < 0)
        failed = errno;
    if (failed == EXDEV)
        failed = sbi_pull_across(pulling, from, name, folder, own);
    (void)unlinkat(from, name, 0); /* unless it was renamed */
    return failed;
}

static int place(struct sbi_pulling *pulling, uint32_t source)
{
    return sbi_pull_place(pulling, pulling->stage, NEW, source);
}

static void get_times(const struct sbi_tree_entry *entry, struct timespec times[2])
{
    times[0] = (struct timespec){.tv_nsec = UTIME_OMIT};
    times[1].tv_sec = (time_t)entry->mtime;
    times[1].tv_nsec = (long)entry->mtime_ns;
}

int sbi_pull_link(struct sbi_pulling *pulling, uint32_t source, sbx_error *err)
{
    struct timespec times[2];
    int failed = 0;

    get_times(&pulling->source->entries[source], times);
    if (symlinkat(sbi_tree_target(pulling->source, source), pulling->stage, NEW) < 0)
        failed = errno;
    if (failed == 0) {
        (void)utimensat(pulling->stage, NEW, times, AT_SYMLINK_NOFOLLOW);
        failed = place(pulling, source);
    }
    pulling->sync->other += failed == 0;
    return failed == 0 ? SBX_OK
                       : sbi_pull_failed(pulling, sbi_tree_path(pulling->source, source),
                                         failed, err);
}

/* Where the stage is on another file system than the first name. */
static int tie_across(struct sbi_pulling *pulling, int folder, const char *leader,
                      uint32_t source)
{
    SBI_AUTOCLOSE int from = fcntl(folder, F_DUPFD_CLOEXEC, 0);
    const char *own;
    int to;
    int failed = from < 0 ? errno : find(pulling, pulling->source, source, &to, &own);

    return failed == 0 ? sbi_pull_tie_across(pulling, from, leader, to, own) : failed;
}

/* Two names of one file are left alone by rename(2): the staged one is taken away. */
int sbi_pull_hard_link(struct sbi_pulling *pulling, uint32_t leader, uint32_t source,
                       sbx_error *err)
{
    const char *name;
    int folder;
    int failed = find(pulling, pulling->source, leader, &folder, &name);

    if (failed == 0 && linkat(folder, name, pulling->stage, NEW, 0) < 0)
        failed = errno;
    if (failed == EXDEV)
        failed = tie_across(pulling, folder, name, source);
    else if (failed == 0)
        failed = place(pulling, source);
    (void)unlinkat(pulling->stage, NEW, 0);
    pulling->sync->other += failed == 0;
    return failed == 0 ? SBX_OK
                       : sbi_pull_failed(pulling, sbi_tree_path(pulling->source, source),
                                         failed, err);
}

int sbi_pull_meta(struct sbi_pulling *pulling, uint32_t source, sbx_error *err)
{
    const struct sbi_tree_entry *entry = &pulling->source->entries[source];
    struct timespec times[2];
    struct stat info;
    const char *name = ".";
    int folder = pulling->beneath.root;
    int failed = 0;

    if (entry->path_length > 0 || entry->kind != SBI_TREE_FOLDER)
        failed = find(pulling, pulling->source, source, &folder, &name);
    if (failed == 0 && fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) < 0)
        failed = errno;
    if (failed == 0 && S_ISLNK(info.st_mode))
        failed = ELOOP;
    get_times(entry, times);
    if (failed == 0 && (info.st_mode & 07777) != entry->mode &&
        fchmodat(folder, name, (mode_t)entry->mode, 0) < 0)
        failed = errno;
    if (failed == 0 && utimensat(folder, name, times, AT_SYMLINK_NOFOLLOW) < 0)
        failed = errno;
    return failed == 0 ? SBX_OK
                       : sbi_pull_failed(pulling, sbi_tree_path(pulling->source, source),
                                         failed, err);
}

static bool is_zero(const char *data, size_t length)
{
    return length > 0 && data[0] == '\0' && memcmp(data, data + 1, length - 1) == 0;
}

/* Zeros of a large file become a hole: it takes no more room than over there. */
static int write_piece(int fd, const char *data, size_t length, bool holes)
{
    if (holes && is_zero(data, length))
        return lseek(fd, (off_t)length, SEEK_CUR) < 0 ? errno : 0;
    return sbi_write_all(fd, data, length);
}

/* *failed: what happened here. The stream is read to the item's end by whoever comes
 * next. */
static int take_content(struct sbi_pulling *pulling, int fd, int64_t *size, int *failed,
                        sbx_error *err)
{
    bool holes = *size >= HOLE_FROM;
    int64_t total = 0;
    ssize_t got;
    int rc = SBX_OK;

    while (rc == SBX_OK && *failed == 0) {
        got = sbi_archive_read(pulling->reader, pulling->piece, SBI_PULL_PIECE, err);
        if (got < 0)
            return (int)got;
        if (got == 0)
            break;
        *failed = write_piece(fd, pulling->piece, (size_t)got, holes);
        total += got;
        pulling->sync->progress.now.bytes_done += (uint64_t)got;
        rc = sbi_sync_tell(pulling->sync, false, err);
    }
    if (rc == SBX_OK && *failed == 0 && holes && ftruncate(fd, (off_t)total) < 0)
        *failed = errno;
    *size = total;
    return rc;
}

int sbi_pull_dress(int fd, const struct sbi_tree_entry *entry)
{
    struct timespec times[2];

    get_times(entry, times);
    if (fchmod(fd, (mode_t)entry->mode) < 0 || futimens(fd, times) < 0)
        return errno;
    return 0;
}

void sbi_pull_count(struct sbi_pulling *pulling, uint32_t source)
{
    pulling->sync->sent_files++;
    pulling->sync->sent_bytes += pulling->source->entries[source].size;
    pulling->sync->progress.now.files_done++;
    pulling->state[source] = SBI_PULL_DONE;
}

static void part_clear(struct sbi_pull_part *part)
{
    sbi_close_fd(&part->fd);
}

/* A large one is kept as a part of itself, if what comes of it is not all of it. */
static int open_new(struct sbi_pulling *pulling, uint32_t source,
                    struct sbi_pull_part *out, bool *is_part, sbx_error *err)
{
    int rc = sbi_pull_part_open(pulling, source, out, err);

    *is_part = rc == SBX_OK && out->fd >= 0;
    if (*is_part) {
        (void)ftruncate(out->fd, 0);
    } else if (rc == SBX_OK) {
        (void)snprintf(out->name, sizeof(out->name), "%s", NEW);
        out->fd = openat(pulling->stage, NEW,
                         O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    }
    return rc;
}

int sbi_pull_file(struct sbi_pulling *pulling, const struct sbi_archive_item *item,
                  uint32_t source, sbx_error *err)
{
    const struct sbi_tree_entry *entry = &pulling->source->entries[source];
    const char *path = sbi_tree_path(pulling->source, source);
    SBI_CLEANUP(part_clear) struct sbi_pull_part part = {.fd = -1};
    int64_t size = item->size;
    bool is_part = false;
    int rc = open_new(pulling, source, &part, &is_part, err);
    int failed = part.fd < 0 ? errno : 0;
    int from = is_part ? pulling->all : pulling->stage;

    if (rc == SBX_OK && failed == 0)
        rc = take_content(pulling, part.fd, &size, &failed, err);
    if (rc < 0) {
        if (!is_part)
            (void)unlinkat(from, part.name, 0);
        return rc;
    }
    pulling->state[source] = SBI_PULL_NONE; /* it has come */
    if (failed == 0 && ((uint64_t)size != entry->size || item->seconds != entry->mtime)) {
        (void)unlinkat(from, part.name, 0);
        sbi_sync_note(&pulling->sync->notes, SBI_NOTE_FAIL, path,
                      "it changed while it was read");
        return SBX_OK;
    }
    if (failed == 0)
        failed = sbi_pull_dress(part.fd, entry);
    if (failed == 0)
        failed = sbi_pull_place(pulling, from, part.name, source);
    if (failed != 0) {
        rc = sbi_pull_failed(pulling, path, failed, err); /* while it takes its room */
        (void)unlinkat(from, part.name, 0);
        return rc;
    }
    sbi_pull_count(pulling, source);
    return SBX_OK;
}
