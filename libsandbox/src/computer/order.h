/*
 * order.h - a computer that is to be made: what its maker asks for, as words of the
 * engine's command line, and those words as what the engine's HTTP API takes.
 *
 * The words are the one description of it. What both ways add is the time and the name of
 * the container.
 */
#ifndef SANDBOX_COMPUTER_ORDER_H
#define SANDBOX_COMPUTER_ORDER_H

#include "base/json.h"
#include "base/strv.h"

#include <sandbox/computer.h>

struct sbi_order {
    const char *name;
    const char *instance;
    const char *life; /* "permanent" or "temporary" */
    const char *holder;
    const char *ttl;   /* seconds, "0": none; "@" and a moment, for a reset */
    const char *fresh; /* "1": one of that name is in the way, and not the answer */
    const sbx_computer_opts *opts;
};

/* Labels, limits and all else that stands before the image. */
int sbi_order_words(const struct sbi_order *order, char ***out, sbx_error *err);

/*
 * The same words, as the body of a request that creates; what is not told by them is
 * added by the caller. SBX_ERR_UNSUPPORTED: the API has another word for one of them.
 */
int sbi_order_body(char *const *words, cJSON **out, sbx_error *err);

#endif
