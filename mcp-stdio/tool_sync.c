/* tool_sync.c - makes a folder there like one here, or the other way. */
#include "ask.h"
#include "fault.h"
#include "fleet.h"
#include "guard.h"
#include "syncing.h"
#include "tool.h"
#include "transfer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SMALL_FILES = 200, SMALL_BYTES = 1 << 20, WAIT_MS = 30000, LOOK_MS = 50 };

/* What a call works on, from its arguments to its plan. */
struct work {
    struct call *call;
    const tree *args;
    const sbx_host *host;
    sbx_session *session;
    struct text local;
    struct text exclude_file;
    tree *spec;
    struct syncing syncing;
    sbx_sync_plan *plan;
};

static int64_t number_in(const char *name, int64_t otherwise)
{
    const char *value = getenv(name);
    char *end = NULL;
    long long number = value == NULL ? 0 : strtoll(value, &end, 10);

    return value == NULL || end == value || *end != '\0' || number < 0 ? otherwise
                                                                       : number;
}

static void replace(tree *spec, const char *name, const char *text)
{
    cJSON_DeleteItemFromObjectCaseSensitive(spec, name);
    tree_add_text(spec, name, text);
}

/* The paths here are those that guard.h allows, as they really are. */
static int read_paths(struct work *work, sbx_error *err)
{
    const struct guard *guard = work->call->server->guard;
    const char *exclude_file = args_text(work->args, "exclude_file");
    int rc = guard_local(guard, args_text(work->args, "local"), &work->local, err);

    if (rc == SBX_OK && exclude_file != NULL)
        rc = guard_local(guard, exclude_file, &work->exclude_file, err);
    if (rc < 0)
        return rc;
    work->spec = cJSON_Duplicate(work->args, true);
    replace(work->spec, "local", work->local.data);
    if (exclude_file != NULL)
        replace(work->spec, "exclude_file", work->exclude_file.data);
    replace(work->spec, "sandbox", work->host->name);
    syncing_read(&work->syncing, work->spec);
    return SBX_OK;
}

static int tell(const sbx_sync_progress *progress, void *userdata)
{
    call_doing(userdata, "%llu of %llu files, %llu of %llu bytes",
               (unsigned long long)progress->files_done,
               (unsigned long long)progress->files_total,
               (unsigned long long)progress->bytes_done,
               (unsigned long long)progress->bytes_total);
    return 0;
}

static int make_plan(struct work *work, sbx_error *err)
{
    struct call *call = work->call;
    const char *direction = args_text(work->args, "direction");
    int rc = fleet_place(call, work->args, &work->host, err);

    if (rc == SBX_OK && strcmp(direction, "push") == 0)
        rc = fleet_check_writable(work->host, err);
    if (rc == SBX_OK)
        rc = read_paths(work, err);
    if (rc == SBX_OK)
        rc = fleet_session(call, work->host, &work->session, err);
    if (rc < 0)
        return rc;
    work->syncing.opts.on_progress = tell;
    work->syncing.opts.userdata = call;
    work->syncing.opts.cancel = call->cancel;
    rc = syncing_plan(&work->syncing, work->session, &work->plan, err);
    if (rc == SBX_ERR_CONFLICT && work->syncing.opts.plan != NULL)
        return fault_fix(err, rc, "leave 'plan' out to get the plan as it is now");
    if (rc == SBX_ERR_INVALID && strstr(err->fix, "--") != NULL)
        return fault_fix(err, rc,
                         "sync without delete, or let the user decide: this rail "
                         "is lifted by 'sbx sync --force' alone");
    return rc;
}

static int show_plan(struct work *work, tree *out, const char *advice)
{
    syncing_add_plan(out, work->plan);
    tree_add_text(out, "state", "planned");
    tree_add_text(out, "plan", sbx_sync_plan_summary(work->plan)->token);
    tree_add_text(out, "advice", advice);
    return SBX_OK;
}

/* Whether the deletes of a plan are agreed to; if not, what the call answers instead. */
static bool is_agreed(struct work *work, tree *out)
{
    const sbx_sync_summary *summary = sbx_sync_plan_summary(work->plan);
    AUTO_TEXT question = {0};
    enum ask_answer answer;

    if (summary->delete_count == 0 || work->syncing.opts.plan != NULL)
        return true;
    text_addf(&question, "This sync deletes %llu files and folders in '%s'. Do it?",
              (unsigned long long)summary->delete_count,
              summary->direction == SBX_SYNC_PUSH ? summary->remote : summary->local);
    answer = ask_person(work->call, question.data);
    if (answer == ASK_YES || answer == ASK_LATER)
        return answer == ASK_YES;
    (void)show_plan(work, out,
                    answer == ASK_NO
                        ? "the user said no: nothing was changed"
                        : "nothing was changed: read what is deleted, then call again "
                          "with this plan to carry it out");
    return false;
}

