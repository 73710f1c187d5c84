/*
 * ledger.c - entries, each with the hash of what it says and of the hash before it.
 *
 * What is hashed is each field with its length ahead, so that no two entries make the
 * same bytes; a field that is not there differs from an empty one.
 */
#include <sandbox/ledger.h>

#include "base/digest.h"
#include "base/json.h"
#include "base/opts.h"
#include "base/path.h"
#include "base/str.h"
#include "base/who.h"
#include "ledger/state.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define MOST_DETAIL ((size_t)64 * 1024)
#define MOST_TEXT ((size_t)4096)

int sbx_ledger_open(const char *path, sbx_ledger **out, sbx_error *err)
{
    SBI_AUTOFREE char *own = NULL;
    SBI_AUTOFREE sbx_ledger *ledger = calloc(1, sizeof(*ledger));
    int rc;

    if (ledger == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "open a ledger: out of memory");
    rc = path != NULL ? SBX_OK : sbi_path_user(SBI_PATH_STATE, "ledger.db", &own, err);
    if (rc == SBX_OK)
        rc = sbi_db_open(path != NULL ? path : own, &ledger->db, err);
    if (rc < 0)
        return rc;
    (void)pthread_mutex_init(&ledger->lock, NULL);
    *out = SBI_STEAL(ledger);
    return SBX_OK;
}

void sbx_ledger_close(sbx_ledger *ledger)
{
    if (ledger == NULL)
        return;
    sbi_db_close(ledger->db);
    (void)pthread_mutex_destroy(&ledger->lock);
    free(ledger);
}

static void add_field(struct sbi_str *text, const char *field)
{
    if (field == NULL)
        sbi_str_add(text, "-;");
    else
        sbi_str_addf(text, "%zu:", strlen(field)), sbi_str_add(text, field);
}

static int hash_of(const sbx_ledger_entry *entry, const char *before, char out[65],
                   sbx_error *err)
{
    SBI_AUTO_STR text = {0};
    unsigned char digest[32];
    int rc;

    add_field(&text, before);
    sbi_str_addf(&text, "%lld;%lld;", (long long)entry->number, (long long)entry->at_ms);
    add_field(&text, entry->kind);
    add_field(&text, entry->place);
    add_field(&text, entry->subject);
    add_field(&text, entry->actor);
    add_field(&text, entry->detail);
    if (text.status != SBX_OK)
        return sbi_fail(err, text.status, "hash an entry: out of memory");
    rc = sbi_sha256(text.data, text.length, digest, err);
    if (rc == SBX_OK)
        sbi_hex(digest, sizeof(digest), out);
    return rc;
}

static int check_text(const char *name, const char *text, size_t most, sbx_error *err)
{
    if (text == NULL)
        return SBX_OK;
    if (strlen(text) > most)
        return sbi_fail(err, SBX_ERR_LIMIT, "%s is longer than %zu bytes", name, most);
    return sbi_json_is_text(text, strlen(text))
               ? SBX_OK
               : sbi_fail(err, SBX_ERR_INVALID, "%s is not UTF-8", name);
}

static bool is_kind(const char *kind)
{
    size_t length = kind == NULL ? 0 : strlen(kind);

    return length > 0 && length <= 64 &&
           strspn(kind, "abcdefghijklmnopqrstuvwxyz0123456789._-") == length;
}

static int check_detail(const char *detail, sbx_error *err)
{
    SBI_AUTO_JSON json = NULL;
    int rc = check_text("detail", detail, MOST_DETAIL, err);

    if (rc < 0 || detail == NULL)
        return rc;
    rc = sbi_json_parse(detail, strlen(detail), &json, err);
    if (rc == SBX_OK && !cJSON_IsObject(json))
        rc = sbi_fail(err, SBX_ERR_INVALID, "it is no object");
    return rc < 0 ? sbi_wrap(err, SBX_ERR_INVALID, "detail") : SBX_OK;
}

static int check(const sbx_ledger_entry *entry, sbx_error *err)
{
    int rc;

    if (!is_kind(entry->kind))
        return sbi_fail(err, SBX_ERR_INVALID, "'%.70s' is no kind of entry",
                        entry->kind == NULL ? "" : entry->kind);
    rc = check_text("place", entry->place, MOST_TEXT, err);
    if (rc == SBX_OK)
        rc = check_text("subject", entry->subject, MOST_TEXT, err);
    if (rc == SBX_OK)
        rc = check_text("actor", entry->actor, MOST_TEXT, err);
    return rc == SBX_OK ? check_detail(entry->detail, err) : rc;
}

/* The number and hash of the last entry; 0 and "" of none. */
static int last_of(struct sbi_db *db, int64_t *number, char hash[65], sbx_error *err)
{
    SBI_AUTO_DB_ROW row = NULL;
    bool there = false;
    int rc = sbi_db_prepare(
        db, "SELECT number, hash FROM entry ORDER BY number DESC LIMIT 1", &row, err);

    if (rc == SBX_OK)
        rc = sbi_db_step(row, &there, err);
    if (rc < 0)
        return rc;
    *number = there ? sbi_db_number(row, 0) : 0;
    (void)snprintf(hash, 65, "%s", there ? sbi_db_text(row, 1) : "");
    return SBX_OK;
}

