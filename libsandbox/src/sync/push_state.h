/* push_state.h - what push.c (the stream), push_file.c and push_lists.c share. */
#ifndef SANDBOX_SYNC_PUSH_STATE_H
#define SANDBOX_SYNC_PUSH_STATE_H

#include "base/str.h"
#include "sync/archive.h"
#include "sync/beneath.h"
#include "sync/far.h"
#include "sync/sync_state.h"

#include <sys/stat.h>

#define SBI_PUSH_PIECE (256 * 1024)
#define SBI_PUSH_STAGE_ROOM 64

struct sbi_pushing {
    struct sbi_sync *sync;
    const struct sbi_tree *source;
    struct sbi_far *far;
    bool listed; /* far is the listing's own */
    bool merges; /* `t` is copied by links */
    bool flat;   /* folders get their times as it is; nothing else moves them */
    bool tied;   /* hard links are made in `t` */
    struct sbi_archive_writer *writer;
    int pack;
    char run[33];
    char stage[SBI_PUSH_STAGE_ROOM]; /* ".sbx-sync/RUN/t" */
    int sent;                        /* how the sending ended */
    sbx_error error;                 /* of that */
    struct sbi_far_flow flow;        /* how it went */
    unsigned parts;                  /* large files that were begun */
    struct sbi_beneath beneath;
    struct sbi_str path;    /* scratch */
    struct sbi_str dropped; /* names of drop.N */
    uint8_t *state;         /* of each entry of the source: an sbi_push_state */
    char *piece;            /* SBI_PUSH_PIECE bytes */
};

enum sbi_push_state { SBI_PUSH_NOT_SENT = 0, SBI_PUSH_SENT = 1, SBI_PUSH_FAILED = 2 };

/* "t/PATH" of an entry of the source, in path. */
int sbi_push_staged(struct sbi_pushing *pushing, const char *prefix, uint32_t source,
                    sbx_error *err);

/* The best packer that both sides have, or none where it would gain nothing. */
int sbi_push_choose_pack(struct sbi_pushing *pushing);

/* Sends a file with its content; one that cannot be read is noted, and not sent. */
int sbi_push_file(struct sbi_pushing *pushing, uint32_t source, sbx_error *err);

/*
 * Begins a large file: *offset is what of it lies over there already, and is behind fd
 * then; path is where the rest goes in the archive.
 */
int sbi_push_part(struct sbi_pushing *pushing, uint32_t source, int fd, uint64_t size,
                  uint64_t *offset, sbx_error *err);

/*
 * Where a file has content and where holes, as far as both sides can tell; *spans is NULL
 * where it has none, or too many. free() it.
 */
int sbi_push_spans(struct sbi_pushing *pushing, int fd, const struct stat *info,
                   struct sbi_archive_span **spans, size_t *count, sbx_error *err);

/* The folder of `t` that an entry lies in. */
int sbi_push_folder_of(struct sbi_pushing *pushing, uint32_t source, sbx_error *err);

/* Adds a small file to `c`. */
int sbi_push_control(struct sbi_pushing *pushing, const char *name, const void *data,
                     size_t length, sbx_error *err);

/* All of `c` but the end. */
int sbi_push_lists(struct sbi_pushing *pushing, sbx_error *err);

/* The lists of what is moved where; in push_moves.c. */
int sbi_push_moves(struct sbi_pushing *pushing, sbx_error *err);

/* A list that is cut into files. */
struct sbi_push_list {
    struct sbi_pushing *pushing;
    const char *name;
    unsigned number;
    unsigned mode; /* not 0: it stands behind the number */
    struct sbi_str text;
};

/* Adds "PREFIX/PATH"; what was there is sent first when it grows too long. */
int sbi_push_list_add(struct sbi_push_list *list, const char *prefix, const char *path,
                      sbx_error *err);
int sbi_push_list_end(struct sbi_push_list *list, sbx_error *err);
void sbi_push_list_clear(struct sbi_push_list *list);

#define SBI_AUTO_PUSH_LIST SBI_CLEANUP(sbi_push_list_clear) struct sbi_push_list

#endif
