/*
 * db.c - opens the file only as what it is: its application id says that it is a
 * ledger, its user version how it is laid out. Each migration is one transaction.
 */
#include "ledger/db.h"

#include "base/clock.h"
#include "base/path.h"
#include "base/str.h"
#include "ledger/db_library.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define APPLICATION 0x5B5C1ED6 /* in the file's head, for `file` and for us */
#define BUSY_MS 10000
#define AGAIN_MS 5
#define ENTRY_IS_FIXED "SELECT RAISE(ABORT, 'entries are added, and never changed');"

#define KEPT 16 /* statements: to prepare one takes longer than to run it */

struct sbi_db {
    sqlite3 *sqlite;
    char *path;
    struct stat file;
    pthread_mutex_t lock;     /* over these: */
    sqlite3_stmt *kept[KEPT]; /* none of them runs; the oldest makes room */
    size_t next;
};

struct sbi_db_row {
    struct sbi_db *db;
    sqlite3_stmt *statement;
    int status;
};

/* What takes a file of version i to i + 1. */
static const char *const migrations[] = {
    "CREATE TABLE entry (number INTEGER PRIMARY KEY AUTOINCREMENT, at_ms INTEGER NOT NULL,"
    " kind TEXT NOT NULL, place TEXT, subject TEXT, actor TEXT, detail TEXT,"
    " hash TEXT NOT NULL) STRICT;"
    "CREATE INDEX entry_kind ON entry (kind, number);"
    "CREATE INDEX entry_place ON entry (place, number);"
    "CREATE TRIGGER entry_kept BEFORE UPDATE ON entry BEGIN " ENTRY_IS_FIXED " END;"
    "CREATE TRIGGER entry_stays BEFORE DELETE ON entry BEGIN " ENTRY_IS_FIXED " END;",

    "CREATE TABLE watch (number INTEGER PRIMARY KEY AUTOINCREMENT, place TEXT NOT NULL,"
    " job TEXT NOT NULL, ssh_config TEXT, list_file TEXT, settings TEXT NOT NULL,"
    " interval_ms INTEGER NOT NULL, made_ms INTEGER NOT NULL,"
    " looked_ms INTEGER NOT NULL DEFAULT 0, done INTEGER NOT NULL DEFAULT 0,"
    " version INTEGER NOT NULL DEFAULT 0, state TEXT, error TEXT,"
    " generation INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0,"
    " aways INTEGER NOT NULL DEFAULT 0, percent INTEGER NOT NULL DEFAULT -1,"
    " bits INTEGER NOT NULL DEFAULT 0) STRICT;"
    "CREATE UNIQUE INDEX watch_of ON watch"
    " (place, job, ifnull(ssh_config, ''), ifnull(list_file, ''));"
    "CREATE INDEX watch_open ON watch (done, place);"
    "CREATE TABLE event (number INTEGER PRIMARY KEY AUTOINCREMENT,"
    " watch INTEGER NOT NULL, generation INTEGER NOT NULL, kind TEXT NOT NULL,"
    " n INTEGER NOT NULL, id TEXT NOT NULL UNIQUE, at_ms INTEGER NOT NULL,"
    " place TEXT NOT NULL, job TEXT NOT NULL, summary TEXT NOT NULL, detail TEXT NOT NULL,"
    " UNIQUE (watch, generation, kind, n)) STRICT;"
    "CREATE TABLE delivery (number INTEGER PRIMARY KEY AUTOINCREMENT,"
    " event INTEGER NOT NULL, watch INTEGER NOT NULL, way TEXT NOT NULL,"
    " state INTEGER NOT NULL DEFAULT 0, taken_by INTEGER NOT NULL DEFAULT 0,"
    " tries INTEGER NOT NULL DEFAULT 0, next_ms INTEGER NOT NULL DEFAULT 0, error TEXT,"
    " UNIQUE (event, way)) STRICT;"
    "CREATE INDEX delivery_waiting ON delivery (number) WHERE state = 0;"
    "CREATE INDEX delivery_watch ON delivery (watch, state);",
};
#define VERSION ((int)(sizeof(migrations) / sizeof(migrations[0])))

