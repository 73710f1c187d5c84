/* watches.c - watches: added, read, removed, and what was seen of them. */
#include "ledger/watches.h"

#include "base/array.h"
#include "ledger/state.h"

#include <string.h>

#define COLUMNS                                                                          \
    "number, place, job, ssh_config, list_file, settings, interval_ms, made_ms,"         \
    " looked_ms, done, version, state, error, generation, failed, aways, percent, bits," \
    " (SELECT count(*) FROM delivery d WHERE d.watch = watch.number AND d.state = 0),"   \
    " (SELECT count(*) FROM delivery d WHERE d.watch = watch.number AND d.state = 3)"

static const struct {
    size_t offset;
    int column;
} texts[] = {
    {offsetof(struct sbi_watch, place), 1},
    {offsetof(struct sbi_watch, job), 2},
    {offsetof(struct sbi_watch, ssh_config), 3},
    {offsetof(struct sbi_watch, list_file), 4},
    {offsetof(struct sbi_watch, settings), 5},
    {offsetof(struct sbi_watch, state), 11},
    {offsetof(struct sbi_watch, error), 12},
};
#define TEXTS (sizeof(texts) / sizeof(texts[0]))

static char **text_at(struct sbi_watch *watch, size_t i)
{
    return (char **)((char *)watch + texts[i].offset);
}

void sbi_watches_clear(struct sbi_watches *watches)
{
    size_t i, j;

    for (i = 0; i < watches->count; i++)
        for (j = 0; j < TEXTS; j++)
            free(*text_at(&watches->items[i], j));
    free(watches->items);
    *watches = (struct sbi_watches){0};
}

static struct sbi_watch *add_item(struct sbi_watches *watches, sbx_error *err)
{
    if (sbi_array_reserve(&watches->items, sizeof(*watches->items), watches->count + 1,
                          &watches->room, err) < 0)
        return NULL;
    watches->items[watches->count] = (struct sbi_watch){0};
    return &watches->items[watches->count++];
}

static int keep(struct sbi_watches *watches, const struct sbi_db_row *row, sbx_error *err)
{
    struct sbi_watch *watch = add_item(watches, err);
    int rc = watch == NULL ? SBX_ERR_NO_MEMORY : SBX_OK;
    size_t i;

    for (i = 0; i < TEXTS && rc == SBX_OK; i++)
        rc = sbi_db_copy(row, texts[i].column, text_at(watch, i), err);
    if (rc < 0)
        return rc;
    watch->number = sbi_db_number(row, 0);
    watch->interval_ms = sbi_db_number(row, 6);
    watch->made_ms = sbi_db_number(row, 7);
    watch->looked_ms = sbi_db_number(row, 8);
    watch->done = sbi_db_number(row, 9);
    watch->version = sbi_db_number(row, 10);
    watch->seen = (struct sbi_seen){.generation = sbi_db_number(row, 13),
                                    .failed = sbi_db_number(row, 14),
                                    .aways = sbi_db_number(row, 15),
                                    .percent = sbi_db_number(row, 16),
                                    .bits = sbi_db_number(row, 17)};
    watch->waiting = sbi_db_number(row, 18);
    watch->undelivered = sbi_db_number(row, 19);
    return SBX_OK;
}

static int read_rows(struct sbi_db *db, const struct sbi_watch_query *query,
                     struct sbi_watches *out, sbx_error *err)
{
    SBI_AUTO_DB_ROW row = NULL;
    bool there = true;
    int rc = sbi_db_prepare(
        db,
        "SELECT " COLUMNS " FROM watch WHERE (?1 = 0 OR number = ?1)"
        " AND (?2 IS NULL OR place = ?2) AND (?3 IS NULL OR job = ?3)"
        " AND (?4 = 0 OR done = 0) AND (?5 = 0 OR (ssh_config IS ?6 AND list_file IS ?7))"
        " ORDER BY number",
        &row, err);

    if (rc < 0)
        return rc;
    sbi_db_bind_number(row, 1, query->number);
    sbi_db_bind_text(row, 2, query->place);
    sbi_db_bind_text(row, 3, query->job);
    sbi_db_bind_number(row, 4, query->open ? 1 : 0);
    sbi_db_bind_number(row, 5, query->hosts ? 1 : 0);
    sbi_db_bind_text(row, 6, query->ssh_config);
    sbi_db_bind_text(row, 7, query->list_file);
    while (rc == SBX_OK && there) {
        rc = sbi_db_step(row, &there, err);
        if (rc == SBX_OK && there)
            rc = keep(out, row, err);
    }
    return rc;
}

