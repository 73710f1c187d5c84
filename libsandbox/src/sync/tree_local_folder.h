/* tree_local_folder.h - one open folder: its names, in the order of a tree. */
#ifndef SANDBOX_SYNC_TREE_LOCAL_FOLDER_H
#define SANDBOX_SYNC_TREE_LOCAL_FOLDER_H

#include "base/cleanup.h"
#include "base/error.h"

/* Starts as {.fd = -1}. */
struct sbi_local_folder {
    int fd; /* -1: closed for a while, to save descriptors */
    uint64_t device;
    uint64_t inode;
    char *text;   /* for each name its d_type, the name, NUL */
    char **names; /* sorted; a name's d_type lies before it */
    size_t count;
    size_t next;
    size_t entry;       /* of the tree */
    size_t path_length; /* of its path */
    bool by_link;       /* it was entered through a link, so ".." leads elsewhere */
};

/* The d_type of a name of a folder. */
int sbi_local_type(const char *name);

/* Reads and sorts the names of folder->fd. A failure is errno, not text. */
int sbi_local_folder_read(struct sbi_local_folder *folder);

bool sbi_local_folder_has(const struct sbi_local_folder *folder, const char *name);

/*
 * The text of an ignore file of the folder; *out stays NULL where it is none: absent,
 * or anything but a plain file.
 */
int sbi_local_folder_text(const struct sbi_local_folder *folder, const char *name,
                          char **out, size_t *length, sbx_error *err);

/* Opens a folder again by way of one in it; false where it is another by now. */
bool sbi_local_folder_reopen(struct sbi_local_folder *folder, int child);

void sbi_local_folder_clear(struct sbi_local_folder *folder);

#endif
