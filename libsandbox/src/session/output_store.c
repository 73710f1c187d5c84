/* output_store.c - names, makes and reads the files that outputs are stored in. */
#include "session/output_store.h"

#include "base/cleanup.h"
#include "base/json.h"
#include "base/path.h"
#include "base/str.h"

#include <sandbox/exec.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#define NAME_ROOM (SBI_RUN_ID_LENGTH + 16)
#define INDEX_LIMIT (64 * 1024)
#define LARGEST 9.0e15 /* of the whole numbers that JSON carries unharmed */

static const char *const stream_keys[] = {"stdout", "stderr"};
static const char *const endings[] = {"out", "err", "json", "json.new"};

bool sbi_run_id_is_valid(const char *run_id)
{
    return strlen(run_id) == SBI_RUN_ID_LENGTH &&
           strspn(run_id, "0123456789abcdef") == SBI_RUN_ID_LENGTH;
}

bool sbi_store_run_of(const char *name, char run_id[SBI_RUN_ID_LENGTH + 1])
{
    if (strlen(name) <= SBI_RUN_ID_LENGTH || name[SBI_RUN_ID_LENGTH] != '.')
        return false;
    memcpy(run_id, name, SBI_RUN_ID_LENGTH);
    run_id[SBI_RUN_ID_LENGTH] = '\0';
    return sbi_run_id_is_valid(run_id);
}

static const char *name_of(const char *run_id, const char *ending, char room[NAME_ROOM])
{
    (void)snprintf(room, NAME_ROOM, "%.*s.%s", SBI_RUN_ID_LENGTH, run_id, ending);
    return room;
}

static int code_of_errno(void)
{
    return errno == ENOENT ? SBX_ERR_NOT_FOUND : SBX_ERR_IO;
}

static int open_folder(const char *folder, int *out, sbx_error *err)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return sbi_fail_errno(err, code_of_errno(), "open folder '%s'", folder);
    *out = fd;
    return SBX_OK;
}

int sbi_store_open(const char *folder, bool make, int *out, sbx_error *err)
{
    SBI_AUTOFREE char *path = NULL;
    int rc = SBX_OK;

    if (folder == NULL) {
        rc = sbi_path_user(SBI_PATH_STATE, "output", &path, err);
        folder = path;
    }
    if (rc < 0)
        return rc;

    rc = open_folder(folder, out, make ? NULL : err);
    if (rc == SBX_OK || !make)
        return rc;
    rc = sbi_path_make_folders(folder, err);
    return rc < 0 ? rc : open_folder(folder, out, err);
}

static int open_file(int folder, const char *name, bool make, int *out, sbx_error *err)
{
    int flags = make ? O_WRONLY | O_CREAT | O_TRUNC : O_RDONLY;
    int fd = openat(folder, name, flags | O_CLOEXEC | O_NOFOLLOW, 0600);

    if (fd < 0)
        return sbi_fail_errno(err, code_of_errno(), "open '%s'", name);
    *out = fd;
    return SBX_OK;
}

int sbi_store_open_stream(int folder, const char *run_id, int stream, bool make, int *out,
                          sbx_error *err)
{
    char name[NAME_ROOM];

    return open_file(folder, name_of(run_id, endings[stream - SBX_EXEC_STDOUT], name),
                     make, out, err);
}

static cJSON *index_json(const char *run_id, const struct sbi_store_index *index)
{
    cJSON *json = cJSON_CreateObject();
    int i;

    sbi_json_add_text(json, "run_id", run_id);
    sbi_json_add_text(json, "place", index->place);
    sbi_json_add_text(json, "command", index->command);
    (void)cJSON_AddNumberToObject(json, "started", (double)index->started);
    (void)cJSON_AddNumberToObject(json, "spool_limit", (double)index->spool_limit);
    for (i = 0; i < 2; i++) {
        cJSON *stream = cJSON_AddObjectToObject(json, stream_keys[i]);

        (void)cJSON_AddNumberToObject(stream, "stored", (double)index->stored[i]);
        (void)cJSON_AddNumberToObject(stream, "total", (double)index->total[i]);
    }
    (void)cJSON_AddBoolToObject(json, "complete", index->complete);
    return json;
}

