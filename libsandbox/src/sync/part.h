/*
 * part.h - large files of which a part has come: what it is called, and what is in it.
 *
 * A part lies in the folder of our own at the root of the target, named by a key of what
 * it is a part of; only what hashes to the beginning of that is ever added to.
 */
#ifndef SANDBOX_SYNC_PART_H
#define SANDBOX_SYNC_PART_H

#include "base/digest.h"
#include "sync/sync_state.h"

#define SBI_PART_FROM ((uint64_t)8 * 1024 * 1024) /* smaller files come anew */
#define SBI_PART_NAME "part-"

/* 32 hex digits of path, size, mtime and inode of a file of the source. */
int sbi_part_key(const struct sbi_sync *sync, uint32_t source, char out[33],
                 sbx_error *err);

/* What the far side has told of a part: how long it is, and its hash. */
bool sbi_part_find(const char *parts, const char *key, uint64_t *size, char hash[65]);

/*
 * Adds the first size bytes of a file to both hashes (also may be NULL); *whole: so many
 * were there. A failure is one to stop at.
 */
int sbi_part_read(struct sbi_sync *sync, int fd, uint64_t size, struct sbi_sha256 *hash,
                  struct sbi_sha256 *also, bool *whole, sbx_error *err);

#endif
