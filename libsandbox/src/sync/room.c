/* room.c - a table of the errnos that tell of a file system, and how much is free there.
 */
#include "sync/room.h"

#include "base/df.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

/* said: by strerror(3) in the C locale. Around the name of the folder stands the rest. */
static const struct {
    int failed;
    const char *said;
    const char *before;
    const char *behind;
} causes[] = {
    {ENOSPC, "No space left", NULL, NULL},
    {EDQUOT, "Disk quota exceeded", "the disk quota in", "is used up"},
    {EROFS, "Read-only file system", "the file system of", "is read-only"},
    {EFBIG, "File too large", "a file in", "cannot be so large"},
    {EFBIG, "File size limit exceeded", "a file in", "cannot be so large"},
};

#define CAUSES (sizeof(causes) / sizeof(causes[0]))

bool sbi_room_stops(int failed)
{
    return failed == ENOSPC || failed == EDQUOT || failed == EROFS || failed == EIO;
}

/* A row of another form than POSIX has it tells nothing. */
static int64_t free_in(const char *row, size_t length)
{
    char line[512];
    int64_t number;

    if (length >= sizeof(line))
        return -1;
    memcpy(line, row, length);
    line[length] = '\0';
    return sbi_df_row(line, SBI_DF_FREE, &number) ? number : -1;
}

static bool is_plain(const char *row, size_t length)
{
    const char *share = memchr(row, '%', length);

    return share != NULL &&
           memmem(share, length - (size_t)(share - row), "% /", 3) == share;
}

void sbi_room_there(const char *errors, const char *rows, const char *folder,
                    struct sbi_room *out)
{
    size_t length = strcspn(rows, "\n"), i;
    const char *inodes = rows + length + (rows[length] == '\n');

    *out = (struct sbi_room){.bytes = -1, .inodes = -1, .folder = folder};
    for (i = 0; i < CAUSES && out->failed == 0; i++)
        if (strstr(errors, causes[i].said) != NULL)
            out->failed = causes[i].failed;
    out->bytes = free_in(rows, length);
    if (out->bytes >= 0)
        out->bytes *= 1024;
    length = strcspn(inodes, "\n");
    if (is_plain(inodes, length))
        out->inodes = free_in(inodes, length);
}

static int fail_full(const struct sbi_room *room, sbx_error *err)
{
    static const char text[] = "no space left on device";

    if (room->bytes < 0)
        return sbi_fail(err, SBX_ERR_IO, "%s", text);
    if (room->inodes < 0)
        return sbi_fail(err, SBX_ERR_IO, "%s: %" PRId64 " bytes free in '%s'", text,
                        room->bytes, room->folder);
    return sbi_fail(err, SBX_ERR_IO,
                    "%s: %" PRId64 " bytes and %" PRId64 " inodes free in '%s'", text,
                    room->bytes, room->inodes, room->folder);
}

int sbi_room_fail(const struct sbi_room *room, sbx_error *err)
{
    size_t i = 0;

    while (i < CAUSES && causes[i].failed != room->failed)
        i++;
    if (room->failed == ENOSPC)
        (void)fail_full(room, err);
    else if (i < CAUSES)
        (void)sbi_fail(err, SBX_ERR_IO, "%s '%s' %s", causes[i].before, room->folder,
                       causes[i].behind);
    else
        (void)sbi_fail(err, SBX_ERR_IO, "%s", strerrordesc_np(room->failed));
    if (err != NULL)
        err->sys_errno = room->failed;
    return SBX_ERR_IO;
}

void sbi_room_folder(char *path)
{
    struct stat info;
    char *slash;

    while (stat(path, &info) < 0 || !S_ISDIR(info.st_mode)) {
        slash = strrchr(path, '/');
        if (slash == NULL)
            return;
        slash[slash == path] = '\0';
        if (slash == path)
            return;
    }
}

int sbi_room_fail_here(int failed, const char *folder, sbx_error *err)
{
    struct sbi_room room = {
        .failed = failed, .bytes = -1, .inodes = -1, .folder = folder};
    struct statvfs info;

    if (statvfs(folder, &info) == 0) {
        room.bytes = (int64_t)(info.f_bavail * info.f_frsize);
        room.inodes = info.f_files == 0 ? -1 : (int64_t)info.f_favail;
    }
    return sbi_room_fail(&room, err);
}
