/* list.c - entries that a query finds, and entries as JSON. */
#include "base/json.h"
#include "base/opts.h"
#include "ledger/state.h"

#include <stdio.h>
#include <string.h>

#define DEFAULT_MOST 100

struct list {
    sbx_ledger_list public;
    sbx_ledger_entry *items;
    size_t room;
};

void sbi_ledger_read(const struct sbi_db_row *row, sbx_ledger_entry *out)
{
    *out = (sbx_ledger_entry){.size = sizeof(*out),
                              .number = sbi_db_number(row, 0),
                              .at_ms = sbi_db_number(row, 1),
                              .kind = sbi_db_text(row, 2),
                              .place = sbi_db_text(row, 3),
                              .subject = sbi_db_text(row, 4),
                              .actor = sbi_db_text(row, 5),
                              .detail = sbi_db_text(row, 6),
                              .hash = sbi_db_text(row, 7)};
}

static const char *const *texts_of(sbx_ledger_entry *entry, size_t at)
{
    const char *const *const fields[] = {&entry->kind,  &entry->place,  &entry->subject,
                                         &entry->actor, &entry->detail, &entry->hash};

    return at < sizeof(fields) / sizeof(fields[0]) ? fields[at] : NULL;
}

/* The row's texts last until the next one: the list has copies. */
static int keep_row(struct list *list, const struct sbi_db_row *row, sbx_error *err)
{
    size_t room = list->room == 0 ? 64 : list->room * 2, i;
    sbx_ledger_entry *grown = list->items, *entry;
    const char **text;

    if (list->public.count == list->room) {
        grown = reallocarray(list->items, room, sizeof(*grown));
        if (grown == NULL)
            return sbi_fail(err, SBX_ERR_NO_MEMORY, "read the ledger: out of memory");
        list->room = room;
    }
    list->items = grown;
    list->public.items = grown;
    entry = &grown[list->public.count];
    sbi_ledger_read(row, entry);
    list->public.count++;
    for (i = 0; (text = (const char **)(uintptr_t)texts_of(entry, i)) != NULL; i++)
        *text = *text == NULL ? NULL : strdup(*text);
    return entry->kind != NULL && entry->hash != NULL
               ? SBX_OK
               : sbi_fail(err, SBX_ERR_NO_MEMORY, "read the ledger: out of memory");
}

static void reverse(struct list *list)
{
    size_t left = 0, right = list->public.count;
    sbx_ledger_entry entry;

    for (; left + 1 < right; left++) {
        right--;
        entry = list->items[left];
        list->items[left] = list->items[right];
        list->items[right] = entry;
    }
}

/* "job." stands for all kinds that begin so: up to the next character behind the dot. */
static void bind_kind(struct sbi_db_row *row, const char *kind, char room[80])
{
    size_t length = kind == NULL ? 0 : strlen(kind);
    bool begins = length > 0 && length < 70 && kind[length - 1] == '.';

    (void)snprintf(room, 80, "%s", kind == NULL ? "" : kind);
    if (begins)
        room[length - 1] = '.' + 1;
    sbi_db_bind_text(row, 3, kind);
    sbi_db_bind_text(row, 4, begins ? room : kind);
}

static int select_rows(struct sbi_db *db, const sbx_ledger_query *query,
                       struct sbi_db_row **row, char room[80], sbx_error *err)
{
    int rc = sbi_db_prepare(
        db,
        "SELECT " SBI_LEDGER_COLUMNS " FROM entry WHERE number > ?1 AND at_ms >= ?2"
        " AND (?3 IS NULL OR kind = ?3 OR (?3 != ?4 AND kind >= ?3 AND kind < ?4))"
        " AND (?5 IS NULL OR place = ?5) AND (?6 IS NULL OR subject = ?6)"
        " ORDER BY number DESC LIMIT ?7",
        row, err);

    if (rc < 0)
        return rc;
    sbi_db_bind_number(*row, 1, query->after);
    sbi_db_bind_number(*row, 2, query->since_ms);
    bind_kind(*row, query->kind, room);
    sbi_db_bind_text(*row, 5, query->place);
    sbi_db_bind_text(*row, 6, query->subject);
    sbi_db_bind_number(*row, 7, query->most == 0 ? DEFAULT_MOST : query->most);
    return SBX_OK;
}

static void list_clear(struct list **list)
{
    if (*list != NULL)
        sbx_ledger_list_free(&(*list)->public);
}

static int list_all(struct sbi_db *db, const sbx_ledger_query *query,
                    sbx_ledger_list **out, sbx_error *err)
{
    SBI_CLEANUP(list_clear) struct list *list = calloc(1, sizeof(*list));
    SBI_AUTO_DB_ROW row = NULL;
    bool there = true;
    char room[80];
    int rc;

    if (list == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "read the ledger: out of memory");
    rc = select_rows(db, query, &row, room, err);
    while (rc == SBX_OK && there) {
        rc = sbi_db_step(row, &there, err);
        if (rc == SBX_OK && there)
            rc = keep_row(list, row, err);
    }
    if (rc < 0)
        return rc;
    reverse(list);
    *out = &SBI_STEAL(list)->public;
    return SBX_OK;
}

int sbx_ledger_list_all(sbx_ledger *ledger, const sbx_ledger_query *theirs,
                        sbx_ledger_list **out, sbx_error *err)
{
    sbx_ledger_query query;
    int rc = sbi_opts_read(&query, sizeof(query), theirs, err);

    if (rc < 0)
        return sbi_wrap(err, rc, "read the ledger");
    (void)pthread_mutex_lock(&ledger->lock);
    rc = list_all(ledger->db, &query, out, err);
    (void)pthread_mutex_unlock(&ledger->lock);
    return rc;
}

char *sbx_ledger_entry_json(const sbx_ledger_entry *entry)
{
    SBI_AUTO_JSON json = cJSON_CreateObject();
    SBI_AUTO_JSON detail = NULL;

    (void)cJSON_AddNumberToObject(json, "number", (double)entry->number);
    (void)cJSON_AddNumberToObject(json, "at_ms", (double)entry->at_ms);
    sbi_json_add_text(json, "kind", entry->kind);
    sbi_json_add_text(json, "place", entry->place);
    sbi_json_add_text(json, "subject", entry->subject);
    sbi_json_add_text(json, "actor", entry->actor);
    if (entry->detail != NULL &&
        sbi_json_parse(entry->detail, strlen(entry->detail), &detail, NULL) == SBX_OK)
        (void)cJSON_AddItemToObject(json, "detail", SBI_STEAL(detail));
    else
        (void)cJSON_AddNullToObject(json, "detail");
    sbi_json_add_text(json, "hash", entry->hash);
    return sbi_json_print(json);
}

void sbx_ledger_list_free(sbx_ledger_list *public)
{
    struct list *list = (struct list *)public;
    size_t i, j;

    if (list == NULL)
        return;
    for (i = 0; i < list->public.count; i++)
        for (j = 0; texts_of(&list->items[i], j) != NULL; j++)
            free((void *)(uintptr_t)*texts_of(&list->items[i], j));
    free(list->items);
    free(list);
}
