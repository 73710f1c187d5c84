/*
 * chain.h - one hash over bytes that come in pieces.
 *
 * Not the SHA-256 of the bytes: each 64 KiB are hashed together with the hash so far.
 * As with base/str.h a failure is remembered and asked for once, at the end.
 */
#ifndef SANDBOX_SYNC_CHAIN_H
#define SANDBOX_SYNC_CHAIN_H

#include "base/cleanup.h"
#include "base/error.h"

/* Starts as all zero. */
struct sbi_chain {
    unsigned char *room; /* the hash so far, then what is not hashed yet */
    size_t used;
    int status;
};

#define SBI_AUTO_CHAIN SBI_CLEANUP(sbi_chain_clear) struct sbi_chain

void sbi_chain_add(struct sbi_chain *chain, const void *bytes, size_t length);

/* The same on machines of either byte order. */
void sbi_chain_add_number(struct sbi_chain *chain, uint64_t number);

int sbi_chain_end(struct sbi_chain *chain, unsigned char out[32], sbx_error *err);

void sbi_chain_clear(struct sbi_chain *chain);

#endif
