/*
 * beneath.h - the folder that a path lies in, found from a root without following any
 * link, so that no name leads out of the root.
 */
#ifndef SANDBOX_SYNC_BENEATH_H
#define SANDBOX_SYNC_BENEATH_H

#include "base/cleanup.h"
#include "base/error.h"

/* Starts as {.root = fd of the root folder, .fd = -1}; root stays the caller's. */
struct sbi_beneath {
    int root;
    bool follow; /* links are followed after all */
    int fd;      /* of the folder found last; -1: none */
    char *path;  /* its path */
    size_t length;
};

#define SBI_AUTO_BENEATH SBI_CLEANUP(sbi_beneath_clear) struct sbi_beneath

/*
 * Opens the folder that path lies in: *fd, lent until the next call, and *name, which
 * points into path. path is one that sbi_tree_path_is_safe, and not empty. Returns 0 or
 * an errno; ENOTDIR or ELOOP where something on the way is a link.
 */
int sbi_beneath_find(struct sbi_beneath *beneath, const char *path, int *fd,
                     const char **name);

/* Forgets the folder found last, for example since it was replaced. */
void sbi_beneath_forget(struct sbi_beneath *beneath);

void sbi_beneath_clear(struct sbi_beneath *beneath);

#endif
