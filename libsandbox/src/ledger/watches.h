/*
 * watches.h - the rows that a watchdog lives on: watches, what happened, who is to be
 * told.
 *
 * What was seen of a watch, the events that follow from it and their deliveries are one
 * transaction, which counts only if nobody has changed the watch since it was read. So of
 * any number of watchdogs one writes an event, and one that is killed wrote it or did
 * not.
 */
#ifndef SANDBOX_LEDGER_WATCHES_H
#define SANDBOX_LEDGER_WATCHES_H

#include "base/cleanup.h"
#include "base/error.h"

#include <sandbox/ledger.h>

/* What was seen of a job so far, as it is kept. */
struct sbi_seen {
    int64_t generation; /* of the run that was seen last */
    int64_t failed;     /* looks that failed since one did not; counts to 2 */
    int64_t aways;      /* how often its place was told unreachable */
    int64_t percent;    /* that was told last; -1: none */
    int64_t bits;       /* enum sbi_seen_bits */
};

enum sbi_seen_bits {
    SBI_SEEN_STARTED = 1,
    SBI_SEEN_AWAY = 2,       /* unreachable, and told so */
    SBI_SEEN_ENDED = 4,      /* the end of this generation was told */
    SBI_SEEN_RESUME = 8,     /* it is to be asked whether this end is to be resumed */
    SBI_SEEN_SCHEDULED = 16, /* that it will be was told */
    SBI_SEEN_REFUSED = 32    /* that it could not be was told */
};

struct sbi_watch {
    int64_t number;
    int64_t interval_ms; /* 0: the watchdog's */
    int64_t made_ms;
    int64_t looked_ms;
    int64_t done;
    int64_t version; /* counts what was written */
    int64_t waiting; /* deliveries */
    int64_t undelivered;
    struct sbi_seen seen;
    char *place;
    char *job;
    char *ssh_config; /* NULL: the usual ones */
    char *list_file;
    char *settings; /* JSON, of the layer above */
    char *state;
    char *error;
};

struct sbi_watches {
    struct sbi_watch *items;
    size_t count;
    size_t room;
};
#define SBI_AUTO_WATCHES SBI_CLEANUP(sbi_watches_clear) struct sbi_watches
void sbi_watches_clear(struct sbi_watches *watches);

/* Which; zero is no condition. The last three go together: the watches of one place. */
struct sbi_watch_query {
    int64_t number;
    const char *place;
    const char *job;
    bool open;  /* those alone that are not done */
    bool hosts; /* ssh_config and list_file are conditions, NULL too */
    const char *ssh_config;
    const char *list_file;
};
int sbi_watches_read(sbx_ledger *ledger, const struct sbi_watch_query *query,
                     struct sbi_watches *out, sbx_error *err);

/* The fields that a person sets. One that is there of that job is given them. */
int sbi_watches_add(sbx_ledger *ledger, const struct sbi_watch *watch, int64_t *number,
                    sbx_error *err);
int sbi_watches_remove(sbx_ledger *ledger, int64_t number, sbx_error *err);

/* The places that open watches name: place, files, the shortest interval, the newest
 * number; the rest is empty. */
int sbi_watches_places(sbx_ledger *ledger, struct sbi_watches *out, sbx_error *err);

/* Notes for all open watches of a place that it was looked at, and why that failed. */
int sbi_watches_looked(sbx_ledger *ledger, const struct sbi_watch *place, int64_t at_ms,
                       const char *error, sbx_error *err);

/* Something that happened, to be written as an event. */
struct sbi_happened {
    const char *kind;
    int64_t generation;
    int64_t n; /* makes it one of several of that kind */
    const char *summary;
    const char *detail;      /* a JSON object */
    const char *const *ways; /* NULL-ended: who is to be told */
    bool noted;              /* also an entry of the ledger */
};

/*
 * Writes what was seen now, and what happened. *applied: whether the watch was still as
 * it had been read; where not, nothing was written.
 */
int sbi_watches_turn(sbx_ledger *ledger, const struct sbi_watch *watch,
                     const struct sbi_seen *seen, const char *state, bool done,
                     const struct sbi_happened *happened, size_t count, bool *applied,
                     sbx_error *err);

/* open watches, deliveries to be made, deliveries given up. */
int sbi_watches_count(sbx_ledger *ledger, int64_t *watches, int64_t *waiting,
                      int64_t *undelivered, sbx_error *err);

struct sbi_event {
    int64_t number;
    int64_t watch;
    int64_t generation;
    int64_t at_ms;
    char *id;
    char *kind;
    char *place;
    char *job;
    char *summary;
    char *detail;
};
void sbi_event_clear(struct sbi_event *event);

struct sbi_events {
    struct sbi_event *items;
    size_t count;
    size_t room;
};
#define SBI_AUTO_EVENTS SBI_CLEANUP(sbi_events_clear) struct sbi_events
void sbi_events_clear(struct sbi_events *events);

struct sbi_event_query {
    int64_t most; /* negative: all */
    int64_t after;
    int64_t watch;
    int64_t number;
    const char *kind;
    const char *place;
    const char *job;
};
/* Oldest first. */
int sbi_events_read(sbx_ledger *ledger, const struct sbi_event_query *query,
                    struct sbi_events *out, sbx_error *err);

/* One who is to be told of one event. */
struct sbi_delivery {
    int64_t number;
    int64_t event;
    int64_t watch;
    int64_t tries; /* with this one */
    char *way;
};
void sbi_delivery_clear(struct sbi_delivery *delivery);
#define SBI_AUTO_DELIVERY SBI_CLEANUP(sbi_delivery_clear) struct sbi_delivery

/* It is put off by no more than that, doubled for each try, and that at the most. */
#define SBI_DELIVERY_FIRST_MS INT64_C(1000)
#define SBI_DELIVERY_LONGEST_MS INT64_C(1800000)

/* Whether the watchdog of that name still lives. */
typedef bool (*sbi_lives_fn)(int64_t name, void *userdata);

/*
 * Takes the next one that is due at now_ms, of the wall clock, for the watchdog of that
 * name; number 0: there is none. One that another took is due when that one lives no
 * more. One that seems due later than it was ever put off is due now: the clock was set
 * back.
 */
int sbi_deliveries_take(sbx_ledger *ledger, int64_t name, int64_t now_ms,
                        sbi_lives_fn lives, void *userdata, struct sbi_delivery *out,
                        sbx_error *err);

enum sbi_delivery_end { SBI_DELIVERED = 1, SBI_DELIVER_AGAIN = 2, SBI_DELIVER_NEVER = 3 };

/* What became of it. error may be NULL; next_ms: of SBI_DELIVER_AGAIN. */
int sbi_deliveries_end(sbx_ledger *ledger, const struct sbi_delivery *delivery, int end,
                       int64_t next_ms, const char *error, sbx_error *err);

/* Changes whenever another process wrote to the ledger; -1: the file is there no more. */
int64_t sbi_ledger_pulse(sbx_ledger *ledger);

/* Its file. */
const char *sbi_ledger_path(const sbx_ledger *ledger);

#endif
