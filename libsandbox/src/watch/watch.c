/* watch.c - watches as their owner sees them: added, listed, removed. */
#include <sandbox/watch.h>

#include "base/json.h"
#include "base/opts.h"
#include "ledger/watches.h"
#include "watch/lock.h"
#include "watch/settings.h"

#include <string.h>

#define MOST_NAME ((size_t)1024)

struct item {
    sbx_watch public;
    struct sbi_settings settings;
    char damaged[sizeof(((sbx_error *)NULL)->text)];
};

struct list {
    sbx_watch_list public;
    struct sbi_watches rows;
    struct item *items;
    const sbx_watch **pointers;
};

static int check_name(const char *what, const char *name, sbx_error *err)
{
    if (name == NULL || name[0] == '\0')
        return sbi_fail(err, SBX_ERR_INVALID, "no %s is given", what);
    if (strlen(name) > MOST_NAME || !sbi_json_is_text(name, strlen(name)))
        return sbi_fail(err, SBX_ERR_INVALID, "'%.60s' can be no %s", name, what);
    return SBX_OK;
}

int sbx_watch_check(const sbx_watch_opts *theirs, sbx_error *err)
{
    sbx_watch_opts opts;
    int rc = sbi_opts_read(&opts, sizeof(opts), theirs, err);

    return rc == SBX_OK ? sbi_settings_check(&opts, err) : rc;
}

static int add(sbx_ledger *ledger, const char *place, const char *job,
               const sbx_watch_opts *opts, int64_t *number, sbx_error *err)
{
    SBI_AUTOFREE char *settings = NULL;
    struct sbi_watch row = {.interval_ms = opts->interval_ms};
    int rc = sbi_settings_write(opts, &settings, err);

    if (rc < 0)
        return rc;
    row.place = (char *)(uintptr_t)place;
    row.job = (char *)(uintptr_t)job;
    row.ssh_config = (char *)(uintptr_t)opts->ssh_config;
    row.list_file = (char *)(uintptr_t)opts->list_file;
    row.settings = settings;
    return sbi_watches_add(ledger, &row, number, err);
}

int sbx_watch_add(sbx_ledger *ledger, const char *place, const char *job,
                  const sbx_watch_opts *theirs, int64_t *number, sbx_error *err)
{
    sbx_watch_opts opts;
    int64_t got = 0;
    int rc = sbi_opts_read(&opts, sizeof(opts), theirs, err);

    if (rc == SBX_OK && ledger == NULL)
        rc = sbi_fail(err, SBX_ERR_INVALID, "no ledger is given");
    if (rc == SBX_OK)
        rc = check_name("place", place, err);
    if (rc == SBX_OK)
        rc = check_name("job", job, err);
    if (rc == SBX_OK)
        rc = sbi_settings_check(&opts, err);
    if (rc == SBX_OK)
        rc = add(ledger, place, job, &opts, &got, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "watch a job");
    if (number != NULL)
        *number = got;
    return SBX_OK;
}

/* A row that is damaged hides no other: it says that of itself. */
static void show(struct item *item, const struct sbi_watch *row)
{
    sbx_error why = {0};

    if (sbi_settings_read(row->settings, &item->settings, &why) < 0) {
        memcpy(item->damaged, why.text, sizeof(item->damaged));
        item->settings.opts.size = sizeof(item->settings.opts);
    }
    item->settings.opts.interval_ms = row->interval_ms;
    item->settings.opts.ssh_config = row->ssh_config;
    item->settings.opts.list_file = row->list_file;
    item->public =
        (sbx_watch){.number = row->number,
                    .place = row->place,
                    .job = row->job,
                    .opts = &item->settings.opts,
                    .state = row->state,
                    .error = item->damaged[0] != '\0' ? item->damaged : row->error,
                    .made_at_ms = row->made_ms,
                    .looked_at_ms = row->looked_ms,
                    .generation = row->seen.generation,
                    .unreachable = row->seen.bits & SBI_SEEN_AWAY ? 1 : 0,
                    .done = row->done ? 1 : 0,
                    .waiting = row->waiting,
                    .undelivered = row->undelivered};
}

