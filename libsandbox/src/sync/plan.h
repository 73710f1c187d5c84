/*
 * plan.h - what has to be done so that one tree becomes like another, and why.
 *
 * Both trees are sorted; nothing here touches a file. Files are the same when size and
 * mtime are, the mtime compared as far as both sides know it (a whole second may be all
 * that one side keeps), or, where a digest is set on both sides, when the digests are.
 * Nothing asks which side is newer, so a wrong clock neither hides nor repeats a change.
 *
 * - Links are compared by what they point to; their mode and mtime are not kept.
 * - A root that exists keeps its mode and mtime. A root of the other kind is an error.
 * - What is in the target alone stays, unless SBI_PLAN_DELETE is given.
 * - What is excluded (by exclude, or SBI_TREE_HIDDEN on either side) is neither sent nor
 *   deleted, nor is a folder deleted that holds any of it.
 * - What is SBI_TREE_UNREAD on either side is left alone, and all in it.
 * - A folder with content gives way to a file or link only with SBI_PLAN_DELETE.
 *   Anything else gives way: it is one entry, as in overwriting.
 * - Hard links of the source become hard links in the target.
 */
#ifndef SANDBOX_SYNC_PLAN_H
#define SANDBOX_SYNC_PLAN_H

#include "sync/exclude.h"
#include "sync/memory.h"
#include "sync/tree.h"

enum sbi_plan_flags {
    SBI_PLAN_DELETE = 1,
    SBI_PLAN_CHECKSUM = 2,      /* files without digests on both sides are sent */
    SBI_PLAN_NO_HARD_LINKS = 4, /* each is a file of its own */
    SBI_PLAN_PULL = 8,          /* the target is this machine: memory is asked that way */
    SBI_PLAN_FILTERED = 16      /* exclude was applied to the source already */
};

struct sbi_plan_opts {
    unsigned flags;                    /* sbi_plan_flags */
    const struct sbi_exclude *exclude; /* or NULL */
    const struct sbi_memory *memory;   /* of the last sync of these two, or NULL */
};

enum sbi_plan_what {
    SBI_PLAN_MAKE_FOLDER = 1, /* mode of the source; its mtime comes last */
    SBI_PLAN_SEND = 2,        /* a file with its content, mode, mtime */
    SBI_PLAN_LINK = 3,        /* a symbolic link */
    SBI_PLAN_HARD_LINK = 4,   /* to the target path of the source entry `leader` */
    SBI_PLAN_META = 5,        /* mode and mtime alone */
    SBI_PLAN_REMOVE = 6
};

enum sbi_plan_why {
    SBI_WHY_NEW = 1,      /* not in the target */
    SBI_WHY_SIZE = 2,     /* another size */
    SBI_WHY_TIME = 3,     /* another mtime */
    SBI_WHY_CONTENT = 4,  /* another digest */
    SBI_WHY_UNSURE = 5,   /* contents were to be compared, and a digest is missing */
    SBI_WHY_MODE = 6,     /* another mode */
    SBI_WHY_KIND = 7,     /* another kind of entry */
    SBI_WHY_TARGET = 8,   /* a link to elsewhere */
    SBI_WHY_LINKED = 9,   /* hard links are tied otherwise */
    SBI_WHY_TOUCHED = 10, /* a folder whose mtime moves by what is done in it */
    SBI_WHY_GONE = 11,    /* not in the source */
    SBI_WHY_IN_WAY = 12,  /* another kind takes its place */
    /* The reasons to skip: */
    SBI_WHY_SPECIAL = 13,      /* a fifo, socket or device */
    SBI_WHY_EXCLUDED = 14,     /* a rule keeps it back, or safe from deletion */
    SBI_WHY_UNREAD = 15,       /* it could not be read, here or there */
    SBI_WHY_FOLDER_STAYS = 16, /* a folder with content is in the way, without DELETE */
    SBI_WHY_HOLDS_KEPT = 17    /* a folder in the way holds what must stay */
};

struct sbi_plan_action {
    uint32_t source; /* its entry, or SBI_TREE_NONE */
    uint32_t target; /* its entry, or SBI_TREE_NONE */
    uint32_t leader; /* HARD_LINK: entry of the source that it is tied to */
    uint8_t what;    /* sbi_plan_what; 0: skipped */
    uint8_t why;     /* sbi_plan_why */
};

