/*
 * deliveries.c - who is still to be told of what.
 *
 * A delivery that is taken names the watchdog that took it. It stays taken when that one
 * is killed, and is free again as soon as that one lives no more.
 */
#include "ledger/state.h"
#include "ledger/watches.h"

#include <string.h>

void sbi_delivery_clear(struct sbi_delivery *delivery)
{
    free(delivery->way);
    *delivery = (struct sbi_delivery){0};
}

/* The first that is due and that no living watchdog has. */
static int find(struct sbi_db *db, int64_t now_ms, sbi_lives_fn lives, void *userdata,
                struct sbi_delivery *out, sbx_error *err)
{
    SBI_AUTO_DB_ROW row = NULL;
    bool there = true;
    int rc = sbi_db_prepare(
        db,
        "SELECT number, event, watch, tries, way, taken_by FROM delivery WHERE state = 0"
        " AND (next_ms <= ?1 OR next_ms > ?1 + MIN(?3, ?2 << MIN(tries, 20)))"
        " ORDER BY number",
        &row, err);

    if (rc < 0)
        return rc;
    sbi_db_bind_number(row, 1, now_ms);
    sbi_db_bind_number(row, 2, SBI_DELIVERY_FIRST_MS);
    sbi_db_bind_number(row, 3, SBI_DELIVERY_LONGEST_MS);
    while (rc == SBX_OK && there) {
        rc = sbi_db_step(row, &there, err);
        if (rc < 0 || !there)
            return rc;
        if (sbi_db_number(row, 5) != 0 && lives(sbi_db_number(row, 5), userdata))
            continue;
        out->number = sbi_db_number(row, 0);
        out->event = sbi_db_number(row, 1);
        out->watch = sbi_db_number(row, 2);
        out->tries = sbi_db_number(row, 3) + 1;
        return sbi_db_copy(row, 4, &out->way, err);
    }
    return rc;
}

static int take(struct sbi_db *db, int64_t name, const struct sbi_delivery *delivery,
                sbx_error *err)
{
    SBI_AUTO_DB_ROW row = NULL;
    int rc = sbi_db_prepare(
        db, "UPDATE delivery SET taken_by = ?, tries = ? WHERE number = ?", &row, err);

    if (rc < 0)
        return rc;
    sbi_db_bind_number(row, 1, name);
    sbi_db_bind_number(row, 2, delivery->tries);
    sbi_db_bind_number(row, 3, delivery->number);
    return sbi_db_run(row, err);
}

int sbi_deliveries_take(sbx_ledger *ledger, int64_t name, int64_t now_ms,
                        sbi_lives_fn lives, void *userdata, struct sbi_delivery *out,
                        sbx_error *err)
{
    SBI_AUTO_DELIVERY found = {0};
    int rc;

    (void)pthread_mutex_lock(&ledger->lock);
    rc = sbi_db_begin(ledger->db, err);
    if (rc == SBX_OK) {
        rc = find(ledger->db, now_ms, lives, userdata, &found, err);
        if (rc == SBX_OK && found.number != 0)
            rc = take(ledger->db, name, &found, err);
        rc = sbi_db_end(ledger->db, rc, err);
    }
    (void)pthread_mutex_unlock(&ledger->lock);
    if (rc < 0)
        return rc;
    *out = found;
    found = (struct sbi_delivery){0};
    return SBX_OK;
}

static int end(struct sbi_db *db, const struct sbi_delivery *delivery, int state,
               int64_t next_ms, const char *error, sbx_error *err)
{
    SBI_AUTO_DB_ROW row = NULL;
    int rc = sbi_db_prepare(db,
                            "UPDATE delivery SET state = ?, taken_by = 0, next_ms = ?,"
                            " error = ?, tries = ? WHERE number = ?",
                            &row, err);

    if (rc < 0)
        return rc;
    sbi_db_bind_number(row, 1, state);
    sbi_db_bind_number(row, 2, next_ms);
    sbi_db_bind_text(row, 3, error);
    sbi_db_bind_number(row, 4, delivery->tries);
    sbi_db_bind_number(row, 5, delivery->number);
    return sbi_db_run(row, err);
}

int sbi_deliveries_end(sbx_ledger *ledger, const struct sbi_delivery *delivery, int how,
                       int64_t next_ms, const char *error, sbx_error *err)
{
    int rc;

    (void)pthread_mutex_lock(&ledger->lock);
    rc = end(ledger->db, delivery, how == SBI_DELIVER_AGAIN ? 0 : how, next_ms, error,
             err);
    (void)pthread_mutex_unlock(&ledger->lock);
    return rc;
}
