/*
 * listen.c - sockets of kept connections: made, asked, told to go.
 *
 * Who makes or clears away a socket holds the folder's lock, so that two keepers that
 * start at once do not remove each other's.
 */
#include "keeper/listen.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/flock.h"
#include "base/path.h"
#include "base/str.h"
#include "base/wait.h"
#include "session/kept.h"
#include "transport/mux_talk.h"

#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>

#define BACKLOG 128
#define ANSWER_MS 2000
#define LOCK_MS 30000
#define STOP_MS 5000
#define STEP_NS (20 * 1000000L)

/* One request, and what is said to it. */
static int converse(const char *path, int type, struct sbi_mux_message *out,
                    sbx_error *err)
{
    SBI_CLEANUP(sbi_mux_talk_clear) struct sbi_mux_talk talk = SBI_MUX_NO_TALK;
    int64_t deadline = sbi_deadline(ANSWER_MS);
    const uint32_t id = 0;
    struct pollfd one;
    int rc = sbi_mux_talk_open(&talk, path, err);

    if (rc < 0)
        return rc;
    sbi_mux_add(&talk.out, type, &id, 1, NULL);
    while (rc == SBX_OK && !sbi_mux_talk_read(&talk, out)) {
        sbi_mux_talk_flush(&talk);
        if (talk.over)
            return sbi_fail(err, SBX_ERR_CONNECT, "socket '%s': it hung up", path);
        one = (struct pollfd){talk.fd, sbi_mux_talk_events(&talk), 0};
        rc = sbi_wait_any(&one, 1, deadline, NULL);
    }
    out->reason = (struct sbi_mux_text){0};
    return rc < 0 ? sbi_fail(err, rc, "socket '%s': no answer in time", path) : SBX_OK;
}

int64_t sbi_keeper_ask(const char *path)
{
    struct sbi_mux_message message;

    if (converse(path, SBI_MUX_ALIVE_CHECK, &message, NULL) < 0 ||
        message.type != SBI_MUX_ALIVE)
        return 0;
    return message.value;
}

static bool is_gone(const char *path)
{
    struct stat info;

    return lstat(path, &info) < 0;
}

int sbi_keeper_tell_stop(const char *path, sbx_error *err)
{
    const struct timespec step = {0, STEP_NS};
    int64_t deadline = sbi_deadline(STOP_MS);
    struct sbi_mux_message message;
    int rc = converse(path, SBI_MUX_TERMINATE, &message, err);

    if (rc < 0)
        return rc;
    while (!is_gone(path) && sbi_left_ms(deadline) > 0)
        (void)nanosleep(&step, NULL);
    return is_gone(path) ? SBX_OK
                         : sbi_fail(err, SBX_ERR_TIMEOUT,
                                    "the keeper at '%s' does not let go", path);
}

static int check_folder(const char *folder, sbx_error *err)
{
    struct stat info;

    if (lstat(folder, &info) < 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "look at folder '%s'", folder);
    if (!S_ISDIR(info.st_mode) || info.st_uid != geteuid() || (info.st_mode & 077) != 0)
        return sbi_fix(
            err,
            sbi_fail(err, SBX_ERR_CONFIG, "folder '%s': others can reach it", folder),
            NULL, "chmod 700 %s", folder);
    return SBX_OK;
}

static int lock_folder(int *out, sbx_error *err)
{
    SBI_AUTOFREE char *folder = NULL;
    SBI_AUTO_STR path = {0};
    SBI_AUTOCLOSE int fd = -1;
    int rc = sbi_kept_folder(&folder, err);

    if (rc == SBX_OK)
        rc = sbi_path_make_folders(folder, err);
    if (rc == SBX_OK)
        rc = check_folder(folder, err);
    if (rc < 0)
        return rc;
    sbi_str_addf(&path, "%s/.lock", folder);
    if (path.status != SBX_OK)
        return sbi_fail(err, path.status, "out of memory");
    fd = open(path.data, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "open '%s'", path.data);
    rc = sbi_flock_take(fd, sbi_deadline(LOCK_MS), NULL);
    if (rc == SBX_ERR_TIMEOUT)
        return sbi_fail(err, rc, "lock '%s': held by another for %d s", path.data,
                        LOCK_MS / 1000);
    if (rc < 0)
        return sbi_fail_errno(err, rc, "lock '%s'", path.data);
    *out = fd;
    fd = -1;
    return SBX_OK;
}

/* Reachable by us alone from its first moment on: so is its folder. */
static int bind_socket(struct sbi_kept *kept, sbx_error *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat info;

    if (strlen(kept->path) >= sizeof(address.sun_path))
        return sbi_fail(err, SBX_ERR_CONFIG, "socket '%s': its path is too long",
                        kept->path);
    memcpy(address.sun_path, kept->path, strlen(kept->path));
    kept->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (kept->listener < 0 ||
        bind(kept->listener, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
        chmod(kept->path, 0600) < 0 || lstat(kept->path, &info) < 0 ||
        listen(kept->listener, BACKLOG) < 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "listen at '%s'", kept->path);
    kept->inode = info.st_ino;
    return SBX_OK;
}

int sbi_keeper_listen(struct sbi_kept *kept, sbx_error *err)
{
    SBI_AUTOCLOSE int lock = -1;
    int64_t pid;
    int rc = lock_folder(&lock, err);

    if (rc < 0)
        return rc;
    pid = sbi_keeper_ask(kept->path);
    if (pid != 0)
        return sbi_fail(err, SBX_ERR_EXISTS, "process %lld keeps it already",
                        (long long)pid);
    (void)unlink(kept->path);
    return bind_socket(kept, err);
}

void sbi_keeper_unlisten(struct sbi_kept *kept)
{
    SBI_AUTOCLOSE int lock = -1;
    struct stat info;

    if (kept->listener < 0)
        return;
    if (lock_folder(&lock, NULL) == SBX_OK && lstat(kept->path, &info) == 0 &&
        info.st_ino == kept->inode)
        (void)unlink(kept->path);
    (void)close(kept->listener);
    kept->listener = -1;
}