static int insert(struct sbi_db *db, const sbx_ledger_entry *entry, sbx_error *err)
{
    SBI_AUTO_DB_ROW row = NULL;
    bool there = false;
    int rc = sbi_db_prepare(
        db, "INSERT INTO entry (" SBI_LEDGER_COLUMNS ") VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        &row, err);

    if (rc < 0)
        return rc;
    sbi_db_bind_number(row, 1, entry->number);
    sbi_db_bind_number(row, 2, entry->at_ms);
    sbi_db_bind_text(row, 3, entry->kind);
    sbi_db_bind_text(row, 4, entry->place);
    sbi_db_bind_text(row, 5, entry->subject);
    sbi_db_bind_text(row, 6, entry->actor);
    sbi_db_bind_text(row, 7, entry->detail);
    sbi_db_bind_text(row, 8, entry->hash);
    return sbi_db_step(row, &there, err);
}

int64_t sbi_ledger_clock(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int chain(struct sbi_db *db, sbx_ledger_entry *entry, sbx_error *err)
{
    char before[65], hash[65];
    int rc = last_of(db, &entry->number, before, err);

    entry->number++;
    if (rc == SBX_OK)
        rc = hash_of(entry, before, hash, err);
    entry->hash = hash;
    if (rc == SBX_OK)
        rc = insert(db, entry, err);
    entry->hash = NULL;
    return rc;
}

int sbi_ledger_chain(struct sbi_db *db, sbx_ledger_entry *entry, sbx_error *err)
{
    const char *given = entry->actor;
    char actor[SBI_WHO_SIZE];
    int rc;

    if (given == NULL)
        sbi_who(actor, sizeof(actor));
    if (given == NULL)
        entry->actor = actor;
    if (entry->detail != NULL && entry->detail[0] == '\0')
        entry->detail = NULL;
    entry->at_ms = sbi_ledger_clock();
    rc = chain(db, entry, err);
    entry->actor = given;
    return rc;
}

static int add(sbx_ledger *ledger, sbx_ledger_entry *entry, sbx_error *err)
{
    int rc;

    (void)pthread_mutex_lock(&ledger->lock);
    rc = sbi_db_begin(ledger->db, err);
    if (rc == SBX_OK)
        rc = sbi_db_end(ledger->db, sbi_ledger_chain(ledger->db, entry, err), err);
    (void)pthread_mutex_unlock(&ledger->lock);
    return rc;
}

int sbx_ledger_add(sbx_ledger *ledger, const sbx_ledger_entry *theirs, int64_t *number,
                   sbx_error *err)
{
    sbx_ledger_entry entry;
    int rc = sbi_opts_read(&entry, sizeof(entry), theirs, err);

    if (rc == SBX_OK)
        rc = check(&entry, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "add to the ledger");
    rc = add(ledger, &entry, err);
    if (rc == SBX_OK && number != NULL)
        *number = entry.number;
    return rc;
}

/* Numbers have no gaps either: one that was taken out at the end shows in the next. */
static int verify_row(const struct sbi_db_row *row, int64_t number, char last[65],
                      sbx_error *err)
{
    sbx_ledger_entry entry;
    char hash[65];
    int rc;

    sbi_ledger_read(row, &entry);
    rc = hash_of(&entry, last, hash, err);
    if (rc < 0)
        return rc;
    if (entry.number != number || entry.hash == NULL || strcmp(hash, entry.hash) != 0)
        return sbi_fail(err, SBX_ERR_CONFLICT,
                        "verify the ledger: entry %lld is not as it was written",
                        (long long)number);
    (void)snprintf(last, 65, "%s", hash);
    return SBX_OK;
}

static int verify(struct sbi_db *db, int64_t *count, char last[65], sbx_error *err)
{
    SBI_AUTO_DB_ROW row = NULL;
    bool there = true;
    int rc = sbi_db_prepare(
        db, "SELECT " SBI_LEDGER_COLUMNS " FROM entry ORDER BY number", &row, err);

    while (rc == SBX_OK && there) {
        rc = sbi_db_step(row, &there, err);
        if (rc == SBX_OK && there)
            rc = verify_row(row, ++*count, last, err);
    }
    return rc;
}

int sbx_ledger_verify(sbx_ledger *ledger, int64_t *count, char last[65], sbx_error *err)
{
    int64_t entries = 0;
    char hash[65] = "";
    int rc;

    (void)pthread_mutex_lock(&ledger->lock);
    rc = verify(ledger->db, &entries, hash, err);
    (void)pthread_mutex_unlock(&ledger->lock);
    if (rc < 0)
        return rc;
    if (count != NULL)
        *count = entries;
    if (last != NULL)
        memcpy(last, hash, sizeof(hash));
    return SBX_OK;
}
