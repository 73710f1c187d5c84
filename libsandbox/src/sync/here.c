#include "sync/here.h"

#include "base/str.h"

#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

static int no_memory(sbx_error *err)
{
    return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
}

static int add_absolute(struct sbi_str *text, const char *path, sbx_error *err)
{
    SBI_AUTOFREE char *folder = NULL;

    if (path[0] != '/') {
        folder = getcwd(NULL, 0);
        if (folder == NULL)
            return sbi_fail_errno(err, SBX_ERR_IO, "find the present folder");
        sbi_str_add(text, folder);
        sbi_str_add(text, "/");
    }
    sbi_str_add(text, path);
    return text->status == SBX_OK ? SBX_OK : no_memory(err);
}

/* Without links as far as it is there; the rest as it was told. */
static int resolve(const char *path, char **out, sbx_error *err)
{
    SBI_AUTO_STR text = {.limit = 2 * PATH_MAX};
    SBI_AUTO_STR whole = {.limit = 2 * PATH_MAX};
    SBI_AUTOFREE char *found = NULL;
    size_t length;
    int rc = add_absolute(&text, path, err);

    if (rc < 0)
        return rc;
    while (text.length > 1 && text.data[text.length - 1] == '/')
        text.data[--text.length] = '\0';
    length = text.length;
    while ((found = realpath(text.data, NULL)) == NULL && errno == ENOENT && length > 1) {
        if (length < text.length)
            text.data[length] = '/';
        while (length > 0 && text.data[length - 1] != '/')
            length--;
        while (length > 1 && text.data[length - 1] == '/')
            length--;
        text.data[length == 0 ? 1 : length] = '\0';
    }
    if (found == NULL)
        return sbi_fail_errno(err, SBX_ERR_IO, "look at '%s'", path);
    sbi_str_add(&whole, strcmp(found, "/") == 0 && length < text.length ? "" : found);
    if (length < text.length) {
        text.data[length] = '/';
        sbi_str_add(&whole, text.data + (length == 1 ? 0 : length));
    }
    return sbi_str_take(&whole, out, err);
}

static int split(const char *path, struct sbi_here *here, sbx_error *err)
{
    const char *slash = strrchr(path, '/');

    here->folder = slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
    here->name = strdup(slash + 1);
    return here->folder == NULL || here->name == NULL ? no_memory(err) : SBX_OK;
}

static void give(struct sbi_here *here, struct sbi_here *out)
{
    *out = *here;
    *here = (struct sbi_here){0};
}

int sbi_here_source(const char *path, struct sbi_here *out, sbx_error *err)
{
    SBI_AUTO_HERE here = {0};
    SBI_AUTOFREE char *found = realpath(path[0] == '\0' ? "." : path, NULL);
    struct stat info;
    int rc = SBX_OK;

    if (found == NULL || stat(found, &info) < 0)
        return sbi_fail_errno(err, errno == ENOENT ? SBX_ERR_NOT_FOUND : SBX_ERR_IO,
                              "read '%s'", path);
    if (S_ISDIR(info.st_mode)) {
        here.folder = SBI_STEAL(found);
        here.name = strdup("");
        rc = here.name == NULL ? no_memory(err) : SBX_OK;
    } else if (S_ISREG(info.st_mode)) {
        rc = split(found, &here, err);
    } else {
        rc = sbi_fail(err, SBX_ERR_INVALID, "read '%s': neither a folder nor a file",
                      path);
    }
    if (rc == SBX_OK)
        give(&here, out);
    return rc;
}

static int take_folder(char **path, const char *name, struct sbi_here *here,
                       sbx_error *err)
{
    here->folder = SBI_STEAL(*path);
    here->name = strdup(name);
    return here->name == NULL ? no_memory(err) : SBX_OK;
}

int sbi_here_target(const char *path, const char *file_name, struct sbi_here *out,
                    sbx_error *err)
{
    SBI_AUTO_HERE here = {0};
    SBI_AUTOFREE char *whole = NULL;
    size_t length = strlen(path);
    struct stat info = {0};
    bool is_there, into;
    int rc = resolve(length == 0 ? "." : path, &whole, err);

    if (rc < 0)
        return rc;
    is_there = stat(whole, &info) == 0;
    into = is_there ? S_ISDIR(info.st_mode) : length > 0 && path[length - 1] == '/';
    if (file_name == NULL && is_there && !into)
        return sbi_fail(err, SBX_ERR_INVALID, "write '%s': it is a file, not a folder",
                        path);
    if (file_name == NULL)
        rc = take_folder(&whole, "", &here, err);
    else if (into)
        rc = take_folder(&whole, file_name, &here, err);
    else
        rc = split(whole, &here, err);
    if (rc < 0)
        return rc;
    here.missing = stat(here.folder, &info) < 0;
    give(&here, out);
    return SBX_OK;
}

int sbi_here_path(const struct sbi_here *here, char **out, sbx_error *err)
{
    SBI_AUTO_STR text = {0};

    sbi_str_add(&text, here->folder);
    if (here->name[0] != '\0') {
        sbi_str_add(&text, strcmp(here->folder, "/") == 0 ? "" : "/");
        sbi_str_add(&text, here->name);
    }
    return sbi_str_take(&text, out, err);
}

int sbi_here_walk(struct sbi_here *here, const struct sbi_tree_local_opts *opts,
                  sbx_error *err)
{
    SBI_AUTOFREE char *path = NULL;
    struct stat info;
    int rc;

    if (here->missing)
        return SBX_OK;
    rc = sbi_here_path(here, &path, err);
    if (rc < 0)
        return rc;
    if (here->name[0] != '\0' && lstat(path, &info) < 0 && errno == ENOENT)
        return SBX_OK;
    return sbi_tree_local(path, opts, &here->tree, &here->failures, err);
}

void sbi_here_clear(struct sbi_here *here)
{
    free(here->folder);
    free(here->name);
    sbi_tree_clear(&here->tree);
    sbi_tree_local_failures_clear(&here->failures);
    *here = (struct sbi_here){0};
}
