/* pick_result.h - the rows of a choice, which own what they show. */
#ifndef SANDBOX_PROBE_PICK_RESULT_H
#define SANDBOX_PROBE_PICK_RESULT_H

#include "base/cleanup.h"
#include "base/error.h"

#include <sandbox/pick.h>

struct sbi_pick_row {
    sbx_pick_row public;
    size_t order; /* among the candidates */
    char *place;
    char **reasons;
    char **gpus;
};

struct sbi_pick_result {
    sbx_pick_result public; /* first: the public pointer is ours too */
    struct sbi_pick_row *rows;
    const sbx_pick_row **list;
    size_t count;
};

int sbi_pick_result_new(size_t count, struct sbi_pick_result **out, sbx_error *err);

/* The row of a candidate, with its place. */
int sbi_pick_result_row(struct sbi_pick_result *result, size_t index, const char *place,
                        struct sbi_pick_row **out, sbx_error *err);

/* Puts the best first, and shows what the rows own. */
void sbi_pick_result_finish(struct sbi_pick_result *result);

void sbi_pick_result_clear(struct sbi_pick_result **result);

#endif
