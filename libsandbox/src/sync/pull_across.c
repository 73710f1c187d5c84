/*
 * pull_across.c - what was made aside gets to a folder of another file system: a copy
 * beside its place is renamed, so that there too a file is old or new.
 */
#include "base/write.h"
#include "sync/pull_state.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#define COPY ".sbx-sync-new" /* the same name each time: so no two are ever left */

static int copy_link(int from, const char *name, int folder)
{
    char target[PATH_MAX];
    ssize_t length = readlinkat(from, name, target, sizeof(target) - 1);

    if (length < 0)
        return errno;
    target[length] = '\0';
    return symlinkat(target, folder, COPY) < 0 ? errno : 0;
}

/* Holes stay holes. */
static int copy_content(struct sbi_pulling *pulling, int from, int to, off_t size)
{
    off_t at = 0, end;

    while ((at = lseek(from, at, SEEK_DATA)) >= 0) {
        end = lseek(from, at, SEEK_HOLE);
        if (end < 0 || lseek(from, at, SEEK_SET) < 0 || lseek(to, at, SEEK_SET) < 0)
            return errno;
        while (at < end) {
            size_t room = end - at < SBI_PULL_PIECE ? (size_t)(end - at) : SBI_PULL_PIECE;
            ssize_t got = read(from, pulling->piece, room);
            int failed = got <= 0 ? EIO : sbi_write_all(to, pulling->piece, (size_t)got);

            if (failed != 0)
                return failed;
            at += got;
        }
    }
    if (errno != ENXIO)
        return errno;
    return ftruncate(to, size) < 0 ? errno : 0;
}

static int copy_file(struct sbi_pulling *pulling, int at, const char *name, int folder)
{
    SBI_AUTOCLOSE int from = openat(at, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    SBI_AUTOCLOSE int to = -1;
    struct timespec times[2];
    struct stat info;
    int failed;

    if (from < 0 || fstat(from, &info) < 0)
        return errno;
    to = openat(folder, COPY, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (to < 0)
        return errno;
    failed = copy_content(pulling, from, to, info.st_size);
    times[0] = (struct timespec){.tv_nsec = UTIME_OMIT};
    times[1] = info.st_mtim;
    if (failed == 0 && (fchmod(to, info.st_mode & 07777) < 0 || futimens(to, times) < 0))
        failed = errno;
    return failed;
}

int sbi_pull_across(struct sbi_pulling *pulling, int from, const char *name, int folder,
                    const char *own)
{
    struct stat info;
    int failed;

    (void)unlinkat(folder, COPY, 0);
    if (fstatat(from, name, &info, AT_SYMLINK_NOFOLLOW) < 0)
        return errno;
    failed = S_ISLNK(info.st_mode) ? copy_link(from, name, folder)
                                   : copy_file(pulling, from, name, folder);
    if (failed == 0 && renameat(folder, COPY, folder, own) < 0)
        failed = errno;
    if (failed != 0)
        (void)unlinkat(folder, COPY, 0);
    return failed;
}

/* Names on two file systems cannot be of one file: then it is a copy. */
int sbi_pull_tie_across(struct sbi_pulling *pulling, int from, const char *leader,
                        int folder, const char *own)
{
    int failed = 0;

    (void)unlinkat(folder, COPY, 0);
    if (linkat(from, leader, folder, COPY, 0) < 0 ||
        renameat(folder, COPY, folder, own) < 0)
        failed = errno;
    (void)unlinkat(folder, COPY, 0);
    return failed == EXDEV ? sbi_pull_across(pulling, from, leader, folder, own) : failed;
}
