/*
 * ssh_config_files.c - reads the files of ssh_config, follows Include, and refuses
 * those that others may write.
 *
 * A file may include itself through a pattern, and does so a number of times that
 * grows with the power of the depth: so there is a limit for all files together.
 */
#include "base/str.h"
#include "transport/ssh_config_reading.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_DEPTH 16
#define MAX_FILES 2048
#define MAX_FILE_BYTES ((size_t)1024 * 1024)
#define MAX_BYTES ((size_t)16 * 1024 * 1024)
#define SYSTEM_FOLDER "/etc/ssh"

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

/* A folder is read as empty, as ssh does: patterns meet some. */
static int slurp_checked(int fd, const char *path, int how, struct sbi_str *text,
                         sbx_error *err)
{
    struct stat info;
    int rc;

    if (fstat(fd, &info) != 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "look at '%s'", path);
    rc = how & SBI_SSH_CONFIG_CHECK ? check_owner(&info, path, err) : SBX_OK;
    if (rc < 0 || S_ISDIR(info.st_mode))
        return rc;
    if (!S_ISREG(info.st_mode) && !S_ISCHR(info.st_mode))
        return sbi_fail(err, SBX_ERR_CONFIG, "'%s' is no plain file", path);
    return slurp(fd, path, text, err);
}

static int count_file(struct sbi_ssh_reading *reading, size_t bytes, sbx_error *err)
{
    reading->files_read++;
    reading->bytes_read += bytes;
    if (reading->files_read > MAX_FILES || reading->bytes_read > MAX_BYTES)
        return sbi_fail(err, SBX_ERR_LIMIT, "more than %d files or %zu bytes included",
                        MAX_FILES, MAX_BYTES);
    return SBX_OK;
}

int sbi_ssh_config_read_text(struct sbi_ssh_reading *reading, char *text, size_t length,
                             sbx_error *err)
{
    char *end = text + length;
    char *next;
    int rc = SBX_OK;

    for (; text < end && rc == SBX_OK; text = next) {
        next = memchr(text, '\n', (size_t)(end - text));
        next = next == NULL ? end : next + 1;
        if (next[-1] == '\n')
            next[-1] = '\0';
        reading->line++;
        rc = sbi_ssh_config_take(reading, text, err);
    }
    return rc < 0 ? sbi_wrap(err, rc, "read '%s' line %zu", reading->file, reading->line)
                  : rc;
}

static int read_text_of(struct sbi_ssh_reading *reading, const char *path,
                        struct sbi_str *text, sbx_error *err)
{
    const char *file = reading->file;
    size_t line = reading->line;
    int rc;

    reading->file = path;
    reading->line = 0;
    sbi_str_add(text, "");
    rc = sbi_ssh_config_read_text(reading, text->data, text->length, err);
    reading->file = file;
    reading->line = line;
    return rc;
}

int sbi_ssh_config_read_file(struct sbi_ssh_reading *reading, const char *path, int how,
                             sbx_error *err)
{
    SBI_AUTO_STR text = {.limit = MAX_FILE_BYTES};
    SBI_AUTOCLOSE int fd = -1;
    int rc;

    fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0 && errno == ENOENT && !(how & SBI_SSH_CONFIG_MUST))
        return SBX_OK;
    if (fd < 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "open ssh configuration '%s'", path);

    rc = slurp_checked(fd, path, how, &text, err);
    if (rc == SBX_OK)
        rc = count_file(reading, text.length, err);
    if (rc < 0)
        return rc;
    reading->of_user = (how & SBI_SSH_CONFIG_USER) != 0;
    return read_text_of(reading, path, &text, err);
}

static int by_bytes(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

/* What the included file does to the state of its block ends with it. */
static int include_each(struct sbi_ssh_reading *reading, glob_t *found, sbx_error *err)
{
    bool active = reading->active;
    bool never = reading->never;
    int how = SBI_SSH_CONFIG_CHECK | (reading->of_user ? SBI_SSH_CONFIG_USER : 0);
    int rc = SBX_OK;
    size_t i;

    qsort(found->gl_pathv, found->gl_pathc, sizeof(*found->gl_pathv), by_bytes);
    reading->depth++;
    for (i = 0; i < found->gl_pathc && rc == SBX_OK; i++) {
        reading->never = never || !active;
        rc = sbi_ssh_config_read_file(reading, found->gl_pathv[i], how, err);
        reading->active = active;
        reading->never = never;
    }
    reading->depth--;
    return rc;
}

/* GLOB_TILDE takes $HOME, as ssh does here and only here. */
static int include_one(struct sbi_ssh_reading *reading, const char *word, sbx_error *err)
{
    const char *folder = reading->of_user ? "~/.ssh/" : SYSTEM_FOLDER "/";
    SBI_AUTO_STR pattern = {0};
    glob_t found = {0};
    int rc = SBX_OK;

    if (*word == '~' && !reading->of_user)
        return sbi_fail(err, SBX_ERR_CONFIG, "bad path '%s' in 'Include'", word);
    if (*word != '/' && *word != '~')
        sbi_str_add(&pattern, folder);
    sbi_str_add(&pattern, word);
    if (pattern.status != SBX_OK)
        return sbi_fail(err, pattern.status, "out of memory for '%s'", word);

    switch (glob(pattern.data, GLOB_TILDE | GLOB_NOSORT, NULL, &found)) {
    case 0:
        rc = include_each(reading, &found, err);
        break;
    case GLOB_NOMATCH:
        break;
    default:
        rc = sbi_fail(err, SBX_ERR_IO, "look for '%s' failed", pattern.data);
    }
    globfree(&found);
    return rc;
}

int sbi_ssh_config_include(struct sbi_ssh_reading *reading, char **words, sbx_error *err)
{
    int rc = SBX_OK;

    if (reading->depth >= MAX_DEPTH)
        return sbi_fail(err, SBX_ERR_CONFIG, "files included more than %d deep",
                        MAX_DEPTH);
    for (; *words != NULL && rc == SBX_OK; words++)
        if (reading->text_only)
            sbi_ssh_config_warn(reading, "file '%s' is not read", *words);
        else
            rc = **words == '\0'
                     ? sbi_fail(err, SBX_ERR_CONFIG, "an empty word in 'Include'")
                     : include_one(reading, *words, err);
    return rc;
}
