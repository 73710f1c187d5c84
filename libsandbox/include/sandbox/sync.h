/*
 * sync.h - makes a tree over there like a tree here (push), or the other way (pull).
 *
 * What differs by size or mtime is carried as one stream, put aside over there, and
 * moved into its place file by file by rename: at every moment, and whoever dies, a file
 * is the old one or the new one. docs/sync.md has the rules: what counts as different,
 * what is kept, what stays behind, what is never deleted.
 *
 *     sbx_sync_push(session, "proj", "~/proj", NULL, &report, &err);
 *
 * One rule of paths: the second root becomes equal to the first. A trailing slash changes
 * nothing but for a single file, which goes into a folder that is named with one, or
 * that is there already. Paths of a place are as in file.h.
 */
#ifndef SANDBOX_SYNC_H
#define SANDBOX_SYNC_H

#include <sandbox/session.h>

SBX_BEGIN_DECLS

typedef enum sbx_sync_direction {
    SBX_SYNC_PUSH = 1,
    SBX_SYNC_PULL = 2
} sbx_sync_direction;

enum sbx_sync_flags {
    SBX_SYNC_DELETE = 1,   /* what is in the target alone goes, within the rails */
    SBX_SYNC_FORCE = 2,    /* lifts those rails that can be lifted */
    SBX_SYNC_CHECKSUM = 4, /* contents decide, where sizes are the same */
    SBX_SYNC_GIT = 8,      /* only what git would track */
    SBX_SYNC_FOLLOW = 16   /* links of the source become what they point to */
};

typedef enum sbx_sync_phase {
    SBX_SYNC_LOOKING = 1,   /* both sides are listed */
    SBX_SYNC_COMPARING = 2, /* contents are hashed */
    SBX_SYNC_CARRYING = 3,
    SBX_SYNC_PLACING = 4 /* all is there, and moves into its place */
} sbx_sync_phase;

/* It may grow at its end. */
typedef struct sbx_sync_progress {
    int64_t phase; /* an sbx_sync_phase */
    uint64_t files_done;
    uint64_t files_total; /* known from SBX_SYNC_CARRYING on */
    uint64_t bytes_done;  /* of contents, as they are unpacked */
    uint64_t bytes_total;
    int64_t elapsed_ms;
} sbx_sync_progress;

/*
 * Called at most ten times a second, and at each change of phase, on the thread that made
 * the call. Return non-zero to cancel.
 */
typedef int (*sbx_sync_progress_fn)(const sbx_sync_progress *progress, void *userdata);

/* What is carried, and how. Zero is the default of each. */
typedef struct sbx_sync_opts {
    size_t size;
    uint64_t flags;                  /* sbx_sync_flags */
    const char *const *exclude;      /* rules as in gitignore(5), NULL-ended */
    const char *const *exclude_from; /* files of such rules */
    const char *const *include;      /* rules for what comes along all the same */
    const char *plan; /* token of the plan to carry out: any other is SBX_ERR_CONFLICT */
    sbx_sync_progress_fn on_progress;
    void *userdata; /* for on_progress */
    sbx_cancel *cancel;
} sbx_sync_opts;

/* One thing of a plan or report. Fill in size; the rest is borrowed from its owner. */
typedef struct sbx_sync_item {
    size_t size;
    const char *action; /* "send", "make folder", "delete"...; "skip", "fail" */
    const char *reason; /* "new", "another size"; of a failure what went wrong */
    const char *path;   /* below the root, bytes; "" is the root, or all of it */
    uint64_t bytes;     /* of a file to be sent or deleted */
} sbx_sync_item;

/* A plan holds its session. It belongs to one thread. */
typedef struct sbx_sync_plan sbx_sync_plan;

