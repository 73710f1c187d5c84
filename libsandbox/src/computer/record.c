#include "computer/record.h"

#include "base/cleanup.h"
#include "base/computer.h"
#include "base/str.h"
#include "computer/holder.h"

#include <stdio.h>
#include <string.h>

#define MOST ((size_t)10000)
#define LEFT_S 600 /* so old, and a reset is not at work on it any more */

struct list {
    sbx_computer_list public;
    sbx_computer **items;
    char *place;
    int64_t now;
};

static void list_clear(struct list **list)
{
    if (*list != NULL)
        sbx_computer_list_free(&(*list)->public);
}

static const char *text_at(const cJSON *json, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, key));

    return text == NULL ? "" : text;
}

int64_t sbi_record_number(const char *text)
{
    int64_t number = 0;

    for (; *text >= '0' && *text <= '9' && number < INT64_MAX / 10 - 9; text++)
        number = number * 10 + (*text - '0');
    return number;
}

static int state_of(const char *status)
{
    static const struct {
        const char *word;
        int state;
    } rows[] = {{"running", SBX_COMPUTER_RUNNING}, {"paused", SBX_COMPUTER_PAUSED},
                {"exited", SBX_COMPUTER_STOPPED},  {"stopped", SBX_COMPUTER_STOPPED},
                {"dead", SBX_COMPUTER_STOPPED},    {"created", SBX_COMPUTER_STOPPED}};
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i].word, status) == 0)
            return rows[i].state;
    return SBX_COMPUTER_OTHER;
}

const char *sbx_computer_state_name(int state)
{
    static const char *const names[] = {[SBX_COMPUTER_RUNNING] = "running",
                                        [SBX_COMPUTER_PAUSED] = "paused",
                                        [SBX_COMPUTER_STOPPED] = "stopped"};

    return state >= SBX_COMPUTER_RUNNING && state <= SBX_COMPUTER_STOPPED ? names[state]
                                                                          : "other";
}

/* "sbx-NAME", or what a reset calls it meanwhile; docker puts a slash in front. */
static bool bears_name(struct sbi_record *record, const char *name)
{
    const char *container = text_at(record->json, "container");
    size_t prefix = strlen(SBI_COMPUTER_PREFIX), length = strlen(name);

    container += container[0] == '/' ? 1 : 0;
    if (length == 0 || strncmp(container, SBI_COMPUTER_PREFIX, prefix) != 0 ||
        strncmp(container + prefix, name, length) != 0)
        return false;
    record->container = container;
    container += prefix + length;
    record->aside = strcmp(container, ".new") == 0 || strcmp(container, ".old") == 0;
    return record->aside || container[0] == '\0';
}

static void read_settings(struct sbi_record *record, const char *text)
{
    sbx_computer *seen = &record->seen;
    const cJSON *memory, *pids;

    seen->settings = text;
    (void)sbi_json_parse(text, strlen(text), &record->settings, NULL);
    seen->image = text_at(record->settings, "image");
    seen->shell = text_at(record->settings, "shell");
    seen->user = text_at(record->settings, "user");
    seen->network = text_at(record->settings, "network");
    seen->cpus = text_at(record->settings, "cpus");
    memory = cJSON_GetObjectItemCaseSensitive(record->settings, "memory");
    pids = cJSON_GetObjectItemCaseSensitive(record->settings, "pids");
    seen->memory = cJSON_IsNumber(memory) ? (int64_t)memory->valuedouble : -1;
    seen->pids = cJSON_IsNumber(pids) ? (int64_t)pids->valuedouble : -1;
}

static bool read_record(struct sbi_record *record, const char *owner)
{
    const cJSON *labels = cJSON_GetObjectItemCaseSensitive(record->json, "labels");
    sbx_computer *seen = &record->seen;

    seen->name = text_at(labels, "sbx.computer");
    seen->instance = text_at(labels, "sbx.instance");
    if (!cJSON_IsObject(labels) || seen->instance[0] == '\0' ||
        !bears_name(record, seen->name))
        return false;
    seen->owner = text_at(labels, "sbx.owner");
    seen->engine = text_at(record->json, "engine");
    seen->state = state_of(text_at(record->json, "status"));
    seen->permanent = strcmp(text_at(labels, "sbx.life"), "permanent") == 0;
    seen->created_at_s = sbi_record_number(text_at(labels, "sbx.created"));
    seen->expires_at_s = sbi_record_number(text_at(labels, "sbx.expires"));
    seen->out_of_memory =
        cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(record->json, "oom"));
    seen->mine = strcmp(seen->owner, owner) == 0;
    seen->made = 1;
    read_settings(record, text_at(labels, "sbx.settings"));
    return true;
}

