/*
 * host_file.c - reads the list file, and changes it.
 *
 * A change reads, edits, checks and replaces the file under a lock on a file beside
 * it: a lock on the list itself would be one on what the rename throws away.
 */
#include "session/host_file.h"

#include "base/clock.h"
#include "base/digest.h"
#include "base/flock.h"
#include "base/nearest.h"
#include "base/path.h"
#include "session/host_edit.h"

#include <sandbox/host.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_LIMIT ((size_t)4 << 20)
#define LOCK_WAIT_MS 10000

int sbi_host_file_default(char **out, sbx_error *err)
{
    return sbi_path_user(SBI_PATH_CONFIG, "hosts.json", out, err);
}

/* The bits of the mode that must not be set, by the most delicate of the entries. */
static mode_t forbidden_bits(const struct sbi_host_list *list)
{
    mode_t forbidden = 0;
    size_t i;

    for (i = 0; i < list->count; i++) {
        if (sbi_host_entry_is_secret(list->entries[i]))
            return 0077;
        if (list->entries[i]->password_command != NULL ||
            list->entries[i]->prefix != NULL)
            forbidden = 0022; /* who may write it runs commands as this user */
    }
    return forbidden;
}

static int check_access(const char *path, const struct sbi_host_list *list,
                        sbx_error *err)
{
    mode_t forbidden = forbidden_bits(list);

    return forbidden == 0 ? SBX_OK : sbi_path_guard(path, forbidden, err);
}

static int read_list(const char *path, char **text, struct sbi_host_list *list,
                     sbx_error *err)
{
    size_t length;
    int rc = sbi_path_read(path, FILE_LIMIT, text, &length, err);

    if (rc == SBX_OK)
        rc = sbi_host_list_parse(*text, length, SBX_HOST_LIST, path, list, err);
    return rc;
}

int sbi_host_file_load(const char *path, struct sbi_host_list *out, sbx_error *err)
{
    SBI_AUTOWIPE char *text = NULL;
    SBI_AUTO_HOST_LIST list = {0};
    int rc = read_list(path, &text, &list, err);

    if (rc == SBX_OK)
        rc = check_access(path, &list, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "host list '%s'", path);
    *out = list;
    list = (struct sbi_host_list){0};
    return SBX_OK;
}

static int wait_for_lock(int fd, const char *lock, sbx_error *err)
{
    int rc = sbi_flock_take(fd, sbi_deadline(LOCK_WAIT_MS), NULL);

    if (rc == SBX_ERR_TIMEOUT)
        return sbi_fail(err, rc, "lock '%s': held by another for %d s", lock,
                        LOCK_WAIT_MS / 1000);
    return rc < 0 ? sbi_fail_errno(err, rc, "lock '%s'", lock) : rc;
}

/* *out is the lock: closing it unlocks. Makes the folder of the list, if need be. */
static int lock_beside(const char *path, int *out, sbx_error *err)
{
    SBI_AUTOFREE char *lock = NULL;
    SBI_AUTOCLOSE int fd = -1;
    int rc;

    if (asprintf(&lock, "%s.lock", path) < 0) {
        lock = NULL;
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    }
    rc = sbi_path_make_parents(lock, err);
    if (rc < 0)
        return rc;
    fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "open '%s'", lock);
    rc = wait_for_lock(fd, lock, err);
    if (rc < 0)
        return rc;
    *out = fd;
    fd = -1;
    return SBX_OK;
}

/* What the edit made must still be a list; only then it takes the file's place. */
static int replace(const char *path, const char *text, sbx_error *err)
{
    SBI_AUTO_HOST_LIST list = {0};
    size_t length = strlen(text);
    int rc = sbi_host_list_parse(text, length, SBX_HOST_LIST, NULL, &list, err);

    if (rc < 0)
        return sbi_wrap(err, rc == SBX_ERR_NO_MEMORY ? rc : SBX_ERR_INTERNAL,
                        "the edited list is none");
    if (length > FILE_LIMIT)
        return sbi_fail(err, SBX_ERR_LIMIT, "the list is over %zu bytes", FILE_LIMIT);
    return sbi_path_write(path, text, length, 0600, err);
}