/* Made by the library; it may grow at its end. */
typedef struct sbx_sync_summary {
    const char *place;
    const char *local;  /* absolute */
    const char *remote; /* absolute, where that is known */
    const char *token;  /* 64 hex digits; changes with either side */
    int64_t direction;
    uint64_t send_files;
    uint64_t send_bytes;
    uint64_t other;        /* folders, links, modes and times to set */
    uint64_t delete_count; /* files, folders and links */
    uint64_t delete_bytes;
    uint64_t unchanged;
    uint64_t extra; /* in the target alone, and left there */
    uint64_t skipped;
    uint64_t failed;        /* could not be read */
    const char *local_hash; /* of the tree that was found, 64 hex digits */
    const char *remote_hash;
} sbx_sync_summary;

/*
 * Looks at both sides and changes nothing. Fails with SBX_ERR_NOT_FOUND, SBX_ERR_IO,
 * SBX_ERR_REMOTE, SBX_ERR_CONFLICT (opts->plan), and SBX_ERR_INVALID where a rail
 * forbids what is asked for: err->fix then says what lifts it.
 */
SBX_API int sbx_sync_plan_new(sbx_session *session, int direction, const char *local,
                              const char *remote, const sbx_sync_opts *opts,
                              sbx_sync_plan **out, sbx_error *err);

/* Borrowed from the plan. */
SBX_API const sbx_sync_summary *sbx_sync_plan_summary(const sbx_sync_plan *plan);

/* How many items it has; each is got by its number. false: there is no such item. */
SBX_API size_t sbx_sync_plan_count(const sbx_sync_plan *plan);
SBX_API bool sbx_sync_plan_item(const sbx_sync_plan *plan, size_t index,
                                sbx_sync_item *out);

/* The summary with "items", of which at most 100,000 are told: docs/sync.md. */
SBX_API char *sbx_sync_plan_json(const sbx_sync_plan *plan);

SBX_API void sbx_sync_plan_free(sbx_sync_plan *plan);

/* Owned by the caller, made and freed by the library; it may grow at its end. */
typedef struct sbx_sync_report {
    const char *place;
    const char *local;
    const char *remote;
    const char *token; /* of the plan that was carried out */
    int64_t direction;
    uint64_t sent_files;
    uint64_t sent_bytes;
    uint64_t other;
    uint64_t deleted;
    uint64_t unchanged;
    uint64_t extra;
    uint64_t skipped; /* items that say so, and why */
    uint64_t failed;  /* the same; 0: both sides are as the plan has them */
    uint64_t wire_up; /* bytes on the wire, packed as they were */
    uint64_t wire_down;
    int64_t duration_ms;
    const char *local_hash; /* of both trees as they are now, 64 hex digits */
    const char *remote_hash;
} sbx_sync_report;

/*
 * Carries a plan out, once: exactly what it tells of, or nothing. Both sides are looked
 * at again first, and the target is locked; SBX_ERR_CONFLICT where either is no longer
 * what it was, or another sync of the target is under way. What the plan tells of stays
 * as it is.
 *
 * A file that failed or changed meanwhile does not stop the rest: it is an item of the
 * report. An error means that all of it stopped; err->executed tells whether anything was
 * changed.
 */
SBX_API int sbx_sync_apply(sbx_sync_plan *plan, sbx_sync_report **out, sbx_error *err);

/* Plan and apply in one. */
SBX_API int sbx_sync_push(sbx_session *session, const char *local, const char *remote,
                          const sbx_sync_opts *opts, sbx_sync_report **out,
                          sbx_error *err);
SBX_API int sbx_sync_pull(sbx_session *session, const char *remote, const char *local,
                          const sbx_sync_opts *opts, sbx_sync_report **out,
                          sbx_error *err);

/* What was skipped or failed, the first 10,000 of each. */
SBX_API size_t sbx_sync_report_count(const sbx_sync_report *report);
SBX_API bool sbx_sync_report_item(const sbx_sync_report *report, size_t index,
                                  sbx_sync_item *out);
SBX_API char *sbx_sync_report_json(const sbx_sync_report *report);
SBX_API void sbx_sync_report_free(sbx_sync_report *report);

SBX_END_DECLS
#endif
