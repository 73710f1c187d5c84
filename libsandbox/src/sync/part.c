/* part.c - keys, what is told of parts, and what they hash to. */
#include "sync/part.h"

#include "sync/chain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIECE ((size_t)256 * 1024)

int sbi_part_key(const struct sbi_sync *sync, uint32_t source, char out[33],
                 sbx_error *err)
{
    const struct sbi_tree *tree = sbi_sync_source(sync);
    const struct sbi_tree_entry *entry = &tree->entries[source];
    SBI_AUTO_CHAIN chain = {0};
    unsigned char digest[32];
    int rc;

    sbi_chain_add(&chain, sync->here_path, strlen(sync->here_path) + 1);
    sbi_chain_add(&chain, sync->far_path, strlen(sync->far_path) + 1);
    sbi_chain_add(&chain, sbi_tree_path(tree, source), entry->path_length);
    sbi_chain_add_number(&chain, entry->size);
    sbi_chain_add_number(&chain, (uint64_t)entry->mtime);
    sbi_chain_add_number(&chain, entry->mtime_ns);
    sbi_chain_add_number(&chain, entry->inode);
    rc = sbi_chain_end(&chain, digest, err);
    if (rc == SBX_OK)
        sbi_hex(digest, 16, out);
    return rc;
}

/* "KEY SIZE HASH " for each. */
bool sbi_part_find(const char *parts, const char *key, uint64_t *size, char hash[65])
{
    const char *at = parts == NULL ? NULL : strstr(parts, key);
    char *end;

    if (at == NULL || at[strlen(key)] != ' ')
        return false;
    errno = 0;
    *size = strtoull(at + strlen(key) + 1, &end, 10);
    if (errno != 0 || *end != ' ' || strspn(end + 1, "0123456789abcdef") != 64)
        return false;
    memcpy(hash, end + 1, 64);
    hash[64] = '\0';
    return true;
}

int sbi_part_read(struct sbi_sync *sync, int fd, uint64_t size, struct sbi_sha256 *hash,
                  struct sbi_sha256 *also, bool *whole, sbx_error *err)
{
    SBI_AUTOFREE char *piece = malloc(PIECE);
    uint64_t at = 0;
    int rc = SBX_OK;

    if (piece == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    while (at < size && rc == SBX_OK) {
        size_t room = size - at < PIECE ? (size_t)(size - at) : PIECE;
        ssize_t got = pread(fd, piece, room, (off_t)at);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        sbi_sha256_add(hash, piece, (size_t)got);
        if (also != NULL)
            sbi_sha256_add(also, piece, (size_t)got);
        at += (uint64_t)got;
        rc = sbi_sync_tell(sync, false, err);
    }
    *whole = at == size;
    return rc;
}
