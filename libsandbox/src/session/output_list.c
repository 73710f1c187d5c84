/* output_list.c - which outputs are stored, the newest first. */
#include <sandbox/output.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "session/output_store.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Enough for a week of one command every six seconds; what is older is not listed. */
#define MOST_FOUND 100000

struct found {
    char run_id[SBI_RUN_ID_LENGTH + 1];
    struct timespec changed;
};

/* The folder's names, before any index is read. */
struct finds {
    struct found *items;
    size_t count;
    size_t room;
};

struct runs {
    sbx_output_runs public;
    sbx_output_run *items;
    struct sbi_store_index *indexes;
    struct found *finds;
};

static void close_dir(DIR **dir)
{
    if (*dir != NULL)
        (void)closedir(*dir);
}

static void finds_clear(struct finds *finds)
{
    free(finds->items);
}

static bool is_index(const char *name)
{
    return strcmp(name + SBI_RUN_ID_LENGTH, ".json") == 0;
}

static int add(struct finds *finds, const struct found *found, sbx_error *err)
{
    size_t room = finds->room == 0 ? 64 : finds->room * 2;
    struct found *grown;

    if (finds->count == finds->room) {
        grown = reallocarray(finds->items, room, sizeof(*grown));
        if (grown == NULL)
            return sbi_fail(err, SBX_ERR_NO_MEMORY, "list outputs: out of memory");
        finds->items = grown;
        finds->room = room;
    }
    finds->items[finds->count++] = *found;
    return SBX_OK;
}

static int find(DIR *dir, struct finds *finds, sbx_error *err)
{
    const struct dirent *entry;
    struct found found;
    struct stat info;
    int rc = SBX_OK;

    while (rc == SBX_OK && finds->count < MOST_FOUND && (entry = readdir(dir)) != NULL) {
        if (!sbi_store_run_of(entry->d_name, found.run_id) || !is_index(entry->d_name) ||
            fstatat(dirfd(dir), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        found.changed = info.st_mtim;
        rc = add(finds, &found, err);
    }
    return rc;
}

static int by_age(const void *one, const void *other)
{
    const struct found *a = one, *b = other;

    if (a->changed.tv_sec != b->changed.tv_sec)
        return a->changed.tv_sec > b->changed.tv_sec ? -1 : 1;
    if (a->changed.tv_nsec != b->changed.tv_nsec)
        return a->changed.tv_nsec > b->changed.tv_nsec ? -1 : 1;
    return strcmp(a->run_id, b->run_id);
}

static void tell(const struct sbi_store_index *index, const char *run_id,
                 sbx_output_run *out)
{
    *out = (sbx_output_run){.run_id = run_id,
                            .place = index->place,
                            .command = index->command,
                            .started = index->started,
                            .stdout_bytes = index->total[0],
                            .stderr_bytes = index->total[1],
                            .complete = index->complete};
}

static void runs_clear(struct runs **runs)
{
    if (*runs != NULL)
        sbx_output_runs_free(&(*runs)->public);
}

static int read_indexes(int folder, struct finds *finds, size_t most,
                        sbx_output_runs **out, sbx_error *err)
{
    SBI_CLEANUP(runs_clear) struct runs *runs = calloc(1, sizeof(*runs));
    size_t room = finds->count < most ? finds->count : most, i;

    if (runs == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "list outputs: out of memory");
    runs->items = calloc(room + 1, sizeof(*runs->items));
    runs->indexes = calloc(room + 1, sizeof(*runs->indexes));
    runs->finds = SBI_STEAL(finds->items);
    if (runs->items == NULL || runs->indexes == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "list outputs: out of memory");
    runs->public.items = runs->items;
    for (i = 0; i < finds->count && runs->public.count < room; i++) {
        struct sbi_store_index *index = &runs->indexes[runs->public.count];

        if (sbi_store_read_index(folder, runs->finds[i].run_id, index, NULL) == SBX_OK)
            tell(index, runs->finds[i].run_id, &runs->items[runs->public.count++]);
    }
    *out = &SBI_STEAL(runs)->public;
    return SBX_OK;
}

static int list(int64_t most, const char *folder, sbx_output_runs **out, sbx_error *err)
{
    SBI_CLEANUP(close_dir) DIR *dir = NULL;
    SBI_CLEANUP(finds_clear) struct finds finds = {0};
    SBI_AUTOCLOSE int fd = -1;
    sbx_error why = {0};
    int rc = sbi_store_open(folder, false, &fd, &why);

    if (rc < 0 && rc != SBX_ERR_NOT_FOUND) {
        if (err != NULL)
            *err = why;
        return rc;
    }
    if (rc == SBX_OK) {
        dir = fdopendir(fd);
        if (dir == NULL)
            return sbi_fail_errno(err, SBX_ERR_IO, "read the folder of outputs");
        fd = -1; /* now the stream's */
        rc = find(dir, &finds, err);
        if (rc < 0)
            return rc;
    }
    if (finds.count > 0)
        qsort(finds.items, finds.count, sizeof(finds.items[0]), by_age);
    return read_indexes(dir == NULL ? -1 : dirfd(dir), &finds,
                        most < 0 ? SIZE_MAX : (size_t)most, out, err);
}

int sbx_output_list(int64_t most, const char *folder, sbx_output_runs **out,
                    sbx_error *err)
{
    int rc = list(most, folder, out, err);

    return rc < 0 ? sbi_wrap(err, rc, "list outputs") : rc;
}

char *sbx_output_run_json(const sbx_output_run *run)
{
    SBI_AUTO_JSON json = cJSON_CreateObject();

    sbi_json_add_text(json, "run_id", run->run_id);
    sbi_json_add_text(json, "place", run->place);
    sbi_json_add_text(json, "command", run->command);
    (void)cJSON_AddNumberToObject(json, "started", (double)run->started);
    (void)cJSON_AddNumberToObject(json, "stdout_bytes", (double)run->stdout_bytes);
    (void)cJSON_AddNumberToObject(json, "stderr_bytes", (double)run->stderr_bytes);
    (void)cJSON_AddBoolToObject(json, "complete", run->complete);
    return sbi_json_print(json);
}

void sbx_output_runs_free(sbx_output_runs *public)
{
    struct runs *runs = (struct runs *)public;
    size_t i;

    if (runs == NULL)
        return;
    for (i = 0; runs->indexes != NULL && i < runs->public.count; i++)
        sbi_store_index_clear(&runs->indexes[i]);
    free(runs->indexes);
    free(runs->items);
    free(runs->finds);
    free(runs);
}
