/* transfer_run.c - the process that a transfer is: syncs, and tells a file how far it is.
 */
#include "fault.h"
#include "guard.h"
#include "syncing.h"
#include "transfer.h"

#include <sandbox/session.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct run {
    const char *id;
    tree *status;
    int64_t told_ms;
};

static sbx_cancel *stop;

static void on_signal(int number)
{
    (void)number;
    sbx_cancel_fire(stop);
}

static void set(tree *status, const char *name, tree *value)
{
    cJSON_DeleteItemFromObjectCaseSensitive(status, name);
    tree_put(status, name, value);
}

static int tell(const sbx_sync_progress *progress, void *userdata)
{
    struct run *run = userdata;

    if (progress->elapsed_ms - run->told_ms < 500)
        return 0;
    run->told_ms = progress->elapsed_ms;
    set(run->status, "files_done", cJSON_CreateNumber((double)progress->files_done));
    set(run->status, "files_total", cJSON_CreateNumber((double)progress->files_total));
    set(run->status, "bytes_done", cJSON_CreateNumber((double)progress->bytes_done));
    set(run->status, "bytes_total", cJSON_CreateNumber((double)progress->bytes_total));
    (void)transfer_write(run->id, run->status, NULL);
    return 0;
}

static int open_session(const struct serve_opts *opts, const char *place,
                        sbx_session **out, sbx_error *err)
{
    const sbx_hosts_opts hosts_opts = {.size = sizeof(hosts_opts),
                                       .list_file = opts->list_file,
                                       .ssh_config = opts->ssh_config};
    const sbx_session_opts session_opts = {.size = sizeof(session_opts), .cancel = stop};
    sbx_hosts *hosts = NULL;
    int rc = sbx_hosts_load(&hosts_opts, &hosts, err);

    if (rc == SBX_OK)
        rc = sbx_session_open(hosts, place, &session_opts, out, err);
    sbx_hosts_free(hosts);
    return rc;
}

static int sync_it(struct run *run, sbx_session *session, sbx_error *err)
{
    struct syncing syncing;
    sbx_sync_report *report = NULL;
    int rc;

    syncing_read(&syncing, run->status);
    syncing.opts.on_progress = tell;
    syncing.opts.userdata = run;
    syncing.opts.cancel = stop;
    rc = syncing_do(&syncing, session, &report, err);
    if (rc == SBX_OK)
        syncing_add_report(tree_add_object(run->status, "report"), report);
    sbx_sync_report_free(report);
    syncing_clear(&syncing);
    return rc;
}

static const char *state_of(int rc)
{
    return rc == SBX_OK ? "done" : rc == SBX_ERR_CANCELLED ? "cancelled" : "failed";
}

static int work(const struct serve_opts *opts, struct run *run)
{
    sbx_session *session = NULL;
    sbx_error err = {0};
    int rc;

    set(run->status, "state", cJSON_CreateString("running"));
    set(run->status, "pid", cJSON_CreateNumber((double)getpid()));
    set(run->status, "started",
        cJSON_CreateNumber((double)transfer_start_time(getpid())));
    rc = transfer_write(run->id, run->status, &err);
    if (rc == SBX_OK)
        rc = open_session(opts, tree_text(run->status, "sandbox"), &session, &err);
    if (rc == SBX_OK)
        rc = sync_it(run, session, &err);
    sbx_session_free(session);
    set(run->status, "state", cJSON_CreateString(state_of(rc)));
    if (rc < 0)
        tree_add_text(run->status, "error", err.text);
    (void)transfer_write(run->id, run->status, NULL);
    return rc < 0 ? 1 : 0;
}

int transfer_run(const struct serve_opts *opts, const char *id)
{
    struct run run = {.id = id};
    pid_t child = fork();

    if (child != 0)
        _exit(child < 0 ? 1 : 0);
    if (transfer_read(id, &run.status, NULL) < 0 || sbx_cancel_new(&stop, NULL) < 0)
        return 1;
    (void)signal(SIGTERM, on_signal);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGHUP, SIG_IGN);
    return work(opts, &run);
}
