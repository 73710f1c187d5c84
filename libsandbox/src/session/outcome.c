/* outcome.c - asks over there what became of a run whose answer was lost. */
#include <sandbox/exec.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/json.h"
#include "base/opts.h"
#include "base/wait.h"
#include "session/outcome_read.h"
#include "session/output_store.h"
#include "session/run.h"
#include "session/shell_keep.h"

#include <stdio.h>
#include <string.h>

#define DEFAULT_MS 30000
#define NOTED_MS 5000
#define AGAIN_MS 300
#define ANSWER_LIMIT (256 * 1024)
#define LONGEST_MS (INT64_C(1000) * 60 * 60 * 24)

/* The outcome as we own it; the public part comes first. */
struct outcome {
    sbx_outcome public;
    char *place;
    char run_id[SBI_RUN_ID_SIZE];
    char signal_name[16];
    int64_t left[SBI_OUTCOME_MOST];
};

static int collect(int stream, const void *data, size_t length, void *userdata)
{
    if (stream == SBI_STDOUT)
        sbi_str_add_bytes(userdata, data, length);
    return 0;
}

static int check_ran(const struct sbi_ran *ran, sbx_error *err)
{
    if (ran->end == SBX_EXEC_EXITED && ran->exit_code == 0)
        return SBX_OK;
    if (ran->end == SBX_EXEC_LOST) {
        if (err != NULL)
            *err = ran->error;
        return ran->error.code;
    }
    if (ran->end == SBX_EXEC_TIMED_OUT)
        return sbi_fail(err, SBX_ERR_TIMEOUT, "no answer in time");
    if (ran->end == SBX_EXEC_CANCELLED)
        return sbi_fail(err, SBX_ERR_CANCELLED, "cancelled");
    return sbi_fail(err, SBX_ERR_REMOTE, "the shell that was to look ended with %d",
                    ran->exit_code);
}

/* With the login's environment alone: what is noted lies where that says. */
static int look(sbx_session *session, const char *run_id, const sbx_exec_opts *exec,
                struct sbi_outcome *out, sbx_error *err)
{
    const char *const words[] = {"/bin/sh", "-c", sbi_shell_look, "sbx", run_id, NULL};
    SBI_AUTO_STR text = {.limit = ANSWER_LIMIT};
    SBI_CLEANUP(sbi_ran_clear) struct sbi_ran ran = {0};
    char own_id[SBI_RUN_ID_SIZE];
    const struct sbi_run_opts opts = {.shell = {.argv = words},
                                      .run_id = own_id,
                                      .exec = exec,
                                      .on_bytes = collect,
                                      .userdata = &text};
    int rc;

    rc = sbi_random_hex(own_id, 16, err);
    if (rc == SBX_OK)
        rc = sbi_run(session, &opts, &ran, err);
    if (rc == SBX_OK)
        rc = check_ran(&ran, err);
    if (rc == SBX_OK && text.status != SBX_OK)
        rc = sbi_fail(err, text.status, "the answer is too long");
    return rc < 0 ? rc : sbi_outcome_read(text.data, text.length, out, err);
}

/* A watcher that is at its work will have noted it in a moment. */
static int look_until_noted(sbx_session *session, const char *run_id,
                            const sbx_exec_opts *exec, struct sbi_outcome *out,
                            sbx_error *err)
{
    int64_t patience = sbi_deadline(NOTED_MS);
    struct pollfd none[1];
    int rc;

    do
        rc = look(session, run_id, exec, out, err);
    while (rc == SBX_OK && out->busy && sbi_left_ms(patience) > 0 &&
           sbi_wait_any(none, 0, sbi_deadline(AGAIN_MS), exec->cancel) ==
               SBX_ERR_TIMEOUT);
    return rc;
}

static int new_outcome(const char *place, const char *run_id,
                       const struct sbi_outcome *found, sbx_outcome **out, sbx_error *err)
{
    struct outcome *outcome = calloc(1, sizeof(*outcome));
    const char *signal = found->signal > 0 ? sigabbrev_np(found->signal) : NULL;

    if (outcome != NULL)
        outcome->place = strdup(place);
    if (outcome == NULL || outcome->place == NULL) {
        free(outcome);
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    }
    (void)snprintf(outcome->run_id, sizeof(outcome->run_id), "%s", run_id);
    (void)snprintf(outcome->signal_name, sizeof(outcome->signal_name), "%s",
                   signal == NULL ? "" : signal);
    memcpy(outcome->left, found->left, sizeof(outcome->left));
    outcome->public = (sbx_outcome){
        .place = outcome->place,
        .run_id = outcome->run_id,
        .state = found->state,
        .cause = found->cause,
        .exit_code = found->exit_code,
        .signal = found->signal,
        .confirmed_dead =
            found->state == SBX_OUTCOME_KILLED && found->left_count == 0 && !found->blind,
        .signal_name = signal == NULL ? NULL : outcome->signal_name,
        .pid = found->pid,
        .asked = found->asked,
        .started = found->started,
        .ended = found->ended,
        .survivors = outcome->left,
        .survivor_count = found->left_count,
    };
    *out = &outcome->public;
    return SBX_OK;
}

