/*
 * sync_lock.c - a lock is flock(2) on a file beside what is remembered of syncs. The file
 * stays: were it removed, two could hold what each takes for the lock.
 */
#include "sync/sync_lock.h"

#include "base/clock.h"
#include "base/digest.h"
#include "base/log.h"
#include "base/path.h"
#include "base/str.h"
#include "base/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>

#define LONGEST_MS (60 * 60 * 1000)
#define PAUSE_MS 50

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

static int wait_a_little(const struct sbi_sync_target *target, int64_t deadline,
                         sbx_error *err)
{
    struct pollfd none = {-1, 0, 0};

    if (!target->waits)
        return sbi_fail(err, SBX_ERR_CONFLICT, "another sync of it is under way");
    if (sbi_left_ms(deadline) == 0)
        return sbi_fail(err, SBX_ERR_TIMEOUT,
                        "another sync of it has been under way for an hour");
    if (sbi_wait_any(&none, 1, sbi_deadline(PAUSE_MS), target->cancel) ==
        SBX_ERR_CANCELLED)
        return sbi_fail(err, SBX_ERR_CANCELLED, "cancelled");
    return SBX_OK;
}

static int wait_for_it(int fd, const struct sbi_sync_target *target, sbx_error *err)
{
    int64_t deadline = sbi_deadline(LONGEST_MS);
    bool told = false;
    int rc = SBX_OK;

    while (rc == SBX_OK && flock(fd, LOCK_EX | LOCK_NB) < 0) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return SBX_ERR_UNSUPPORTED;
        if (!told && target->waits)
            sbi_log(SBX_LOG_WARN, "another sync to '%s' is under way: waiting for it",
                    target->path);
        told = true;
        rc = wait_a_little(target, deadline, err);
    }
    return rc;
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
