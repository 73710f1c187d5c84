/*
 * sync_rate.h - how many bytes a second the way to a place takes, as a push has found
 * that sent enough; and whether it is worth packing what goes there. What is kept of it
 * is a help, not a truth: it is believed for a day, and where the way is as long as it
 * was.
 */
#ifndef SANDBOX_SYNC_SYNC_RATE_H
#define SANDBOX_SYNC_SYNC_RATE_H

#include "base/error.h"
#include "sync/far.h"

/* Nothing packs much faster: a way that takes so much is not the slow part. */
#define SBI_SYNC_RATE_FAST UINT64_C(128000000)

struct sbi_sync_rate {
    bool near;
    uint64_t bytes; /* a second; 0: not known */
};

/* All zero where nothing is known, or nothing that is worth believing. */
void sbi_sync_rate_load(const char *place, struct sbi_sync_rate *out);
void sbi_sync_rate_save(const char *place, const struct sbi_sync_rate *rate);

/* Whether so many bytes are packed: little has gone by the time that a packer has begun.
 */
bool sbi_sync_rate_packs(const struct sbi_sync_rate *rate, uint64_t bytes);

/*
 * What is known after a push whose stream has gone so. Where a packer was the slow part
 * on a short way of which nothing is known, the next stream is tried without.
 */
void sbi_sync_rate_learn(struct sbi_sync_rate *rate, bool packed,
                         const struct sbi_far_flow *flow);

/*
 * The same of a pull. Who waits for what is packed may wait for the packer: on a short
 * way that brings much all the same, the next stream is tried without.
 */
void sbi_sync_rate_learn_pull(struct sbi_sync_rate *rate, bool packed,
                              const struct sbi_far_flow *flow);

#endif
