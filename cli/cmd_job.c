/* cmd_job.c - `job`: the group, and what changes a job: stop, rm, send, attach. */
#include "cmd.h"
#include "exec_run.h"
#include "job_run.h"
#include "ledger_note.h"
#include "places.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct values {
    int64_t kill_after_ms;
    int64_t force;
    int64_t no_enter;
};

static const struct opt stop_options[] = {
    {'k', "kill-after", "SECONDS", OPT_SECONDS, offsetof(struct values, kill_after_ms),
     "From the TERM, which it may answer, to the KILL; 10 by default", NULL, 0, 0, NULL},
    OPT_END,
};

static const struct opt rm_options[] = {
    {'f', "force", NULL, OPT_FLAG, offsetof(struct values, force),
     "Stop it first, where it runs; one that is not there is fine", NULL, 0, 0, NULL},
    OPT_END,
};

static const struct opt send_options[] = {
    {0, "no-enter", NULL, OPT_FLAG, offsetof(struct values, no_enter),
     "Do not press Enter behind the text", NULL, 0, 0, NULL},
    OPT_END,
};

static int say_survivors(const sbx_job *job)
{
    AUTO_TEXT pids = {0};
    size_t i;

    if (job->survivor_count == 0)
        return 0;
    for (i = 0; i < job->survivor_count; i++)
        text_addf(&pids, " %lld", (long long)job->survivors[i]);
    out_note("%s: NOT confirmed dead: pids%s still run", job->id, pids.data);
    return 1;
}

static int stop(struct app *app, sbx_session *session, const char *id, const void *values,
                sbx_error *err)
{
    const struct values *given = values;
    sbx_job_opts opts = {.size = sizeof(opts),
                         .cancel = app->cancel,
                         .kill_after_ms = given->kill_after_ms};
    sbx_job *job = NULL;
    int rc = sbx_job_stop(session, id, &opts, &job, err);

    if (rc < 0)
        return rc;
    job_print(app, job);
    ledger_note("job.stop", job->place, id, NULL);
    rc = say_survivors(job);
    sbx_job_free(job);
    return rc;
}

static int remove_one(struct app *app, sbx_session *session, const char *id,
                      const void *values, sbx_error *err)
{
    const struct values *given = values;
    sbx_job_opts opts = {.size = sizeof(opts), .cancel = app->cancel};
    sbx_job *job = NULL;
    int rc = SBX_OK;

    if (given->force) {
        rc = sbx_job_stop(session, id, &opts, &job, err);
        sbx_job_free(job);
    }
    if (rc == SBX_OK)
        rc = sbx_job_remove(session, id, &opts, err);
    if (rc == SBX_OK && app->json) {
        AUTO_TEXT line = {0};

        text_add(&line, "{\"place\":");
        text_add_json(&line, sbx_session_place(session));
        text_addf(&line, ",\"id\":\"%s\",\"removed\":true}", id);
        (void)printf("%s\n", line.data);
    }
    return rc;
}

static int run_stop(struct app *app, const void *values, const struct words *operands)
{
    return job_each(app, values, operands, stop);
}

static int run_rm(struct app *app, const void *values, const struct words *operands)
{
    return job_each(app, values, operands, remove_one);
}

static int run_send(struct app *app, const void *values, const struct words *operands)
{
    const struct values *given = values;
    sbx_job_opts opts = {.size = sizeof(opts)};
    AUTOFREE char *id = NULL;
    sbx_session *session = NULL;
    AUTO_TEXT keys = {0};
    sbx_error err = {0};
    int rc;

    text_add(&keys, operands->items[2]);
    if (!given->no_enter)
        text_add(&keys, "\n");
    rc = job_open(app, operands, &session, &id, &err);
    opts.cancel = app->cancel;
    if (rc == SBX_OK)
        rc = sbx_job_send(session, id, keys.data, keys.length, &opts, &err);
    sbx_session_free(session);
    return rc < 0 ? job_failed(app, &err) : 0;
}

static int no_terminal(const sbx_job *job)
{
    if (sbx_job_ended(job))
        out_note("job '%s' has ended, and its terminal with it", job->id);
    else
        out_note("job '%s' has no terminal", job->id);
    out_note("try: " SBX_PROGRAM_NAME " job log %s%s %s", sbx_job_ended(job) ? "" : "-f ",
             job->place, job->id);
    return 1;
}

