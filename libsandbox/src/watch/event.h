/* event.h - a row of the ledger as an event that is told. */
#ifndef SANDBOX_WATCH_EVENT_H
#define SANDBOX_WATCH_EVENT_H

#include "ledger/watches.h"

#include <sandbox/watch.h>

/* Its texts stay the row's. */
void sbi_event_show(const struct sbi_event *row, sbx_watch_event *out);

/* What an agent may be asked to do about it; for free(). */
int sbi_event_prompt(const sbx_watch_event *event, char **out, sbx_error *err);

#endif
