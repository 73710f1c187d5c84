/* policy.h - what a start says of later resumes and of its checkpoint, checked. */
#ifndef SANDBOX_JOB_POLICY_H
#define SANDBOX_JOB_POLICY_H

#include "base/cleanup.h"
#include "base/str.h"

#include <sandbox/job.h>

struct sbi_policy {
    int64_t max; /* 0: none */
    int64_t delay_s;
    bool on_failure;
    char *command; /* NULL: the job's own; so are the next two where there is none */
    char *checkpoint;
    char *checkpoint_command;
};

#define SBI_AUTO_POLICY SBI_CLEANUP(sbi_policy_clear) struct sbi_policy

/* From the options, and the plan that they may name. */
int sbi_policy_make(const sbx_job_start_opts *opts, struct sbi_policy *out,
                    sbx_error *err);

/* Adds the lines of the record. */
void sbi_policy_add(const struct sbi_policy *policy, struct sbi_str *record);

void sbi_policy_clear(struct sbi_policy *policy);

#endif