/* A terminal over there, as `shell` has it: a hangup lets go, and the job goes on. */
static int attach(struct app *app, const sbx_job *job)
{
    struct exec_values wanted = {.pty = 1, .detach = 1, .max_output = 1};
    struct exec_run run = {.app = app,
                           .values = &wanted,
                           .command = job->attach,
                           .live = true,
                           .shell = true};
    AUTO_PLACES places = {0};
    sbx_error err = {0};

    if (places_add(&places, app, job->place, &err) < 0)
        return app_failed(app, &err);
    return exec_on_places(&run, &places);
}

static int run_attach(struct app *app, const void *values, const struct words *operands)
{
    AUTOFREE char *id = NULL;
    sbx_session *session = NULL;
    sbx_job *job = NULL;
    sbx_error err = {0};
    int rc, status;

    (void)values;
    if (app->json)
        return app_misused(app, "option '--json': a terminal has no JSON to print");
    if (!isatty(STDIN_FILENO)) {
        out_note("standard input is not a terminal, which this needs");
        out_note("try: " SBX_PROGRAM_NAME " job log -f %s %s, and job send",
                 operands->items[0], operands->items[1]);
        return 2;
    }
    rc = job_open(app, operands, &session, &id, &err);
    if (rc == SBX_OK)
        rc = sbx_job_show(session, id, NULL, &job, &err);
    sbx_session_free(session);
    if (rc < 0)
        return job_failed(app, &err);
    status = job->attach == NULL ? no_terminal(job) : attach(app, job);
    sbx_job_free(job);
    return status;
}

const struct cmd cmd_job_stop = {
    .name = "job stop",
    .usage = "[OPTION]... PLACE JOB...",
    .help = "End jobs, with all that they started",
    .about =
        "TERM, and then KILL, to each process of it, also those that left its session. "
        "Who stopped it is kept with it, and it is not resumed. The status is 1 where a "
        "process is left.",
    .examples = "job stop gpu1 train-1f0c22ab\njob stop -k 60 gpu1 train",
    .options = stop_options,
    .values_size = sizeof(struct values),
    JOB_OPERANDS(CMD_ANY_NUMBER),
    .run = run_stop,
};

const struct cmd cmd_job_rm = {
    .name = "job rm",
    .usage = "[OPTION]... PLACE JOB...",
    .help = "Forget jobs that have ended, their logs too",
    .examples = "job rm gpu1 train-1f0c22ab\njob rm -f gpu1 train",
    .options = rm_options,
    .values_size = sizeof(struct values),
    JOB_OPERANDS(CMD_ANY_NUMBER),
    .run = run_rm,
};

const struct cmd cmd_job_send = {
    .name = "job send",
    .usage = "[OPTION]... PLACE JOB TEXT",
    .help = "Type a text, and Enter, into the terminal of a job",
    .examples = "job send gpu1 train y\njob send --no-enter gpu1 train q",
    .options = send_options,
    .values_size = sizeof(struct values),
    .least = 3,
    .most = 3,
    .operand = "PLACE",
    .second = "JOB and TEXT",
    .completes = "place",
    .run = run_send,
};

const struct cmd cmd_job_attach = {
    .name = "job attach",
    .usage = "PLACE JOB",
    .help = "Show the terminal of a job on this one",
    .about =
        "Ctrl-b d leaves it, and the job goes on; so it does behind Enter with ~., and "
        "when the connection breaks. Ctrl-C goes to the job.",
    .examples = "job attach gpu1 train-1f0c22ab",
    .options = cmd_no_options,
    .values_size = sizeof(struct values),
    JOB_OPERANDS(2),
    .run = run_attach,
};

static const struct cmd *const commands[] = {
    &cmd_job_start,  &cmd_job_adopt,  &cmd_job_ls,   &cmd_job_show,
    &cmd_job_log,    &cmd_job_attach, &cmd_job_send, &cmd_job_stop,
    &cmd_job_resume, &cmd_job_rm,     NULL,
};

const struct cmd cmd_job = {
    .name = "job",
    .usage = "COMMAND ...",
    .help = "Start commands that go on without us, and look after them",
    .about =
        "A job is named by its id, which its start prints, or by its name where only one "
        "is called so.\n"
        "The status is 1 where the place says no: no such job, it still runs.",
    .examples = "job start gpu1 -n train -C proj 'python train.py'\njob ls gpu1\n"
                "job log -f gpu1 train",
    .options = cmd_no_options,
    .commands = commands,
};
