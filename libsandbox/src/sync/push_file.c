/*
 * push_file.c - one file into the stream. Its size must be told ahead, so a file that
 * grows is cut there and one that shrinks is filled up; either is told and not placed.
 */
#include "sync/part.h"
#include "sync/push_state.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

static int open_source(struct sbi_pushing *pushing, const char *path, struct stat *info)
{
    int flags =
        O_RDONLY | O_NONBLOCK | O_CLOEXEC | (pushing->beneath.follow ? 0 : O_NOFOLLOW);
    SBI_AUTOCLOSE int fd = -1;
    const char *name;
    int folder, found;
    int failed = sbi_beneath_find(&pushing->beneath, path, &folder, &name);

    if (failed == 0) {
        fd = openat(folder, name, flags);
        failed = fd < 0 || fstat(fd, info) < 0 ? errno : 0;
    }
    if (failed == 0 && !S_ISREG(info->st_mode))
        failed = ESTALE;
    if (failed != 0) {
        errno = failed;
        return -1;
    }
    found = fd;
    fd = -1;
    return found;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_size == b->st_size && a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
           a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static int fill(struct sbi_pushing *pushing, int64_t left, sbx_error *err)
{
    int rc = SBX_OK;

    memset(pushing->piece, 0, SBI_PUSH_PIECE);
    while (left > 0 && rc == SBX_OK) {
        size_t part = left < SBI_PUSH_PIECE ? (size_t)left : SBI_PUSH_PIECE;

        rc = sbi_archive_add_data(pushing->writer, pushing->piece, part, err);
        left -= (int64_t)part;
    }
    return rc;
}

/* *whole: all of it was there to be read. */
static int send_content(struct sbi_pushing *pushing, int fd, int64_t size, bool *whole,
                        sbx_error *err)
{
    struct sbi_sync *sync = pushing->sync;
    int64_t left = size;
    int rc = SBX_OK;

    while (left > 0 && rc == SBX_OK) {
        size_t room = left < SBI_PUSH_PIECE ? (size_t)left : SBI_PUSH_PIECE;
        ssize_t got = read(fd, pushing->piece, room);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        rc = sbi_archive_add_data(pushing->writer, pushing->piece, (size_t)got, err);
        left -= got;
        sync->progress.now.bytes_done += (uint64_t)got;
        if (rc == SBX_OK)
            rc = sbi_sync_tell(sync, false, err);
    }
    *whole = left == 0;
    return rc == SBX_OK && left > 0 ? fill(pushing, left, err) : rc;
}

static int drop(struct sbi_pushing *pushing, const char *path, sbx_error *err)
{
    sbi_str_add(&pushing->dropped, pushing->stage);
    sbi_str_add(&pushing->dropped, "/");
    sbi_str_add_bytes(&pushing->dropped, path, strlen(path) + 1);
    return pushing->dropped.status == SBX_OK
               ? SBX_OK
               : sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
}

/* One that is not what was listed has no part that could be known again. */
static bool is_large(const struct sbi_pushing *pushing, uint32_t source,
                     const struct stat *info)
{
    const struct sbi_tree_entry *entry = &pushing->source->entries[source];

    return info->st_size > (off_t)SBI_PART_FROM &&
           (uint64_t)info->st_size == entry->size && info->st_mtim.tv_sec == entry->mtime;
}

int sbi_push_file(struct sbi_pushing *pushing, uint32_t source, sbx_error *err)
{
    struct sbi_sync *sync = pushing->sync;
    const char *tree_path = sbi_tree_path(pushing->source, source);
    struct sbi_archive_item item = {.kind = SBI_ARCHIVE_FILE};
    struct stat before, after;
    SBI_AUTOCLOSE int fd = -1;
    SBI_AUTOFREE struct sbi_archive_span *spans = NULL;
    uint64_t offset = 0;
    bool whole = false;
    int rc;

    fd = open_source(pushing, sbi_sync_below(tree_path, sync->here.name), &before);
    if (fd < 0) {
        pushing->state[source] = SBI_PUSH_FAILED;
        sbi_sync_note_errno(&sync->notes, tree_path, errno);
        return SBX_OK;
    }
    rc = is_large(pushing, source, &before)
             ? sbi_push_part(pushing, source, fd, (uint64_t)before.st_size, &offset, err)
             : sbi_push_staged(pushing, "t/", source, err);
    if (rc < 0)
        return rc;
    if (offset == 0)
        rc = sbi_push_spans(pushing, fd, &before, &spans, &item.span_count, err);
    if (rc < 0)
        return rc;
    item.spans = spans;
    item.path = pushing->path.data;
    item.mode = before.st_mode & 07777;
    item.size = before.st_size - (int64_t)offset;
    item.seconds = before.st_mtim.tv_sec;
    item.nanoseconds = before.st_mtim.tv_nsec;
    rc = sbi_archive_add(pushing->writer, &item, err);
    if (rc == SBX_OK)
        rc = send_content(pushing, fd, item.size, &whole, err);
    if (rc < 0)
        return rc;
    pushing->state[source] = SBI_PUSH_SENT;
    if (whole && fstat(fd, &after) == 0 && is_same(&before, &after)) {
        sync->sent_files++;
        sync->sent_bytes += (uint64_t)before.st_size;
        sync->progress.now.files_done++;
        return SBX_OK;
    }
    pushing->state[source] = SBI_PUSH_FAILED;
    sbi_sync_note(&sync->notes, SBI_NOTE_FAIL, tree_path, "it changed while it was read");
    rc = sbi_push_staged(pushing, "t/", source, err);
    return rc == SBX_OK ? drop(pushing, pushing->path.data + 2, err) : rc;
}
