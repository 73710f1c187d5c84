/* run.c - the steps of a run, one behind the other, and what it is told as. */
#include <sandbox/run.h>

#include "base/json.h"
#include "base/opts.h"
#include "base/strv.h"
#include "run/steps.h"

#include <sandbox/sync.h>

#include <stdio.h>
#include <string.h>

#define DEFAULT_PLACE_MS 8000
#define DEFAULT_AGAIN_MS 15000
#define DEFAULT_CONNECT_MS 15000
#define ALL_FLAGS (SBX_RUN_WAIT | SBX_RUN_DRY | SBX_RUN_GIT)

static const char *const no_words[] = {NULL};

static void steps_clear(struct sbi_steps *steps)
{
    if (steps->run != NULL)
        sbx_run_free(&steps->run->public);
    sbx_session_free(steps->session);
    sbx_pick_result_free(steps->choice);
    sbx_pick_told_free(steps->told);
    sbx_pool_free(steps->pool);
    sbi_strv_clear(&steps->places);
}

static int read_opts(struct sbi_steps *steps, const sbx_run_opts *theirs, sbx_error *err)
{
    sbx_run_opts *opts = &steps->opts;
    sbx_pick_result *nothing = NULL;
    int rc = sbi_opts_read(opts, sizeof(*opts), theirs, err);

    if (rc == SBX_OK)
        rc = sbi_opts_read(&steps->job, sizeof(steps->job), opts->job, err);
    if (rc == SBX_OK && (opts->flags & ~(uint64_t)ALL_FLAGS) != 0)
        rc = sbi_fail(err, SBX_ERR_INVALID, "flags 0x%llx: some are not of it",
                      (unsigned long long)opts->flags);
    if (rc == SBX_OK && opts->sync == NULL &&
        (opts->sync_to != NULL || opts->exclude != NULL ||
         (opts->flags & SBX_RUN_GIT) != 0))
        rc = sbi_fail(err, SBX_ERR_INVALID, "it says how to sync, and not what");
    if (rc == SBX_OK)
        rc = sbx_pick(NULL, 0, opts->need, &nothing, err);
    sbx_pick_result_free(nothing);
    if (opts->place_ms <= 0)
        opts->place_ms = DEFAULT_PLACE_MS;
    if (opts->again_ms <= 0)
        opts->again_ms = DEFAULT_AGAIN_MS;
    return rc;
}

static int name_places(struct sbi_steps *steps, sbx_hosts *hosts,
                       const char *const *places, sbx_error *err)
{
    int rc = SBX_OK;
    size_t i;

    for (i = 0; places != NULL && places[i] != NULL && rc == SBX_OK; i++)
        rc = sbi_strv_add(&steps->places, places[i], err);
    for (i = 0; places == NULL && i < sbx_hosts_count(hosts) && rc == SBX_OK; i++)
        rc = sbi_strv_add(&steps->places, sbx_hosts_at(hosts, i)->name, err);
    if (rc == SBX_OK && steps->places == NULL)
        rc = sbi_fail(err, SBX_ERR_NOT_FOUND, "there is no place to pick from");
    return rc;
}

static int open_pool(struct sbi_steps *steps, sbx_hosts *hosts, sbx_error *err)
{
    sbx_session_opts opts;
    int rc = sbi_opts_read(&opts, sizeof(opts), steps->opts.session, err);

    if (rc < 0)
        return rc;
    opts.size = sizeof(opts);
    if (opts.connect_timeout_ms == 0 && steps->opts.place_ms < DEFAULT_CONNECT_MS)
        opts.connect_timeout_ms = steps->opts.place_ms;
    return sbx_pool_new(hosts, &opts, &steps->pool, err);
}

