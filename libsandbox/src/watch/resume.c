#include "watch/resume.h"

#include "watch/turn.h"

static int answer_of(int answer)
{
    static const struct {
        int answer, means;
    } rows[] = {
        {SBX_JOB_RESUMED, SBI_RESUMED},         {SBX_JOB_ALREADY, SBI_RESUMED},
        {SBX_JOB_IS_RUNNING, SBI_RESUMED},      {SBX_JOB_TOO_EARLY, SBI_RESUME_EARLY},
        {SBX_JOB_GAVE_UP, SBI_RESUME_GAVE_UP},  {SBX_JOB_CRASH_LOOP, SBI_RESUME_LOOP},
        {SBX_JOB_ELSEWHERE, SBI_RESUME_FAILED}, {SBX_JOB_LEFTOVERS, SBI_RESUME_FAILED},
    };
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (rows[i].answer == answer)
            return rows[i].means;
    return SBI_RESUME_NO;
}

void sbi_resume_ask(sbx_session *session, const sbx_job *job, sbx_cancel *cancel,
                    struct sbi_resumption *out)
{
    const sbx_job_resume_opts opts = {
        .size = sizeof(opts), .generation = job->generation + 1, .cancel = cancel};
    sbx_job_resumed *resumed = NULL;

    *out =
        (struct sbi_resumption){.answer = SBI_RESUME_NO, .generation = job->generation};
    if (job->resume_max <= 0)
        return;
    if (sbx_job_resume(session, job->id, &opts, &resumed, &out->why) < 0) {
        out->answer = SBI_RESUME_FAILED;
        return;
    }
    out->answer = answer_of(resumed->answer);
    out->generation = resumed->generation;
    out->left_ms = resumed->left_ms;
    if (out->answer == SBI_RESUME_FAILED)
        (void)sbi_fail(&out->why, SBX_ERR_CONFLICT, "%s",
                       resumed->answer == SBX_JOB_ELSEWHERE
                           ? "another machine that shares its home ran it"
                           : "processes of it are left that cannot be killed");
    out->resumed = resumed;
}
