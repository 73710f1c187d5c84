/* exec_say.c - tells a person how commands ended, and the shell by a number. */
#include "exec_run.h"

#include <errno.h>
#include <stdio.h>

/* What is left of a command that we killed. */
static void add_remains(struct text *line, const sbx_exec_result *result)
{
    size_t i;

    if (result->confirmed_dead) {
        text_add(line, "all of it is dead");
        return;
    }
    if (result->survivor_count == 0) {
        text_add(line, "could not ask what still runs");
        return;
    }
    text_add(line, result->survivor_count == 1 ? "NOT confirmed dead: pid"
                                               : "NOT confirmed dead: pids");
    for (i = 0; i < result->survivor_count; i++)
        text_addf(line, " %lld", (long long)result->survivors[i]);
    text_add(line, result->survivor_count == 1 ? " still runs" : " still run");
}

static void add_exited(struct text *line, const struct exec_job *job)
{
    text_addf(line, "exited with status %d", (int)job->result->exit_code);
}

static void add_signaled(struct text *line, const struct exec_job *job)
{
    if (job->result->signal_name != NULL)
        text_addf(line, "killed by SIG%s", job->result->signal_name);
    else if (job->result->signal == 0)
        text_add(line, "killed by a signal, which one is not known");
    else
        text_addf(line, "killed by signal %d", (int)job->result->signal);
}

static void add_timed_out(struct text *line, const struct exec_job *job)
{
    int64_t ms = job->run->values->timeout_ms;

    text_addf(line, "timed out after %lld", (long long)(ms / 1000));
    if (ms % 1000 != 0) {
        text_addf(line, ".%03d", (int)(ms % 1000));
        while (line->data[line->length - 1] == '0')
            line->data[--line->length] = '\0';
    }
    text_add(line, " s; ");
    add_remains(line, job->result);
}

static void add_cancelled(struct text *line, const struct exec_job *job)
{
    if (job->run->shell) {
        text_add(line, job->run->left ? "connection closed" : "hung up");
        return;
    }
    text_add(line, "cancelled; ");
    add_remains(line, job->result);
}

static void add_lost(struct text *line, const struct exec_job *job)
{
    static const char *const ran[] = {
        [SBX_EXECUTED_NO] = "the command did not run",
        [SBX_EXECUTED_YES] = "the command ran, and how it ended is not known",
        [SBX_EXECUTED_UNKNOWN] = "whether the command ran is not known",
    };
    int executed = job->result->error.executed;

    if (job->run->shell) {
        text_addf(line, "connection lost: %s", job->result->error.text);
        return;
    }
    if (executed < SBX_EXECUTED_NO || executed > SBX_EXECUTED_UNKNOWN)
        executed = SBX_EXECUTED_UNKNOWN;
    text_addf(line, "lost: %s; %s", job->result->error.text, ran[executed]);
}

static void say_end(const struct exec_job *job)
{
    static void (*const add[])(struct text *, const struct exec_job *) = {
        [SBX_EXEC_EXITED] = add_exited,       [SBX_EXEC_SIGNALED] = add_signaled,
        [SBX_EXEC_TIMED_OUT] = add_timed_out, [SBX_EXEC_CANCELLED] = add_cancelled,
        [SBX_EXEC_LOST] = add_lost,
    };
    AUTO_TEXT line = {0};

    if (job->result->end < SBX_EXEC_EXITED || job->result->end > SBX_EXEC_LOST)
        return;
    if (job->run->line > 0)
        text_addf(&line, "line %lld: ", (long long)job->run->line);
    add[job->result->end](&line, job);
    out_note("%s: %s", job->place, line.data);
    if (job->result->end == SBX_EXEC_LOST)
        out_try(&job->result->error);
}

static bool went_well(const struct exec_job *job)
{
    return job->code == SBX_OK && job->result->end == SBX_EXEC_EXITED &&
           job->result->exit_code == 0;
}

/* With one command on one place, its own failure is its own to explain. */
static void say_job(const struct exec_job *job)
{
    const struct exec_run *run = job->run;
    bool exited = job->code == SBX_OK && job->result->end == SBX_EXEC_EXITED;

    if (job->code < 0 && run->left)
        out_note("%s: connection closed", job->place);
    else if (job->code < 0)
        out_error(&job->error);
    else if (!exited || ((run->count > 1 || run->line > 0) && !went_well(job)))
        say_end(job);
}

static void say_details(const struct exec_job *job)
{
    if (job->code < 0)
        return;
    out_note("%s: run %s: %s after %lld ms", job->place, job->result->run_id,
             sbx_exec_end_name(job->result->end), (long long)job->result->duration_ms);
    if (job->result->holds_output)
        out_note("%s: a process in the background still holds the output", job->place);
}

static void say_lack(const struct exec_job *job)
{
    if (job->code == SBX_OK && job->result->out_of_memory)
        out_note("%s: it ran out of memory, now or before", job->place);
}

static void say_not_written(int failed)
{
    sbx_error err = {0};

    errno = failed;
    (void)fault_errno(&err, SBX_ERR_IO, "write the output");
    out_error(&err);
}

void exec_say_all(const struct exec_run *run)
{
    int failed = atomic_load(&run->write_errno);
    size_t good = 0;
    size_t i;

    if (failed == EPIPE)
        return;
    if (failed != 0 && failed != EINTR)
        say_not_written(failed);
    for (i = 0; i < run->count; i++) {
        good += went_well(&run->jobs[i]) ? 1 : 0;
        say_job(&run->jobs[i]);
        say_lack(&run->jobs[i]);
        if (run->app->verbose)
            say_details(&run->jobs[i]);
    }
    if (run->count > 1 && good < run->count)
        out_note("%zu of %zu places exited with status 0", good, run->count);
}

/* One of a list says first which line it is of. Frees the JSON. */
static void print_json(const struct exec_run *run, char *json)
{
    if (run->line > 0 && json != NULL) {
        (void)printf("{\"line\":%lld,%s\n", (long long)run->line, json + 1);
        sbx_free(json);
    } else {
        out_json(json);
    }
}

void exec_print_json(const struct exec_run *run)
{
    size_t i;

    for (i = 0; i < run->count; i++) {
        const struct exec_job *job = &run->jobs[i];

        print_json(run, job->code < 0 ? sbx_exec_error_json(job->place, &job->error)
                                      : sbx_exec_result_json(job->result));
    }
}

int exec_status(const struct exec_run *run)
{
    int failed = atomic_load(&run->write_errno);
    int worst = 0;
    size_t i;

    if (failed != 0 && failed != EINTR)
        return failed == EPIPE ? 141 : 255;
    if (run->left)
        return 255;
    for (i = 0; i < run->count; i++) {
        const struct exec_job *job = &run->jobs[i];
        int status = job->code < 0 ? out_status(job->code) : sbx_exec_status(job->result);

        worst = status > worst ? status : worst;
    }
    return worst;
}