static int code_of(int status)
{
    switch (status) {
    case SQLITE_NOMEM:
        return SBX_ERR_NO_MEMORY;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return SBX_ERR_TIMEOUT;
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
        return SBX_ERR_CONFIG;
    default:
        return SBX_ERR_IO;
    }
}

static int fail(struct sbi_db *db, int status, sbx_error *err)
{
    int code = code_of(status & 0xFF);

    (void)sbi_fail(err, code, "ledger '%s': %s", db->path,
                   db->sqlite == NULL ? sbi_sqlite.sqlite3_errstr(status)
                                      : sbi_sqlite.sqlite3_errmsg(db->sqlite));
    if (err != NULL && (status & 0xFF) == SQLITE_FULL)
        err->sys_errno = ENOSPC;
    if (code == SBX_ERR_CONFIG)
        return sbi_fix(err, code, NULL, "move the file away; a new one is made");
    return code;
}

static int execute(struct sbi_db *db, const char *sql, sbx_error *err)
{
    int status = sbi_sqlite.sqlite3_exec(db->sqlite, sql, NULL, NULL, NULL);

    return status == SQLITE_OK ? SBX_OK : fail(db, status, err);
}

static int pragma(struct sbi_db *db, const char *sql, int64_t *out, sbx_error *err)
{
    SBI_AUTO_DB_ROW row = NULL;
    bool there = false;
    int rc = sbi_db_prepare(db, sql, &row, err);

    if (rc == SBX_OK)
        rc = sbi_db_step(row, &there, err);
    if (rc == SBX_OK)
        *out = there ? sbi_db_number(row, 0) : 0;
    return rc;
}

static int run_kept(struct sbi_db *db, const char *sql, sbx_error *err)
{
    SBI_AUTO_DB_ROW row = NULL;
    int rc = sbi_db_prepare(db, sql, &row, err);

    return rc < 0 ? rc : sbi_db_run(row, err);
}

int sbi_db_begin(struct sbi_db *db, sbx_error *err)
{
    return run_kept(db, "BEGIN IMMEDIATE", err);
}

int sbi_db_end(struct sbi_db *db, int rc, sbx_error *err)
{
    if (rc == SBX_OK)
        rc = run_kept(db, "COMMIT", err);
    if (rc < 0)
        (void)execute(db, "ROLLBACK", NULL);
    return rc;
}

/* An empty file is ours to make; any other has to say that it is a ledger. Within one
 * transaction: another process may make it between two looks. */
static int look_at(struct sbi_db *db, int64_t *version, sbx_error *err)
{
    int64_t application = 0, tables = 0;
    int rc = pragma(db, "PRAGMA application_id", &application, err);

    if (rc == SBX_OK)
        rc = pragma(db, "PRAGMA user_version", version, err);
    if (rc == SBX_OK)
        rc = pragma(db, "SELECT count(*) FROM sqlite_schema", &tables, err);
    if (rc < 0)
        return rc;
    if (application == 0 && *version == 0 && tables == 0)
        return SBX_OK;
    if (application != APPLICATION) {
        (void)sbi_fail(err, SBX_ERR_CONFIG,
                       "ledger '%s': it is a database of another kind", db->path);
        return sbi_fix(err, SBX_ERR_CONFIG, NULL,
                       "move the file away; a new one is made");
    }
    if (*version > VERSION)
        return sbi_fail(err, SBX_ERR_UNSUPPORTED,
                        "ledger '%s': a newer version made it (%lld, ours is %d)",
                        db->path, (long long)*version, VERSION);
    return SBX_OK;
}

static int step_up(struct sbi_db *db, int from, sbx_error *err)
{
    SBI_AUTO_STR sql = {0};

    sbi_str_add(&sql, migrations[from]);
    sbi_str_addf(&sql, "PRAGMA application_id = %d; PRAGMA user_version = %d;",
                 APPLICATION, from + 1);
    if (sql.status != SBX_OK)
        return sbi_fail(err, sql.status, "ledger: out of memory");
    return execute(db, sql.data, err);
}

