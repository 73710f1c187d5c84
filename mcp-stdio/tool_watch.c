/*
 * tool_watch.c - looking after jobs from here: the watchdog tools of the older server,
 * offered where REMOTE_SANDBOX_EXPOSE_ADVANCED_TOOLS=1 asks for them.
 */
#include "app.h"
#include "fault.h"
#include "jobs.h"
#include "shown.h"
#include "tool.h"
#include "watchdog.h"
#include "watched.h"

#include <stdlib.h>
#include <string.h>

enum { DEFAULT_EVENTS = 50, DEFAULT_LINES = 50 };

static void free_watches(sbx_watch_list **list)
{
    sbx_watch_list_free(*list);
}
#define AUTO_WATCHES CLEANUP(free_watches) sbx_watch_list *

/* The program's own words for it, as a tree. */
static tree *told(char *json)
{
    tree *value = json == NULL ? NULL : tree_parse((struct raw){json, strlen(json)});

    sbx_free(json);
    return value == NULL ? tree_object() : value;
}

static int begin(struct call *call, const tree *args, const sbx_job *job, tree *out,
                 sbx_error *err)
{
    const sbx_watch_opts opts = {.size = sizeof(opts),
                                 .flags =
                                     args_bool(args, "notify") ? SBX_WATCH_NOTIFY : 0,
                                 .webhook = args_text(args, "webhook"),
                                 .wake = args_text(args, "wake"),
                                 .progress = args_int(args, "progress", 0)};
    int64_t number = 0;
    bool works = false;
    int rc = watched_begin(call, job, &opts, &number, &works, err);

    if (rc < 0)
        return rc;
    tree_add_int(out, "watch_id", number);
    tree_add_text(out, "sandbox", job->place);
    jobs_add(out, job);
    tree_add_bool(out, "watchdog_running", works);
    return SBX_OK;
}

static int run_watch(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    AUTO_SESSION session = NULL;
    const sbx_host *host = NULL;
    sbx_job *job = NULL;
    int rc = fleet_open(call, args, true, &host, &session, err);

    if (rc == SBX_OK)
        rc = sbx_job_show(session, args_text(args, "job_id"), NULL, &job, err);
    if (rc == SBX_OK)
        rc = begin(call, args, job, out, err);
    sbx_job_free(job);
    return rc;
}

static int run_start(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    AUTO_SESSION session = NULL;
    const sbx_host *host = NULL;
    sbx_job *job = NULL;
    const sbx_job_start_opts opts = {.size = sizeof(opts),
                                     .id = args_text(args, "job_id"),
                                     .name = args_text(args, "name"),
                                     .cwd = args_text(args, "cwd"),
                                     .cancel = call->cancel};
    int rc = fleet_open(call, args, true, &host, &session, err);

    if (rc == SBX_OK)
        rc = sbx_job_start(session, args_text(args, "command"), &opts, &job, err);
    if (rc == SBX_OK)
        rc = begin(call, args, job, out, err);
    sbx_job_free(job);
    return rc;
}

static int find(const tree *args, sbx_ledger **ledger, sbx_watch_list **list,
                sbx_error *err)
{
    const sbx_watch_query query = {.size = sizeof(query),
                                   .flags = SBX_WATCH_ALL,
                                   .number = args_int(args, "watch_id", 0)};
    int rc = sbx_ledger_open(NULL, ledger, err);

    if (rc == SBX_OK)
        rc = sbx_watch_list_all(*ledger, &query, list, err);
    if (rc < 0 || (*list)->count > 0)
        return rc;
    return fault_fix(
        err,
        fault(err, SBX_ERR_NOT_FOUND, "there is no watch %lld", (long long)query.number),
        "list_background_watches names them");
}

static int run_list(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    const sbx_watch_query query = {.size = sizeof(query),
                                   .flags = args_bool(args, "all") ? SBX_WATCH_ALL : 0};
    AUTO_LEDGER ledger = NULL;
    AUTO_WATCHES list = NULL;
    tree *watches;
    size_t i;
    int rc = sbx_ledger_open(NULL, &ledger, err);

    (void)call;
    if (rc == SBX_OK)
        rc = sbx_watch_list_all(ledger, &query, &list, err);
    if (rc < 0)
        return rc;
    watches = tree_add_array(out, "watches");
    for (i = 0; i < list->count; i++)
        cJSON_AddItemToArray(watches, told(sbx_watch_json(list->items[i])));
    return SBX_OK;
}

static int run_get(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    AUTO_LEDGER ledger = NULL;
    AUTO_WATCHES list = NULL;
    int rc = find(args, &ledger, &list, err);

    (void)call;
    if (rc == SBX_OK)
        tree_put(out, "watch", told(sbx_watch_json(list->items[0])));
    return rc;
}

static int run_cancel(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    AUTO_LEDGER ledger = NULL;
    const int64_t number = args_int(args, "watch_id", 0);
    int rc = sbx_ledger_open(NULL, &ledger, err);

    (void)call;
    if (rc == SBX_OK)
        rc = sbx_watch_remove(ledger, number, err);
    if (rc == SBX_OK)
        tree_add_bool(out, "removed", true);
    return rc;
}

