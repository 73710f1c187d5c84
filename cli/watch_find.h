/* watch_find.h - from what the user calls a watch to the watch, and how it is shown. */
#ifndef CLI_WATCH_FIND_H
#define CLI_WATCH_FIND_H

#include "app.h"

#include <sandbox/watch.h>

/* By its number, or by its job's id: then there may be several. SBX_ERR_NOT_FOUND. */
int watch_find(sbx_ledger *ledger, const char *word, sbx_watch_list **out,
               sbx_error *err);

/* Answers a command: its status, or an error. */
typedef int (*watch_fn)(struct app *app, sbx_ledger *ledger, const void *values,
                        const struct words *operands, sbx_error *err);

/* Has fn answer, with the ledger open. That there is no such watch is 1. */
int watch_on_ledger(struct app *app, const void *values, const struct words *operands,
                    watch_fn fn);

/* One watch as JSON. */
int watch_print_one(sbx_ledger *ledger, int64_t number, sbx_error *err);

#endif