/* Looked at again under the lock: another process may have done it meanwhile. */
static int migrate(struct sbi_db *db, sbx_error *err)
{
    int64_t version = 0;
    int rc = execute(db, "BEGIN", err);

    if (rc == SBX_OK)
        rc = sbi_db_end(db, look_at(db, &version, err), err);
    if (rc < 0 || version == VERSION)
        return rc;
    rc = sbi_db_begin(db, err);
    if (rc < 0)
        return rc;
    rc = look_at(db, &version, err);
    for (; rc == SBX_OK && version < VERSION; version++)
        rc = step_up(db, (int)version, err);
    return sbi_db_end(db, rc, err);
}

/* SQLite would make it readable for all, as the umask has it. */
static int make_file(const char *path, sbx_error *err)
{
    SBI_AUTOFREE char *folder = strndup(path, (size_t)(strrchr(path, '/') - path));
    SBI_AUTOCLOSE int fd = -1;
    int rc;

    if (folder == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "open a ledger: out of memory");
    rc = folder[0] == '\0' ? SBX_OK : sbi_path_make_folders(folder, err);
    if (rc < 0)
        return rc;
    fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    return fd >= 0 ? SBX_OK : sbi_fail_errno(err, SBX_ERR_IO, "open ledger '%s'", path);
}

/*
 * Of all that asks for a lock, this alone does not wait for it: while others open the
 * same file anew, it fails at once.
 */
static int log_ahead(struct sbi_db *db, sbx_error *err)
{
    const int64_t end = sbi_deadline(BUSY_MS);
    int status;

    for (;;) {
        status = sbi_sqlite.sqlite3_exec(db->sqlite, "PRAGMA journal_mode = WAL", NULL,
                                         NULL, NULL);
        if ((status & 0xFF) != SQLITE_BUSY || sbi_left_ms(end) == 0)
            break;
        (void)sbi_sqlite.sqlite3_sleep(AGAIN_MS);
    }
    return status == SQLITE_OK ? execute(db, "PRAGMA synchronous = NORMAL", err)
                               : fail(db, status, err);
}

static void db_clear(struct sbi_db **db)
{
    sbi_db_close(*db);
}

int sbi_db_open(const char *path, struct sbi_db **out, sbx_error *err)
{
    SBI_CLEANUP(db_clear) struct sbi_db *db = NULL;
    int status, rc;

    if (strchr(path, '/') == NULL)
        return sbi_fail(err, SBX_ERR_INVALID, "ledger '%s': no path with a folder", path);
    rc = sbi_sqlite_need(err);
    if (rc == SBX_OK)
        rc = make_file(path, err);
    if (rc < 0)
        return rc;
    db = calloc(1, sizeof(*db));
    if (db == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "open a ledger: out of memory");
    (void)pthread_mutex_init(&db->lock, NULL);
    db->path = strdup(path);
    if (db->path == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "open a ledger: out of memory");
    status = sbi_sqlite.sqlite3_open_v2(
        path, &db->sqlite, SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX, NULL);
    if (status != SQLITE_OK)
        return fail(db, status, err);
    if (stat(path, &db->file) < 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "open ledger '%s'", path);
    (void)sbi_sqlite.sqlite3_busy_timeout(db->sqlite, BUSY_MS);
    rc = migrate(db, err);
    if (rc == SBX_OK)
        rc = log_ahead(db, err);
    if (rc < 0)
        return rc;
    *out = SBI_STEAL(db);
    return SBX_OK;
}

void sbi_db_close(struct sbi_db *db)
{
    size_t i;

    if (db == NULL)
        return;
    for (i = 0; i < KEPT; i++)
        (void)sbi_sqlite.sqlite3_finalize(db->kept[i]);
    (void)pthread_mutex_destroy(&db->lock);
    (void)sbi_sqlite.sqlite3_close_v2(db->sqlite);
    free(db->path);
    free(db);
}

/* A kept one of that text, which is its taker's now; or NULL. */
static sqlite3_stmt *take_kept(struct sbi_db *db, const char *sql)
{
    sqlite3_stmt *found = NULL;
    size_t i;

    (void)pthread_mutex_lock(&db->lock);
    for (i = 0; i < KEPT && found == NULL; i++)
        if (db->kept[i] != NULL && strcmp(sbi_sqlite.sqlite3_sql(db->kept[i]), sql) == 0)
            found = SBI_STEAL(db->kept[i]);
    (void)pthread_mutex_unlock(&db->lock);
    return found;
}

