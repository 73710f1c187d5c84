#include "watch/lock.h"

#include "base/digest.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

static int ask(int fd, int command, short type, int64_t at, struct flock *answer)
{
    struct flock lock = {
        .l_type = type, .l_whence = SEEK_SET, .l_start = (off_t)at, .l_len = 1};
    int rc = fcntl(fd, command, &lock);

    if (answer != NULL)
        *answer = lock;
    return rc;
}

static int draw(struct sbi_lock *lock, sbx_error *err)
{
    char hex[9];
    int rc;

    do {
        rc = sbi_random_hex(hex, 4, err);
        lock->name = rc < 0 ? 0 : (int64_t)(strtoul(hex, NULL, 16) & 0x7FFFFFFF);
    } while (rc == SBX_OK && lock->name == 0);
    return rc;
}

int sbi_lock_open(const char *ledger_path, struct sbi_lock *out, sbx_error *err)
{
    SBI_AUTO_LOCK lock = SBI_LOCK_NONE;
    SBI_AUTO_STR path = {0};
    int rc;

    sbi_str_add(&path, ledger_path);
    sbi_str_add(&path, ".watchdog");
    if (path.status != SBX_OK)
        return sbi_fail(err, path.status, "open a lock: out of memory");
    lock.fd = open(path.data, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (lock.fd < 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "open lock '%s'", path.data);
    rc = draw(&lock, err);
    if (rc < 0)
        return rc;
    if (ask(lock.fd, F_OFD_SETLK, F_WRLCK, lock.name, NULL) < 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "lock '%s'", path.data);
    *out = lock;
    lock.fd = -1;
    return SBX_OK;
}

void sbi_lock_close(struct sbi_lock *lock)
{
    sbi_close_fd(&lock->fd);
    lock->fd = -1;
}

bool sbi_lock_work(struct sbi_lock *lock)
{
    char pid[32];
    int length;

    if (ask(lock->fd, F_OFD_SETLK, F_WRLCK, 0, NULL) < 0)
        return false;
    length = snprintf(pid, sizeof(pid), "%-20ld\n", (long)getpid());
    (void)!pwrite(lock->fd, pid, (size_t)length, 0);
    return true;
}

void sbi_lock_rest(struct sbi_lock *lock)
{
    (void)ask(lock->fd, F_OFD_SETLK, F_UNLCK, 0, NULL);
}

/* What we hold ourselves is no conflict, and so not told. */
bool sbi_lock_lives(const struct sbi_lock *lock, int64_t name)
{
    struct flock answer;

    if (name == lock->name)
        return true;
    return ask(lock->fd, F_OFD_GETLK, F_WRLCK, name, &answer) == 0 &&
           answer.l_type != F_UNLCK;
}

int64_t sbi_lock_worker(const struct sbi_lock *lock)
{
    char text[32] = "";

    if (!sbi_lock_lives(lock, 0) || pread(lock->fd, text, sizeof(text) - 1, 0) <= 0)
        return 0;
    return strtoll(text, NULL, 10);
}