static int apply_here(struct work *work, tree *out, sbx_error *err)
{
    sbx_sync_report *report = NULL;
    int rc = sbx_sync_apply(work->plan, &report, err);

    if (rc == SBX_ERR_CONFLICT)
        return fault_fix(err, rc,
                         "call again, without 'plan', for the plan as it is now");
    if (rc < 0)
        return rc;
    syncing_add_report(out, report);
    tree_add_text(out, "state", "done");
    work->call->failed = report->failed > 0;
    if (report->failed > 0)
        tree_add_text(out, "advice",
                      "some files were not synced: items say which, and why");
    sbx_sync_report_free(report);
    return SBX_OK;
}

static void wait_a_moment(void)
{
    const struct timespec moment = {.tv_nsec = LOOK_MS * 1000000L};

    (void)nanosleep(&moment, NULL);
}

/* Waits for a transfer as long as a call may take; status is what it was last. */
static int await(struct call *call, const char *id, int64_t wait_ms, tree **status,
                 sbx_error *err)
{
    int64_t end = now_ms() + wait_ms;
    int rc;

    do {
        tree_clear(status);
        rc = transfer_read(id, status, err);
        if (rc < 0 || transfer_is_over(*status) || now_ms() >= end)
            return rc;
        wait_a_moment();
    } while (!sbx_cancel_fired(call->cancel));
    return fault(err, SBX_ERR_CANCELLED, "transfer '%s': cancelled", id);
}

static void add_status(struct call *call, tree *out, const tree *status)
{
    static const char *const numbers[] = {"files_done", "files_total", "bytes_done",
                                          "bytes_total"};
    const char *state = tree_text(status, "state");
    const tree *item;
    size_t i;

    cJSON_ArrayForEach(item, tree_at(status, "report"))
    {
        tree_put(out, item->string, cJSON_Duplicate(item, true));
    }
    tree_add_text(out, "transfer_id", tree_text(status, "transfer_id"));
    tree_add_text(out, "sandbox", tree_text(status, "sandbox"));
    tree_add_text(out, "state", state);
    for (i = 0; !transfer_is_over(status) && i < 4; i++)
        if (cJSON_IsNumber(tree_at(status, numbers[i])))
            tree_add_number(out, numbers[i], tree_at(status, numbers[i])->valuedouble);
    tree_add_text(out, "why", tree_text(status, "error"));
    if (!transfer_is_over(status))
        tree_add_text(out, "advice",
                      "it goes on without you: check_transfer with this "
                      "transfer_id and wait_s tells when it is done");
    call->failed = transfer_is_over(status) && strcmp(state, "done") != 0;
}

static bool is_large(const sbx_sync_summary *summary)
{
    int64_t files = number_in("REMOTE_SANDBOX_INLINE_SYNC_MAX_FILES", 2000);
    int64_t bytes = number_in("REMOTE_SANDBOX_INLINE_SYNC_MAX_BYTES", 256 << 20);

    return (int64_t)summary->send_files > files || (int64_t)summary->send_bytes > bytes;
}

/* The process makes a plan of its own: with deletes it must be the one agreed to. */
static int apply_apart(struct work *work, tree *out, sbx_error *err)
{
    const sbx_sync_summary *summary = sbx_sync_plan_summary(work->plan);
    AUTO_TREE status = NULL;
    char id[TRANSFER_ID] = "";
    int rc;

    if (summary->delete_count > 0)
        replace(work->spec, "plan", summary->token);
    rc = transfer_start(work->call->server->opts, work->spec, id, err);
    if (rc == SBX_OK)
        rc = await(work->call, id, is_large(summary) ? 0 : WAIT_MS, &status, err);
    if (rc == SBX_ERR_CANCELLED)
        (void)transfer_cancel(id, NULL);
    if (rc == SBX_OK)
        add_status(work->call, out, status);
    return rc;
}

static int carry_out(struct work *work, tree *out, sbx_error *err)
{
    const sbx_sync_summary *summary = sbx_sync_plan_summary(work->plan);

    if (args_bool(work->args, "dry_run"))
        return show_plan(work, out, "nothing was changed: leave dry_run out to do it");
    if (!is_agreed(work, out))
        return SBX_OK;
    if (!is_large(summary) && summary->send_files <= SMALL_FILES &&
        summary->send_bytes <= SMALL_BYTES)
        return apply_here(work, out, err);
    return apply_apart(work, out, err);
}

