/*
 * output_answer.h - a stored stream that is being read, and the answer that grows
 * from it up to its limit.
 */
#ifndef SANDBOX_SESSION_OUTPUT_ANSWER_H
#define SANDBOX_SESSION_OUTPUT_ANSWER_H

#include "base/error.h"
#include "base/str.h"

#include <sandbox/output.h>

struct sbi_answer {
    int fd;           /* of the stored stream; -1: nothing of it is stored */
    size_t max_bytes; /* of text */
    struct sbi_str text;
    sbx_output facts; /* what sbx_output tells beside data and length */
};

/* Fails with SBX_ERR_NOT_FOUND where no run of that id is stored. */
int sbi_answer_open(const char *run_id, const sbx_output_opts *opts,
                    struct sbi_answer *out, sbx_error *err);

/* What goes over max_bytes is left out; true while nothing was. */
bool sbi_answer_add(struct sbi_answer *answer, const void *data, size_t length);

/* Returns true to be given the next piece. */
typedef bool (*sbi_answer_piece_fn)(const char *data, size_t length, void *userdata);

/* Gives fn the stored bytes [from, to) in pieces, in order. */
int sbi_answer_scan(const struct sbi_answer *answer, uint64_t from, uint64_t to,
                    sbi_answer_piece_fn fn, void *userdata, sbx_error *err);

/* Fills in what follows from the text: its length and its lines. */
int sbi_answer_take(struct sbi_answer *answer, sbx_output **out, sbx_error *err);

void sbi_answer_clear(struct sbi_answer *answer);

#endif
