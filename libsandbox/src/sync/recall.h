/*
 * recall.h - the far listing of the last push, kept so that the far side need only say
 * that it is still the same. A help, not a truth: what cannot be read is not there.
 */
#ifndef SANDBOX_SYNC_RECALL_H
#define SANDBOX_SYNC_RECALL_H

#include "base/str.h"
#include "sync/tree.h"

/* Starts as all zero: nothing is recalled. */
struct sbi_recall {
    const char *hash;  /* as sbi_far_list_hash; NULL: nothing is recalled */
    const char *facts; /* this and what follows as in sbi_far_list */
    const char *folder;
    const char *name;
    const char *home;
    const char *listing; /* a manifest */
    size_t length;
    char *text; /* all of it; NULL where it is the caller's */
};

#define SBI_AUTO_RECALL SBI_CLEANUP(sbi_recall_clear) struct sbi_recall

/* Finds what was saved for these roots; nothing where there is none, or it is damaged. */
void sbi_recall_load(const char *local, const char *place, const char *remote,
                     struct sbi_recall *out);

/* The listing as a tree; a failure where it is damaged. */
int sbi_recall_tree(const struct sbi_recall *recall, struct sbi_tree *out,
                    sbx_error *err);

/* Of recall all but the listing, which is of that tree. */
int sbi_recall_save(const char *local, const char *place, const char *remote,
                    const struct sbi_recall *recall, const struct sbi_tree *tree,
                    sbx_error *err);
void sbi_recall_forget(const char *local, const char *place, const char *remote);

void sbi_recall_clear(struct sbi_recall *recall);

#endif
