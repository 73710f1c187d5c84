/* cmd_run.c - `run`: a place is chosen, its GPUs are taken, files go there, a job starts.
 */
#include "cmd.h"
#include "job_run.h"
#include "ledger_note.h"
#include "picking.h"
#include "prompt.h"
#include "watching.h"

#include <sandbox/run.h>

#include <stdio.h>

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

static void run_clear(sbx_run **run)
{
    sbx_run_free(*run);
}

static int note(const char *text, void *userdata)
{
    (void)userdata;
    out_note("%s", text);
    return 0;
}

static int start(struct app *app, const struct values *values, const char *const *places,
                 const struct words *command, sbx_run **run, sbx_error *err)
{
    const sbx_pick_need need = picking_need(&values->need);
    const sbx_job_start_opts job = {.size = sizeof(job),
                                    .name = values->name,
                                    .cwd = values->cwd,
                                    .env = values->env.items,
                                    .limit_ms = values->limit_ms};
    const sbx_session_opts session = {.size = sizeof(session), .prompt = prompt_ask};
    const sbx_run_opts opts = {.size = sizeof(opts),
                               .flags = (values->wait ? SBX_RUN_WAIT : 0u) |
                                        (values->dry_run ? SBX_RUN_DRY : 0u) |
                                        (values->git ? SBX_RUN_GIT : 0u),
                               .need = &need,
                               .job = &job,
                               .session = &session,
                               .sync = values->sync,
                               .exclude = values->exclude.items,
                               .on_note = note,
                               .cancel = app->cancel};

    return command->count == 1
               ? sbx_run_start(app->hosts, places, command->items[0], &opts, run, err)
               : sbx_run_start_argv(app->hosts, places, command->items, &opts, run, err);
}

static void print(const struct app *app, const sbx_run *run)
{
    char *json = sbx_run_json(run);
    size_t i;

    if (run->job != NULL && json != NULL)
        ledger_note("run", run->place, run->job->id, json);
    if (run->job != NULL && run->job->warning != NULL)
        out_note("%s", run->job->warning);
    if (app->json) {
        out_json(json);
        return;
    }
    sbx_free(json);
    (void)printf("%s%s%s\n", run->place, run->job == NULL ? "" : " ",
                 run->job == NULL ? "" : run->job->id);
    for (i = 0; i < run->gpu_count; i++)
        out_note("%s: on %s", run->place, run->gpus[i]);
}

static int run_run(struct app *app, const void *values, const struct words *operands)
{
    const struct values *given = values;
    AUTO_WATCHING watching = {0};
    CLEANUP(run_clear) sbx_run *run = NULL;
    AUTO_PLACES places = {0};
    sbx_error err = {0};
    int rc = watching_prepare(&watching, app, &given->watching, &err);

    if (rc == SBX_OK && given->sync == NULL && (given->git || given->exclude.count > 0))
        return app_misused(app, "'--git' and '--exclude' are of '--sync'");
    if (rc == SBX_OK)
        rc = picking_name_places(&places, app, &given->need, &given->on, &err);
    if (rc == SBX_OK)
        rc = app_open_pool(app, &err);
    if (rc == SBX_OK)
        rc = start(app, given, places.names.items, operands, &run, &err);
    if (rc == SBX_OK)
        print(app, run);
    (void)fflush(stdout);
    if (rc == SBX_OK && run->job != NULL && !given->watching.no_watch)
        watching_begin(app, &watching, run->job);
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
        "SBX_GPUS, SBX_GPU_DRIVER and SBX_CODE, the hash of the folder, in its environment; "
        "job show names them as its labels. "
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