/* The job of a watch, asked now. */
static int open_job(struct call *call, const tree *args, sbx_session **session,
                    sbx_job **job, sbx_error *err)
{
    const sbx_job_opts opts = {.size = sizeof(opts), .cancel = call->cancel};
    AUTO_LEDGER ledger = NULL;
    AUTO_WATCHES list = NULL;
    const sbx_host *host = NULL;
    int rc = find(args, &ledger, &list, err);

    if (rc == SBX_OK)
        rc = fleet_named(call->server->fleet, list->items[0]->place, &host, err);
    if (rc == SBX_OK)
        rc = fleet_session(call, host, session, err);
    return rc == SBX_OK ? sbx_job_show(*session, list->items[0]->job, &opts, job, err)
                        : rc;
}

static int run_log(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    AUTO_SESSION session = NULL;
    sbx_job *job = NULL;
    int rc = open_job(call, args, &session, &job, err);

    if (rc < 0)
        return rc;
    tree_add_text(out, "sandbox", job->place);
    jobs_add(out, job);
    rc = jobs_add_log(call, session, job->id, args_int(args, "cursor", -1),
                      args_int(args, "lines", DEFAULT_LINES), SHOWN_DEFAULT, out, err);
    sbx_job_free(job);
    return rc;
}

static int run_checkpoint(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    AUTO_SESSION session = NULL;
    sbx_job *job = NULL;
    int rc = open_job(call, args, &session, &job, err);

    if (rc < 0)
        return rc;
    tree_add_text(out, "sandbox", job->place);
    jobs_add(out, job);
    tree_add_text(out, "checkpoint_path", job->checkpoint_path);
    tree_add_text(out, "checkpoint", job->checkpoint);
    sbx_job_free(job);
    return SBX_OK;
}

static int run_events(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    const sbx_watch_event_query query = {.size = sizeof(query),
                                         .most = args_int(args, "limit", DEFAULT_EVENTS),
                                         .after = args_int(args, "after", 0),
                                         .watch = args_int(args, "watch_id", 0),
                                         .kind = args_text(args, "kind")};
    AUTO_LEDGER ledger = NULL;
    sbx_watch_event_list *list = NULL;
    tree *events;
    size_t i;
    int rc = sbx_ledger_open(NULL, &ledger, err);

    (void)call;
    if (rc == SBX_OK)
        rc = sbx_watch_events(ledger, &query, &list, err);
    if (rc < 0)
        return rc;
    events = tree_add_array(out, "events");
    for (i = 0; i < list->count; i++)
        cJSON_AddItemToArray(events, told(sbx_watch_event_json(list->items[i])));
    sbx_watch_event_list_free(list);
    return SBX_OK;
}

static int run_status(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    sbx_watch_status status = {.size = sizeof(status)};
    AUTO_LEDGER ledger = NULL;
    int rc = sbx_ledger_open(NULL, &ledger, err);

    (void)call;
    (void)args;
    if (rc == SBX_OK)
        rc = sbx_watch_status_read(ledger, &status, err);
    if (rc < 0)
        return rc;
    tree_add_bool(out, "running", status.running != 0);
    tree_add_int(out, "pid", status.pid);
    tree_add_int(out, "watches", status.watches);
    tree_add_int(out, "waiting", status.waiting);
    tree_add_int(out, "undelivered", status.undelivered);
    return SBX_OK;
}

/* As a person would: the program writes, starts and explains it. */
static int call_program(struct call *call, const char *verb, tree *out, sbx_error *err)
{
    struct app app = {.program = call->server->opts->self[0], .cancel = call->cancel};
    AUTO_TEXT program = {0};
    AUTO_TEXT said = {0};
    int status;

    watchdog_own_program(&app, &program);
    {
        const char *const argv[] = {program.data, "watch", verb, NULL};

        status = watchdog_call(&app, argv, &said, err);
    }
    if (status < 0)
        return err->code;
    tree_add_bool(out, "done", status == 0);
    tree_add_text(out, "message", said.length == 0 ? NULL : said.data);
    return SBX_OK;
}

static int run_install(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    (void)args;
    return call_program(call, "install", out, err);
}

static int run_uninstall(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    (void)args;
    return call_program(call, "uninstall", out, err);
}

/* A command of the caller's own choice would run on this machine: so two words only. */
/* clang-format off */
#define TELLING                                                                          \
    {"notify", TOOL_BOOL, 0, 0, NULL, "Tell of events on the desktop here"},             \
    {"webhook", TOOL_TEXT, 0, 0, NULL, "POST events there"},                             \
    {"wake", TOOL_TEXT, 0, 0, "codex claude", "The agent to run here at its end"},       \
    {"progress", TOOL_INT, 0, 100, NULL, "An event each so many percent"}
#define WATCH_ID {"watch_id", TOOL_INT, 0, 0, NULL, "As list_background_watches tells it"}
/* clang-format on */

static const struct tool_param no_params[] = {TOOL_END};
static const struct tool_param watch_params[] = {
    {"job_id", TOOL_TEXT, 0, 0, NULL, "As start_job told it"},
    TOOL_SANDBOX,
    TELLING,
    TOOL_END};
