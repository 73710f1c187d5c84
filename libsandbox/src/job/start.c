/*
 * start.c - starts a job, and asks again with the same id where the answer was lost.
 *
 * Asking again is safe: over there one runner of an id gets past the fence.
 */
#include "job/call.h"
#include "job/order.h"
#include "job/record_parse.h"
#include "job/result.h"
#include "job/script.h"

#include "base/clock.h"
#include "base/opts.h"
#include "base/strv.h"

#include <stdio.h>
#include <string.h>

static int make_args(const struct sbi_order *order, char ***args, sbx_error *err)
{
    bool terminal = (order->opts.flags & SBX_JOB_NO_TERMINAL) == 0;
    const char *const texts[] = {order->policy.command, order->policy.checkpoint_command,
                                 order->policy.checkpoint};
    const char *const *word;
    char size[24];
    size_t i;
    int rc;

    (void)snprintf(size, sizeof(size), "%zu", strlen(order->command));
    rc = sbi_strv_add(args, order->id, err);
    if (rc == SBX_OK)
        rc = sbi_strv_add(args, size, err);
    if (rc == SBX_OK)
        rc = sbi_strv_add(args, order->session != NULL ? "2" : terminal ? "1" : "0", err);
    if (rc == SBX_OK)
        rc = sbi_strv_add(args, sbi_job_script_runner, err);
    for (i = 0; rc == SBX_OK && i < sizeof(texts) / sizeof(texts[0]); i++)
        rc = sbi_strv_add(args, texts[i] == NULL ? "" : texts[i], err);
    if (rc == SBX_OK && order->session != NULL)
        rc = sbi_strv_add(args, order->socket, err);
    if (rc == SBX_OK && order->session != NULL)
        rc = sbi_strv_add(args, order->session, err);
    for (word = order->argv; rc == SBX_OK && word != NULL && *word != NULL; word++)
        rc = sbi_strv_add(args, *word, err);
    return rc;
}

static int warn(sbx_session *session, sbx_job *job, sbx_error *err)
{
    SBI_AUTO_STR text = {0};

    sbi_str_addf(
        &text,
        "'%s' ends what a login leaves behind (KillUserProcesses=yes), and does not "
        "let it linger: the job ends with the last login there; an administrator "
        "can allow it by loginctl enable-linger",
        sbx_session_place(session));
    if (text.status != SBX_OK)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    return sbi_result_warn(job, text.data, err);
}

/* No runner came as far as the fence, and none will: what was made ready is taken back.
 */
static int did_not_begin(const sbx_job *job, sbx_error *err)
{
    int rc = sbi_fail(err, SBX_ERR_REMOTE, "it did not begin; see '%s'", job->folder);

    return sbi_executed(err, rc, SBX_EXECUTED_UNKNOWN);
}

static int read_answer(sbx_session *session, const struct sbi_order *order,
                       const sbx_exec_result *result, sbx_job **out, sbx_error *err)
{
    SBI_AUTO_RECORDS records = {0};
    SBI_AUTO_JOB job = NULL;
    int rc = sbi_records_parse(result->output, result->output_length, &records, err);

    if (rc < 0)
        return sbi_executed(err, rc, SBX_EXECUTED_UNKNOWN);
    if (records.count > 0 && strcmp(records.items[0].digest, order->digest) != 0)
        return sbi_fail(err, SBX_ERR_EXISTS, "there is another job of that id");
    rc = sbi_result_only(sbx_session_place(session), &records, &job, err);
    if (rc < 0)
        return rc;
    if (job->pid == 0 && job->started_at_s < 0)
        return did_not_begin(job, err);
    if (records.warned)
        rc = warn(session, job, err);
    if (rc < 0)
        return rc;
    *out = SBI_STEAL(job);
    return SBX_OK;
}

