/*
 * exclude_git.c - where git keeps rules: above the root, in the repository, at the user.
 *
 * A repository is found by its ".git", a folder, or a file that names one (a worktree, a
 * submodule). What several worktrees share lies where "commondir" in it says.
 */
#include "sync/exclude_git.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/str.h"
#include "sync/exclude_git_config.h"
#include "sync/exclude_level.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_LIMIT 8192
#define NAME_FILE_LIMIT 8192
#define RULES_LIMIT (16 * 1024 * 1024)

struct reading {
    char *root; /* absolute, without links */
    char *top;  /* of the repository; NULL: there is none */
    char *git;  /* where the repository keeps what its worktrees share */
    sbi_exclude_git_fn take;
    void *userdata;
};

static void reading_clear(struct reading *reading)
{
    free(reading->root);
    free(reading->top);
    free(reading->git);
}

/* A path by another: as it is where absolute, else below folder. */
static int join(const char *folder, const char *path, char **out, sbx_error *err)
{
    SBI_AUTO_STR text = {.limit = PATH_LIMIT};

    if (path[0] != '/')
        sbi_str_addf(&text, "%s/", folder);
    sbi_str_add(&text, path);
    return sbi_str_take(&text, out, err);
}

/* The one line of a small file behind its prefix; NULL where it is not so. */
static int read_line(const char *path, const char *prefix, char **out, sbx_error *err)
{
    SBI_AUTOFREE char *text = NULL;
    size_t skip = strlen(prefix);
    size_t length;
    int rc = sbi_path_read(path, NAME_FILE_LIMIT, &text, &length, err);

    if (rc < 0)
        return rc;
    text[strcspn(text, "\r\n")] = '\0';
    if (strncmp(text, prefix, skip) != 0 || text[skip] == '\0')
        return sbi_fail(err, SBX_ERR_NOT_FOUND, "'%s' names nothing", path);
    memmove(text, text + skip, strlen(text + skip) + 1);
    *out = SBI_STEAL(text);
    return SBX_OK;
}

/* Where a repository with this ".git" keeps its own; NULL: it is none. */
static int git_folder_of(const char *top, const char *dot_git, char **out, sbx_error *err)
{
    SBI_AUTOFREE char *named = NULL;
    SBI_AUTOFREE char *folder = NULL;
    SBI_AUTOFREE char *common_file = NULL;
    SBI_AUTOFREE char *common = NULL;
    struct stat info;
    int rc;

    if (stat(dot_git, &info) != 0)
        return SBX_OK;
    if (S_ISDIR(info.st_mode))
        rc = join("", dot_git, &folder, err);
    else if (read_line(dot_git, "gitdir: ", &named, NULL) == SBX_OK)
        rc = join(top, named, &folder, err);
    else
        return SBX_OK;
    if (rc == SBX_OK)
        rc = join(folder, "commondir", &common_file, err);
    if (rc < 0)
        return rc;
    if (read_line(common_file, "", &common, NULL) == SBX_OK)
        return join(folder, common, out, err);
    *out = SBI_STEAL(folder);
    return SBX_OK;
}

/* Goes up from the root to the first folder with a repository. */
static int find_top(struct reading *reading, sbx_error *err)
{
    SBI_AUTOFREE char *folder = strdup(reading->root);
    char *slash;
    int rc = SBX_OK;

    if (folder == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    for (;;) {
        SBI_AUTOFREE char *dot_git = NULL;

        rc = join(folder, ".git", &dot_git, err);
        if (rc == SBX_OK)
            rc = git_folder_of(folder, dot_git, &reading->git, err);
        if (rc < 0 || reading->git != NULL)
            break;
        slash = strrchr(folder, '/');
        if (slash == NULL || folder[0] == '\0')
            return SBX_OK;
        *slash = '\0';
    }
    reading->top = rc == SBX_OK ? SBI_STEAL(folder) : NULL;
    return rc;
}

/* Takes a file of rules if it is there. Links are followed outside the tree alone. */
static int take_file(const struct reading *reading, int level, const char *path,
                     const char *way, sbx_error *err)
{
    SBI_AUTOFREE char *text = NULL;
    struct stat info;
    size_t length;
    int rc;

    if (level == SBI_EXCLUDE_GITIGNORE ? lstat(path, &info) != 0 || !S_ISREG(info.st_mode)
                                       : stat(path, &info) != 0 || !S_ISREG(info.st_mode))
        return SBX_OK;
    rc = sbi_path_read(path, RULES_LIMIT, &text, &length, err);
    if (rc == SBX_ERR_NOT_FOUND)
        return SBX_OK;
    return rc < 0 ? rc : reading->take(level, way, text, length, reading->userdata, err);
}

/* The .gitignore of each folder between the root and the top, the top included. */
static int take_above(const struct reading *reading, sbx_error *err)
{
    SBI_AUTOFREE char *folder = strdup(reading->root);
    size_t top = strlen(reading->top);
    int rc = SBX_OK;

    if (folder == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    while (rc == SBX_OK && strlen(folder) > top) {
        SBI_AUTOFREE char *path = NULL;
        char *slash = strrchr(folder, '/');

        *slash = '\0';
        rc = join(folder, ".gitignore", &path, err);
        if (rc == SBX_OK)
            rc = take_file(reading, SBI_EXCLUDE_GITIGNORE, path,
                           reading->root + strlen(folder) + 1, err);
    }
    return rc;
}

static int take_repository(const struct reading *reading, const char *way, sbx_error *err)
{
    SBI_AUTOFREE char *path = NULL;
    int rc = take_above(reading, err);

    if (rc == SBX_OK)
        rc = join(reading->git, "info/exclude", &path, err);
    return rc < 0 ? rc : take_file(reading, SBI_EXCLUDE_GIT_REPO, path, way, err);
}

int sbi_exclude_git_read(const char *root, sbi_exclude_git_fn take, void *userdata,
                         sbx_error *err)
{
    SBI_CLEANUP(reading_clear)
    struct reading reading = {.take = take, .userdata = userdata};
    SBI_AUTOFREE char *user_file = NULL;
    const char *way = "";
    int rc;

    reading.root = realpath(root, NULL);
    if (reading.root == NULL)
        return sbi_fail_errno(err, errno == ENOENT ? SBX_ERR_NOT_FOUND : SBX_ERR_IO,
                              "open '%s'", root);
    rc = find_top(&reading, err);
    if (rc < 0)
        return rc;
    if (reading.top != NULL) {
        way = reading.root + strlen(reading.top);
        way += *way == '/' ? 1 : 0;
        rc = take_repository(&reading, way, err);
    }
    if (rc == SBX_OK)
        rc = sbi_git_excludes_file(reading.git, &user_file, err);
    if (rc < 0 || user_file == NULL)
        return rc;
    return take_file(&reading, SBI_EXCLUDE_GIT_USER, user_file, way, err);
}