static void keep(struct sbi_db *db, sqlite3_stmt *statement)
{
    sqlite3_stmt *oldest;

    (void)sbi_sqlite.sqlite3_reset(statement);
    (void)sbi_sqlite.sqlite3_clear_bindings(statement);
    (void)pthread_mutex_lock(&db->lock);
    oldest = db->kept[db->next];
    db->kept[db->next] = statement;
    db->next = (db->next + 1) % KEPT;
    (void)pthread_mutex_unlock(&db->lock);
    (void)sbi_sqlite.sqlite3_finalize(oldest);
}

int sbi_db_prepare(struct sbi_db *db, const char *sql, struct sbi_db_row **out,
                   sbx_error *err)
{
    struct sbi_db_row *row = calloc(1, sizeof(*row));
    int status = SQLITE_OK;

    if (row == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "ask a ledger: out of memory");
    row->db = db;
    row->statement = take_kept(db, sql);
    if (row->statement == NULL)
        status =
            sbi_sqlite.sqlite3_prepare_v2(db->sqlite, sql, -1, &row->statement, NULL);
    if (status != SQLITE_OK) {
        free(row);
        return fail(db, status, err);
    }
    *out = row;
    return SBX_OK;
}

void sbi_db_done(struct sbi_db_row **row)
{
    if (*row == NULL)
        return;
    keep((*row)->db, (*row)->statement);
    free(*row);
    *row = NULL;
}

static void note(struct sbi_db_row *row, int status)
{
    if (row->status == SQLITE_OK)
        row->status = status;
}

void sbi_db_bind_number(struct sbi_db_row *row, int at, int64_t number)
{
    note(row, sbi_sqlite.sqlite3_bind_int64(row->statement, at, number));
}

void sbi_db_bind_text(struct sbi_db_row *row, int at, const char *text)
{
    note(row, text == NULL ? sbi_sqlite.sqlite3_bind_null(row->statement, at)
                           : sbi_sqlite.sqlite3_bind_text(row->statement, at, text, -1,
                                                          SQLITE_TRANSIENT));
}

int sbi_db_step(struct sbi_db_row *row, bool *there, sbx_error *err)
{
    int status = row->status;

    if (status == SQLITE_OK)
        status = sbi_sqlite.sqlite3_step(row->statement);
    *there = status == SQLITE_ROW;
    return status == SQLITE_ROW || status == SQLITE_DONE ? SBX_OK
                                                         : fail(row->db, status, err);
}

int64_t sbi_db_number(const struct sbi_db_row *row, int at)
{
    return sbi_sqlite.sqlite3_column_int64(row->statement, at);
}

const char *sbi_db_text(const struct sbi_db_row *row, int at)
{
    return (const char *)sbi_sqlite.sqlite3_column_text(row->statement, at);
}

int64_t sbi_db_added(const struct sbi_db *db)
{
    return sbi_sqlite.sqlite3_last_insert_rowid(db->sqlite);
}

int64_t sbi_db_changed(const struct sbi_db *db)
{
    return sbi_sqlite.sqlite3_changes(db->sqlite);
}

int sbi_db_copy(const struct sbi_db_row *row, int at, char **out, sbx_error *err)
{
    const char *text = sbi_db_text(row, at);

    *out = text == NULL ? NULL : strdup(text);
    return text == NULL || *out != NULL
               ? SBX_OK
               : sbi_fail(err, SBX_ERR_NO_MEMORY, "read the ledger: out of memory");
}

int sbi_db_run(struct sbi_db_row *row, sbx_error *err)
{
    bool there = false;

    return sbi_db_step(row, &there, err);
}

const char *sbi_db_path(const struct sbi_db *db)
{
    return db->path;
}

bool sbi_db_in_place(const struct sbi_db *db)
{
    struct stat now;

    return stat(db->path, &now) == 0 && now.st_ino == db->file.st_ino &&
           now.st_dev == db->file.st_dev;
}
