#include "sync_run.h"

#include "ledger_note.h"
#include "places.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int check_token(const char *value, sbx_error *err)
{
    if (strlen(value) == 64 && strspn(value, "0123456789abcdef") == 64)
        return SBX_OK;
    return fault(err, SBX_ERR_INVALID, "not the token of a plan, which --dry-run prints");
}

const struct opt sync_options[] = {
    {0, "delete", NULL, OPT_FLAG, offsetof(struct sync_values, remove),
     "Remove from the target what is not in the source", NULL, 0, 0, NULL},
    {0, "force", NULL, OPT_FLAG, offsetof(struct sync_values, force),
     "With --delete: even if the source is empty, or over half of the target goes; what "
     "goes is printed first",
     NULL, 0, 0, NULL},
    {'n', "dry-run", NULL, OPT_FLAG, offsetof(struct sync_values, dry_run),
     "Print what would be done, and the token of that plan", NULL, 0, 0, NULL},
    {0, "plan", "TOKEN", OPT_TEXT, offsetof(struct sync_values, plan),
     "Do exactly what --dry-run has printed, or nothing", check_token, 0, 0, NULL},
    {'c', "checksum", NULL, OPT_FLAG, offsetof(struct sync_values, checksum),
     "Compare contents where sizes are the same, whatever the times", NULL, 0, 0, NULL},
    {0, "exclude", "RULE", OPT_LIST, offsetof(struct sync_values, exclude),
     "Leave out what a rule of gitignore(5) matches; may be repeated", opt_check_filled,
     0, 0, NULL},
    {0, "exclude-from", "FILE", OPT_LIST, offsetof(struct sync_values, exclude_from),
     "Read such rules from a file; may be repeated", opt_check_filled, 0, 0, "file"},
    {0, "include", "RULE", OPT_LIST, offsetof(struct sync_values, include),
     "Take what a rule matches in spite of all other rules; may be repeated",
     opt_check_filled, 0, 0, NULL},
    {0, "git", NULL, OPT_FLAG, offsetof(struct sync_values, git),
     "Take what git would track: without .git, and by .gitignore", NULL, 0, 0, NULL},
    {'L', "follow", NULL, OPT_FLAG, offsetof(struct sync_values, follow),
     "Take what links point to, instead of the links", NULL, 0, 0, NULL},
    {'r', "recursive", "without it", OPT_REFUSED, 0, "a tree is always taken whole", NULL,
     0, 0, NULL},
    OPT_END,
};

struct sync_what {
    int direction;
    const char *local;
    const char *remote;
    const sbx_sync_opts *opts;
};

static uint64_t flags_of(const struct sync_values *values)
{
    const struct {
        int64_t given;
        uint64_t flag;
    } flags[] = {
        {values->remove, SBX_SYNC_DELETE},     {values->force, SBX_SYNC_FORCE},
        {values->checksum, SBX_SYNC_CHECKSUM}, {values->git, SBX_SYNC_GIT},
        {values->follow, SBX_SYNC_FOLLOW},
    };
    uint64_t all = 0;
    size_t i;

    for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
        if (flags[i].given)
            all |= flags[i].flag;
    return all;
}

static void note(const sbx_sync_report *report)
{
    AUTO_TEXT detail = {0};

    text_add(&detail, "{\"local\":");
    text_add_json(&detail, report->local);
    text_addf(&detail,
              ",\"files\":%llu,\"bytes\":%llu,\"deleted\":%llu,\"failed\":%llu,"
              "\"hash\":",
              (unsigned long long)report->sent_files,
              (unsigned long long)report->sent_bytes, (unsigned long long)report->deleted,
              (unsigned long long)report->failed);
    text_add_json(&detail, report->local_hash == NULL ? "" : report->local_hash);
    text_add(&detail, "}");
    ledger_note(report->direction == SBX_SYNC_PUSH ? "sync.push" : "sync.pull",
                report->place, report->remote, detail.data);
}

/* Of what was done; its status. */
static int tell_report(struct app *app, sbx_sync_report *report)
{
    int status = report->failed > 0 ? 1 : 0;

    if (app->json)
        out_json(sbx_sync_report_json(report));
    else
        sync_say_report(app, report);
    note(report);
    sbx_sync_report_free(report);
    return status;
}

static int tell_or_apply(struct app *app, const struct sync_values *values,
                         sbx_sync_plan *plan, sbx_error *err)
{
    sbx_sync_report *report = NULL;
    int rc;

    if (values->dry_run) {
        if (app->json)
            out_json(sbx_sync_plan_json(plan));
        else
            sync_say_plan(app, plan, false);
        return 0;
    }
    sync_say_plan(app, plan, true);
    rc = sbx_sync_apply(plan, &report, err);
    sync_end_progress();
    return rc < 0 ? rc : tell_report(app, report);
}

/* Where nobody reads a plan before it is carried out, looking and doing is one step. */
static int run(struct app *app, const struct sync_values *values, sbx_session *session,
               const struct sync_what *what, sbx_error *err)
{
    sbx_sync_report *report = NULL;
    sbx_sync_plan *plan = NULL;
    int rc;

    if (values->dry_run || (values->force && !app->json)) {
        rc = sbx_sync_plan_new(session, what->direction, what->local, what->remote,
                               what->opts, &plan, err);
        sync_end_progress();
        if (rc == SBX_OK)
            rc = tell_or_apply(app, values, plan, err);
        sbx_sync_plan_free(plan);
        return rc;
    }
    rc =
        what->direction == SBX_SYNC_PUSH
            ? sbx_sync_push(session, what->local, what->remote, what->opts, &report, err)
            : sbx_sync_pull(session, what->remote, what->local, what->opts, &report, err);
    sync_end_progress();
    return rc < 0 ? rc : tell_report(app, report);
}

int sync_run(struct app *app, const struct sync_values *values, int direction,
             const char *place, const char *local, const char *remote)
{
    bool shows = !app->json && isatty(STDERR_FILENO);
    sbx_sync_opts opts = {.size = sizeof(opts),
                          .flags = flags_of(values),
                          .exclude = values->exclude.items,
                          .exclude_from = values->exclude_from.items,
                          .include = values->include.items,
                          .plan = values->plan,
                          .on_progress = shows ? sync_say_progress : NULL};
    sbx_session *session = NULL;
    const struct sync_what what = {direction, local, remote, &opts};
    sbx_error err = {0};
    int rc;

    if (values->force && !values->remove)
        return app_misused(app, "option '--force' is for '--delete'");
    rc = app_open_pool(app, &err);
    opts.cancel = app->cancel;
    if (rc == SBX_OK)
        rc = sbx_pool_acquire(app->pool, place, app->cancel, &session, &err);
    if (rc == SBX_OK)
        rc = run(app, values, session, &what, &err);
    sbx_session_free(session);
    return rc < 0 ? app_failed(app, &err) : rc;
}
