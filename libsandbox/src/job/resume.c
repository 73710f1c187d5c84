/*
 * resume.c - asks that a job go on, and asks again where the answer was lost.
 *
 * All is decided over there (script_resume.c). A word of chance that goes with the call
 * lets one that is made again know its own generation.
 */
#include "job/call.h"
#include "job/owner.h"
#include "job/record_parse.h"
#include "job/result.h"
#include "job/script.h"

#include "base/clock.h"
#include "base/digest.h"
#include "base/json.h"
#include "base/opts.h"

#include <stdio.h>
#include <string.h>

#define DEFAULT_TIMEOUT_MS 60000

struct resumed {
    sbx_job_resumed public;
    sbx_job *job;
};

/* By sbx_job_answer; the script says the same words. */
static const char *const answers[] = {
    "unknown",    "resumed",     "already",   "too_early", "gave_up",
    "crash_loop", "running",     "finished",  "failed",    "stopped",
    "no_policy",  "never_began", "elsewhere", "leftovers"};

const char *sbx_job_answer_name(int answer)
{
    return answers[answer < 0 || answer > SBX_JOB_LEFTOVERS ? 0 : answer];
}

static int answer_of(const char *word)
{
    int i;

    for (i = SBX_JOB_RESUMED; i <= SBX_JOB_LEFTOVERS; i++)
        if (strcmp(answers[i], word) == 0)
            return i;
    return 0;
}

static int read_opts(const sbx_job_resume_opts *theirs, sbx_job_resume_opts *opts,
                     sbx_error *err)
{
    int rc = sbi_opts_read(opts, sizeof(*opts), theirs, err);

    if (rc < 0)
        return rc;
    if ((opts->flags & ~(uint64_t)SBX_JOB_FORCE) != 0)
        return sbi_fail(err, SBX_ERR_INVALID, "flags 0x%llx: some are not of it",
                        (unsigned long long)opts->flags);
    if (opts->generation < 0 || opts->generation > 1000000)
        return sbi_fail(err, SBX_ERR_INVALID, "generation %lld is none",
                        (long long)opts->generation);
    if (opts->timeout_ms == 0)
        opts->timeout_ms = DEFAULT_TIMEOUT_MS;
    return SBX_OK;
}

static int read_answer(sbx_session *session, const sbx_exec_result *result,
                       sbx_job_resumed **out, sbx_error *err)
{
    SBI_AUTO_RECORDS records = {0};
    struct resumed *resumed = NULL;
    SBI_AUTO_JOB job = NULL;
    int rc = sbi_records_parse(result->output, result->output_length, &records, err);

    if (rc == SBX_OK)
        rc = sbi_result_only(sbx_session_place(session), &records, &job, err);
    if (rc == SBX_OK && answer_of(records.answer) == 0)
        rc = sbi_fail(err, SBX_ERR_REMOTE, "'%s' is no answer", records.answer);
    if (rc < 0)
        return sbi_executed(err, rc, SBX_EXECUTED_UNKNOWN);
    resumed = calloc(1, sizeof(*resumed));
    if (resumed == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    resumed->job = SBI_STEAL(job);
    resumed->public.job = resumed->job;
    resumed->public.answer = answer_of(records.answer);
    resumed->public.generation = resumed->job->generation;
    resumed->public.left_ms = records.left_ms;
    *out = &resumed->public;
    return SBX_OK;
}

static int ask(sbx_session *session, const char *id, const sbx_job_resume_opts *opts,
               const char *by, sbx_job_resumed **out, sbx_error *err)
{
    char generation[24], token[17];
    const char *const args[] = {
        id, generation, (opts->flags & SBX_JOB_FORCE) != 0 ? "1" : "0", token, by, NULL};
    struct sbi_call call = {
        .action = "resume job",
        .id = id,
        .script = sbi_job_script_resume,
        .args = args,
        .changes = true,
        .exec = {.flags = SBX_EXEC_DETACH_ON_HANGUP, .cancel = opts->cancel}};
    SBI_AUTO_CALL_RESULT result = NULL;
    int rc = sbi_random_hex(token, 8, err);

    if (rc < 0)
        return sbi_wrap(err, rc, "resume job '%s'", id);
    (void)snprintf(generation, sizeof(generation), "%lld", (long long)opts->generation);
    rc = sbi_call_again(session, &call, sbi_deadline(opts->timeout_ms), &result, err);
    if (rc < 0)
        return rc;
    rc = read_answer(session, result, out, err);
    return rc < 0 ? sbi_wrap(err, rc, "resume job '%s' on '%s'", id,
                             sbx_session_place(session))
                  : SBX_OK;
}

int sbx_job_resume(sbx_session *session, const char *id,
                   const sbx_job_resume_opts *theirs, sbx_job_resumed **out,
                   sbx_error *err)
{
    SBI_AUTOFREE char *by = NULL;
    sbx_job_resume_opts opts;
    int rc = sbi_call_check_id(session, id, "resume job", err);

    if (rc < 0)
        return rc;
    rc = read_opts(theirs, &opts, err);
    if (rc == SBX_OK)
        rc = sbi_owner_text(opts.by, &by, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "resume job '%s'", id);
    return ask(session, id, &opts, by, out, err);
}

char *sbx_job_resumed_json(const sbx_job_resumed *resumed)
{
    char *job = sbx_job_json(resumed->job);
    SBI_AUTO_JSON json = cJSON_CreateObject();
    cJSON *item = NULL;

    if (job != NULL)
        (void)sbi_json_parse(job, strlen(job), &item, NULL);
    sbx_free(job);
    if (json == NULL || item == NULL) {
        sbi_json_clear(&item);
        return NULL;
    }
    (void)cJSON_AddStringToObject(json, "answer", sbx_job_answer_name(resumed->answer));
    (void)cJSON_AddNumberToObject(json, "generation", (double)resumed->generation);
    (void)cJSON_AddNumberToObject(json, "left_ms", (double)resumed->left_ms);
    (void)cJSON_AddItemToObject(json, "job", item);
    return sbi_json_print(json);
}

void sbx_job_resumed_free(sbx_job_resumed *public)
{
    struct resumed *resumed = (struct resumed *)public;

    if (resumed == NULL)
        return;
    sbx_job_free(resumed->job);
    free(resumed);
}
