#include "watched.h"

#include "app.h"
#include "watchdog.h"

void watched_close_ledger(sbx_ledger **ledger)
{
    sbx_ledger_close(*ledger);
}

int watched_begin(struct call *call, const sbx_job *job, const sbx_watch_opts *opts,
                  int64_t *number, bool *works, sbx_error *err)
{
    const struct serve_opts *serve = call->server->opts;
    const struct app app = {.program = serve->self[0]};
    sbx_watch_status status = {.size = sizeof(status)};
    sbx_watch_opts all = *opts;
    AUTO_LEDGER ledger = NULL;
    int rc = sbx_ledger_open(NULL, &ledger, err);

    all.ssh_config = serve->ssh_config;
    all.list_file = serve->list_file;
    if (rc == SBX_OK)
        rc = sbx_watch_add(ledger, job->place, job->id, &all, number, err);
    if (rc < 0)
        return rc;
    watchdog_ensure(&app, ledger);
    *works =
        sbx_watch_status_read(ledger, &status, NULL) == SBX_OK && status.running != 0;
    return SBX_OK;
}
