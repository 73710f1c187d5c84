/* pull_state.h - what pull.c (the order, the stream) and pull_place.c (files here) share.
 */
#ifndef SANDBOX_SYNC_PULL_STATE_H
#define SANDBOX_SYNC_PULL_STATE_H

#include "base/str.h"
#include "sync/archive.h"
#include "sync/beneath.h"
#include "sync/far.h"
#include "sync/sync_state.h"

#define SBI_PULL_PIECE (256 * 1024)

enum sbi_pull_state { SBI_PULL_NONE = 0, SBI_PULL_WANTED = 1, SBI_PULL_DONE = 2 };

struct sbi_pulling {
    struct sbi_sync *sync;
    const struct sbi_tree *source;
    const struct sbi_tree *target;
    struct sbi_beneath beneath; /* of the root here */
    int all;                    /* the folder of our own in it; -1: none */
    int stage;                  /* in that, of unfinished files; -1: none */
    char run[33];
    uint8_t *state; /* of each entry of the source: an sbi_pull_state */
    char *piece;    /* SBI_PULL_PIECE bytes */
    struct sbi_far *far;
    struct sbi_archive_reader *reader;
};

/* Makes the root where it is missing, opens it, and makes the stage in it. */
int sbi_pull_open(struct sbi_pulling *pulling, sbx_error *err);
/* Takes the stage away: what is done then moves no times but those it means. */
void sbi_pull_unstage(struct sbi_pulling *pulling);
void sbi_pull_close(struct sbi_pulling *pulling);

/*
 * Each does one thing of the plan; what fails is noted. A failure stops all: no space,
 * or a file system that takes nothing.
 */
int sbi_pull_remove(struct sbi_pulling *pulling, uint32_t target, sbx_error *err);
int sbi_pull_folder(struct sbi_pulling *pulling, uint32_t source, sbx_error *err);
int sbi_pull_link(struct sbi_pulling *pulling, uint32_t source, sbx_error *err);
int sbi_pull_hard_link(struct sbi_pulling *pulling, uint32_t leader, uint32_t source,
                       sbx_error *err);
int sbi_pull_meta(struct sbi_pulling *pulling, uint32_t source, sbx_error *err);

/* Moves a file of a folder of ours to its place: 0 or an errno. */
int sbi_pull_place(struct sbi_pulling *pulling, int from, const char *name,
                   uint32_t source);

/*
 * The same where folder is of another file system; and a second name in folder for a file
 * of another folder, where the stage is. 0 or an errno.
 */
int sbi_pull_across(struct sbi_pulling *pulling, int from, const char *name, int folder,
                    const char *own);
int sbi_pull_tie_across(struct sbi_pulling *pulling, int from, const char *leader,
                        int folder, const char *own);

/* Gives a file that is whole its mode and mtime: 0 or an errno. */
int sbi_pull_dress(int fd, const struct sbi_tree_entry *entry);

/* It has come. */
void sbi_pull_count(struct sbi_pulling *pulling, uint32_t source);

/* What failed is noted; or it stops all. */
int sbi_pull_failed(struct sbi_pulling *pulling, const char *path, int failed,
                    sbx_error *err);

/*
 * The rest of each large file of which a part is here; those it fails for come whole.
 * In pull_part.c, as the next ones.
 */
int sbi_pull_rests(struct sbi_pulling *pulling, sbx_error *err);

/* Where a large file is written, so that what comes of it is kept; -1: elsewhere. */
struct sbi_pull_part {
    int fd;
    char name[64];
};
int sbi_pull_part_open(struct sbi_pulling *pulling, uint32_t source,
                       struct sbi_pull_part *out, sbx_error *err);

/* Takes away what killed runs have left a day ago. */
void sbi_pull_sweep(struct sbi_pulling *pulling);

/* The target as it is now becomes the tree of this side; the last of all. */
int sbi_pull_after(struct sbi_pulling *pulling, sbx_error *err);

/* Takes the present item of the stream as the content of a file that is wanted. */
int sbi_pull_file(struct sbi_pulling *pulling, const struct sbi_archive_item *item,
                  uint32_t source, sbx_error *err);

#endif
