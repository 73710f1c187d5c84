/* path.c - the folders of this user, and files read and written whole. */
#include "base/path.h"

#include "base/cleanup.h"
#include "base/str.h"
#include "base/write.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_LIMIT 4096
#define PASSWD_LIMIT 65536

static int home_by_passwd(char **out, sbx_error *err)
{
    SBI_AUTOFREE char *room = malloc(PASSWD_LIMIT);
    struct passwd entry, *found = NULL;
    int rc;

    if (room == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "find the home folder: out of memory");

    rc = getpwuid_r(getuid(), &entry, room, PASSWD_LIMIT, &found);
    if (rc != 0 || found == NULL || found->pw_dir[0] == '\0')
        return sbi_fail(
            err, SBX_ERR_NOT_FOUND,
            "no home folder: HOME is not set, and user %ld has none in passwd",
            (long)getuid());
    *out = strdup(found->pw_dir);
    if (*out == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "find the home folder: out of memory");
    return SBX_OK;
}

int sbi_path_home(char **out, sbx_error *err)
{
    const char *home = getenv("HOME");
    char *copy;

    if (home == NULL || home[0] == '\0')
        return home_by_passwd(out, err);

    copy = strdup(home);
    if (copy == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "find the home folder: out of memory");
    *out = copy;
    return SBX_OK;
}

int sbi_path_user(int root, const char *tail, char **out, sbx_error *err)
{
    static const struct {
        const char *variable, *below_home;
    } roots[] = {
        [SBI_PATH_CONFIG] = {"XDG_CONFIG_HOME", ".config"},
        [SBI_PATH_STATE] = {"XDG_STATE_HOME", ".local/state"},
        [SBI_PATH_RUNTIME] = {"XDG_RUNTIME_DIR", ".local/state"},
    };
    const char *folder = getenv(roots[root].variable);
    SBI_AUTO_STR path = {.limit = PATH_LIMIT};
    SBI_AUTOFREE char *home = NULL;
    int rc;

    if (folder != NULL && folder[0] == '/') { /* the standard ignores a relative one */
        sbi_str_addf(&path, "%s/sbx/%s", folder, tail);
        return sbi_str_take(&path, out, err);
    }
    rc = sbi_path_home(&home, err);
    if (rc < 0)
        return rc;
    sbi_str_addf(&path, "%s/%s/sbx/%s", home, roots[root].below_home, tail);
    return sbi_str_take(&path, out, err);
}

static int make_folder(const char *path, sbx_error *err)
{
    struct stat info;

    if (mkdir(path, 0700) == 0)
        return SBX_OK;
    if (errno == EEXIST) {
        if (stat(path, &info) == 0 && S_ISDIR(info.st_mode))
            return SBX_OK;
        errno = ENOTDIR;
    }
    return sbi_fail_errno(err, SBX_ERR_IO, "make folder '%s'", path);
}

int sbi_path_make_parents(const char *path, sbx_error *err)
{
    SBI_AUTOFREE char *copy = strdup(path);
    char *slash = copy;
    int rc;

    if (copy == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "make folder '%s': out of memory", path);

    while (slash != NULL && (slash = strchr(slash + 1, '/')) != NULL) {
        *slash = '\0';
        rc = make_folder(copy, err);
        if (rc < 0)
            return rc;
        *slash = '/';
    }
    return SBX_OK;
}

int sbi_path_make_folders(const char *path, sbx_error *err)
{
    int rc = sbi_path_make_parents(path, err);

    return rc < 0 ? rc : make_folder(path, err);
}

static int read_limited(int fd, const char *path, struct sbi_str *text, sbx_error *err)
{
    char piece[8192];
    ssize_t got;

    while ((got = read(fd, piece, sizeof(piece))) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return sbi_fail_errno(err, SBX_ERR_IO, "read '%s'", path);
        sbi_str_add_bytes(text, piece, (size_t)got);
        if (text->status != SBX_OK)
            break;
    }
    explicit_bzero(piece, sizeof(piece)); /* a list of hosts may hold passwords */
    return SBX_OK;
}

int sbi_path_read_fd(int fd, const char *path, size_t limit, char **out, size_t *length,
                     sbx_error *err)
{
    SBI_AUTO_STR text = {.limit = limit};
    size_t size;
    int rc = read_limited(fd, path, &text, err);

    if (rc < 0)
        return rc;
    size = text.length;
    rc = sbi_str_take(&text, out, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "read '%s'", path);
    *length = size;
    return SBX_OK;
}

int sbi_path_read(const char *path, size_t limit, char **out, size_t *length,
                  sbx_error *err)
{
    SBI_AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

    if (fd < 0)
        return sbi_fail_errno(err, errno == ENOENT ? SBX_ERR_NOT_FOUND : SBX_ERR_IO,
                              "open '%s'", path);
    return sbi_path_read_fd(fd, path, limit, out, length, err);
}

/* The rename lasts through a power cut only once its folder is on the disk. */
static void sync_folder_of(char *path)
{
    SBI_AUTOCLOSE int fd = -1;
    char *slash = strrchr(path, '/');

    if (slash != NULL)
        slash[slash == path] = '\0';
    fd = open(slash == NULL ? "." : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0)
        (void)fsync(fd);
}

int sbi_path_guard(const char *path, unsigned forbidden, sbx_error *err)
{
    struct stat info;
    int rc;

    if (stat(path, &info) < 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "look at its mode");
    if (info.st_uid != geteuid() && info.st_uid != 0) {
        rc = sbi_fail(err, SBX_ERR_CONFIG, "it holds secrets, and is of user %ld",
                      (long)info.st_uid);
        return sbi_fix(err, rc, NULL, "chown %ld %s", (long)geteuid(), path);
    }
    if ((info.st_mode & forbidden) == 0)
        return SBX_OK;
    rc = sbi_fail(err, SBX_ERR_CONFIG, "it holds secrets, and is open to others (%04o)",
                  (unsigned)(info.st_mode & 07777));
    return sbi_fix(err, rc, NULL, "chmod 600 %s", path);
}

static int replace(const char *aside, int fd, char *target, const void *data,
                   size_t length, unsigned mode)
{
    errno = sbi_write_all(fd, data, length);
    if (errno != 0 || fchmod(fd, (mode_t)mode) < 0 || fsync(fd) < 0)
        return -1;
    if (rename(aside, target) < 0)
        return -1;
    sync_folder_of(target);
    return 0;
}

int sbi_path_write(const char *path, const void *data, size_t length, unsigned mode,
                   sbx_error *err)
{
    SBI_AUTOFREE char *target = realpath(path, NULL); /* a link stays a link */
    SBI_AUTOFREE char *aside = NULL;
    SBI_AUTOCLOSE int fd = -1;
    int rc = SBX_OK;

    if (target == NULL)
        target = strdup(path);
    if (target == NULL || asprintf(&aside, "%s.XXXXXX", target) < 0)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "write '%s': out of memory", path);

    fd = mkostemp(aside, O_CLOEXEC);
    if (fd < 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "write '%s'", path);
    if (replace(aside, fd, target, data, length, mode) < 0) {
        rc = sbi_fail_errno(err, SBX_ERR_IO, "write '%s'", path);
        (void)unlink(aside);
    }
    return rc;
}