/* The folder's own name, below ~/sbx over there, unless another is given. */
static int name_folder(struct sbi_steps *steps, sbx_error *err)
{
    SBI_AUTOFREE char *path = NULL;
    SBI_AUTOFREE char *folder = NULL;
    const char *name;

    if (steps->opts.sync == NULL)
        return SBX_OK;
    path = realpath(steps->opts.sync, NULL);
    if (path == NULL)
        return sbi_fail_errno(err, SBX_ERR_NOT_FOUND, "sync '%s'", steps->opts.sync);
    name = strrchr(path, '/') + 1;
    if (name[0] == '\0' && steps->opts.sync_to == NULL)
        return sbi_fail(err, SBX_ERR_INVALID, "sync '/': a folder with a name is needed");
    if (steps->opts.sync_to != NULL)
        folder = strdup(steps->opts.sync_to);
    else if (asprintf(&folder, "~/sbx/%s", name) < 0)
        folder = NULL;
    if (folder == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    steps->run->folder = SBI_STEAL(folder);
    return SBX_OK;
}

static int bring(struct sbi_steps *steps, sbx_error *err)
{
    const sbx_run_opts *opts = &steps->opts;
    const sbx_sync_opts how = {.size = sizeof(how),
                               .flags =
                                   (opts->flags & SBX_RUN_GIT) != 0 ? SBX_SYNC_GIT : 0,
                               .exclude = opts->exclude,
                               .cancel = opts->cancel};
    sbx_sync_report *sent = NULL;
    int rc;

    if (opts->sync == NULL)
        return SBX_OK;
    rc = sbx_sync_push(steps->session, opts->sync, steps->run->folder, &how, &sent, err);
    if (rc == SBX_OK && sent->failed > 0)
        rc = sbi_fail(err, SBX_ERR_IO, "sync '%s': %llu files could not be brought there",
                      opts->sync, (unsigned long long)sent->failed);
    if (rc == SBX_OK && sent->local_hash != NULL) {
        steps->run->code = strdup(sent->local_hash);
        if (steps->run->code == NULL)
            rc = sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    }
    sbx_sync_report_free(sent);
    return rc;
}

static int start(struct sbi_steps *steps, sbx_error *err)
{
    SBI_AUTO_STRV env = NULL;
    SBI_AUTO_STRV labels = NULL;
    sbx_job_start_opts opts = steps->job;
    sbx_job **job = &steps->run->job;
    int rc = sbi_steps_environment(steps, &env, err);

    if (rc == SBX_OK)
        rc = sbi_steps_labels(steps, &labels, err);
    if (rc < 0)
        return rc;
    opts.size = sizeof(opts);
    opts.env = (const char *const *)env;
    opts.labels = (const char *const *)labels;
    if (opts.cwd == NULL)
        opts.cwd = steps->run->folder;
    if (opts.cancel == NULL)
        opts.cancel = steps->opts.cancel;
    return steps->argv == NULL
               ? sbx_job_start(steps->session, steps->command, &opts, job, err)
               : sbx_job_start_argv(steps->session, steps->argv, &opts, job, err);
}

/* What was taken for a job that did not start is given up, unless it may have started. */
static int carry_out(struct sbi_steps *steps, sbx_error *err)
{
    sbx_error why = {0};
    int rc = sbi_steps_choose(steps, &why);

    if (rc == SBX_OK && (steps->opts.flags & SBX_RUN_DRY) == 0) {
        rc = bring(steps, &why);
        if (rc == SBX_OK && steps->stopped)
            rc = sbi_fail(&why, SBX_ERR_CANCELLED, "run: cancelled");
        if (rc == SBX_OK)
            rc = start(steps, &why);
        if (rc == SBX_OK)
            sbi_steps_bind(steps);
        else if (why.executed != SBX_EXECUTED_UNKNOWN)
            sbi_steps_give_up(steps);
        else if (steps->leased)
            sbi_steps_note(steps,
                           "the job may run on '%s'; its leases end within %d minutes",
                           steps->run->place, SBI_STEPS_STARTING_S / 60);
    }
    if (rc < 0 && err != NULL)
        *err = why;
    return rc;
}

static void show(struct sbi_steps_run *run)
{
    sbx_run *public = &run->public;

    public->place = run->place;
    public->gpus = run->gpus == NULL ? no_words : (const char *const *)run->gpus;
    public->gpu_count = sbi_strv_count(public->gpus);
    public->gpu_driver = run->driver;
    public->folder = run->folder;
    public->code = run->code;
    public->job = run->job;
}

static int run(sbx_hosts *hosts, const char *const *places, struct sbi_steps *given,
               const sbx_run_opts *opts, sbx_run **out, sbx_error *err)
{
    SBI_CLEANUP(steps_clear) struct sbi_steps steps = *given;
    int rc = SBX_OK;

    if (hosts == NULL || (steps.command == NULL && steps.argv == NULL))
        return sbi_fail(err, SBX_ERR_INVALID, "run: no %s given",
                        hosts == NULL ? "hosts are" : "command is");
    steps.run = calloc(1, sizeof(*steps.run));
    if (steps.run == NULL)
        rc = sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    if (rc == SBX_OK)
        rc = read_opts(&steps, opts, err);
    if (rc == SBX_OK)
        rc = name_folder(&steps, err);
    if (rc == SBX_OK)
        rc = name_places(&steps, hosts, places, err);
    if (rc == SBX_OK)
        rc = open_pool(&steps, hosts, err);
    if (rc == SBX_OK)
        rc = carry_out(&steps, err);
    if (rc < 0)
        return rc;
    show(steps.run);
    *out = &SBI_STEAL(steps.run)->public;
    return SBX_OK;
}

int sbx_run_start(sbx_hosts *hosts, const char *const *places, const char *command,
                  const sbx_run_opts *opts, sbx_run **out, sbx_error *err)
{
    return run(hosts, places, &(struct sbi_steps){.command = command}, opts, out, err);
}

int sbx_run_start_argv(sbx_hosts *hosts, const char *const *places,
                       const char *const *argv, const sbx_run_opts *opts, sbx_run **out,
                       sbx_error *err)
{
    return run(hosts, places, &(struct sbi_steps){.argv = argv}, opts, out, err);
}

char *sbx_run_json(const sbx_run *run)
{
    SBI_AUTO_JSON json = cJSON_CreateObject();
    char *job = run->job == NULL ? NULL : sbx_job_json(run->job);
    cJSON *list, *item = NULL;
    size_t i;

    sbi_json_add_text(json, "place", run->place);
    list = cJSON_AddArrayToObject(json, "gpus");
    for (i = 0; i < run->gpu_count; i++)
        (void)cJSON_AddItemToArray(list, cJSON_CreateString(run->gpus[i]));
    sbi_json_add_text(json, "gpu_driver", run->gpu_driver);
    sbi_json_add_text(json, "folder", run->folder);
    sbi_json_add_text(json, "code", run->code);
    if (job != NULL)
        (void)sbi_json_parse(job, strlen(job), &item, NULL);
    (void)cJSON_AddItemToObject(json, "job", item == NULL ? cJSON_CreateNull() : item);
    sbx_free(job);
    return json == NULL ? NULL : sbi_json_print(json);
}

void sbx_run_free(sbx_run *public)
{
    struct sbi_steps_run *run = (struct sbi_steps_run *)public;

    if (run == NULL)
        return;
    sbx_job_free(run->job);
    free(run->place);
    sbi_strv_clear(&run->gpus);
    free(run->driver);
    free(run->folder);
    free(run->code);
    free(run);
}
