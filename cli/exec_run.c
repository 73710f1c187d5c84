#include "exec_run.h"

#include "parallel.h"
#include "terminal.h"
#include "window.h"

#include <unistd.h>

static int print_output(int stream, const void *data, size_t length, void *userdata)
{
    struct exec_job *job = userdata;
    struct exec_run *run = job->run;
    bool to_errors = stream == SBX_EXEC_STDERR;
    int none = 0;
    int failed;

    if (run->count > 1)
        failed = lines_add(&job->lines[to_errors], data, length);
    else
        failed = out_write(to_errors ? STDERR_FILENO : STDOUT_FILENO, data, length);
    if (failed == 0)
        return 0;
    (void)atomic_compare_exchange_strong(&run->write_errno, &none, failed);
    sbx_cancel_fire(run->app->cancel);
    return 1;
}

static uint64_t flags_of(const struct exec_run *run)
{
    const struct exec_values *values = run->values;
    uint64_t flags = 0;

    if (run->input_from_fd)
        flags |= SBX_EXEC_INPUT_FD;
    if (values->pty)
        flags |= SBX_EXEC_PTY;
    if (values->pty && isatty(STDIN_FILENO))
        flags |= SBX_EXEC_INTERACTIVE_ENV;
    if (values->detach)
        flags |= SBX_EXEC_DETACH_ON_HANGUP;
    if (values->keep_outcome)
        flags |= SBX_EXEC_KEEP_OUTCOME;
    if (values->pty && run->window >= 0)
        flags |= SBX_EXEC_RESIZE_FD;
    if (run->shell)
        flags |= SBX_EXEC_NO_SPOOL | SBX_EXEC_HANG_UP;
    return flags;
}

static int call(struct exec_job *job, sbx_session *session)
{
    const struct exec_run *run = job->run;
    sbx_exec_opts opts = {
        .size = sizeof(opts),
        .flags = flags_of(run),
        .cwd = run->values->cwd,
        .env = run->env.items,
        .input = run->input,
        .input_length = run->input_length,
        .input_fd = run->keys != NULL ? shell_keys_fd(run->keys) : STDIN_FILENO,
        .timeout_ms = run->values->timeout_ms,
        .output_limit = run->values->max_output,
        .pty_rows = run->rows,
        .pty_columns = run->columns,
        .on_output = run->live ? print_output : NULL,
        .userdata = job,
        .cancel = run->app->cancel,
        .resize_fd = run->window,
        .terminal_size = window_size,
    };

    if (run->command[1] == NULL)
        return sbx_exec_shell(session, run->command[0], &opts, &job->result, &job->error);
    return sbx_exec_argv(session, run->command, &opts, &job->result, &job->error);
}

static void end_lines(struct exec_job *job)
{
    int none = 0;
    int failed = lines_end(&job->lines[0]);

    if (failed == 0)
        failed = lines_end(&job->lines[1]);
    if (failed != 0)
        (void)atomic_compare_exchange_strong(&job->run->write_errno, &none, failed);
    text_clear(&job->lines[0].partial);
    text_clear(&job->lines[1].partial);
}

/* Only now: a login may have asked for a password there. */
static int begin_terminal(struct exec_run *run, sbx_error *err)
{
    if (run->live && run->input_from_fd && run->values->pty)
        (void)terminal_set_raw(STDIN_FILENO);
    return run->shell ? shell_keys_open(run->app->cancel, &run->keys, err) : SBX_OK;
}

static void end_terminal(struct exec_job *job)
{
    struct exec_run *run = job->run;

    run->left = shell_keys_close(run->keys);
    run->keys = NULL;
    terminal_restore();
    if (run->shell && (job->code < 0 || job->result->end != SBX_EXEC_EXITED))
        terminal_settle(STDOUT_FILENO);
}

static void run_job(size_t index, void *userdata)
{
    struct exec_run *run = userdata;
    struct exec_job *job = &run->jobs[index];
    struct app *app = run->app;
    sbx_session *session = NULL;

    job->code =
        sbx_pool_acquire(app->pool, job->place, app->cancel, &session, &job->error);
    if (job->code < 0)
        return;
    job->code = begin_terminal(run, &job->error);
    if (job->code == SBX_OK)
        job->code = call(job, session);
    end_terminal(job);
    end_lines(job);
    sbx_session_free(session);
}

void exec_run_all(struct exec_run *run)
{
    size_t i;

    for (i = 0; i < run->count; i++) {
        struct exec_job *job = &run->jobs[i];

        job->run = run;
        job->lines[0] = (struct lines){.fd = STDOUT_FILENO, .prefix = job->place};
        job->lines[1] = (struct lines){.fd = STDERR_FILENO, .prefix = job->place};
    }
    parallel_run(run->count, run_job, run);
}
