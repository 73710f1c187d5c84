/*
 * direct.h - calls on computers by the HTTP API of their engine: no program is started
 * for them over there.
 *
 * They go this way where all is as it is meant to be. Whatever is not (the engine has no
 * socket, an image is missing, a name is taken, an owner is another) is left to the
 * script, which knows what to do then, and has the words for it: so nothing has changed
 * where they say no. What they answer with is what the script would print.
 */
#ifndef SANDBOX_COMPUTER_DIRECT_H
#define SANDBOX_COMPUTER_DIRECT_H

#include "base/json.h"
#include "base/str.h"
#include "computer/order.h"

#include <sandbox/engine.h>

#define SBI_DIRECT_WHY 200

struct sbi_direct {
    sbx_session *session;
    const sbx_computer_opts *opts;
    struct sbi_str text;      /* what the script would print */
    char why[SBI_DIRECT_WHY]; /* what the engine said last to a request it refused */

    sbx_engine *engine;
    sbx_engine_answer *answer; /* the last one */
    int64_t now;               /* by the clock over there */
};

/* True: it is made, and runs. Others of the place follow, where it is time to look. */
bool sbi_direct_create(struct sbi_direct *direct, const struct sbi_order *order,
                       char *const *words);

/* verb: of the script. True: it is done. */
bool sbi_direct_change(struct sbi_direct *direct, const char *name, const char *verb);

/* What both of these use. */

/* Opens the engine; false: it has none here. */
bool sbi_direct_open(struct sbi_direct *direct);

/* The status of the answer; 0: none came. body, which may be NULL, stays the caller's. */
int sbi_direct_ask(struct sbi_direct *direct, const char *method, const char *path,
                   const cJSON *body, uint64_t flags);

/* "/containers/WHICH/json": the answer; NULL where it is not 200. */
cJSON *sbi_direct_inspect(struct sbi_direct *direct, const char *which);

/* The id in an answer, of hexadecimal digits alone; false where there is none. */
#define SBI_DIRECT_ID 80
bool sbi_direct_id(const cJSON *json, char out[SBI_DIRECT_ID]);

/* Adds a line of the script's `tell` and its clock. */
void sbi_direct_tell(struct sbi_direct *direct, const cJSON *inspected,
                     const char *status);

bool sbi_direct_is_local(const struct sbi_direct *direct);

void sbi_direct_clear(struct sbi_direct *direct);

#endif
