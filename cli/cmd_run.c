/* cmd_run.c - `run`: a place is chosen, its GPUs are taken, files go there, a job starts.
 */
#include "cmd.h"
#include "job_run.h"
#include "ledger_note.h"
#include "picking.h"
#include "run_env.h"
#include "watching.h"

#include <sandbox/lease.h>
#include <sandbox/sync.h>

#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    TAKE_TRIES = 10,  /* others may be quicker at each of the GPUs of a host */
    STARTING_S = 600, /* that a lease has until its job runs: files go there meanwhile */
    AGAIN_MS = 15000,
    STEP_MS = 200,
    PID_TRIES = 100
};

struct values {
    struct picking_values need;
    struct words on;
    const char *sync;
    struct words exclude;
    int64_t git;
    int64_t wait;
    int64_t dry_run;
    const char *name;
    const char *cwd;
    struct words env;
    int64_t limit_ms;
    struct watching_values watching;
};

#define AT(member) offsetof(struct values, member)

static const struct opt options[] = {
    PICKING_OPTIONS(need),
    {0, "on", "PLACE", OPT_LIST, AT(on),
     "Only this place; of several the best. May be repeated", opt_check_filled, 0, 0,
     NULL},
    {0, "sync", "DIR", OPT_TEXT, AT(sync),
     "Bring this folder there first, and start in it: ~/sbx/NAME-OF-DIR",
     opt_check_filled, 0, 0, "dir"},
    {0, "exclude", "RULE", OPT_LIST, AT(exclude),
     "Leave out of --sync what matches; may be repeated", opt_check_filled, 0, 0, NULL},
    {0, "git", NULL, OPT_FLAG, AT(git), "Leave out of --sync what git ignores", NULL, 0,
     0, NULL},
    {'w', "wait", NULL, OPT_FLAG, AT(wait),
     "Where no place has what is needed, try again until one has", NULL, 0, 0, NULL},
    {0, "dry-run", NULL, OPT_FLAG, AT(dry_run), "Say what would be taken, and end", NULL,
     0, 0, NULL},
    {'n', "name", "NAME", OPT_TEXT, AT(name), "Call the job so", opt_check_filled, 0, 0,
     NULL},
    {'C', "cwd", "DIR", OPT_TEXT, AT(cwd), "Start in this folder of the place",
     opt_check_filled, 0, 0, NULL},
    {'e', "env", "NAME=VALUE", OPT_LIST, AT(env),
     "Set a variable in the command's environment; may be repeated", opt_check_variable,
     0, 0, NULL},
    {'t', "limit", "SECONDS", OPT_SECONDS, AT(limit_ms),
     "Stop the job, with all that it started, after this time", NULL, 0, 0, NULL},
    WATCHING_OPTIONS(watching),
    WATCHING_NO_OPTION(watching),
    OPT_END,
};

/* One run on its way: what is chosen, what is taken, where the files lie. */
struct run {
    struct app *app;
    const struct values *values;
    const struct words *command;
    struct picking picking;
    sbx_session *session;
    struct words gpus; /* of the picking's result */
    bool leased;
    char *folder; /* over there; NULL: none was brought */
    sbx_sync_report *sent;
    sbx_job *job;
};

static void run_clear(struct run *run)
{
    sbx_job_free(run->job);
    sbx_sync_report_free(run->sent);
    sbx_session_free(run->session);
    words_clear(&run->gpus);
    picking_clear(&run->picking);
    free(run->folder);
}

/* Until the time is over, or Ctrl-C. */
static int rest(struct app *app, int64_t ms, sbx_error *err)
{
    for (; ms > 0 && !sbx_cancel_fired(app->cancel); ms -= STEP_MS)
        (void)poll(NULL, 0, STEP_MS);
    return ms > 0 ? fault(err, SBX_ERR_CANCELLED, "wait for a place: cancelled") : SBX_OK;
}

