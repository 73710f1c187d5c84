/* cmd_job_resume.c - `job resume`: a job that was interrupted goes on. */
#include "cmd.h"
#include "job_run.h"
#include "ledger_note.h"
#include "out.h"

#include <stdio.h>

struct values {
    int64_t now;
};

static const struct opt options[] = {
    {0, "now", NULL, OPT_FLAG, offsetof(struct values, now),
     "Do not wait, and do not ask its policy; only one that runs is left alone", NULL, 0,
     0, NULL},
    OPT_END,
};

/* By sbx_job_answer: why it was not resumed, and what may be done. */
static const struct {
    const char *why;
    const char *way;
} refusals[] = {
    [SBX_JOB_ALREADY] = {"it has been resumed", NULL},
    [SBX_JOB_TOO_EARLY] = {"it is too early", "--now"},
    [SBX_JOB_GAVE_UP] = {"it was resumed as often as its start allows", "--now"},
    [SBX_JOB_CRASH_LOOP] = {"it ends as soon as it is begun", "--now"},
    [SBX_JOB_IS_RUNNING] = {"it runs", NULL},
    [SBX_JOB_FINISHED] = {"it has finished", "--now"},
    [SBX_JOB_FAILED] = {"it failed by itself", "--now"},
    [SBX_JOB_WAS_STOPPED] = {"it was stopped", "--now"},
    [SBX_JOB_NO_POLICY] = {"its start says nothing of resumes", "--now"},
    [SBX_JOB_NEVER_BEGAN] = {"it never began",
                             SBX_PROGRAM_NAME " job start --id, with the same command"},
    [SBX_JOB_ELSEWHERE] = {"another machine, which shares this home, may still run it",
                           "ask that machine, or --now"},
    [SBX_JOB_LEFTOVERS] = {"processes of it cannot be killed", NULL},
};

static int refuse(const sbx_job_resumed *resumed)
{
    const sbx_job *job = resumed->job;
    AUTO_TEXT more = {0};

    if (resumed->answer == SBX_JOB_TOO_EARLY)
        text_addf(&more, ": %lld s to go", (long long)((resumed->left_ms + 999) / 1000));
    if (resumed->answer == SBX_JOB_ALREADY && job->run_count > 0 &&
        job->runs[job->run_count - 1]->resumed_by != NULL) {
        text_add(&more, " by ");
        text_add_shown(&more, job->runs[job->run_count - 1]->resumed_by);
    }
    out_note("%s: %s%s", job->id, refusals[resumed->answer].why,
             more.data == NULL ? "" : more.data);
    if (refusals[resumed->answer].way != NULL)
        out_note("try: %s", refusals[resumed->answer].way);
    return 1;
}

static int resume(struct app *app, sbx_session *session, const char *id,
                  const void *values, sbx_error *err)
{
    const struct values *given = values;
    sbx_job_resume_opts opts = {.size = sizeof(opts),
                                .flags = given->now ? SBX_JOB_FORCE : 0,
                                .cancel = app->cancel};
    sbx_job_resumed *resumed = NULL;
    int rc = sbx_job_resume(session, id, &opts, &resumed, err);
    int status = 0;

    if (rc < 0)
        return rc;
    if (resumed->answer == SBX_JOB_RESUMED)
        ledger_note("job.resume", resumed->job->place, id, NULL);
    if (app->json)
        out_json(sbx_job_resumed_json(resumed));
    if (resumed->answer != SBX_JOB_RESUMED)
        status = refuse(resumed);
    else if (!app->json)
        (void)printf("%s: resumed, generation %d\n", id, resumed->generation);
    sbx_job_resumed_free(resumed);
    return status;
}

static int run_resume(struct app *app, const void *values, const struct words *operands)
{
    return job_each(app, values, operands, resume);
}

const struct cmd cmd_job_resume = {
    .name = "job resume",
    .usage = "[OPTION]... PLACE JOB...",
    .help = "Let jobs go on that were interrupted, as their start says",
    .about =
        "It asks what a watchdog asks: was it interrupted, is it time, has it not been "
        "resumed too often. However many ask, one goes on. The status is 1 where it does "
        "not.",
    .examples = "job resume gpu1 train-1f0c22ab\njob resume --now gpu1 train",
    .options = options,
    .values_size = sizeof(struct values),
    JOB_OPERANDS(CMD_ANY_NUMBER),
    .run = run_resume,
};
