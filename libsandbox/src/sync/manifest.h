/*
 * manifest.h - a tree as a stream of bytes: what the far side tells of its files.
 *
 * Records follow one another. Each is three texts that end in NUL:
 *
 *     KIND MODE SIZE MTIME DEVICE INODE LINKS NUL PATH NUL TARGET NUL
 *
 * which is what GNU find prints for -printf '%y %m %s %T@ %D %i %n\0%P\0%l\0', with one
 * record behind the last entry, without which the listing counts as cut:
 *
 *     E STATUS NUL NUL NUL          printf 'E %d\0\0\0' $?
 *
 * KIND    f file, d folder, l link; p s b c D U ? others; x excluded, not looked into;
 *         ! could not be read. N and L of `find -follow` are links.
 * MODE    octal, at most 07777 (more is masked)
 * SIZE    bytes
 * MTIME   seconds since 1970, then maybe '.' and digits; how many says how exact it is
 * DEVICE INODE LINKS   decimal, or '-' where not known
 * PATH    relative to the root, empty for the root; any order
 * TARGET  of a link
 * STATUS  of the program that listed: anything but 0 makes the tree partial
 *
 * A reader believes nothing: a path that is not safe (tree.h), that comes twice, or that
 * lies below what is not a folder of the same listing fails it, and so does what comes
 * after the end.
 */
#ifndef SANDBOX_SYNC_MANIFEST_H
#define SANDBOX_SYNC_MANIFEST_H

#include "base/str.h"
#include "sync/tree.h"

/* Reads a listing piece by piece. Starts as {.tree = an empty tree}. */
struct sbi_manifest_reader {
    struct sbi_tree *tree;
    size_t entry_limit; /* 0: 10,000,000 */
    char *record;       /* what came of a record that is not whole */
    size_t record_length;
    size_t nul_count;
    bool ended;
    int64_t status; /* once ended */
};

#define SBI_AUTO_MANIFEST_READER                                                         \
    SBI_CLEANUP(sbi_manifest_reader_clear) struct sbi_manifest_reader

/* Takes the next bytes. After a failure the reader is only to be cleared. */
int sbi_manifest_feed(struct sbi_manifest_reader *reader, const void *data, size_t length,
                      sbx_error *err);

/* The stream is over: SBX_ERR_REMOTE where it was cut; sorts the tree. */
int sbi_manifest_finish(struct sbi_manifest_reader *reader, sbx_error *err);

void sbi_manifest_reader_clear(struct sbi_manifest_reader *reader);

/* Adds the record of an entry; times are written to the digits they are known. */
void sbi_manifest_add(struct sbi_str *text, const struct sbi_tree *tree, size_t index);
/* Adds the record that ends a listing. */
void sbi_manifest_add_end(struct sbi_str *text, int status);

#endif