static int none_fits(const struct run *run, sbx_error *err)
{
    int rc = fault(err, SBX_ERR_NOT_FOUND, "none of %zu places has what is needed",
                   run->picking.result->row_count);

    return fault_fix(err, rc, "--wait, or %s pick --explain ...", run->app->program);
}

static int choose(struct run *run, bool *told, sbx_error *err)
{
    const struct values *values = run->values;
    int rc;

    for (;;) {
        rc = picking_choose(&run->picking, run->app, &values->need, err);
        if (rc < 0 || run->picking.result->place != NULL)
            return rc;
        if (!values->wait || values->dry_run)
            return none_fits(run, err);
        if (!*told)
            out_note("none of %zu places has what is needed yet; asked again every %d s",
                     run->picking.result->row_count, AGAIN_MS / 1000);
        *told = true;
        rc = rest(run->app, AGAIN_MS, err);
        if (rc < 0)
            return rc;
    }
}

static void name_gpus(struct run *run)
{
    const sbx_pick_row *row = run->picking.result->rows[0];
    size_t i;

    words_clear(&run->gpus);
    run->gpus = (struct words){0};
    for (i = 0; i < row->gpu_count; i++)
        words_add(&run->gpus, row->gpus[i]);
}

static int lease(struct run *run, sbx_error *err)
{
    const struct values *values = run->values;
    AUTO_TEXT purpose = {0};
    sbx_lease_opts opts = {
        .size = sizeof(opts), .for_s = STARTING_S, .cancel = run->app->cancel};
    sbx_lease_list *list = NULL;
    int rc;

    if (run->gpus.count == 0)
        return SBX_OK;
    if (values->name != NULL && strlen(values->name) < 200)
        text_add_shown(&purpose, values->name);
    opts.purpose = purpose.data;
    rc = sbx_lease_take(run->session, run->gpus.items, &opts, &list, err);
    sbx_lease_list_free(list);
    run->leased = rc == SBX_OK;
    return rc;
}

/* A GPU that was free may be another's by the time it is asked for: then choose again. */
static int choose_and_take(struct run *run, sbx_error *err)
{
    bool told = false;
    int tries, rc;

    for (tries = 0; tries < TAKE_TRIES; tries++) {
        rc = choose(run, &told, err);
        if (rc < 0)
            return rc;
        name_gpus(run);
        if (run->values->dry_run)
            return SBX_OK;
        sbx_session_free(run->session);
        run->session = NULL;
        rc = places_open(run->app, run->picking.result->place, &run->session, err);
        if (rc == SBX_OK)
            rc = lease(run, err);
        if (rc != SBX_ERR_CONFLICT)
            return rc;
    }
    return rc;
}

/* The folder's own name, below ~/sbx over there. */
static int name_folder(struct run *run, sbx_error *err)
{
    char path[PATH_MAX];
    const char *name;
    AUTO_TEXT folder = {0};

    if (realpath(run->values->sync, path) == NULL)
        return fault_errno(err, SBX_ERR_NOT_FOUND, "sync '%s'", run->values->sync);
    name = strrchr(path, '/') + 1;
    if (name[0] == '\0')
        return fault(err, SBX_ERR_INVALID, "sync '/': a folder with a name is needed");
    text_addf(&folder, "~/sbx/%s", name);
    run->folder = own_copy(folder.data, folder.length);
    return SBX_OK;
}

static int bring(struct run *run, sbx_error *err)
{
    const struct values *values = run->values;
    const sbx_sync_opts opts = {.size = sizeof(opts),
                                .flags = values->git ? SBX_SYNC_GIT : 0,
                                .exclude = values->exclude.items,
                                .cancel = run->app->cancel};
    int rc;

    if (values->sync == NULL)
        return SBX_OK;
    rc = sbx_sync_push(run->session, values->sync, run->folder, &opts, &run->sent, err);
    if (rc == SBX_OK && run->sent->failed > 0)
        rc = fault(err, SBX_ERR_IO, "sync '%s': %llu files could not be brought there",
                   values->sync, (unsigned long long)run->sent->failed);
    return rc;
}