static int read_or_start(const char *path, char **text, struct sbi_host_list *list,
                         sbx_error *err)
{
    sbx_error why;
    int rc = read_list(path, text, list, &why);

    if (rc == SBX_ERR_NOT_FOUND) {
        *text = strdup("[]\n");
        return *text != NULL ? SBX_OK : sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    }
    if (rc < 0 && err != NULL)
        *err = why;
    return rc;
}

static int add_locked(const char *path, const char *entry_json, const char *name,
                      sbx_error *err)
{
    SBI_AUTO_HOST_LIST list = {0};
    SBI_AUTOWIPE char *text = NULL;
    SBI_AUTOWIPE char *edited = NULL;
    int rc = read_or_start(path, &text, &list, err);

    if (rc < 0)
        return rc;
    if (sbi_host_list_find(&list, name) != NULL)
        return sbi_fail(err, SBX_ERR_EXISTS, "it is in there already");
    rc = sbi_host_edit_add(text, entry_json, &edited, err);
    if (rc == SBX_OK)
        rc = replace(path, edited, err);
    return rc;
}

static int parse_one(const char *entry_json, struct sbi_host_list *list, sbx_error *err)
{
    int rc = sbi_host_list_parse(entry_json, strlen(entry_json), SBX_HOST_LIST, NULL,
                                 list, err);

    if (rc < 0)
        return sbi_wrap(err, rc, "new host");
    if (list->count != 1)
        return sbi_fail(err, SBX_ERR_INVALID, "new host: %zu of them in the JSON",
                        list->count);
    return SBX_OK;
}

int sbx_hosts_file_add(const char *list_file, const char *entry_json, sbx_error *err)
{
    SBI_AUTO_HOST_LIST added = {0};
    SBI_AUTOCLOSE int lock = -1;
    int rc;

    if (list_file == NULL || entry_json == NULL)
        return sbi_fail(err, SBX_ERR_INVALID, "add a host: no list file, or no entry");
    rc = parse_one(entry_json, &added, err);
    if (rc < 0)
        return rc;

    rc = lock_beside(list_file, &lock, err);
    if (rc == SBX_OK)
        rc = add_locked(list_file, entry_json, added.entries[0]->name, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "add '%s' to host list '%s'", added.entries[0]->name,
                        list_file);
    return SBX_OK;
}

static int fail_absent(const struct sbi_host_list *list, const char *name, sbx_error *err)
{
    struct sbi_nearest nearest = {.word = name};
    int rc = sbi_fail(err, SBX_ERR_NOT_FOUND, "it is not in there");
    size_t i;

    for (i = 0; i < list->count; i++)
        sbi_nearest_offer(&nearest, list->entries[i]->name);
    if (nearest.best == NULL)
        return rc;
    return sbi_fix(err, rc, NULL, "did you mean '%s'?", nearest.best);
}

static int remove_locked(const char *path, const char *name, sbx_error *err)
{
    SBI_AUTO_HOST_LIST list = {0};
    SBI_AUTOWIPE char *text = NULL;
    SBI_AUTOWIPE char *edited = NULL;
    size_t place = 0;
    int rc = read_list(path, &text, &list, err);

    if (rc < 0)
        return rc;
    while (place < list.count && strcmp(list.entries[place]->name, name) != 0)
        place++;
    if (place == list.count)
        return fail_absent(&list, name, err);
    rc = sbi_host_edit_remove(text, place, &edited, err);
    if (rc == SBX_OK)
        rc = replace(path, edited, err);
    return rc;
}

int sbx_hosts_file_remove(const char *list_file, const char *name, sbx_error *err)
{
    SBI_AUTOCLOSE int lock = -1;
    int rc;

    if (list_file == NULL || name == NULL)
        return sbi_fail(err, SBX_ERR_INVALID, "remove a host: no list file, or no name");
    rc = lock_beside(list_file, &lock, err);
    if (rc == SBX_OK)
        rc = remove_locked(list_file, name, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "remove '%s' from host list '%s'", name, list_file);
    return SBX_OK;
}
