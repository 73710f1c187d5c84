/* plan_type.h - what a plan is made from and consists of; plan.h says what it means. */
#ifndef SANDBOX_SYNC_PLAN_TYPE_H
#define SANDBOX_SYNC_PLAN_TYPE_H

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

#endif
