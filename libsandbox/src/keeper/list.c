/* list.c - the sockets in a user's folder, and who answers there. */
#include <sandbox/keeper.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/str.h"
#include "keeper/listen.h"
#include "session/kept.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

/* As we own them; the public part comes first. */
struct kept {
    sbx_kept public;
    char *socket;
    char *name;
};
struct list {
    sbx_kept_list public;
    struct kept **items;
    size_t capacity;
};

static void list_clear(struct list **list)
{
    sbx_kept_list_free((sbx_kept_list *)*list);
}

void sbx_kept_list_free(sbx_kept_list *public)
{
    struct list *list = (struct list *)public;
    size_t i;

    if (list == NULL)
        return;
    for (i = 0; i < list->public.count; i++) {
        free(list->items[i]->socket);
        free(list->items[i]->name);
        free(list->items[i]);
    }
    free(list->items);
    free(list);
}

static int add(struct list *list, const char *folder, const char *file, sbx_error *err)
{
    const char *dash = strrchr(file, '-');
    SBI_AUTO_STR path = {0};
    struct kept *kept;
    int rc;

    rc = sbi_array_reserve(&list->items, sizeof(struct kept *), list->public.count + 1,
                           &list->capacity, err);
    if (rc < 0)
        return rc;
    kept = calloc(1, sizeof(*kept));
    if (kept == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    list->items[list->public.count++] = kept;
    list->public.items = (const sbx_kept *const *)list->items;
    sbi_str_addf(&path, "%s/%s", folder, file);
    rc = sbi_str_take(&path, &kept->socket, err);
    kept->name = strndup(file, dash == NULL ? strlen(file) : (size_t)(dash - file));
    if (rc == SBX_OK && kept->name == NULL)
        rc = sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    if (rc < 0)
        return rc;
    kept->public.socket = kept->socket;
    kept->public.name = kept->name;
    kept->public.pid = sbi_keeper_ask(kept->socket);
    return SBX_OK;
}

static void close_folder(DIR **folder)
{
    if (*folder != NULL)
        (void)closedir(*folder);
}

static bool is_socket(DIR *folder, const char *name)
{
    struct stat info;

    return fstatat(dirfd(folder), name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISSOCK(info.st_mode);
}

int sbx_keeper_list(sbx_kept_list **out, sbx_error *err)
{
    SBI_CLEANUP(list_clear) struct list *list = calloc(1, sizeof(*list));
    SBI_CLEANUP(close_folder) DIR *folder = NULL;
    SBI_AUTOFREE char *path = NULL;
    struct dirent *entry;
    int rc = sbi_kept_folder(&path, err);

    if (rc < 0)
        return rc;
    if (list == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    folder = opendir(path);
    if (folder == NULL && errno != ENOENT)
        return sbi_fail_errno(err, SBX_ERR_IO, "read folder '%s'", path);
    while (rc == SBX_OK && folder != NULL && (entry = readdir(folder)) != NULL)
        if (is_socket(folder, entry->d_name))
            rc = add(list, path, entry->d_name, err);
    if (rc == SBX_OK)
        *out = &SBI_STEAL(list)->public;
    return rc;
}

int sbx_keeper_let_go(const char *socket, sbx_error *err)
{
    struct stat info;

    if (socket == NULL)
        return sbi_fail(err, SBX_ERR_INVALID, "let a connection go: no socket named");
    if (lstat(socket, &info) < 0)
        return sbi_fail_errno(err, SBX_ERR_NOT_FOUND, "socket '%s'", socket);
    if (sbi_keeper_ask(socket) != 0)
        return sbi_keeper_tell_stop(socket, err);
    if (unlink(socket) < 0 && errno != ENOENT)
        return sbi_fail_errno(err, SBX_ERR_IO, "remove '%s'", socket);
    return SBX_OK;
}
