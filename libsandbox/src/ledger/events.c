/*
 * events.c - what happened, written with what was seen and with who is to be told.
 *
 * An event is one row for each watch, run of its job, kind and count, whatever happens:
 * the table says so itself. It is a second line behind the version of the watch.
 */
#include "base/array.h"
#include "base/digest.h"
#include "ledger/state.h"
#include "ledger/watches.h"

#include <stdio.h>
#include <string.h>

#define DEFAULT_MOST 100

static const struct {
    size_t offset;
    int column;
} texts[] = {
    {offsetof(struct sbi_event, id), 4},      {offsetof(struct sbi_event, kind), 5},
    {offsetof(struct sbi_event, place), 6},   {offsetof(struct sbi_event, job), 7},
    {offsetof(struct sbi_event, summary), 8}, {offsetof(struct sbi_event, detail), 9},
};
#define TEXTS (sizeof(texts) / sizeof(texts[0]))

static char **text_at(struct sbi_event *event, size_t i)
{
    return (char **)((char *)event + texts[i].offset);
}

void sbi_event_clear(struct sbi_event *event)
{
    size_t i;

    for (i = 0; i < TEXTS; i++)
        free(*text_at(event, i));
    *event = (struct sbi_event){0};
}

void sbi_events_clear(struct sbi_events *events)
{
    size_t i;

    for (i = 0; i < events->count; i++)
        sbi_event_clear(&events->items[i]);
    free(events->items);
    *events = (struct sbi_events){0};
}

static int keep(struct sbi_events *events, const struct sbi_db_row *row, sbx_error *err)
{
    struct sbi_event *event;
    int rc = sbi_array_reserve(&events->items, sizeof(*events->items), events->count + 1,
                               &events->room, err);
    size_t i;

    if (rc < 0)
        return rc;
    event = &events->items[events->count++];
    *event = (struct sbi_event){.number = sbi_db_number(row, 0),
                                .watch = sbi_db_number(row, 1),
                                .generation = sbi_db_number(row, 2),
                                .at_ms = sbi_db_number(row, 3)};
    for (i = 0; i < TEXTS && rc == SBX_OK; i++)
        rc = sbi_db_copy(row, texts[i].column, text_at(event, i), err);
    return rc;
}

static int read_rows(struct sbi_db *db, const struct sbi_event_query *query,
                     struct sbi_events *out, sbx_error *err)
{
    SBI_AUTO_DB_ROW row = NULL;
    bool there = true;
    int rc = sbi_db_prepare(
        db,
        "SELECT * FROM (SELECT number, watch, generation, at_ms, id, kind, place, job,"
        " summary, detail FROM event WHERE number > ?1 AND (?2 = 0 OR watch = ?2)"
        " AND (?3 = 0 OR number = ?3) AND (?4 IS NULL OR kind = ?4)"
        " AND (?5 IS NULL OR place = ?5) AND (?6 IS NULL OR job = ?6)"
        " ORDER BY number DESC LIMIT ?7) ORDER BY number",
        &row, err);

    if (rc < 0)
        return rc;
    sbi_db_bind_number(row, 1, query->after);
    sbi_db_bind_number(row, 2, query->watch);
    sbi_db_bind_number(row, 3, query->number);
    sbi_db_bind_text(row, 4, query->kind);
    sbi_db_bind_text(row, 5, query->place);
    sbi_db_bind_text(row, 6, query->job);
    sbi_db_bind_number(row, 7, query->most == 0 ? DEFAULT_MOST : query->most);
    while (rc == SBX_OK && there) {
        rc = sbi_db_step(row, &there, err);
        if (rc == SBX_OK && there)
            rc = keep(out, row, err);
    }
    return rc;
}

int sbi_events_read(sbx_ledger *ledger, const struct sbi_event_query *query,
                    struct sbi_events *out, sbx_error *err)
{
    SBI_AUTO_EVENTS events = {0};
    int rc;

    (void)pthread_mutex_lock(&ledger->lock);
    rc = read_rows(ledger->db, query, &events, err);
    (void)pthread_mutex_unlock(&ledger->lock);
    if (rc < 0)
        return rc;
    *out = events;
    events = (struct sbi_events){0};
    return SBX_OK;
}