static int start(sbx_session *session, const struct sbi_order *order, sbx_job **out,
                 sbx_error *err)
{
    int64_t timeout = order->opts.timeout_ms;
    int64_t deadline = timeout == 0 ? SBI_NEVER : sbi_deadline(timeout);
    SBI_AUTO_CALL_RESULT result = NULL;
    SBI_AUTO_STR input = {0};
    SBI_AUTO_STRV args = NULL;
    struct sbi_call call = {
        .action = "start job",
        .id = order->id,
        .script = sbi_job_script_start,
        .changes = true,
        .exec = {.flags = SBX_EXEC_DETACH_ON_HANGUP | SBX_EXEC_INTERACTIVE_ENV,
                 .cwd = order->opts.cwd,
                 .env = order->opts.env,
                 .cancel = order->opts.cancel}};
    int rc = sbi_order_input(order, &input, err);

    if (rc == SBX_OK)
        rc = make_args(order, &args, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "start job '%s'", order->id);
    call.args = (const char *const *)args;
    call.exec.input = input.data;
    call.exec.input_length = input.length;
    rc = sbi_call_again(session, &call, deadline, &result, err);
    if (rc == SBX_OK) {
        rc = read_answer(session, order, result, out, err);
        if (rc < 0)
            rc = sbi_wrap(err, rc, "start job '%s' on '%s'", order->id,
                          sbx_session_place(session));
    }
    if (rc < 0 && err != NULL && err->executed != SBX_EXECUTED_NO)
        rc = sbi_fix(err, rc, NULL, "start it again with --id %s: it runs once",
                     order->id);
    return rc;
}

static int check_and_start(sbx_session *session, const char *command,
                           const char *const *argv, const sbx_job_start_opts *opts,
                           sbx_job **out, sbx_error *err)
{
    SBI_AUTO_ORDER order = {0};
    int rc;

    if (session == NULL)
        return sbi_fail(err, SBX_ERR_INVALID, "start job: no session is given");
    rc = sbi_order_make(command, argv, opts, &order, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "start job");
    rc = sbi_call_check_id(session, order.id, "start job", err);
    return rc < 0 ? rc : start(session, &order, out, err);
}

int sbx_job_start(sbx_session *session, const char *command,
                  const sbx_job_start_opts *opts, sbx_job **out, sbx_error *err)
{
    return check_and_start(session, command, NULL, opts, out, err);
}

int sbx_job_start_argv(sbx_session *session, const char *const *argv,
                       const sbx_job_start_opts *opts, sbx_job **out, sbx_error *err)
{
    if (argv == NULL)
        return sbi_fail(err, SBX_ERR_INVALID, "start job: no command is given");
    return check_and_start(session, NULL, argv, opts, out, err);
}

/* Names of tmux: what it takes as a part of a target stands for itself nowhere. */
static int check_name(const char *what, const char *name, sbx_error *err)
{
    if (name == NULL || name[0] == '\0' || name[0] == '-' || strlen(name) > 200 ||
        strpbrk(name, ":.\n/ ") != NULL)
        return sbi_fail(err, SBX_ERR_INVALID, "'%.80s' is no %s of tmux's",
                        name == NULL ? "" : name, what);
    return SBX_OK;
}

int sbx_job_adopt(sbx_session *session, const char *socket, const char *tmux_session,
                  const sbx_job_start_opts *theirs, sbx_job **out, sbx_error *err)
{
    SBI_AUTO_ORDER order = {0};
    SBI_AUTO_STR command = {0};
    sbx_job_start_opts opts;
    int rc = sbi_opts_read(&opts, sizeof(opts), theirs, err);

    if (session == NULL)
        return sbi_fail(err, SBX_ERR_INVALID, "adopt: no session is given");
    if (socket == NULL)
        socket = "default";
    if (rc == SBX_OK)
        rc = check_name("socket", socket, err);
    if (rc == SBX_OK)
        rc = check_name("session", tmux_session, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "adopt");
    sbi_str_addf(&command, "tmux -L %s attach-session -t =%s", socket, tmux_session);
    if (command.status != SBX_OK)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "adopt: out of memory");
    if (opts.name == NULL)
        opts.name = tmux_session;
    opts.cwd = NULL;
    opts.env = NULL;
    opts.limit_ms = 0;
    opts.log_limit = -1;
    opts.flags = 0;
    opts.resume_max = opts.resume_delay_ms = 0;
    opts.resume_command = opts.resume_plan = NULL;
    opts.checkpoint = opts.checkpoint_command = NULL;
    opts.labels = NULL;
    rc = sbi_order_make(command.data, NULL, &opts, &order, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "adopt '%s'", tmux_session);
    order.socket = socket;
    order.session = tmux_session;
    rc = sbi_call_check_id(session, order.id, "adopt", err);
    return rc < 0 ? rc : start(session, &order, out, err);
}
