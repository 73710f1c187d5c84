/*
 * tree.h - what lies below a folder, packed so that a million entries fit in memory
 * twice.
 *
 * A tree is a list of entries. Each has a path relative to the root: bytes, without
 * leading "./", without "." or "..", without NUL, never absolute. The root itself is the
 * entry whose path is empty; a root that is a single file is a tree of that one entry.
 *
 * Once sorted, entries stand bytewise by path with '/' as the lowest byte: a folder
 * stands right before all that is in it, and that is contiguous. What is added in this
 * order needs no sorting. All calls but add, set_digest, sort, seal and clear only read,
 * and may be made from many threads at once.
 */
#ifndef SANDBOX_SYNC_TREE_H
#define SANDBOX_SYNC_TREE_H

#include "base/cleanup.h"
#include "base/error.h"

#define SBI_TREE_NONE UINT32_MAX
#define SBI_TREE_PATH_LIMIT 4095
#define SBI_TREE_NAME_LIMIT 255
#define SBI_TREE_DIGEST 32

enum sbi_tree_kind {
    SBI_TREE_FILE = 1,
    SBI_TREE_FOLDER = 2,
    SBI_TREE_LINK = 3,   /* symbolic */
    SBI_TREE_OTHER = 4,  /* fifo, socket, device: never carried */
    SBI_TREE_HIDDEN = 5, /* excluded: it is there, and what is in it is not known */
    SBI_TREE_UNREAD = 6  /* it could not be looked at, or not into it */
};

/* An entry as it is handed in. Zero is "not known" from device on. */
struct sbi_tree_item {
    const char *path; /* path_length bytes; need not end in NUL */
    size_t path_length;
    const char *target; /* of a link, NUL-terminated; else NULL */
    int kind;           /* sbi_tree_kind */
    unsigned mode;      /* 07777 */
    uint64_t size;      /* kept for a file only */
    int64_t mtime;      /* seconds since 1970 */
    unsigned mtime_ns;
    unsigned digits; /* of mtime_ns that mean something, 0 to 9 */
    uint64_t device;
    uint64_t inode;
    uint64_t links;    /* hard links to it */
    int64_t ctime_sec; /* of this machine's files only */
    unsigned ctime_ns;
};

/* An entry as it is kept. Read the fields; path and target come from calls. */
struct sbi_tree_entry {
    int64_t mtime;
    uint64_t size;
    uint64_t inode;
    int64_t ctime; /* nanoseconds since 1970; 0: not known */
    uint32_t mtime_ns;
    uint32_t path;   /* offset of its text */
    uint32_t target; /* offset of its text; 0: none */
    uint32_t digest; /* its number plus one; 0: none */
    uint16_t device; /* its number; 0: not known */
    uint16_t links;  /* UINT16_MAX: that many or more */
    unsigned kind : 3;
    unsigned digits : 4;
    unsigned mode : 12;
    unsigned path_length : 13;
};

/* Starts as all zero, the empty tree. */
struct sbi_tree {
    struct sbi_tree_entry *entries;
    size_t count;
    size_t capacity;
    char *text;
    size_t text_length;
    size_t text_capacity;
    uint64_t *devices;
    size_t device_count;
    unsigned char *digests;
    size_t digest_count;
    size_t digest_capacity;
    bool unsorted;      /* an entry was added out of order: sort before looking up */
    bool partial;       /* something in it could not be read; a mirror must not delete */
    bool root_is_mount; /* another file system begins at the root */
    bool is_sealed;     /* hash is its hash: whoever adds to it breaks the seal */
    unsigned char hash[32];
};

#define SBI_AUTO_TREE SBI_CLEANUP(sbi_tree_clear) struct sbi_tree

/*
 * Whether bytes may be the path of an entry: relative, no empty component, no "." or
 * "..", no NUL, within the limits. The empty path is the root's, and is one.
 */
bool sbi_tree_path_is_safe(const char *path, size_t length);

/* Copies all of item. SBX_ERR_INVALID: a path that is not safe; SBX_ERR_LIMIT: full. */
int sbi_tree_add(struct sbi_tree *tree, const struct sbi_tree_item *item, sbx_error *err);

/*
 * Puts entries into their order. Fails with SBX_ERR_INVALID on a path that is there
 * twice, and on one below something that is not a folder of this tree.
 */
int sbi_tree_sort(struct sbi_tree *tree, sbx_error *err);

/* The order: below, at or above 0. */
int sbi_tree_compare(const char *a, size_t a_length, const char *b, size_t b_length);

/* NUL-terminated; its length is the entry's path_length. */
const char *sbi_tree_path(const struct sbi_tree *tree, size_t index);
/* What a link points to; "" for all else. */
const char *sbi_tree_target(const struct sbi_tree *tree, size_t index);
/* The device as it was handed in; 0: not known. */
uint64_t sbi_tree_device(const struct sbi_tree *tree, size_t index);

/* A hash of the content, by the same algorithm on both sides; NULL: none was set. */
const unsigned char *sbi_tree_digest(const struct sbi_tree *tree, size_t index);
int sbi_tree_set_digest(struct sbi_tree *tree, size_t index,
                        const unsigned char digest[SBI_TREE_DIGEST], sbx_error *err);

/* The entry of a path, or SBI_TREE_NONE. */
size_t sbi_tree_find(const struct sbi_tree *tree, const char *path, size_t length);

/* The first entry that is neither this one nor in it. */
size_t sbi_tree_end_of(const struct sbi_tree *tree, size_t index);

/* Whether another file system begins at this folder. */
bool sbi_tree_is_mount(const struct sbi_tree *tree, size_t index);

/* Two sorted trees side by side; starts as {a, b}. */
struct sbi_tree_pair {
    const struct sbi_tree *a;
    const struct sbi_tree *b;
    size_t next_a; /* set these to skip: sbi_tree_end_of leaves a folder out */
    size_t next_b;
    size_t at_a; /* the entry of this path in a, or SBI_TREE_NONE */
    size_t at_b;
};

/* Goes to the next path of either; false at the end. */
bool sbi_tree_pair_next(struct sbi_tree_pair *pair);

/* One hash over path, kind, mode, size, mtime, target and digest of all entries. */
int sbi_tree_hash(const struct sbi_tree *tree, unsigned char out[32], sbx_error *err);

/* Keeps that hash, as long as nothing is added, set or sorted. */
int sbi_tree_seal(struct sbi_tree *tree, sbx_error *err);

/* Frees it all; tree is all zero again. */
void sbi_tree_clear(struct sbi_tree *tree);

#endif
