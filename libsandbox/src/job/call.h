/* call.h - one call on jobs: a script that runs over there, and what became of it. */
#ifndef SANDBOX_JOB_CALL_H
#define SANDBOX_JOB_CALL_H

#include "base/cleanup.h"
#include "base/error.h"

#include <sandbox/exec.h>
#include <sandbox/job.h>

struct sbi_call {
    const char *action; /* "stop job": for the text of an error */
    const char *id;     /* "" for all */
    const char *script;
    const char *const *args; /* NULL-ended */
    bool changes;            /* when it is lost, executed is not no */
    sbx_exec_opts exec; /* cwd, env, input, timeout_ms, cancel, on_output are taken */
};

/*
 * Runs it; a script that did not come to an end of its own, or told of a failure, is an
 * error. *out is for sbx_exec_result_free.
 */
int sbi_call(sbx_session *session, const struct sbi_call *call, sbx_exec_result **out,
             sbx_error *err);

/* The same, made again where the connection broke: it must be safe to make it twice. */
int sbi_call_again(sbx_session *session, struct sbi_call *call, int64_t deadline,
                   sbx_exec_result **out, sbx_error *err);

void sbi_call_result_clear(sbx_exec_result **result);

#define SBI_AUTO_CALL_RESULT SBI_CLEANUP(sbi_call_result_clear) sbx_exec_result *

/* Whether a failure may pass by itself: the line, the host, the time it took. */
bool sbi_call_may_pass(int code);

/* Whether a text can be an id: letters a to z, digits and '-', at most 64, no '-' first.
 */
int sbi_call_check_id(sbx_session *session, const char *id, const char *action,
                      sbx_error *err);

/* Options of calls that have no more than these, with their defaults. */
int sbi_call_opts(const sbx_job_opts *theirs, sbx_job_opts *opts, sbx_error *err);

#endif
