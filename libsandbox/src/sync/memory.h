/*
 * memory.h - what both sides looked like when the last sync ended, in 24 bytes an entry.
 *
 * It answers two questions that size and mtime cannot: was a file here replaced by
 * another of the same size and mtime (its ctime or inode moved), and is a difference
 * one that the far side cannot hold (a coarse clock, no modes), because both sides are
 * just as the last sync left them. It also holds a hash of the far listing, and
 * which folders were mounts. It is a help, not a truth: without it syncs are only slower.
 */
#ifndef SANDBOX_SYNC_MEMORY_H
#define SANDBOX_SYNC_MEMORY_H

#include "sync/tree.h"

struct sbi_memory_row {
    uint64_t path;  /* hash of the path */
    uint64_t here;  /* hash of kind, size, mtime, mode, ctime, inode */
    uint64_t there; /* hash of kind, size, mtime, mode */
};

/* Starts as all zero: nothing is remembered. */
struct sbi_memory {
    struct sbi_memory_row *rows; /* by path */
    size_t count;
    char **mounts; /* paths of folders here that were mounts */
    char *note;    /* a text of the caller's own, at most 4 KiB; NULL: none */
};

enum sbi_memory_answer {
    SBI_MEMORY_UNKNOWN = 0, /* it was not part of the last sync */
    SBI_MEMORY_MOVED = 1,   /* the file here is not the one that was here then */
    SBI_MEMORY_HERE = 2,    /* the file here is the same, that over there is not */
    SBI_MEMORY_BOTH = 3     /* both are as the last sync left them */
};

#define SBI_AUTO_MEMORY SBI_CLEANUP(sbi_memory_clear) struct sbi_memory

/*
 * Remembers two sorted trees: here is the side with ctimes (this machine's), there the
 * other, both as they are after the sync. Paths on one side only are left out. note is
 * kept as it is.
 */
int sbi_memory_set(struct sbi_memory *memory, const struct sbi_tree *here,
                   const struct sbi_tree *there, sbx_error *err);

/* memory may be NULL: unknown. */
int sbi_memory_ask(const struct sbi_memory *memory, const struct sbi_tree *here,
                   size_t at_here, const struct sbi_tree *there, size_t at_there);

/* The path of a folder that was a mount and is here no longer one, or NULL. */
const char *sbi_memory_lost_mount(const struct sbi_memory *memory,
                                  const struct sbi_tree *here);

/*
 * Loads, saves and forgets the memory of one pair of roots, in
 * $XDG_STATE_HOME/sbx/sync/. A memory that is absent, cut or garbled loads as nothing,
 * with a line in the log; so an error here is want of memory only.
 */
int sbi_memory_load(const char *local_root, const char *place, const char *far_root,
                    struct sbi_memory *out, sbx_error *err);
int sbi_memory_save(const struct sbi_memory *memory, const char *local_root,
                    const char *place, const char *far_root, sbx_error *err);
void sbi_memory_forget(const char *local_root, const char *place, const char *far_root);

void sbi_memory_clear(struct sbi_memory *memory);

#endif