/* *applied: whether it was still as it had been read. */
static int write_seen(struct sbi_db *db, const struct sbi_watch *watch,
                      const struct sbi_seen *seen, const char *state, bool done,
                      bool *applied, sbx_error *err)
{
    SBI_AUTO_DB_ROW row = NULL;
    int rc = sbi_db_prepare(
        db,
        "UPDATE watch SET generation = ?, failed = ?, aways = ?, percent = ?, bits = ?,"
        " state = ?, done = ?, version = version + 1 WHERE number = ? AND version = ?",
        &row, err);

    if (rc < 0)
        return rc;
    sbi_db_bind_number(row, 1, seen->generation);
    sbi_db_bind_number(row, 2, seen->failed);
    sbi_db_bind_number(row, 3, seen->aways);
    sbi_db_bind_number(row, 4, seen->percent);
    sbi_db_bind_number(row, 5, seen->bits);
    sbi_db_bind_text(row, 6, state);
    sbi_db_bind_number(row, 7, done ? 1 : 0);
    sbi_db_bind_number(row, 8, watch->number);
    sbi_db_bind_number(row, 9, watch->version);
    rc = sbi_db_run(row, err);
    if (rc == SBX_OK)
        *applied = sbi_db_changed(db) == 1;
    return rc;
}

static int write_event(struct sbi_db *db, const struct sbi_watch *watch,
                       const struct sbi_happened *happened, int64_t *number,
                       sbx_error *err)
{
    SBI_AUTO_DB_ROW row = NULL;
    char id[33];
    int rc = sbi_random_hex(id, 16, err);

    *number = 0;
    if (rc == SBX_OK)
        rc = sbi_db_prepare(
            db,
            "INSERT INTO event (watch, generation, kind, n, id, at_ms, place, job,"
            " summary, detail) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            " ON CONFLICT (watch, generation, kind, n) DO NOTHING",
            &row, err);
    if (rc < 0)
        return rc;
    sbi_db_bind_number(row, 1, watch->number);
    sbi_db_bind_number(row, 2, happened->generation);
    sbi_db_bind_text(row, 3, happened->kind);
    sbi_db_bind_number(row, 4, happened->n);
    sbi_db_bind_text(row, 5, id);
    sbi_db_bind_number(row, 6, sbi_ledger_clock());
    sbi_db_bind_text(row, 7, watch->place);
    sbi_db_bind_text(row, 8, watch->job);
    sbi_db_bind_text(row, 9, happened->summary);
    sbi_db_bind_text(row, 10, happened->detail);
    rc = sbi_db_run(row, err);
    if (rc == SBX_OK && sbi_db_changed(db) == 1)
        *number = sbi_db_added(db);
    return rc;
}

static int write_deliveries(struct sbi_db *db, const struct sbi_watch *watch,
                            int64_t event, const char *const *ways, sbx_error *err)
{
    int rc = SBX_OK;

    for (; *ways != NULL && rc == SBX_OK; ways++) {
        SBI_AUTO_DB_ROW row = NULL;

        rc = sbi_db_prepare(
            db, "INSERT INTO delivery (event, watch, way) VALUES (?, ?, ?)", &row, err);
        if (rc < 0)
            return rc;
        sbi_db_bind_number(row, 1, event);
        sbi_db_bind_number(row, 2, watch->number);
        sbi_db_bind_text(row, 3, *ways);
        rc = sbi_db_run(row, err);
    }
    return rc;
}

/* What became of a job is part of the record of what was done where. */
static int note(struct sbi_db *db, const struct sbi_watch *watch,
                const struct sbi_happened *happened, sbx_error *err)
{
    char kind[72];
    sbx_ledger_entry entry = {.size = sizeof(entry),
                              .kind = kind,
                              .place = watch->place,
                              .subject = watch->job,
                              .detail = happened->detail};

    (void)snprintf(kind, sizeof(kind), "job.%s", happened->kind);
    return sbi_ledger_chain(db, &entry, err);
}

static int write_happened(struct sbi_db *db, const struct sbi_watch *watch,
                          const struct sbi_happened *happened, sbx_error *err)
{
    int64_t number;
    int rc = write_event(db, watch, happened, &number, err);

    if (rc < 0 || number == 0)
        return rc;
    rc = write_deliveries(db, watch, number, happened->ways, err);
    if (rc == SBX_OK && happened->noted)
        rc = note(db, watch, happened, err);
    return rc;
}

int sbi_watches_turn(sbx_ledger *ledger, const struct sbi_watch *watch,
                     const struct sbi_seen *seen, const char *state, bool done,
                     const struct sbi_happened *happened, size_t count, bool *applied,
                     sbx_error *err)
{
    bool ours = false;
    size_t i;
    int rc;

    (void)pthread_mutex_lock(&ledger->lock);
    rc = sbi_db_begin(ledger->db, err);
    if (rc == SBX_OK) {
        rc = write_seen(ledger->db, watch, seen, state, done, &ours, err);
        for (i = 0; rc == SBX_OK && ours && i < count; i++)
            rc = write_happened(ledger->db, watch, &happened[i], err);
        rc = sbi_db_end(ledger->db, rc, err);
    }
    (void)pthread_mutex_unlock(&ledger->lock);
    if (rc == SBX_OK)
        *applied = ours;
    return rc;
}
