/* watched.h - jobs that a watchdog of this machine looks after. */
#ifndef MCP_WATCHED_H
#define MCP_WATCHED_H

#include "server.h"

#include <sandbox/job.h>
#include <sandbox/watch.h>

/*
 * Has a watchdog look after a job, and start one where none runs. opts tell whom to tell;
 * where hosts are found is added. *number: of the watch; *works: there is a watchdog.
 */
int watched_begin(struct call *call, const sbx_job *job, const sbx_watch_opts *opts,
                  int64_t *number, bool *works, sbx_error *err);

void watched_close_ledger(sbx_ledger **ledger);
#define AUTO_LEDGER CLEANUP(watched_close_ledger) sbx_ledger *

#endif
