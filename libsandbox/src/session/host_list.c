/* host_list.c - reads a list of hosts, and says which of its entries is wrong. */
#include "session/host_list.h"

#include "base/array.h"

#include <stdio.h>
#include <string.h>

#define HOSTS_LIMIT 10000

const struct sbi_host_entry *sbi_host_list_find(const struct sbi_host_list *list,
                                                const char *name)
{
    const struct sbi_name *found = sbi_names_find(&list->names, name);

    return found == NULL ? NULL : list->entries[found->number];
}

int sbi_host_list_append(struct sbi_host_list *list, struct sbi_host_entry *entry,
                         sbx_error *err)
{
    int rc = sbi_array_reserve(&list->entries, sizeof(entry), list->count + 1,
                               &list->capacity, err);

    if (rc == SBX_OK)
        rc = sbi_names_add(&list->names, entry->name, list->count, err);
    if (rc < 0) {
        sbi_host_entry_free(entry);
        return rc;
    }
    list->entries[list->count++] = entry;
    return SBX_OK;
}

static int parse_entry(const cJSON *object, int source, const char *file,
                       struct sbi_host_list *list, sbx_error *err)
{
    struct sbi_host_entry *entry = NULL;
    int rc = sbi_host_entry_parse(object, &entry, err);

    if (rc < 0)
        return rc;
    entry->source = source;
    if (file != NULL && (entry->file = strdup(file)) == NULL)
        rc = sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    else if (list->count == HOSTS_LIMIT)
        rc = sbi_fail(err, SBX_ERR_LIMIT, "over %d hosts", HOSTS_LIMIT);
    else if (sbi_host_list_find(list, entry->name) != NULL)
        rc = sbi_fail(err, SBX_ERR_CONFIG, "the name stands there twice");
    if (rc == SBX_OK)
        return sbi_host_list_append(list, entry, err);
    sbi_host_entry_free(entry);
    return rc;
}

/* By its name where it has one, else by its place, counted from 1. */
static int wrap_entry(const cJSON *object, size_t place, int rc, sbx_error *err)
{
    const cJSON *name = cJSON_GetObjectItemCaseSensitive(object, "name");

    if (cJSON_IsString(name) && name->valuestring[0] != '\0')
        return sbi_wrap(err, rc, "entry '%.64s'", name->valuestring);
    return sbi_wrap(err, rc, "entry %zu", place);
}

int sbi_host_list_parse(const char *text, size_t length, int source, const char *file,
                        struct sbi_host_list *out, sbx_error *err)
{
    SBI_AUTO_JSON json = NULL;
    SBI_AUTO_HOST_LIST list = {0};
    const cJSON *object;
    int rc = sbi_json_parse(text, length, &json, err);

    if (rc < 0)
        return rc;
    if (!cJSON_IsArray(json) && !cJSON_IsObject(json))
        return sbi_fail(err, SBX_ERR_CONFIG, "neither an array of hosts nor one host");

    object = cJSON_IsArray(json) ? json->child : json;
    for (; object != NULL; object = object->next) {
        rc = parse_entry(object, source, file, &list, err);
        if (rc < 0)
            return wrap_entry(object, list.count + 1, rc, err);
    }
    *out = list;
    list = (struct sbi_host_list){0};
    return SBX_OK;
}

void sbi_host_list_clear(struct sbi_host_list *list)
{
    size_t i;

    for (i = 0; i < list->count; i++)
        sbi_host_entry_free(list->entries[i]);
    free(list->entries);
    sbi_names_clear(&list->names);
    *list = (struct sbi_host_list){0};
}
