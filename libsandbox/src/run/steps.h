/* steps.h - a run on its way: what is asked for, what is chosen, taken and brought. */
#ifndef SANDBOX_RUN_STEPS_H
#define SANDBOX_RUN_STEPS_H

#include "base/cleanup.h"
#include "base/error.h"

#include <sandbox/run.h>

#define SBI_STEPS_STARTING_S                                                             \
    600 /* that a lease has until its job runs: files go there                           \
         */

/* What is handed out is the first member of ours, which owns what it shows. */
struct sbi_steps_run {
    sbx_run public;
    char *place;
    char **gpus;
    char *driver;
    char *folder;
    char *code;
    sbx_job *job;
};

struct sbi_steps {
    sbx_run_opts opts; /* with all defaults filled in */
    sbx_job_start_opts job;
    const char *command; /* one of these two is NULL */
    const char *const *argv;
    char **places;
    sbx_pool *pool;
    sbx_pick_told *told;
    sbx_pick_result *choice;
    sbx_session *session; /* to the place that was chosen */
    struct sbi_steps_run *run;
    bool leased;
    bool stopped; /* on_note wants no more */
};

/* Hands a line to on_note. */
void sbi_steps_note(struct sbi_steps *steps, const char *format, ...) SBI_PRINTF(2, 3);

/* Waits; SBX_ERR_CANCELLED when somebody wants no more. */
int sbi_steps_rest(const struct sbi_steps *steps, int64_t ms, sbx_error *err);

/* Chooses a place, waiting for one where that is wanted, opens it and takes its GPUs. */
int sbi_steps_choose(struct sbi_steps *steps, sbx_error *err);

/* Takes the GPUs of the run; SBX_ERR_CONFLICT: somebody was quicker. */
int sbi_steps_take(struct sbi_steps *steps, sbx_error *err);

/* Gives the leases to the job: they end with it. What cannot be is noted. */
void sbi_steps_bind(struct sbi_steps *steps);

/* Gives up what was taken for a job that does not run. */
void sbi_steps_give_up(struct sbi_steps *steps);

/*
 * The environment of the job, "NAME=VALUE": its GPUs, and behind them what the caller
 * gives; and its labels, likewise.
 */
int sbi_steps_environment(const struct sbi_steps *steps, char ***out, sbx_error *err);
int sbi_steps_labels(const struct sbi_steps *steps, char ***out, sbx_error *err);

/* The driver of the GPUs that were chosen, or NULL; borrowed from the report. */
const char *sbi_steps_driver(const struct sbi_steps *steps);

#endif