static int start(struct run *run, sbx_error *err)
{
    const struct values *values = run->values;
    const char *code = run->sent == NULL ? NULL : run->sent->local_hash;
    AUTO_RUN_ENV env = {0};
    sbx_job_start_opts opts = {.size = sizeof(opts),
                               .name = values->name,
                               .cwd = values->cwd != NULL ? values->cwd : run->folder,
                               .limit_ms = values->limit_ms,
                               .cancel = run->app->cancel};

    run_env_make(&env, &run->picking, &run->gpus, code, &values->env);
    opts.env = env.words.items;
    return run->command->count == 1
               ? sbx_job_start(run->session, run->command->items[0], &opts, &run->job,
                               err)
               : sbx_job_start_argv(run->session, run->command->items, &opts, &run->job,
                                    err);
}

static void give_up(struct run *run)
{
    const sbx_lease_opts opts = {.size = sizeof(opts)};
    sbx_lease_list *list = NULL;
    sbx_error err = {0};

    if (!run->leased)
        return;
    if (sbx_lease_release(run->session, run->gpus.items, &opts, &list, &err) < 0)
        out_note("the leases on '%s' end by themselves within %d minutes: %s",
                 run->picking.result->place, STARTING_S / 60, err.text);
    sbx_lease_list_free(list);
    run->leased = false;
}

/* The process of a job is known a moment after its start; of one that has ended never. */
static void learn_pid(struct run *run)
{
    const sbx_job_opts opts = {.size = sizeof(opts), .cancel = run->app->cancel};
    sbx_error err = {0};
    sbx_job *job;
    int tries;

    for (tries = 0; tries < PID_TRIES && run->job->pid <= 0; tries++) {
        job = NULL;
        if (sbx_job_ended(run->job) || rest(run->app, STEP_MS, &err) < 0 ||
            sbx_job_show(run->session, run->job->id, &opts, &job, &err) < 0)
            return;
        sbx_job_free(run->job);
        run->job = job;
    }
}

/*
 * From here on the leases end with the job; one that has ended already needs none. What
 * cannot be bound stays for its ten minutes, which is told.
 */
static void bind(struct run *run)
{
    sbx_lease_opts opts = {.size = sizeof(opts)};
    sbx_lease_list *list = NULL;
    sbx_error err = {0};
    int rc = SBX_OK;

    if (!run->leased)
        return;
    learn_pid(run);
    opts.pid = run->job->pid;
    if (opts.pid > 0)
        rc = sbx_lease_renew(run->session, run->gpus.items, &opts, &list, &err);
    sbx_lease_list_free(list);
    if (sbx_job_ended(run->job) || rc == SBX_ERR_INVALID)
        give_up(run);
    else if (opts.pid <= 0 || rc < 0)
        out_note("the leases are not bound to the job, and end within %d minutes%s%s",
                 STARTING_S / 60, rc < 0 ? ": " : "", rc < 0 ? err.text : "");
}

/* {"place","gpus","code","job"}, as it is printed and noted. */
static void add_json(const struct run *run, struct text *line)
{
    char *json = run->job == NULL ? NULL : sbx_job_json(run->job);
    size_t i;

    text_add(line, "{\"place\":");
    text_add_json(line, run->picking.result->place);
    text_add(line, ",\"gpus\":[");
    for (i = 0; i < run->gpus.count; i++) {
        text_add(line, i == 0 ? "" : ",");
        text_add_json(line, run->gpus.items[i]);
    }
    text_addf(line, "],\"code\":");
    if (run->sent == NULL)
        text_add(line, "null");
    else
        text_add_json(line, run->sent->local_hash);
    text_addf(line, ",\"job\":%s}", json == NULL ? "null" : json);
    sbx_free(json);
}

