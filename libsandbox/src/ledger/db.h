/*
 * db.h - the ledger's door to SQLite: a file that is ours, statements, errors.
 *
 * A file that is not a ledger, or is damaged, or is of a newer version, is left as it is.
 */
#ifndef SANDBOX_LEDGER_DB_H
#define SANDBOX_LEDGER_DB_H

#include "base/cleanup.h"
#include "base/error.h"

struct sbi_db;
struct sbi_db_row; /* a statement: parameters, then rows */

/* Makes it, 0600, where it is not there; brings an older one to the version of ours. */
int sbi_db_open(const char *path, struct sbi_db **out, sbx_error *err);
void sbi_db_close(struct sbi_db *db);

/* Between these two nobody else writes; what is not ended well is undone. */
int sbi_db_begin(struct sbi_db *db, sbx_error *err);
int sbi_db_end(struct sbi_db *db, int rc, sbx_error *err);

int sbi_db_prepare(struct sbi_db *db, const char *sql, struct sbi_db_row **out,
                   sbx_error *err);
void sbi_db_done(struct sbi_db_row **row);
#define SBI_AUTO_DB_ROW SBI_CLEANUP(sbi_db_done) struct sbi_db_row *

/* Parameters count from 1; a text is copied, NULL is NULL. A failure shows in the step.
 */
void sbi_db_bind_number(struct sbi_db_row *row, int at, int64_t number);
void sbi_db_bind_text(struct sbi_db_row *row, int at, const char *text);

/* The next row: *there tells whether there is one. */
int sbi_db_step(struct sbi_db_row *row, bool *there, sbx_error *err);

/* Columns count from 0; a text lasts until the next step, NULL is NULL. */
int64_t sbi_db_number(const struct sbi_db_row *row, int at);
const char *sbi_db_text(const struct sbi_db_row *row, int at);

/* A copy of a text; NULL stays NULL. */
int sbi_db_copy(const struct sbi_db_row *row, int at, char **out, sbx_error *err);

/* Runs a statement that has no rows. */
int sbi_db_run(struct sbi_db_row *row, sbx_error *err);

/* The number of the row that was added last. */
int64_t sbi_db_added(const struct sbi_db *db);

/* How many rows the last statement changed. */
int64_t sbi_db_changed(const struct sbi_db *db);

const char *sbi_db_path(const struct sbi_db *db);

/* Whether its path still leads to the file that was opened. */
bool sbi_db_in_place(const struct sbi_db *db);

#endif