static int place_record(struct sbi_record *record, const char *place, sbx_error *err)
{
    const cJSON *labels = cJSON_GetObjectItemCaseSensitive(record->json, "labels");
    SBI_AUTO_STR address = {0};

    sbi_str_addf(&address, "%s/%s", place, record->seen.name);
    record->place = strdup(place);
    record->holder = strdup(text_at(labels, "sbx.holder"));
    if (record->place == NULL || record->holder == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    record->seen.place = record->place;
    return sbi_str_take(&address, &record->address, err);
}

static void record_clear(struct sbi_record **record)
{
    if (*record != NULL)
        sbx_computer_free(&(*record)->seen);
}

static int add(struct list *list, struct sbi_record *record, sbx_error *err)
{
    sbx_computer **grown =
        reallocarray(list->items, list->public.count + 1, sizeof(*grown));

    if (grown == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    list->items = grown;
    grown[list->public.count++] = &record->seen;
    return SBX_OK;
}

static int read_json(struct list *list, const char *line, const char *owner,
                     sbx_error *err)
{
    SBI_CLEANUP(record_clear) struct sbi_record *record = calloc(1, sizeof(*record));
    int rc;

    if (record == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    if (sbi_json_parse(line, strlen(line), &record->json, NULL) < 0 ||
        !read_record(record, owner))
        return SBX_OK;
    rc = place_record(record, list->place, err);
    record->seen.address = record->address;
    if (rc == SBX_OK)
        rc = add(list, record, err);
    if (rc == SBX_OK)
        record = NULL;
    return rc;
}

/* "INSTANCE EXPIRES HOLDER": what was renewed since; "-" is as it was. */
static int read_hold(struct list *list, const char *line, sbx_error *err)
{
    size_t instance = strcspn(line, " "), i;
    const char *expires = line + instance + (line[instance] == ' ' ? 1 : 0);
    const char *holder = strchr(expires, ' ');

    for (i = 0; i < list->public.count; i++) {
        struct sbi_record *record = (struct sbi_record *)list->items[i];

        if (strlen(record->seen.instance) != instance ||
            memcmp(record->seen.instance, line, instance) != 0)
            continue;
        if (expires[0] != '-')
            record->seen.expires_at_s = sbi_record_number(expires);
        if (holder == NULL || holder[1] == '-' || holder[1] == '\0')
            continue;
        free(record->holder);
        record->holder = strdup(holder + 1);
        if (record->holder == NULL)
            return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    }
    return SBX_OK;
}

/* The engine knows of its own main process alone. */
static void read_lack(struct list *list, const char *instance)
{
    size_t i;

    for (i = 0; i < list->public.count; i++)
        if (strcmp(list->items[i]->instance, instance) == 0)
            list->items[i]->out_of_memory = 1;
}

static void judge(const struct list *list, struct sbi_record *record)
{
    sbx_computer *seen = &record->seen;

    if (seen->expires_at_s > 0 && list->now > 0 && seen->expires_at_s <= list->now)
        seen->due = SBX_COMPUTER_DUE_TIME;
    else if (!seen->permanent && sbi_holder_gone(record->holder))
        seen->due = SBX_COMPUTER_DUE_HOLDER;
    record->leftover =
        record->aside && list->now > 0 && seen->created_at_s + LEFT_S < list->now;
}

static int read_line(struct list *list, const char *line, const char *owner,
                     sbx_error *err)
{
    if (line[0] == '{' && list->public.count < MOST)
        return read_json(list, line, owner, err);
    if (strncmp(line, "hold ", 5) == 0)
        return read_hold(list, line + 5, err);
    if (strncmp(line, "lack ", 5) == 0)
        read_lack(list, line + 5);
    if (strncmp(line, "now ", 4) == 0)
        list->now = sbi_record_number(line + 4);
    return SBX_OK;
}

int sbi_record_read(const char *text, size_t length, const char *place, const char *owner,
                    sbx_computer_list **out, sbx_error *err)
{
    SBI_CLEANUP(list_clear) struct list *list = calloc(1, sizeof(*list));
    SBI_AUTOFREE char *copy = calloc(1, length + 1);
    char *line, *end;
    int rc = SBX_OK;
    size_t i;

    if (list == NULL || copy == NULL || (list->place = strdup(place)) == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    memcpy(copy, text, length);
    for (line = copy; rc == SBX_OK && line < copy + length; line = end + 1) {
        end = line + strcspn(line, "\n");
        *end = '\0';
        rc = read_line(list, line, owner, err);
    }
    if (rc < 0)
        return rc;
    for (i = 0; i < list->public.count; i++)
        judge(list, (struct sbi_record *)list->items[i]);
    list->public.items = (const sbx_computer *const *)list->items;
    list->public.place = list->place;
    *out = &SBI_STEAL(list)->public;
    return SBX_OK;
}

int sbi_record_take(sbx_computer_list *public, sbx_computer **out, sbx_error *err)
{
    struct list *list = (struct list *)public;

    if (public->count == 0)
        return sbi_fail(err, SBX_ERR_REMOTE, "the engine told nothing of it");
    *out = list->items[0];
    list->items[0] = list->items[--public->count];
    return SBX_OK;
}

int sbi_record_first(sbx_computer_list *public, sbx_computer **out, sbx_error *err)
{
    int rc = sbi_record_take(public, out, err);

    sbx_computer_list_free(public);
    return rc;
}

void sbi_record_filter(sbx_computer_list *public,
                       bool (*keep)(const sbx_computer *computer, void *userdata),
                       void *userdata)
{
    struct list *list = (struct list *)public;
    size_t i, kept = 0;

    for (i = 0; i < public->count; i++) {
        if (keep(list->items[i], userdata))
            list->items[kept++] = list->items[i];
        else
            sbx_computer_free(list->items[i]);
    }
    public->count = kept;
}

void sbx_computer_free(sbx_computer *computer)
{
    struct sbi_record *record = (struct sbi_record *)computer;

    if (record == NULL)
        return;
    sbi_json_clear(&record->json);
    sbi_json_clear(&record->settings);
    free(record->place);
    free(record->address);
    free(record->holder);
    free(record);
}

void sbx_computer_list_free(sbx_computer_list *public)
{
    struct list *list = (struct list *)public;
    size_t i;

    if (list == NULL)
        return;
    for (i = 0; i < public->count; i++)
        sbx_computer_free(list->items[i]);
    free(list->items);
    free(list->place);
    free(list);
}