static int fill(struct list *list, sbx_error *err)
{
    size_t count = list->rows.count, i;

    list->items = calloc(count + 1, sizeof(*list->items));
    list->pointers = calloc(count + 1, sizeof(*list->pointers));
    if (list->items == NULL || list->pointers == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    for (i = 0; i < count; i++) {
        show(&list->items[i], &list->rows.items[i]);
        list->pointers[i] = &list->items[i].public;
    }
    list->public.items = list->pointers;
    list->public.count = count;
    return SBX_OK;
}

static void list_clear(struct list **list)
{
    if (*list != NULL)
        sbx_watch_list_free(&(*list)->public);
}

int sbx_watch_list_all(sbx_ledger *ledger, const sbx_watch_query *theirs,
                       sbx_watch_list **out, sbx_error *err)
{
    SBI_CLEANUP(list_clear) struct list *list = calloc(1, sizeof(*list));
    sbx_watch_query query;
    struct sbi_watch_query wanted;
    int rc = sbi_opts_read(&query, sizeof(query), theirs, err);

    if (rc == SBX_OK && ledger == NULL)
        rc = sbi_fail(err, SBX_ERR_INVALID, "no ledger is given");
    if (rc == SBX_OK && list == NULL)
        rc = sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    if (rc == SBX_OK) {
        wanted = (struct sbi_watch_query){.number = query.number,
                                          .place = query.place,
                                          .job = query.job,
                                          .open = !(query.flags & SBX_WATCH_ALL)};
        rc = sbi_watches_read(ledger, &wanted, &list->rows, err);
    }
    if (rc == SBX_OK)
        rc = fill(list, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "list watches");
    *out = &SBI_STEAL(list)->public;
    return SBX_OK;
}

void sbx_watch_list_free(sbx_watch_list *public)
{
    struct list *list = (struct list *)public;
    size_t i;

    if (list == NULL)
        return;
    for (i = 0; list->items != NULL && i < list->rows.count; i++)
        sbi_settings_clear(&list->items[i].settings);
    sbi_watches_clear(&list->rows);
    free(list->items);
    free(list->pointers);
    free(list);
}

int sbx_watch_remove(sbx_ledger *ledger, int64_t number, sbx_error *err)
{
    int rc = ledger == NULL ? sbi_fail(err, SBX_ERR_INVALID, "no ledger is given")
                            : sbi_watches_remove(ledger, number, err);

    return rc < 0 ? sbi_wrap(err, rc, "remove watch %lld", (long long)number) : SBX_OK;
}

static void add_opts(cJSON *json, const sbx_watch_opts *opts)
{
    cJSON *words = NULL;
    size_t i;

    (void)cJSON_AddBoolToObject(json, "notify", opts->flags & SBX_WATCH_NOTIFY ? 1 : 0);
    sbi_json_add_text(json, "webhook", opts->webhook);
    sbi_json_add_text(json, "webhook_secret", opts->webhook_secret);
    sbi_json_add_text(json, "webhook_ca", opts->webhook_ca);
    if (opts->command == NULL)
        (void)cJSON_AddNullToObject(json, "command");
    else
        words = cJSON_AddArrayToObject(json, "command");
    for (i = 0; opts->command != NULL && opts->command[i] != NULL; i++)
        (void)cJSON_AddItemToArray(words, cJSON_CreateString(opts->command[i]));
    sbi_json_add_text(json, "wake", opts->wake);
    sbi_json_add_text(json, "folder", opts->folder);
    (void)cJSON_AddNumberToObject(json, "progress", (double)opts->progress);
    (void)cJSON_AddNumberToObject(json, "interval_ms", (double)opts->interval_ms);
    sbi_json_add_text(json, "ssh_config", opts->ssh_config);
    sbi_json_add_text(json, "list_file", opts->list_file);
}

char *sbx_watch_json(const sbx_watch *watch)
{
    SBI_AUTO_JSON json = cJSON_CreateObject();

    (void)cJSON_AddNumberToObject(json, "number", (double)watch->number);
    sbi_json_add_text(json, "place", watch->place);
    sbi_json_add_text(json, "job", watch->job);
    sbi_json_add_text(json, "state", watch->state);
    (void)cJSON_AddNumberToObject(json, "generation", (double)watch->generation);
    (void)cJSON_AddBoolToObject(json, "unreachable", watch->unreachable);
    (void)cJSON_AddBoolToObject(json, "done", watch->done);
    sbi_json_add_text(json, "error", watch->error);
    (void)cJSON_AddNumberToObject(json, "made_at_ms", (double)watch->made_at_ms);
    (void)cJSON_AddNumberToObject(json, "looked_at_ms", (double)watch->looked_at_ms);
    (void)cJSON_AddNumberToObject(json, "waiting", (double)watch->waiting);
    (void)cJSON_AddNumberToObject(json, "undelivered", (double)watch->undelivered);
    add_opts(json, watch->opts);
    return sbi_json_print(json);
}

int sbx_watch_status_read(sbx_ledger *ledger, sbx_watch_status *out, sbx_error *err)
{
    SBI_AUTO_LOCK lock = SBI_LOCK_NONE;
    sbx_watch_status status = {0};
    size_t size = out == NULL ? 0 : out->size;
    int rc;

    if (ledger == NULL || size < sizeof(size) || size > 4096)
        return sbi_fail(err, SBX_ERR_INVALID, "read the status of the watchdog: %s",
                        ledger == NULL ? "no ledger is given" : "no size is set");
    rc = sbi_lock_open(sbi_ledger_path(ledger), &lock, err);
    if (rc == SBX_OK)
        rc = sbi_watches_count(ledger, &status.watches, &status.waiting,
                               &status.undelivered, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "read the status of the watchdog");
    status.running = sbi_lock_lives(&lock, 0) ? 1 : 0;
    status.pid = sbi_lock_worker(&lock);
    status.size = size;
    memset(out, 0, size);
    memcpy(out, &status, size < sizeof(status) ? size : sizeof(status));
    return SBX_OK;
}
