/*
 * sync_lock.c - a lock is flock(2) on a file beside what is remembered of syncs. The file
 * stays: were it removed, two could hold what each takes for the lock.
 */
#include "sync/sync_lock.h"

#include "base/clock.h"
#include "base/digest.h"
#include "base/flock.h"
#include "base/log.h"
#include "base/path.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define LONGEST_MS (60 * 60 * 1000)
#define PATH_LIMIT (64 * 1024)

static int file_of(const char *place, const char *told, const char *ending, char **out,
                   sbx_error *err)
{
    SBI_AUTO_STR key = {0};
    SBI_AUTO_STR name = {0};
    unsigned char digest[32];
    char hex[33];
    size_t length = strlen(told);
    int rc;

    while (length > 1 && told[length - 1] == '/')
        length--;
    sbi_str_add(&key, place == NULL ? "" : place);
    sbi_str_add_bytes(&key, "", 1);
    sbi_str_add_bytes(&key, told, length);
    if (key.status != SBX_OK)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    rc = sbi_sha256(key.data, key.length, digest, err);
    if (rc < 0)
        return rc;
    sbi_hex(digest, 16, hex);
    sbi_str_addf(&name, "sync/%s.%s", hex, ending);
    if (name.status != SBX_OK)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    return sbi_path_user(SBI_PATH_STATE, name.data, out, err);
}

static int open_lock(const struct sbi_sync_target *target, struct sbi_sync_lock *lock,
                     sbx_error *err)
{
    const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW;
    SBI_AUTOFREE char *path = NULL;
    int rc = file_of(target->place, target->path, "lock", &path, err);

    if (rc == SBX_OK)
        rc = sbi_path_make_parents(path, err);
    if (rc < 0)
        return rc;
    lock->fd = open(path, flags | O_CREAT | O_EXCL, 0600);
    lock->is_first = lock->fd >= 0;
    if (lock->fd < 0 && errno == EEXIST)
        lock->fd = open(path, flags);
    return lock->fd >= 0 ? SBX_OK : sbi_fail_errno(err, SBX_ERR_IO, "open '%s'", path);
}

/* SBX_ERR_IO: no file of this kind can be locked. */
static int wait_for_it(struct sbi_sync_lock *lock, const struct sbi_sync_target *target,
                       sbx_error *err)
{
    int rc = sbi_flock_take(lock->fd, sbi_deadline(0), NULL);

    if (rc != SBX_ERR_TIMEOUT)
        return rc;
    if (!target->waits)
        return sbi_fail(err, SBX_ERR_CONFLICT, "another sync of it is under way");
    sbi_log(SBX_LOG_WARN, "another sync to '%s' is under way: waiting for it",
            target->path);
    lock->is_first = false;
    rc = sbi_flock_take(lock->fd, sbi_deadline(LONGEST_MS), target->cancel);
    if (rc == SBX_ERR_TIMEOUT)
        return sbi_fail(err, rc, "another sync of it has been under way for an hour");
    return rc == SBX_ERR_CANCELLED ? sbi_fail(err, rc, "cancelled") : rc;
}

int sbi_sync_lock(const struct sbi_sync_target *target, struct sbi_sync_lock *out,
                  sbx_error *err)
{
    SBI_AUTO_SYNC_LOCK lock = {.fd = -1, .path = strdup(target->path)};
    sbx_error why = {0};
    int rc;

    if (lock.path == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    rc = open_lock(target, &lock, &why);
    if (rc < 0)
        sbi_log(SBX_LOG_INFO, "syncs do not wait for one another: %s", why.text);
    else
        rc = wait_for_it(&lock, target, err);
    if (rc == SBX_ERR_CANCELLED || rc == SBX_ERR_TIMEOUT || rc == SBX_ERR_CONFLICT)
        return rc;
    if (rc < 0) {
        sbi_close_fd(&lock.fd);
        lock.fd = -1;
        lock.is_first = true;
    }
    *out = lock;
    lock = (struct sbi_sync_lock){0};
    return SBX_OK;
}

void sbi_sync_lock_clear(struct sbi_sync_lock *lock)
{
    if (lock->path != NULL)
        sbi_close_fd(&lock->fd);
    free(lock->path);
    *lock = (struct sbi_sync_lock){0};
}

char *sbi_sync_lock_known(const char *place, const char *told)
{
    SBI_AUTOFREE char *file = NULL;
    SBI_AUTOFREE char *path = NULL;
    size_t length;

    if (file_of(place, told, "where", &file, NULL) < 0 ||
        sbi_path_read(file, PATH_LIMIT, &path, &length, NULL) < 0 || path[0] != '/' ||
        strlen(path) != length)
        return NULL;
    return SBI_STEAL(path);
}

void sbi_sync_lock_learn(const char *place, const char *told, const char *path)
{
    SBI_AUTOFREE char *file = NULL;

    if (file_of(place, told, "where", &file, NULL) == SBX_OK)
        (void)sbi_path_write(file, path, strlen(path), 0600, NULL);
}
