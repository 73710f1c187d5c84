/*
 * db_library.h - SQLite itself, loaded when the first ledger is opened: most commands
 * open none.
 */
#ifndef SANDBOX_LEDGER_DB_LIBRARY_H
#define SANDBOX_LEDGER_DB_LIBRARY_H

#include "base/error.h"

#include <sqlite3.h>

/* Every function of SQLite that ours calls. */
/* clang-format off */
#define SBI_SQLITE(one) \
    one(sqlite3_bind_int64) \
    one(sqlite3_bind_null) \
    one(sqlite3_bind_text) \
    one(sqlite3_busy_timeout) \
    one(sqlite3_changes) \
    one(sqlite3_close_v2) \
    one(sqlite3_column_int64) \
    one(sqlite3_column_text) \
    one(sqlite3_errmsg) \
    one(sqlite3_errstr) \
    one(sqlite3_exec) \
    one(sqlite3_finalize) \
    one(sqlite3_sql) \
    one(sqlite3_clear_bindings) \
    one(sqlite3_reset) \
    one(sqlite3_last_insert_rowid) \
    one(sqlite3_open_v2) \
    one(sqlite3_prepare_v2) \
    one(sqlite3_sleep) \
    one(sqlite3_step)
/* clang-format on */

struct sbi_sqlite {
#define SBI_MEMBER(name) __typeof__(name) *name;
    SBI_SQLITE(SBI_MEMBER)
#undef SBI_MEMBER
};

/* Filled in by sbi_sqlite_need, for as long as the process lives. */
extern struct sbi_sqlite sbi_sqlite;

/* SBX_ERR_UNSUPPORTED where it cannot be loaded. */
int sbi_sqlite_need(sbx_error *err);

#endif
