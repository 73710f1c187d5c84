/* ledger.h - a ledger in a folder of its own, that a test opens and removes. */
#ifndef TESTS_SUPPORT_LEDGER_H
#define TESTS_SUPPORT_LEDGER_H

#include "support/unit.h"

#include <sandbox/ledger.h>

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>

/* Where it lies, and what the last call that failed said. */
static char folder[64], path[128];
static sbx_ledger *ledger;
static sbx_error err;

static void ledger_setup(void)
{
    (void)snprintf(folder, sizeof(folder), "/tmp/sbxt.XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    (void)snprintf(path, sizeof(path), "%s/state/ledger.db", folder);
    err = (sbx_error){0};
    ck_assert_msg(sbx_ledger_open(path, &ledger, &err) == SBX_OK, "%s", err.text);
}

static void ledger_teardown(void)
{
    char command[160];

    sbx_ledger_close(ledger);
    ledger = NULL;
    (void)snprintf(command, sizeof(command), "rm -rf '%s'", folder);
    ck_assert_int_eq(system(command), 0);
}

/* Behind the ledger's back. */
static inline void ledger_meddle(const char *sql)
{
    sqlite3 *sqlite = NULL;

    ck_assert_int_eq(sqlite3_open(path, &sqlite), SQLITE_OK);
    ck_assert_int_eq(sqlite3_exec(sqlite, sql, NULL, NULL, NULL), SQLITE_OK);
    ck_assert_int_eq(sqlite3_close(sqlite), SQLITE_OK);
}

#endif