static int run_sync(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    struct work work = {.call = call, .args = args};
    int rc = make_plan(&work, err);

    if (rc == SBX_OK)
        rc = carry_out(&work, out, err);
    if (rc == SBX_OK && tree_at(out, "sandbox") == NULL)
        tree_add_text(out, "sandbox", work.host->name);
    sbx_sync_plan_free(work.plan);
    syncing_clear(&work.syncing);
    tree_clear(&work.spec);
    sbx_session_free(work.session);
    text_clear(&work.local);
    text_clear(&work.exclude_file);
    return rc;
}

static int run_check(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    AUTO_TREE status = NULL;
    int rc = await(call, args_text(args, "transfer_id"),
                   args_int(args, "wait_s", 0) * 1000, &status, err);

    if (rc == SBX_OK)
        add_status(call, out, status);
    return rc;
}

static int run_cancel(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    AUTO_TREE status = NULL;
    const char *id = args_text(args, "transfer_id");
    int rc = transfer_cancel(id, err);

    if (rc == SBX_OK)
        rc = await(call, id, 10000, &status, err);
    if (rc == SBX_OK)
        add_status(call, out, status);
    call->failed = false;
    return rc;
}

static const struct tool_param sync_params[] = {
    {"direction", TOOL_TEXT, 0, 0, "push pull", "push: from here to there"},
    {"local", TOOL_TEXT, 0, 0, NULL, "Folder or file here"},
    {"remote", TOOL_TEXT, 0, 0, NULL, "Folder or file there"},
    TOOL_SANDBOX,
    {"delete", TOOL_BOOL, 0, 0, NULL, "Delete what only the target has; needs plan"},
    {"plan", TOOL_TEXT, 0, 0, NULL, "Token of a plan to do"},
    {"dry_run", TOOL_BOOL, 0, 0, NULL, "Only show the plan"},
    {"exclude", TOOL_LIST, 0, 0, NULL, "Rules as in .gitignore"},
    {"exclude_file", TOOL_TEXT, 0, 0, NULL, "File here of such rules"},
    {"git", TOOL_BOOL, 0, 0, NULL, "Only what git would track"},
    {"checksum", TOOL_BOOL, 0, 0, NULL, "Compare contents"},
    TOOL_END,
};

static const struct tool_param check_params[] = {
    {"transfer_id", TOOL_TEXT, 0, 0, NULL, "As sync told it"},
    {"wait_s", TOOL_INT, 0, 45, NULL, "Wait so long for its end"},
    TOOL_END,
};

static const struct tool_param cancel_params[] = {
    {"transfer_id", TOOL_TEXT, 0, 0, NULL, "As sync told it"},
    TOOL_END,
};

static const struct tool_param fields[] = {
    {"sandbox", TOOL_TEXT, 0, 0, NULL, NULL},
    {"state", TOOL_TEXT, 0, 0, NULL, NULL},
    {"?transfer_id", TOOL_TEXT, 0, 0, NULL, NULL},
    {"?plan", TOOL_TEXT, 0, 0, NULL, NULL},
    {"?files", TOOL_INT, 0, 0, NULL, NULL},
    {"?bytes", TOOL_INT, 0, 0, NULL, NULL},
    {"?deleted", TOOL_INT, 0, 0, NULL, NULL},
    {"?failed", TOOL_INT, 0, 0, NULL, NULL},
    {"?items", TOOL_OBJECTS, 0, 0, NULL, NULL},
    {"?why", TOOL_TEXT, 0, 0, NULL, NULL},
    {"?advice", TOOL_TEXT, 0, 0, NULL, NULL},
    TOOL_END,
};

static const struct tool_param transfer_fields[] = {
    {"sandbox", TOOL_TEXT, 0, 0, NULL, NULL},
    {"state", TOOL_TEXT, 0, 0, NULL, NULL},
    TOOL_END,
};

const struct tool tool_sync = {
    .name = "sync",
    .group = "sync",
    .flags = TOOL_DESTROYS | TOOL_REPEATS | TOOL_OUTSIDE,
    .needs = "direction local remote",
    .params = sync_params,
    .fields = fields,
    .about = "Make a folder there like one here (push), or here like there (pull). Only "
             "differences travel. What takes over 30 s returns a transfer_id.",
    .run = run_sync,
};

const struct tool tool_check_transfer = {
    .name = "check_transfer",
    .group = "sync",
    .flags = TOOL_READS | TOOL_REPEATS,
    .needs = "transfer_id",
    .params = check_params,
    .fields = transfer_fields,
    .about = "Tell how far a sync is: state, files, bytes.",
    .run = run_check,
};

const struct tool tool_cancel_transfer = {
    .name = "cancel_transfer",
    .group = "sync",
    .flags = TOOL_DESTROYS | TOOL_REPEATS,
    .needs = "transfer_id",
    .params = cancel_params,
    .fields = transfer_fields,
    .about = "Stop a sync; files in place stay.",
    .run = run_cancel,
};
