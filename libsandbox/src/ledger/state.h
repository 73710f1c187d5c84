/* state.h - an open ledger, and a row of it as an entry. */
#ifndef SANDBOX_LEDGER_STATE_H
#define SANDBOX_LEDGER_STATE_H

#include "ledger/db.h"

#include <sandbox/ledger.h>

#include <pthread.h>

#define SBI_LEDGER_COLUMNS "number, at_ms, kind, place, subject, actor, detail, hash"

/* SQLite lets several threads use one connection, but a transaction is one thread's. */
struct sbx_ledger {
    pthread_mutex_t lock;
    struct sbi_db *db;
};

/* Adds an entry within a transaction that is begun. */
int sbi_ledger_chain(struct sbi_db *db, sbx_ledger_entry *entry, sbx_error *err);

/* Milliseconds since 1970. */
int64_t sbi_ledger_clock(void);

/* The texts last until the next step. */
void sbi_ledger_read(const struct sbi_db_row *row, sbx_ledger_entry *out);

#endif
