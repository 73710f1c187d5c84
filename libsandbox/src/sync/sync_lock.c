/*
 * sync_lock.c - a lock is flock(2) on a file beside what is remembered of syncs. The file
 * stays: were it removed, two could hold what each takes for the lock.
 */
#include "sync/sync_lock.h"

#include "base/clock.h"
#include "base/digest.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/path.h"
#include "base/str.h"

#include <fcntl.h>
#include <string.h>

#define LONGEST_MS (60 * 60 * 1000)

static int file_of(const struct sbi_sync_target *target, char **out, sbx_error *err)
{
    SBI_AUTO_STR key = {0};
    unsigned char digest[32];
    char name[64] = "sync/";
    size_t length = strlen(target->path);
    int rc;

    while (length > 1 && target->path[length - 1] == '/')
        length--;
    sbi_str_add(&key, target->place == NULL ? "" : target->place);
    sbi_str_add_bytes(&key, "", 1);
    sbi_str_add_bytes(&key, target->path, length);
    if (key.status != SBX_OK)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    rc = sbi_sha256(key.data, key.length, digest, err);
    if (rc < 0)
        return rc;
    sbi_hex(digest, 16, name + 5);
    memcpy(name + 37, ".lock", 6);
    return sbi_path_user(SBI_PATH_STATE, name, out, err);
}

static int open_lock(const struct sbi_sync_target *target, int *out, sbx_error *err)
{
    SBI_AUTOFREE char *path = NULL;
    int fd;
    int rc = file_of(target, &path, err);

    if (rc < 0)
        return rc;
    rc = sbi_path_make_parents(path, err);
    if (rc < 0)
        return rc;
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "open '%s'", path);
    *out = fd;
    return SBX_OK;
}

/* SBX_ERR_IO: no file of this kind can be locked. */
static int wait_for_it(int fd, const struct sbi_sync_target *target, sbx_error *err)
{
    int rc = sbi_lock_take(fd, sbi_deadline(0), NULL);

    if (rc != SBX_ERR_TIMEOUT)
        return rc;
    if (!target->waits)
        return sbi_fail(err, SBX_ERR_CONFLICT, "another sync of it is under way");
    sbi_log(SBX_LOG_WARN, "another sync to '%s' is under way: waiting for it",
            target->path);
    rc = sbi_lock_take(fd, sbi_deadline(LONGEST_MS), target->cancel);
    if (rc == SBX_ERR_TIMEOUT)
        return sbi_fail(err, rc, "another sync of it has been under way for an hour");
    return rc == SBX_ERR_CANCELLED ? sbi_fail(err, rc, "cancelled") : rc;
}

int sbi_sync_lock(const struct sbi_sync_target *target, int *out, sbx_error *err)
{
    SBI_AUTOCLOSE int fd = -1;
    sbx_error why = {0};
    int rc = open_lock(target, &fd, &why);

    if (rc < 0)
        sbi_log(SBX_LOG_INFO, "syncs do not wait for one another: %s", why.text);
    else
        rc = wait_for_it(fd, target, err);
    if (rc == SBX_ERR_CANCELLED || rc == SBX_ERR_TIMEOUT || rc == SBX_ERR_CONFLICT)
        return rc;
    *out = rc == SBX_OK ? fd : -1;
    if (rc == SBX_OK)
        fd = -1;
    return SBX_OK;
}