int sbi_watches_read(sbx_ledger *ledger, const struct sbi_watch_query *query,
                     struct sbi_watches *out, sbx_error *err)
{
    SBI_AUTO_WATCHES watches = {0};
    int rc;

    (void)pthread_mutex_lock(&ledger->lock);
    rc = read_rows(ledger->db, query, &watches, err);
    (void)pthread_mutex_unlock(&ledger->lock);
    if (rc < 0)
        return rc;
    *out = watches;
    watches = (struct sbi_watches){0};
    return SBX_OK;
}

static int places_rows(struct sbi_db *db, struct sbi_watches *out, sbx_error *err)
{
    SBI_AUTO_DB_ROW row = NULL;
    struct sbi_watch *place;
    bool there = true;
    int rc = sbi_db_prepare(
        db,
        "SELECT place, ssh_config, list_file, min(nullif(interval_ms, 0)), max(number),"
        " sum(interval_ms = 0) FROM watch WHERE done = 0 GROUP BY 1, 2, 3",
        &row, err);

    while (rc == SBX_OK && there) {
        rc = sbi_db_step(row, &there, err);
        if (rc < 0 || !there)
            break;
        place = add_item(out, err);
        if (place == NULL)
            return SBX_ERR_NO_MEMORY;
        place->interval_ms = sbi_db_number(row, 3);
        place->number = sbi_db_number(row, 4);
        place->waiting = sbi_db_number(row, 5);
        rc = sbi_db_copy(row, 0, &place->place, err);
        if (rc == SBX_OK)
            rc = sbi_db_copy(row, 1, &place->ssh_config, err);
        if (rc == SBX_OK)
            rc = sbi_db_copy(row, 2, &place->list_file, err);
    }
    return rc;
}

int sbi_watches_places(sbx_ledger *ledger, struct sbi_watches *out, sbx_error *err)
{
    SBI_AUTO_WATCHES places = {0};
    int rc;

    (void)pthread_mutex_lock(&ledger->lock);
    rc = places_rows(ledger->db, &places, err);
    (void)pthread_mutex_unlock(&ledger->lock);
    if (rc < 0)
        return rc;
    *out = places;
    places = (struct sbi_watches){0};
    return SBX_OK;
}

static int upsert(struct sbi_db *db, const struct sbi_watch *watch, int64_t *number,
                  sbx_error *err)
{
    SBI_AUTO_DB_ROW row = NULL;
    bool there = false;
    int rc = sbi_db_prepare(
        db,
        "INSERT INTO watch (place, job, ssh_config, list_file, settings, interval_ms,"
        " made_ms) VALUES (?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (place, job, ifnull(ssh_config, ''), ifnull(list_file, ''))"
        " DO UPDATE SET settings = excluded.settings, interval_ms = excluded.interval_ms,"
        " done = 0, version = version + 1 RETURNING number",
        &row, err);

    if (rc < 0)
        return rc;
    sbi_db_bind_text(row, 1, watch->place);
    sbi_db_bind_text(row, 2, watch->job);
    sbi_db_bind_text(row, 3, watch->ssh_config);
    sbi_db_bind_text(row, 4, watch->list_file);
    sbi_db_bind_text(row, 5, watch->settings);
    sbi_db_bind_number(row, 6, watch->interval_ms);
    sbi_db_bind_number(row, 7, sbi_ledger_clock());
    rc = sbi_db_step(row, &there, err);
    if (rc == SBX_OK && there)
        *number = sbi_db_number(row, 0);
    return rc;
}

int sbi_watches_add(sbx_ledger *ledger, const struct sbi_watch *watch, int64_t *number,
                    sbx_error *err)
{
    int rc;

    (void)pthread_mutex_lock(&ledger->lock);
    rc = sbi_db_begin(ledger->db, err);
    if (rc == SBX_OK)
        rc = sbi_db_end(ledger->db, upsert(ledger->db, watch, number, err), err);
    (void)pthread_mutex_unlock(&ledger->lock);
    return rc;
}

