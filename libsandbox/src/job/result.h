/* result.h - from what was read of a job to what the caller gets to see. */
#ifndef SANDBOX_JOB_RESULT_H
#define SANDBOX_JOB_RESULT_H

#include "job/record.h"

#include <sandbox/job.h>

/* Moves the texts of the record into a new job. */
int sbi_result_make(const char *place, const struct sbi_records *records,
                    struct sbi_record *record, sbx_job **out, sbx_error *err);

/* The only record, as a job; none is SBX_ERR_REMOTE. */
int sbi_result_only(const char *place, struct sbi_records *records, sbx_job **out,
                    sbx_error *err);

/* Sets what may end it that was not asked for; text is copied. */
int sbi_result_warn(sbx_job *job, const char *text, sbx_error *err);

void sbi_result_clear(sbx_job **job);

#define SBI_AUTO_JOB SBI_CLEANUP(sbi_result_clear) sbx_job *

/* The name of a signal of Linux, without SIG, or NULL. */
const char *sbi_result_signal(int number);

#endif
