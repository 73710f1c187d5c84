/* far_list.h - what is at a path over there, and the tree below it. */
#ifndef SANDBOX_SYNC_FAR_LIST_H
#define SANDBOX_SYNC_FAR_LIST_H

#include "sync/archive.h"
#include "sync/far.h"
#include "sync/far_record.h"
#include "sync/tree.h"

enum sbi_far_state {
    SBI_FAR_FOLDER = 1,
    SBI_FAR_FILE,
    SBI_FAR_MISSING,
    SBI_FAR_DENIED,
    SBI_FAR_OTHER,
    SBI_FAR_NO_HOME
};

enum sbi_far_tar { SBI_TAR_NONE = 0, SBI_TAR_GNU, SBI_TAR_BSD, SBI_TAR_SMALL };

/* Starts as all zero. */
struct sbi_far_list {
    int state;    /* an sbi_far_state */
    int form;     /* an sbi_far_form; 0: no way to list was found */
    int tar;      /* an sbi_far_tar */
    int pack;     /* an sbi_pack, the best that both sides have */
    bool links;   /* its cp replaces by links and renames */
    bool linked;  /* and has done so in this tree */
    bool same;    /* the listing hashes to what was asked for, and did not come */
    bool exact;   /* it lists times to the nanosecond, and hashes can be told ahead */
    char *facts;  /* of its tools, for the next time */
    char *folder; /* absolute */
    char *name;   /* of a single file in folder; "" for a folder */
    char *home;   /* "" if not known */
    char *errors; /* what its tools complained of */
    char *parts;  /* large files that have come in part: see part.h */
    struct sbi_tree tree; /* sorted; empty if nothing was listed */
    uint64_t up;
    uint64_t down;
};

#define SBI_AUTO_FAR_LIST SBI_CLEANUP(sbi_far_list_clear) struct sbi_far_list

struct sbi_far_list_opts {
    const char *path;
    const char *name;   /* that a single file would get in a folder; NULL: none */
    const char *hash;   /* of the last listing, 64 hex digits; NULL: none */
    const char *facts;  /* of the last time; NULL: none */
    const char *folder; /* of the last time, with hash; NULL: none */
    const char *home;
    bool parts; /* what has come of large files too */
    bool ids;   /* devices, inodes and link counts too */
    bool follow;
    bool packed; /* where both sides can */
    bool plain;  /* the listing is not, since the way is short */
    bool pushes; /* it goes on as sbi_far_list_push_script does: see far_script.h */
    sbx_cancel *cancel;
};

struct sbi_far_reading;

/* One that is under way; starts as all zero. */
struct sbi_far_listing {
    struct sbi_far *far;
    struct sbi_far_reading *reading; /* once the head was read */
    struct sbi_far_list list;        /* what is known so far; the tree comes last */
    struct sbi_far_list_opts opts;   /* what it points to must live as long */
    char mark[40];
};

/* What facts of an earlier listing say: form, exact, tar, pack and links of list. */
void sbi_far_list_take_facts(const char *facts, struct sbi_far_list *list);

/* Begins it, so that the walk here can run meanwhile. */
int sbi_far_list_start(sbx_session *session, const struct sbi_far_list_opts *opts,
                       struct sbi_far_listing *listing, sbx_error *err);

/* Reads what is told ahead of the tree into listing->list. */
int sbi_far_list_head(struct sbi_far_listing *listing, sbx_error *err);

/* Reads it to its end; the head too, where it was not. One that pushes runs on: it is
 * listing->far's. */
int sbi_far_list_read(struct sbi_far_listing *listing, struct sbi_far_list *out,
                      sbx_error *err);

/* What comes behind the listing of one that pushes, once all has come. */
int sbi_far_list_rest(struct sbi_far_listing *listing, struct sbi_str *out,
                      sbx_error *err);

/* Ends one that pushes without a push, and takes up what its tools complained of. */
int sbi_far_list_leave(struct sbi_far_listing *listing, struct sbi_far_list *list,
                       sbx_error *err);

/* Both at once. */
int sbi_far_list(sbx_session *session, const struct sbi_far_list_opts *opts,
                 struct sbi_far_list *out, sbx_error *err);

void sbi_far_listing_clear(struct sbi_far_listing *listing);

#define SBI_AUTO_FAR_LISTING SBI_CLEANUP(sbi_far_listing_clear) struct sbi_far_listing

/* The hash that sbi_far_list_script makes of a tree without ids, 64 hex digits. */
int sbi_far_list_hash(const struct sbi_tree *tree, char out[65], sbx_error *err);

void sbi_far_list_clear(struct sbi_far_list *list);

#endif