static int ask(sbx_session *session, const char *run_id, const sbx_outcome_opts *opts,
               sbx_outcome **out, sbx_error *err)
{
    const sbx_exec_opts exec = {.size = sizeof(exec),
                                .timeout_ms =
                                    opts->timeout_ms == 0 ? DEFAULT_MS : opts->timeout_ms,
                                .kill_after_ms = 500,
                                .grace_ms = 2000,
                                .cancel = opts->cancel};
    struct sbi_outcome found;
    int rc;

    rc = look_until_noted(session, run_id, &exec, &found, err);
    return rc < 0 ? rc
                  : new_outcome(sbx_session_place(session), run_id, &found, out, err);
}

int sbx_exec_outcome(sbx_session *session, const char *run_id,
                     const sbx_outcome_opts *theirs, sbx_outcome **out, sbx_error *err)
{
    sbx_outcome_opts opts;
    sbx_session *held;
    int rc;

    rc = sbi_opts_read(&opts, sizeof(opts), theirs, err);
    if (rc < 0)
        return rc;
    if (session == NULL || run_id == NULL)
        return sbi_fail(err, SBX_ERR_INVALID, "ask for an outcome: no %s",
                        session == NULL ? "session" : "run id");
    if (!sbi_run_id_is_valid(run_id))
        return sbi_fail(err, SBX_ERR_INVALID,
                        "'%.60s' is no run id, which has 32 hex digits", run_id);
    if (opts.timeout_ms < 0 || opts.timeout_ms > LONGEST_MS)
        return sbi_fail(err, SBX_ERR_INVALID, "ask for an outcome: timeout_ms %lld",
                        (long long)opts.timeout_ms);
    held = sbx_session_hold(session);
    rc = ask(held, run_id, &opts, out, err);
    if (rc < 0)
        rc = sbi_wrap(err, rc, "ask what became of run '%s' on '%s'", run_id,
                      sbx_session_place(held));
    sbx_session_free(held);
    return rc;
}

const char *sbx_outcome_state_name(int state)
{
    static const char *const names[] = {
        [SBX_OUTCOME_NO_TRACE] = "no_trace", [SBX_OUTCOME_STARTING] = "starting",
        [SBX_OUTCOME_RUNNING] = "running",   [SBX_OUTCOME_EXITED] = "exited",
        [SBX_OUTCOME_SIGNALED] = "signaled", [SBX_OUTCOME_KILLED] = "killed",
        [SBX_OUTCOME_ENDED] = "ended",
    };

    return state >= SBX_OUTCOME_NO_TRACE && state <= SBX_OUTCOME_ENDED ? names[state]
                                                                       : "unknown";
}

static const char *cause_name(int cause)
{
    static const char *const names[] = {
        [SBX_OUTCOME_GONE] = "client_gone",
        [SBX_OUTCOME_LIMIT] = "time_limit",
        [SBX_OUTCOME_ASKED] = "asked",
    };

    return cause >= SBX_OUTCOME_GONE && cause <= SBX_OUTCOME_ASKED ? names[cause] : NULL;
}

static void add_number_if(cJSON *object, const char *key, bool applies, int64_t value)
{
    if (applies)
        (void)cJSON_AddNumberToObject(object, key, (double)value);
    else
        (void)cJSON_AddNullToObject(object, key);
}

char *sbx_outcome_json(const sbx_outcome *outcome)
{
    SBI_AUTO_JSON object = cJSON_CreateObject();
    bool killed = outcome->state == SBX_OUTCOME_KILLED;
    cJSON *pids;
    size_t i;

    sbi_json_add_text(object, "place", outcome->place);
    sbi_json_add_text(object, "run_id", outcome->run_id);
    sbi_json_add_text(object, "state", sbx_outcome_state_name(outcome->state));
    add_number_if(object, "exit_code", outcome->exit_code >= 0, outcome->exit_code);
    sbi_json_add_text(object, "signal", outcome->signal_name);
    sbi_json_add_text(object, "cause", cause_name(outcome->cause));
    if (killed)
        (void)cJSON_AddBoolToObject(object, "confirmed_dead", outcome->confirmed_dead);
    else
        (void)cJSON_AddNullToObject(object, "confirmed_dead");
    add_number_if(object, "pid", outcome->pid > 0, outcome->pid);
    add_number_if(object, "started", outcome->started > 0, outcome->started);
    add_number_if(object, "ended", outcome->ended > 0, outcome->ended);
    pids = cJSON_AddArrayToObject(object, "survivors");
    for (i = 0; i < outcome->survivor_count; i++)
        (void)cJSON_AddItemToArray(pids,
                                   cJSON_CreateNumber((double)outcome->survivors[i]));
    return sbi_json_print(object);
}

void sbx_outcome_free(sbx_outcome *public)
{
    struct outcome *outcome = (struct outcome *)public;

    if (outcome == NULL)
        return;
    free(outcome->place);
    free(outcome);
}
