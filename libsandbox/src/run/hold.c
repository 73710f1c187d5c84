/* hold.c - the leases of a run: taken for a while, then the job's. */
#include "run/steps.h"

#include <sandbox/lease.h>

#include <string.h>

#define STEP_MS 200
#define PID_TRIES 100
#define MOST_PURPOSE 200

/* A purpose is one line of text, so a name that is not says nothing. */
static const char *purpose_of(const char *name)
{
    const char *at;

    if (name == NULL || strlen(name) > MOST_PURPOSE)
        return NULL;
    for (at = name; *at != '\0'; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            return NULL;
    return name;
}

int sbi_steps_take(struct sbi_steps *steps, sbx_error *err)
{
    const sbx_lease_opts opts = {.size = sizeof(opts),
                                 .purpose = purpose_of(steps->job.name),
                                 .for_s = SBI_STEPS_STARTING_S,
                                 .cancel = steps->opts.cancel};
    sbx_lease_list *list = NULL;
    int rc;

    if (steps->run->gpus == NULL)
        return SBX_OK;
    rc = sbx_lease_take(steps->session, (const char *const *)steps->run->gpus, &opts,
                        &list, err);
    sbx_lease_list_free(list);
    steps->leased = rc == SBX_OK;
    return rc;
}

void sbi_steps_give_up(struct sbi_steps *steps)
{
    const sbx_lease_opts opts = {.size = sizeof(opts)};
    sbx_lease_list *list = NULL;
    sbx_error err = {0};

    if (!steps->leased)
        return;
    if (sbx_lease_release(steps->session, (const char *const *)steps->run->gpus, &opts,
                          &list, &err) < 0)
        sbi_steps_note(steps,
                       "the leases on '%s' end by themselves within %d minutes: %s",
                       steps->run->place, SBI_STEPS_STARTING_S / 60, err.text);
    sbx_lease_list_free(list);
    steps->leased = false;
}

/* The process of a job is known a moment after its start; of one that has ended never. */
static void learn_pid(struct sbi_steps *steps)
{
    const sbx_job_opts opts = {.size = sizeof(opts), .cancel = steps->opts.cancel};
    struct sbi_steps_run *run = steps->run;
    sbx_job *job;
    int tries;

    for (tries = 0; tries < PID_TRIES && run->job->pid <= 0; tries++) {
        job = NULL;
        if (sbx_job_ended(run->job) || sbi_steps_rest(steps, STEP_MS, NULL) < 0 ||
            sbx_job_show(steps->session, run->job->id, &opts, &job, NULL) < 0)
            return;
        sbx_job_free(run->job);
        run->job = job;
    }
}

/* One that has ended needs none; what cannot be bound stays for its ten minutes. */
void sbi_steps_bind(struct sbi_steps *steps)
{
    sbx_lease_opts opts = {.size = sizeof(opts)};
    struct sbi_steps_run *run = steps->run;
    sbx_lease_list *list = NULL;
    sbx_error err = {0};
    int rc = SBX_OK;

    if (!steps->leased)
        return;
    learn_pid(steps);
    opts.pid = run->job->pid;
    if (opts.pid > 0)
        rc = sbx_lease_renew(steps->session, (const char *const *)run->gpus, &opts, &list,
                             &err);
    sbx_lease_list_free(list);
    if (sbx_job_ended(run->job) || rc == SBX_ERR_INVALID)
        sbi_steps_give_up(steps);
    else if (opts.pid <= 0 || rc < 0)
        sbi_steps_note(
            steps, "the leases are not bound to the job, and end within %d minutes%s%s",
            SBI_STEPS_STARTING_S / 60, rc < 0 ? ": " : "", rc < 0 ? err.text : "");
}