static void print(const struct run *run)
{
    AUTO_TEXT json = {0};
    size_t i;

    add_json(run, &json);
    if (run->job != NULL)
        ledger_note("run", run->picking.result->place, run->job->id, json.data);
    if (run->app->json) {
        (void)printf("%s\n", json.data);
        return;
    }
    (void)printf("%s%s%s\n", run->picking.result->place, run->job == NULL ? "" : " ",
                 run->job == NULL ? "" : run->job->id);
    for (i = 0; i < run->gpus.count; i++)
        out_note("%s: on %s", run->picking.result->place, run->gpus.items[i]);
}

/* What was taken for a job that did not start is given up, unless it may have started. */
static int carry_out(struct run *run, sbx_error *err)
{
    int rc = choose_and_take(run, err);

    if (rc < 0 || run->values->dry_run)
        return rc;
    rc = bring(run, err);
    if (rc == SBX_OK)
        rc = start(run, err);
    if (rc == SBX_OK) {
        bind(run);
        if (run->job->warning != NULL)
            out_note("%s", run->job->warning);
    } else if (err->executed == SBX_EXECUTED_UNKNOWN && run->job == NULL) {
        out_note("the job may run: %s job ls %s; its leases end within %d minutes",
                 run->app->program, run->picking.result->place, STARTING_S / 60);
    } else {
        give_up(run);
    }
    return rc;
}

static int run_run(struct app *app, const void *values, const struct words *operands)
{
    CLEANUP(run_clear)
    struct run run = {.app = app, .values = values, .command = operands};
    AUTO_WATCHING watching = {0};
    sbx_error err = {0};
    int rc = watching_prepare(&watching, app, &run.values->watching, &err);

    if (rc == SBX_OK && run.values->sync == NULL &&
        (run.values->git || run.values->exclude.count > 0))
        return app_misused(app, "'--git' and '--exclude' are of '--sync'");
    if (rc == SBX_OK && run.values->sync != NULL)
        rc = name_folder(&run, &err);
    if (rc == SBX_OK)
        rc = picking_prepare(&run.picking, app, &run.values->need, &run.values->on, &err);
    if (rc == SBX_OK)
        rc = carry_out(&run, &err);
    if (rc == SBX_OK)
        print(&run);
    (void)fflush(stdout);
    if (rc == SBX_OK && run.job != NULL && !run.values->watching.no_watch)
        watching_begin(app, &watching, run.job);
    if (rc == SBX_ERR_CANCELLED)
        return 130;
    return rc < 0 ? job_failed(app, &err) : 0;
}

const struct cmd cmd_run = {
    .name = "run",
    .usage = "[OPTION]... COMMAND...",
    .help = "Start a job on a place that has what it needs, with its GPUs taken",
    .about =
        "Chooses a place as pick does, takes leases on the GPUs, brings a folder there if "
        "that is wanted, and starts the command as a job, which it tells: PLACE ID. The job "
        "sees its GPUs alone (CUDA_VISIBLE_DEVICES by UUID, HIP_VISIBLE_DEVICES), and finds "
        "SBX_GPUS, SBX_GPU_DRIVER and SBX_CODE, the hash of the folder, in its environment. "
        "The leases end with the job, whatever its end.\n"
        "One word is text for a shell; several are a program and its arguments. The status "
        "is 1 where no place has what is needed.",
    .examples = "run --gpus 2 --vram 20G --sync . --git -- python train.py\n"
                "run --cpus 16 --tag lab --wait 'make -j16 test'\n"
                "run --gpus 1 --dry-run true",
    .options = options,
    .values_size = sizeof(struct values),
    .stop = OPT_TO_FIRST_WORD,
    .least = 1,
    .most = CMD_ANY_NUMBER,
    .operand = "COMMAND",
    .run = run_run,
};
