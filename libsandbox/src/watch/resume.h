/* resume.h - asks over there whether a job that ended is to go on, which is fenced there.
 */
#ifndef SANDBOX_WATCH_RESUME_H
#define SANDBOX_WATCH_RESUME_H

#include "base/error.h"

#include <sandbox/job.h>

struct sbi_resumption {
    sbx_job_resumed *resumed; /* what was answered; the caller's to free, may be NULL */
    int answer;               /* an sbi_resumed */
    int64_t generation;       /* that the job is in now */
    int64_t left_ms;          /* of SBI_RESUME_EARLY */
    sbx_error why;            /* of SBI_RESUME_FAILED */
};

/* Never fails: what keeps it from an answer is SBI_RESUME_FAILED. */
void sbi_resume_ask(sbx_session *session, const sbx_job *job, sbx_cancel *cancel,
                    struct sbi_resumption *out);

#endif