static const struct tool_param start_params[] = {
    {"command", TOOL_TEXT, 0, 0, NULL, "Shell text"},
    TOOL_SANDBOX,
    {"name", TOOL_TEXT, 0, 0, NULL, "For people"},
    {"cwd", TOOL_TEXT, 0, 0, NULL, "Folder to start in"},
    {"job_id", TOOL_TEXT, 0, 0, NULL, "Of your choice: the same id runs once"},
    TELLING,
    TOOL_END};
static const struct tool_param list_params[] = {
    {"all", TOOL_BOOL, 0, 0, NULL, "Those too whose job has ended"}, TOOL_END};
static const struct tool_param one_params[] = {WATCH_ID, TOOL_END};
static const struct tool_param log_params[] = {
    WATCH_ID,
    {"lines", TOOL_INT, 0, 0, NULL, "Last lines; default 50"},
    {"cursor", TOOL_INT, 0, 0, NULL, "Only what was printed since"},
    TOOL_END};
static const struct tool_param event_params[] = {
    {"watch_id", TOOL_INT, 0, 0, NULL, "Only of this watch"},
    {"kind", TOOL_TEXT, 0, 0, NULL, "completed, failed, interrupted, ..."},
    {"after", TOOL_INT, 0, 0, NULL, "Only those numbered above this"},
    {"limit", TOOL_INT, 1, 1000, NULL, "The newest so many; default 50"},
    TOOL_END};

static const struct tool_param begun_fields[] = {
    {"watch_id", TOOL_INT, 0, 0, NULL, NULL},
    {"sandbox", TOOL_TEXT, 0, 0, NULL, NULL},
    {"job_id", TOOL_TEXT, 0, 0, NULL, NULL},
    {"state", TOOL_TEXT, 0, 0, NULL, NULL},
    {"watchdog_running", TOOL_BOOL, 0, 0, NULL, NULL},
    TOOL_END};
static const struct tool_param watches_fields[] = {
    {"watches", TOOL_OBJECTS, 0, 0, NULL, NULL}, TOOL_END};
static const struct tool_param any_fields[] = {TOOL_END};
static const struct tool_param events_fields[] = {
    {"events", TOOL_OBJECTS, 0, 0, NULL, NULL}, TOOL_END};

enum {
    LOOKS = TOOL_ADVANCED | TOOL_READS | TOOL_REPEATS,
    ASKS = LOOKS | TOOL_OUTSIDE,
    CHANGES = TOOL_ADVANCED | TOOL_REPEATS
};

#define WATCH_TOOL(symbol, ...) TOOL_ROW(symbol, "watch", __VA_ARGS__)

WATCH_TOOL(tool_watch, "watch_background_task", CHANGES | TOOL_OUTSIDE, "job_id",
           watch_params, begun_fields, run_watch,
           "Look after a job: a watchdog here tells what becomes of it.");
WATCH_TOOL(tool_watch_start, "exec_bash_background_watch",
           TOOL_ADVANCED | TOOL_DESTROYS | TOOL_OUTSIDE, "command", start_params,
           begun_fields, run_start, "start_job and watch_background_task in one.");
WATCH_TOOL(tool_watch_list, "list_background_watches", LOOKS, NULL, list_params,
           watches_fields, run_list, "List what is watched.");
WATCH_TOOL(tool_watch_get, "get_background_watch", LOOKS, "watch_id", one_params,
           any_fields, run_get, "Tell a watch, as it was seen last.");
WATCH_TOOL(tool_watch_progress, "get_background_watch_progress", ASKS, "watch_id",
           one_params, any_fields, run_log,
           "Ask now how far a watched job is: state, percent, last lines.");
WATCH_TOOL(tool_watch_log, "read_background_watch_log", ASKS, "watch_id", log_params,
           any_fields, run_log, "Read the log of a watched job.");
WATCH_TOOL(tool_watch_checkpoint, "read_background_watch_checkpoint", ASKS, "watch_id",
           one_params, any_fields, run_checkpoint,
           "Read what a watched job's checkpoint says.");
WATCH_TOOL(tool_watch_cancel, "cancel_background_watch", CHANGES, "watch_id", one_params,
           any_fields, run_cancel, "Look after a job no more; the job goes on.");
WATCH_TOOL(tool_watch_events, "list_background_watch_events", LOOKS, NULL, event_params,
           events_fields, run_events, "List what happened to watched jobs.");
WATCH_TOOL(tool_watch_status, "get_watchdog_status", LOOKS, NULL, no_params, any_fields,
           run_status, "Tell whether a watchdog runs here, and what it has to do.");
WATCH_TOOL(tool_watch_install, "install_macos_watchdog", CHANGES, NULL, no_params,
           any_fields, run_install,
           "Make a watchdog run whenever the user is logged in (launchd, or systemd).");
WATCH_TOOL(tool_watch_uninstall, "uninstall_macos_watchdog", CHANGES, NULL, no_params,
           any_fields, run_uninstall, "Stop that watchdog, and remove its file.");
