/*
 * ledger.h - what was done where, and by whom: one file of this user's, written by many
 * processes, and added to only.
 *
 * Each entry is chained to the one before by a hash, so that one that was changed or
 * taken out is found (sbx_ledger_verify); all behind the last one that is known from
 * elsewhere could still be cut off. The file is SQLite, in WAL mode.
 */
#ifndef SANDBOX_LEDGER_H
#define SANDBOX_LEDGER_H

#include <sandbox/error.h>

SBX_BEGIN_DECLS

/* One open file. Safe to use from several threads; not across fork(). */
typedef struct sbx_ledger sbx_ledger;

/* Texts are UTF-8 and may be NULL, but for kind. It may grow at its end. */
typedef struct sbx_ledger_entry {
    size_t size;         /* set by who adds it */
    int64_t number;      /* counts from 1; set by the ledger, as are at_ms and hash */
    int64_t at_ms;       /* since 1970 */
    const char *kind;    /* "job.start", "run", "lease.take", "tool"...: a-z 0-9 . _ - */
    const char *place;   /* where */
    const char *subject; /* of what: a job's id, a path */
    const char *actor;   /* "user@machine", a client's name; default: the former */
    const char *detail;  /* all else, as a JSON object, at most 64 KiB; "" is NULL */
    const char *hash;    /* 64 hex digits: of this entry and the hash before it */
} sbx_ledger_entry;

/* NULL: $XDG_STATE_HOME/sbx/ledger.db, which is made, 0600, where it is not there yet. */
SBX_API int sbx_ledger_open(const char *path, sbx_ledger **out, sbx_error *err);
SBX_API void sbx_ledger_close(sbx_ledger *ledger);

/* Adds an entry, whole or not at all. number: that it got; may be NULL. */
SBX_API int sbx_ledger_add(sbx_ledger *ledger, const sbx_ledger_entry *entry,
                           int64_t *number, sbx_error *err);

/* Which entries; zero is no condition. */
typedef struct sbx_ledger_query {
    size_t size;
    int64_t most;     /* the newest so many; default 100, negative: all */
    int64_t after;    /* numbers above this one */
    int64_t since_ms; /* at this moment or later */
    const char *kind; /* this one, or with a dot at its end all that begin so */
    const char *place;
    const char *subject;
} sbx_ledger_query;

/* Oldest first. Owned as a whole: sbx_ledger_list_free. */
typedef struct sbx_ledger_list {
    const sbx_ledger_entry *items;
    size_t count;
} sbx_ledger_list;

SBX_API int sbx_ledger_list_all(sbx_ledger *ledger, const sbx_ledger_query *query,
                                sbx_ledger_list **out, sbx_error *err);

/*
 * Computes every hash again. SBX_ERR_CONFLICT names the first entry that is not as it was
 * written. count, last: how many there are, and the last one's hash (64 digits and a
 * NUL; "" of none), to be kept elsewhere; each may be NULL.
 */
SBX_API int sbx_ledger_verify(sbx_ledger *ledger, int64_t *count, char last[65],
                              sbx_error *err);

/* One object; its keys are the fields. detail is an object in it. */
SBX_API char *sbx_ledger_entry_json(const sbx_ledger_entry *entry);
SBX_API void sbx_ledger_list_free(sbx_ledger_list *list);

SBX_END_DECLS
#endif
