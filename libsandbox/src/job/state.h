/* state.h - the one table that decides what state a job is in. */
#ifndef SANDBOX_JOB_STATE_H
#define SANDBOX_JOB_STATE_H

#include "job/record.h"

struct sbi_state {
    int state; /* an sbx_job_state */
    int loss;  /* an sbx_job_loss, of a lost one */
};

/* Of one generation; the state of a job is that of its last (sbi_record_last). */
struct sbi_state sbi_state_of(const struct sbi_records *records,
                              const struct sbi_record *record,
                              const struct sbi_record_run *run);

#endif
