/*
 * ssh_config_open.c - the text of one file of ssh_config, unless others may write it; and
 * what tells it from what it becomes later.
 */
#include "base/str.h"
#include "transport/ssh_config_reading.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_FILE_BYTES ((size_t)4 * 1024 * 1024)
#define YOUNG_MS 100 /* the clock of a file system goes in steps, of 10 ms at most */

/*
 * Systems that give each user a group of their own let new files be writable by it;
 * that is no harm while nobody else is in the group.
 */
static bool group_is_private(uid_t owner, gid_t group)
{
    struct passwd user, *found_user = NULL;
    struct group entry, *found_group = NULL;
    char user_room[4096], group_room[16384];
    char **member;

    if (getpwuid_r(owner, &user, user_room, sizeof(user_room), &found_user) != 0 ||
        getgrgid_r(group, &entry, group_room, sizeof(group_room), &found_group) != 0 ||
        found_user == NULL || found_group == NULL || user.pw_gid != group ||
        strcmp(user.pw_name, entry.gr_name) != 0)
        return false;
    for (member = entry.gr_mem; *member != NULL; member++)
        if (strcmp(*member, user.pw_name) != 0)
            return false;
    return true;
}

static int check_owner(const struct stat *info, const char *path, sbx_error *err)
{
    bool own = info->st_uid == 0 || info->st_uid == getuid();
    bool others =
        (info->st_mode & S_IWOTH) != 0 ||
        ((info->st_mode & S_IWGRP) != 0 && !group_is_private(info->st_uid, info->st_gid));
    int rc;

    if (own && !others)
        return SBX_OK;
    if (!own) {
        rc = sbi_fail(err, SBX_ERR_CONFIG, "'%s' belongs to another user", path);
        return sbi_fix(err, rc, NULL, "chown %llu '%s'", (unsigned long long)getuid(),
                       path);
    }
    rc = sbi_fail(err, SBX_ERR_CONFIG, "'%s' can be written by others", path);
    return sbi_fix(err, rc, NULL, "chmod go-w '%s'", path);
}

static int slurp(int fd, const char *path, struct sbi_str *text, sbx_error *err)
{
    char room[16384];
    ssize_t count;

    while ((count = read(fd, room, sizeof(room))) != 0) {
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return sbi_fail_errno(err, SBX_ERR_IO, "read '%s'", path);
        sbi_str_add_bytes(text, room, (size_t)count);
        if (text->status == SBX_ERR_LIMIT)
            return sbi_fail(err, SBX_ERR_LIMIT, "'%s' is over %zu bytes", path,
                            text->limit);
    }
    return SBX_OK;
}

static struct sbi_ssh_stamp stamp_of(const struct stat *info)
{
    return (struct sbi_ssh_stamp){.device = info->st_dev,
                                  .inode = info->st_ino,
                                  .size = info->st_size,
                                  .modified = info->st_mtim,
                                  .changed = info->st_ctim};
}

static bool same_moment(const struct timespec *one, const struct timespec *other)
{
    return one->tv_sec == other->tv_sec && one->tv_nsec == other->tv_nsec;
}

bool sbi_ssh_file_is_current(const struct sbi_ssh_file *file)
{
    const struct sbi_ssh_stamp *then = &file->stamp;
    struct sbi_ssh_stamp now;
    struct stat info;

    if (stat(file->path, &info) != 0)
        return errno == ENOENT && then->missing;
    now = stamp_of(&info);
    return !then->missing && now.device == then->device && now.inode == then->inode &&
           now.size == then->size && same_moment(&now.modified, &then->modified) &&
           same_moment(&now.changed, &then->changed);
}

bool sbi_ssh_file_is_young(const struct sbi_ssh_file *file)
{
    const struct timespec *changed = &file->stamp.changed;
    struct timespec now;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (now.tv_sec - changed->tv_sec) * 1000 +
               (now.tv_nsec - changed->tv_nsec) / 1000000 <
           YOUNG_MS;
}

/* A folder is read as empty, as ssh does: patterns meet some. */
static int slurp_checked(int fd, struct sbi_ssh_file *file, int how, struct sbi_str *text,
                         sbx_error *err)
{
    struct stat info;
    int rc;

    if (fstat(fd, &info) != 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "look at '%s'", file->path);
    file->stamp = stamp_of(&info);
    rc = how & SBI_SSH_FILE_CHECK ? check_owner(&info, file->path, err) : SBX_OK;
    if (rc < 0 || S_ISDIR(info.st_mode))
        return rc;
    if (!S_ISREG(info.st_mode) && !S_ISCHR(info.st_mode))
        return sbi_fail(err, SBX_ERR_CONFIG, "'%s' is no plain file", file->path);
    return slurp(fd, file->path, text, err);
}

int sbi_ssh_file_open(struct sbi_ssh_file *file, int how, size_t *length, sbx_error *err)
{
    SBI_AUTO_STR text = {.limit = MAX_FILE_BYTES};
    SBI_AUTOCLOSE int fd = -1;
    int rc;

    fd = open(file->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 && (errno != ENOENT || how & SBI_SSH_FILE_MUST))
        return sbi_fail_errno(err, SBX_ERR_CONFIG, "open ssh configuration '%s'",
                              file->path);
    file->stamp.missing = fd < 0;
    rc = fd < 0 ? SBX_OK : slurp_checked(fd, file, how, &text, err);
    *length = text.length;
    return rc < 0 ? rc : sbi_str_take(&text, &file->text, err);
}