static int remove_rows(struct sbi_db *db, int64_t number, sbx_error *err)
{
    static const char *const statements[] = {
        "DELETE FROM delivery WHERE watch = ? AND state = 0",
        "DELETE FROM watch WHERE number = ?",
    };
    int rc = SBX_OK;
    size_t i;

    for (i = 0; i < 2 && rc == SBX_OK; i++) {
        SBI_AUTO_DB_ROW row = NULL;

        rc = sbi_db_prepare(db, statements[i], &row, err);
        if (rc == SBX_OK)
            sbi_db_bind_number(row, 1, number);
        if (rc == SBX_OK)
            rc = sbi_db_run(row, err);
    }
    if (rc == SBX_OK && sbi_db_changed(db) == 0)
        rc =
            sbi_fail(err, SBX_ERR_NOT_FOUND, "there is no watch %lld", (long long)number);
    return rc;
}

int sbi_watches_remove(sbx_ledger *ledger, int64_t number, sbx_error *err)
{
    int rc;

    (void)pthread_mutex_lock(&ledger->lock);
    rc = sbi_db_begin(ledger->db, err);
    if (rc == SBX_OK)
        rc = sbi_db_end(ledger->db, remove_rows(ledger->db, number, err), err);
    (void)pthread_mutex_unlock(&ledger->lock);
    return rc;
}

/* Not a change of what was seen: the version stays. */
static int note_look(struct sbi_db *db, const struct sbi_watch *place, int64_t at_ms,
                     const char *error, sbx_error *err)
{
    SBI_AUTO_DB_ROW row = NULL;
    int rc = sbi_db_prepare(db,
                            "UPDATE watch SET looked_ms = ?, error = ? WHERE done = 0 AND"
                            " place = ? AND ssh_config IS ? AND list_file IS ?",
                            &row, err);

    if (rc < 0)
        return rc;
    sbi_db_bind_number(row, 1, at_ms);
    sbi_db_bind_text(row, 2, error);
    sbi_db_bind_text(row, 3, place->place);
    sbi_db_bind_text(row, 4, place->ssh_config);
    sbi_db_bind_text(row, 5, place->list_file);
    return sbi_db_run(row, err);
}

int sbi_watches_looked(sbx_ledger *ledger, const struct sbi_watch *place, int64_t at_ms,
                       const char *error, sbx_error *err)
{
    int rc;

    (void)pthread_mutex_lock(&ledger->lock);
    rc = note_look(ledger->db, place, at_ms, error, err);
    (void)pthread_mutex_unlock(&ledger->lock);
    return rc;
}

static int count_rows(struct sbi_db *db, int64_t counts[3], sbx_error *err)
{
    SBI_AUTO_DB_ROW row = NULL;
    bool there = false;
    int i, rc = sbi_db_prepare(db,
                               "SELECT (SELECT count(*) FROM watch WHERE done = 0),"
                               " (SELECT count(*) FROM delivery WHERE state = 0),"
                               " (SELECT count(*) FROM delivery WHERE state = 3)",
                               &row, err);

    if (rc == SBX_OK)
        rc = sbi_db_step(row, &there, err);
    for (i = 0; i < 3 && rc == SBX_OK; i++)
        counts[i] = sbi_db_number(row, i);
    return rc;
}

int sbi_watches_count(sbx_ledger *ledger, int64_t *watches, int64_t *waiting,
                      int64_t *undelivered, sbx_error *err)
{
    int64_t counts[3] = {0};
    int rc;

    (void)pthread_mutex_lock(&ledger->lock);
    rc = count_rows(ledger->db, counts, err);
    (void)pthread_mutex_unlock(&ledger->lock);
    if (rc < 0)
        return rc;
    *watches = counts[0];
    *waiting = counts[1];
    *undelivered = counts[2];
    return SBX_OK;
}

int64_t sbi_ledger_pulse(sbx_ledger *ledger)
{
    SBI_AUTO_DB_ROW row = NULL;
    bool there = false;
    int64_t pulse = -1;

    (void)pthread_mutex_lock(&ledger->lock);
    if (sbi_db_in_place(ledger->db) &&
        sbi_db_prepare(ledger->db, "PRAGMA data_version", &row, NULL) == SBX_OK &&
        sbi_db_step(row, &there, NULL) == SBX_OK && there)
        pulse = sbi_db_number(row, 0);
    sbi_db_done(&row);
    (void)pthread_mutex_unlock(&ledger->lock);
    return pulse;
}

const char *sbi_ledger_path(const sbx_ledger *ledger)
{
    return sbi_db_path(ledger->db);
}
