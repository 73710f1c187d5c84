/* here.h - a root on this machine: where it is, and what is in it. */
#ifndef SANDBOX_SYNC_HERE_H
#define SANDBOX_SYNC_HERE_H

#include "sync/tree_local.h"

/* Starts as all zero. */
struct sbi_here {
    char *folder; /* absolute, without links where it is there */
    char *name;   /* of a single file in folder; "" for a folder */
    bool missing; /* there is nothing at this path */
    struct sbi_tree tree;
    struct sbi_tree_local_failures failures;
};

/* A source: it has to be there. */
int sbi_here_source(const char *path, struct sbi_here *out, sbx_error *err);

/*
 * A target, for a folder (file_name NULL), or for a file of that name: it goes into path
 * where that is a folder or ends in a slash.
 */
int sbi_here_target(const char *path, const char *file_name, struct sbi_here *out,
                    sbx_error *err);

/* "FOLDER/NAME", or FOLDER; for free(). */
int sbi_here_path(const struct sbi_here *here, char **out, sbx_error *err);

/* Reads the tree; of what is missing it is empty. */
int sbi_here_walk(struct sbi_here *here, const struct sbi_tree_local_opts *opts,
                  sbx_error *err);

void sbi_here_clear(struct sbi_here *here);

#define SBI_AUTO_HERE SBI_CLEANUP(sbi_here_clear) struct sbi_here

#endif
