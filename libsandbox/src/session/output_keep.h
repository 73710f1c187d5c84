/*
 * output_keep.h - the head and the tail of a stream, in memory that does not grow
 * with it. Pure.
 *
 * The head is the first half of the limit, the tail a ring of the last half. Each
 * holds three bytes more than it shows, so that a cut can be judged: whether it
 * goes through a UTF-8 character depends on both its sides.
 */
#ifndef SANDBOX_SESSION_OUTPUT_KEEP_H
#define SANDBOX_SESSION_OUTPUT_KEEP_H

#include "base/error.h"

struct sbi_keep {
    size_t head_limit; /* as shown */
    size_t tail_limit;
    uint64_t total;
    char *head;
    size_t head_length;
    size_t head_capacity;
    char *ring;
    size_t ring_start;
    size_t ring_length;
    size_t ring_capacity;
    int status; /* SBX_OK until memory is short */
};

/* limit: bytes shown; -1: all. */
void sbi_keep_init(struct sbi_keep *keep, int64_t limit);

void sbi_keep_add(struct sbi_keep *keep, const void *data, size_t length);

bool sbi_keep_is_whole(const struct sbi_keep *keep);

struct sbi_keep_piece {
    const char *data;
    size_t length;
};

/* All that came, while that is whole: borrowed, in order. */
void sbi_keep_pieces(const struct sbi_keep *keep, struct sbi_keep_piece out[3]);

/* How many bytes sbi_keep_text leaves out. */
uint64_t sbi_keep_left_out(const struct sbi_keep *keep);

/* The head, `between` where something is left out, the tail; for free(). */
int sbi_keep_text(const struct sbi_keep *keep, const char *between, char **out,
                  size_t *length, sbx_error *err);

void sbi_keep_clear(struct sbi_keep *keep);

#endif
