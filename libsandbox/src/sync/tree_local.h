/* tree_local.h - reads the tree of a folder of this machine. */
#ifndef SANDBOX_SYNC_TREE_LOCAL_H
#define SANDBOX_SYNC_TREE_LOCAL_H

#include "sync/exclude.h"
#include "sync/tree.h"

#include <sandbox/cancel.h>

#include <sys/types.h>

enum sbi_tree_local_flags {
    SBI_LOCAL_FOLLOW = 1, /* links become what they point to */
    SBI_LOCAL_MARK_HIDDEN =
        2, /* what is excluded is an entry SBI_TREE_HIDDEN, not absent */
    SBI_LOCAL_SBXIGNORE = 4, /* each folder's .sbxignore is read into exclude */
    SBI_LOCAL_GITIGNORE = 8  /* each folder's .gitignore too */
};

struct sbi_tree_local_opts {
    unsigned flags;              /* sbi_tree_local_flags */
    struct sbi_exclude *exclude; /* grows by the rules met on the way; NULL: none */
    size_t entry_limit;          /* 0: 10,000,000 */
    int64_t deadline;            /* SBI_NEVER; 0 is in the past */
    sbx_cancel *cancel;
};

/* One thing that could not be read; the walk went on. */
struct sbi_tree_local_failure {
    char *path; /* relative to the root; bytes */
    int sys_errno;
};

struct sbi_tree_local_failures {
    struct sbi_tree_local_failure *items; /* the first 1000 */
    size_t kept;
    size_t count; /* of all */
};

#define SBI_AUTO_TREE_LOCAL_FAILURES                                                     \
    SBI_CLEANUP(sbi_tree_local_failures_clear) struct sbi_tree_local_failures

/*
 * Reads the tree, sorted. It never leaves the root through a link, even when one is put
 * there during the walk, unless it is told to follow. Names the root in each error:
 *
 *   SBX_ERR_NOT_FOUND  there is no root
 *   SBX_ERR_IO         the root, or an ignore file, could not be read (see sys_errno)
 *   SBX_ERR_INVALID    the root is neither folder nor file (nor link to one)
 *   SBX_ERR_LIMIT      too many entries; also SBX_ERR_TIMEOUT, SBX_ERR_CANCELLED
 *
 * An empty folder is a tree of one entry, its root. What cannot be read below the root
 * is an entry SBI_TREE_UNREAD and a failure, and makes the tree partial. A name over the
 * limits, or a loop of followed links, is the same. What vanishes during the walk is not
 * there. An ignore file that cannot be read fails the walk, since what it would have
 * kept back may be secret. failures may be NULL.
 */
int sbi_tree_local(const char *root, const struct sbi_tree_local_opts *opts,
                   struct sbi_tree *out, struct sbi_tree_local_failures *failures,
                   sbx_error *err);

/* An sbi_tree_kind. */
int sbi_tree_local_kind(mode_t mode);

void sbi_tree_local_failures_clear(struct sbi_tree_local_failures *failures);

#endif