static int write_text(int folder, const char *name, const char *text, sbx_error *err)
{
    SBI_AUTOCLOSE int fd = -1;
    size_t length = strlen(text);
    int rc = open_file(folder, name, true, &fd, err);
    ssize_t written;

    if (rc < 0)
        return rc;
    written = write(fd, text, length);
    if (written >= 0 && written != (ssize_t)length)
        errno = ENOSPC;
    if (written != (ssize_t)length)
        return sbi_fail_errno(err, SBX_ERR_IO, "write '%s'", name);
    return SBX_OK;
}

int sbi_store_write_index(int folder, const char *run_id,
                          const struct sbi_store_index *index, sbx_error *err)
{
    SBI_AUTO_JSON json = index_json(run_id, index);
    SBI_AUTOFREE char *text = sbi_json_print(json);
    char name[NAME_ROOM], aside[NAME_ROOM];
    int rc;

    if (text == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "write an index: out of memory");
    (void)name_of(run_id, "json", name);
    (void)name_of(run_id, "json.new", aside);
    rc = write_text(folder, aside, text, err);
    if (rc < 0)
        return rc;
    if (renameat(folder, aside, folder, name) != 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "rename '%s'", aside);
    return SBX_OK;
}

static int read_text(int folder, const char *name, struct sbi_str *text, sbx_error *err)
{
    SBI_AUTOCLOSE int fd = -1;
    char piece[4096];
    ssize_t got = 1;
    int rc = open_file(folder, name, false, &fd, err);

    while (rc == SBX_OK && got > 0) {
        got = read(fd, piece, sizeof(piece));
        if (got < 0)
            rc = sbi_fail_errno(err, SBX_ERR_IO, "read '%s'", name);
        if (got > 0)
            sbi_str_add_bytes(text, piece, (size_t)got);
    }
    if (rc == SBX_OK && text->status != SBX_OK)
        rc = sbi_fail(err, text->status, "'%s' is too long", name);
    return rc;
}

static double number_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

    return cJSON_IsNumber(item) && item->valuedouble > -LARGEST &&
                   item->valuedouble < LARGEST
               ? item->valuedouble
               : 0;
}

static uint64_t count_of(const cJSON *object, const char *key)
{
    double number = number_of(object, key);

    return number > 0 ? (uint64_t)number : 0;
}

static char *text_of(const cJSON *object, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

    return cJSON_IsString(item) ? strdup(item->valuestring) : NULL;
}

int sbi_store_read_index(int folder, const char *run_id, struct sbi_store_index *out,
                         sbx_error *err)
{
    SBI_AUTO_STR text = {.limit = INDEX_LIMIT};
    SBI_AUTO_JSON json = NULL;
    struct sbi_store_index index = {0};
    const cJSON *item;
    char name[NAME_ROOM];
    int i, rc;

    rc = read_text(folder, name_of(run_id, "json", name), &text, err);
    if (rc == SBX_OK)
        rc = sbi_json_parse(text.data == NULL ? "" : text.data, text.length, &json, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "read the index of run '%s'", run_id);

    index.started = (int64_t)count_of(json, "started");
    index.spool_limit = (int64_t)number_of(json, "spool_limit");
    for (i = 0; i < 2; i++) {
        item = cJSON_GetObjectItemCaseSensitive(json, stream_keys[i]);
        index.stored[i] = count_of(item, "stored");
        index.total[i] = count_of(item, "total");
    }
    index.complete = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "complete"));
    index.place = text_of(json, "place");
    index.command = text_of(json, "command");
    *out = index;
    return SBX_OK;
}

void sbi_store_index_clear(struct sbi_store_index *index)
{
    free(index->place);
    free(index->command);
    *index = (struct sbi_store_index){0};
}

void sbi_store_remove(int folder, const char *run_id)
{
    char name[NAME_ROOM];
    size_t i;

    for (i = 0; i < sizeof(endings) / sizeof(endings[0]); i++)
        (void)unlinkat(folder, name_of(run_id, endings[i], name), 0);
}
