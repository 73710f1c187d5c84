/*
 * watch.h - looks after jobs while nobody else does, and tells what becomes of them.
 *
 * A watch is a row of the ledger: a job of a place, and whom to tell. A watchdog
 * (sbx_watch_run) asks each place once a round, compares with what was seen before, and
 * writes down what happened: an event, once, and with it a delivery for each who is to be
 * told. An event and what was seen are written as one, so that a watchdog may be killed
 * at any instant, and any number of them may run. See docs/watch.md.
 */
#ifndef SANDBOX_WATCH_H
#define SANDBOX_WATCH_H

#include <sandbox/cancel.h>
#include <sandbox/ledger.h>

SBX_BEGIN_DECLS

enum sbx_watch_flags {
    SBX_WATCH_NOTIFY = 1 /* on the desktop: notify-send, osascript */
};

/* Whom to tell, and how often to look. All zero: events in the ledger, and no more. */
typedef struct sbx_watch_opts {
    size_t size;
    uint64_t flags;             /* sbx_watch_flags */
    const char *webhook;        /* http:// or https://; an event is POSTed as JSON */
    const char *webhook_secret; /* path of a file: its first line signs what is POSTed */
    const char *const *command; /* NULL-ended words: run for each event */
    const char *wake;    /* "codex", "claude" or shell text: run as a job of this machine
                            when    the watched one has ended or needs somebody */
    const char *folder;  /* a file each event is put there */
    int64_t interval_ms; /* between looks; default: the watchdog's */
    int64_t progress;    /* an event each so many percent, 1 to 100; 0: none */
    const char *ssh_config; /* as in sbx_hosts_opts: where its place is found */
    const char *list_file;  /* the same */
    const char *webhook_ca; /* path of a file: certificates, in PEM, of those who may
                               vouch for the webhook's; default: those of the system */
} sbx_watch_opts;

/* Owned as a whole by its list; it may grow at its end. */
typedef struct sbx_watch {
    int64_t number;
    const char *place;
    const char *job;            /* its id */
    const sbx_watch_opts *opts; /* all zero where `error` tells that they are damaged */
    const char *state;    /* the job as it was seen last: "running", ...; "gone": it was
                             removed; NULL: not looked at yet */
    const char *error;    /* why the last look failed, or NULL */
    int64_t made_at_ms;   /* since 1970 */
    int64_t looked_at_ms; /* the same; 0: not yet */
    int64_t generation;   /* of the job, as it was seen last */
    int32_t unreachable;  /* 1: that was told, and it still is */
    int32_t done;         /* 1: the job has ended, and will not be looked at any more */
    int64_t waiting;      /* deliveries that are still to be made */
    int64_t undelivered;  /* deliveries that were given up */
} sbx_watch;

/* What sbx_watch_list_all found. */
typedef struct sbx_watch_list {
    const sbx_watch *const *items; /* by number */
    size_t count;
} sbx_watch_list;

/* Which watches; zero is no condition. */
typedef struct sbx_watch_query {
    size_t size;
    int64_t number;    /* this one; 0: any */
    const char *place; /* NULL: any */
    const char *job;
    uint64_t flags; /* sbx_watch_query_flags */
} sbx_watch_query;

enum sbx_watch_query_flags {
    SBX_WATCH_ALL = 1 /* those that are done too */
};

/* Refuses, as sbx_watch_add does, what could never be delivered. */
SBX_API int sbx_watch_check(const sbx_watch_opts *opts, sbx_error *err);

/*
 * Watches a job. One watch a job: where there is one, it gets these opts. number may be
 * NULL.
 */
SBX_API int sbx_watch_add(sbx_ledger *ledger, const char *place, const char *job,
                          const sbx_watch_opts *opts, int64_t *number, sbx_error *err);
SBX_API int sbx_watch_list_all(sbx_ledger *ledger, const sbx_watch_query *query,
                               sbx_watch_list **out, sbx_error *err);

/* Its events stay, what is still to be delivered is not. SBX_ERR_NOT_FOUND. */
SBX_API int sbx_watch_remove(sbx_ledger *ledger, int64_t number, sbx_error *err);

/* One object; its keys are in docs/watch.md. */
SBX_API char *sbx_watch_json(const sbx_watch *watch);
SBX_API void sbx_watch_list_free(sbx_watch_list *list);

/* Owned as a whole by its list; it may grow at its end. */
typedef struct sbx_watch_event {
    int64_t number; /* counts from 1 */
    const char *id; /* 32 hex digits */
    int64_t watch;
    const char *kind; /* "started", "completed"...: docs/watch.md has them all */
    int64_t generation;
    int64_t at_ms; /* since 1970 */
    const char *place;
    const char *job;
    const char *summary; /* one line for a person */
    const char *detail;  /* what else is known, as a JSON object */
} sbx_watch_event;

/* What sbx_watch_events found. */
typedef struct sbx_watch_event_list {
    const sbx_watch_event *const *items; /* oldest first */
    size_t count;
} sbx_watch_event_list;

/* Which events; zero is no condition. */
typedef struct sbx_watch_event_query {
    size_t size;
    int64_t most;  /* the newest so many; default 100, negative: all */
    int64_t after; /* numbers above this one */
    int64_t watch;
    const char *kind;
    const char *place;
    const char *job;
} sbx_watch_event_query;

SBX_API int sbx_watch_events(sbx_ledger *ledger, const sbx_watch_event_query *query,
                             sbx_watch_event_list **out, sbx_error *err);

/* What is delivered, too: docs/watch.md. */
SBX_API char *sbx_watch_event_json(const sbx_watch_event *event);
SBX_API void sbx_watch_event_list_free(sbx_watch_event_list *list);

/* How a watchdog works. */
typedef struct sbx_watch_run_opts {
    size_t size;
    uint64_t flags; /* sbx_watch_run_flags */
    int64_t
        interval_ms; /* between looks at a place, a tenth more or less; default 5 min */
    int64_t command_ms; /* how long an event command may take, default 1 min */
    sbx_cancel *cancel; /* ends it; a place that is being asked is let go of */
} sbx_watch_run_opts;

enum sbx_watch_run_flags {
    SBX_WATCH_ONCE = 1, /* one look at each place, what is due delivered, and the end */
    SBX_WATCH_UNTIL_IDLE = 2, /* the end once nothing is left to watch or to deliver */
    SBX_WATCH_STAND_BY = 4    /* where another runs: waits until that one ends */
};

/*
 * Watches until it is cancelled, which is SBX_OK. One watchdog a ledger works at a time:
 * where one does, this is SBX_ERR_EXISTS, but for SBX_WATCH_ONCE, which may run beside
 * it.
 */
SBX_API int sbx_watch_run(sbx_ledger *ledger, const sbx_watch_run_opts *opts,
                          sbx_error *err);

/* Whether a watchdog works, and what it has to do. */
typedef struct sbx_watch_status {
    size_t size;         /* set by the caller */
    int64_t running;     /* 1: a watchdog works on this ledger */
    int64_t pid;         /* its process, 0: none, or not known */
    int64_t watches;     /* that are not done */
    int64_t waiting;     /* deliveries to be made */
    int64_t undelivered; /* deliveries that were given up */
} sbx_watch_status;

SBX_API int sbx_watch_status_read(sbx_ledger *ledger, sbx_watch_status *out,
                                  sbx_error *err);

SBX_END_DECLS
#endif
