/* chain.c - hashes a long row of bytes in memory of constant size. */
#include "sync/chain.h"

#include "base/digest.h"

#include <string.h>

#define HASH 32
#define ROOM (HASH + 64 * 1024)

static bool begin(struct sbi_chain *chain)
{
    if (chain->status == SBX_OK && chain->room == NULL) {
        chain->room = calloc(1, ROOM);
        chain->used = HASH;
        if (chain->room == NULL)
            chain->status = SBX_ERR_NO_MEMORY;
    }
    return chain->status == SBX_OK;
}

static void fold(struct sbi_chain *chain)
{
    unsigned char hash[HASH];

    chain->status = sbi_sha256(chain->room, chain->used, hash, NULL);
    memcpy(chain->room, hash, HASH);
    chain->used = HASH;
}

void sbi_chain_add(struct sbi_chain *chain, const void *bytes, size_t length)
{
    const unsigned char *rest = bytes;

    while (length > 0 && begin(chain)) {
        size_t part = ROOM - chain->used < length ? ROOM - chain->used : length;

        memcpy(chain->room + chain->used, rest, part);
        chain->used += part;
        rest += part;
        length -= part;
        if (chain->used == ROOM)
            fold(chain);
    }
}

void sbi_chain_add_number(struct sbi_chain *chain, uint64_t number)
{
    unsigned char bytes[8];
    int i;

    for (i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(number >> (8 * i) & 0xff);
    sbi_chain_add(chain, bytes, sizeof(bytes));
}

int sbi_chain_end(struct sbi_chain *chain, unsigned char out[32], sbx_error *err)
{
    if (begin(chain))
        fold(chain);
    if (chain->status != SBX_OK)
        return sbi_fail(err, chain->status, "hash a tree: out of memory");
    memcpy(out, chain->room, HASH);
    return SBX_OK;
}

void sbi_chain_clear(struct sbi_chain *chain)
{
    free(chain->room);
    *chain = (struct sbi_chain){0};
}