struct sbi_plan_list {
    struct sbi_plan_action *items;
    size_t count;
    size_t capacity;
};

/* To be done in this order, each list from its start. */
struct sbi_plan {
    struct sbi_plan_list clear;  /* REMOVE what is in the way; deepest first */
    struct sbi_plan_list make;   /* by path: folders, files, links, META of files */
    struct sbi_plan_list remove; /* REMOVE what is gone; deepest first */
    struct sbi_plan_list finish; /* META of folders, new ones too; deepest first */
    struct sbi_plan_list skipped;

    uint64_t send_count; /* files to be sent, and their bytes */
    uint64_t send_bytes;
    uint64_t same_count; /* entries of the source that need nothing */
    uint64_t same_bytes;
    uint64_t extra_count;   /* in the target alone, and left there */
    uint64_t removed_count; /* in remove, and in folders of clear; */
    uint64_t removed_bytes; /* one entry in the way of another is overwritten instead */
    uint64_t target_count;  /* entries of the target, without root and excluded ones */
};

#define SBI_AUTO_PLAN SBI_CLEANUP(sbi_plan_clear) struct sbi_plan

int sbi_plan_make(const struct sbi_tree *source, const struct sbi_tree *target,
                  const struct sbi_plan_opts *opts, struct sbi_plan *out, sbx_error *err);

/* Nothing is to be done; there may be skipped entries. */
bool sbi_plan_is_empty(const struct sbi_plan *plan);

/* Two files whose contents have to be compared, since size and mtime do not decide. */
struct sbi_plan_doubt {
    uint32_t source;
    uint32_t target;
};

struct sbi_plan_doubts {
    struct sbi_plan_doubt *items;
    size_t count;
    size_t capacity;
};

#define SBI_AUTO_PLAN_DOUBTS SBI_CLEANUP(sbi_plan_doubts_clear) struct sbi_plan_doubts

/*
 * The doubts of two trees: every pair of one size with SBI_PLAN_CHECKSUM, and the files
 * that memory says were replaced without a trace in size and mtime. Set the digests of
 * both with sbi_tree_set_digest before sbi_plan_make; what has none is sent.
 */
int sbi_plan_doubts(const struct sbi_tree *source, const struct sbi_tree *target,
                    const struct sbi_plan_opts *opts, struct sbi_plan_doubts *out,
                    sbx_error *err);

/* What the rails look at besides the plan. */
struct sbi_plan_rails {
    const char *source_name; /* for errors: "/home/me/proj", "gpu1:proj" */
    const char *target_name;
    const char *target_root; /* absolute, without links, as `pwd -P` says it over there */
    const char *home; /* the same for the home folder over there; NULL: not known */
    bool force;
};

/*
 * Whether a plan with SBI_PLAN_DELETE may be carried out; one made without it always may.
 * Each refusal is SBX_ERR_INVALID, with a fix where there is one:
 *
 *   source    it is missing, unreadable or not a folder
 *   above     the target is '/', or the home folder is in it
 *   home      the target is the home folder                             (force lifts it)
 *   part      something of the source could not be read                 (force lifts it)
 *   mount     a folder that was a mount at the last sync is none now    (force lifts it)
 *   empty     the source holds nothing                                  (force lifts it)
 *   half      over half of the target would go                          (force lifts it)
 *
 * A plan that removes nothing passes the last four.
 */
int sbi_plan_check(const struct sbi_plan *plan, const struct sbi_tree *source,
                   const struct sbi_plan_opts *opts, const struct sbi_plan_rails *rails,
                   sbx_error *err);

/*
 * 64 hex digits that stand for this plan of these two trees; any change on either side
 * gives others.
 */
int sbi_plan_token(const struct sbi_plan *plan, const struct sbi_tree *source,
                   const struct sbi_tree *target, const struct sbi_plan_opts *opts,
                   char out[65], sbx_error *err);

/* "send", "another size"; never NULL. */
const char *sbi_plan_what_name(int what);
const char *sbi_plan_why_text(int why);

void sbi_plan_doubts_clear(struct sbi_plan_doubts *doubts);
void sbi_plan_clear(struct sbi_plan *plan);

#endif
