/*
 * deliver.h - tells one who is to be told of one event.
 *
 * A delivery that is cut off by a kill is made again, with the same event id; so each is
 * made at least once. An agent is woken once: it is a job, and its id is the event's.
 */
#ifndef SANDBOX_WATCH_DELIVER_H
#define SANDBOX_WATCH_DELIVER_H

#include "ledger/watches.h"
#include "watch/tell.h"

#define SBI_WAYS 5

/* The ways by which a watch is told of a kind of event, NULL-ended. */
void sbi_deliver_ways(const sbx_watch_opts *opts, int kind,
                      const char *ways[SBI_WAYS + 1]);

/* Tells, and notes what came of it. */
int sbi_deliver(const struct sbi_teller *teller, const struct sbi_delivery *delivery,
                sbx_error *err);

#endif
