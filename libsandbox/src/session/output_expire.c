/*
 * output_expire.c - removes stored outputs that nobody came for.
 *
 * The hour is kept in a file of the folder, not in the process: a client that
 * runs one command must not read the folder each time.
 */
#include "session/output_store.h"

#include "base/cleanup.h"

#include <sandbox/output.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define HOUR_S 3600
#define WEEK_S (7 * 24 * HOUR_S)
#define STAMP "expired"

static void close_dir(DIR **dir)
{
    if (*dir != NULL)
        (void)closedir(*dir);
}

static bool is_newer(int folder, const char *name, int64_t than)
{
    struct stat info;

    return fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
           (int64_t)info.st_mtime > than;
}

/* A long command writes to its streams and not to its index. */
static bool is_in_use(int folder, const char *run_id, int64_t newer_than)
{
    static const char *const endings[] = {".json", ".out", ".err"};
    char name[SBI_RUN_ID_LENGTH + 8];
    size_t i;

    for (i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
        (void)snprintf(name, sizeof(name), "%s%s", run_id, endings[i]);
        if (is_newer(folder, name, newer_than))
            return true;
    }
    return false;
}

static int expire(int *folder, int64_t age_s, sbx_error *err)
{
    SBI_CLEANUP(close_dir) DIR *dir = fdopendir(*folder);
    int64_t limit = (int64_t)time(NULL) - (age_s < 0 ? WEEK_S : age_s);
    char run_id[SBI_RUN_ID_LENGTH + 1];
    const struct dirent *entry;

    if (dir == NULL)
        return sbi_fail_errno(err, SBX_ERR_IO, "read the folder of outputs");
    *folder = -1; /* now the stream's */
    while ((entry = readdir(dir)) != NULL)
        if (sbi_store_run_of(entry->d_name, run_id) &&
            !is_newer(dirfd(dir), entry->d_name, limit) &&
            !is_in_use(dirfd(dir), run_id, limit))
            sbi_store_remove(dirfd(dir), run_id);
    return SBX_OK;
}

int sbx_output_expire(int64_t age_s, const char *folder, sbx_error *err)
{
    SBI_AUTOCLOSE int fd = -1;
    sbx_error why = {0};
    int rc = sbi_store_open(folder, false, &fd, &why);

    if (rc == SBX_ERR_NOT_FOUND)
        return SBX_OK;
    if (rc == SBX_OK)
        rc = expire(&fd, age_s, &why);
    if (rc == SBX_OK)
        return SBX_OK;
    if (err != NULL)
        *err = why;
    return sbi_wrap(err, rc, "expire outputs");
}

/* A stamp of the future, after the clock was set back, counts for nothing. */
static bool was_stamped(int folder, int64_t now)
{
    struct stat info;

    return fstatat(folder, STAMP, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
           (int64_t)info.st_mtime > now - HOUR_S && (int64_t)info.st_mtime <= now;
}

static bool stamp(int folder)
{
    SBI_AUTOCLOSE int fd =
        openat(folder, STAMP, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);

    return fd >= 0 && futimens(fd, NULL) == 0;
}

void sbi_store_expire_hourly(const char *folder)
{
    SBI_AUTOCLOSE int fd = -1;

    if (sbi_store_open(folder, false, &fd, NULL) == SBX_OK &&
        !was_stamped(fd, (int64_t)time(NULL)) && stamp(fd))
        (void)expire(&fd, -1, NULL);
}
