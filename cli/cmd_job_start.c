/* cmd_job_start.c - `job start` and `job adopt`: a command that goes on without us. */
#include "cmd.h"
#include "job_run.h"
#include "ledger_note.h"
#include "places.h"
#include "read_file.h"
#include "watching.h"

#include <stdio.h>
#include <string.h>

#define MOST_PLAN ((size_t)256 * 1024)

struct values {
    const char *name;
    const char *id;
    const char *cwd;
    struct words env;
    int64_t limit_ms;
    int64_t log_limit;
    int64_t no_terminal;
    const char *socket;
    int64_t resume;
    const char *resume_command;
    int64_t resume_delay_ms;
    int64_t on_failure;
    const char *checkpoint;
    const char *checkpoint_command;
    const char *resume_plan;
    struct watching_values watching;
};

static const struct opt options[] = {
    {'n', "name", "NAME", OPT_TEXT, offsetof(struct values, name),
     "Call it so; the beginning of the command by default", opt_check_filled, 0, 0, NULL},
    {'C', "cwd", "DIR", OPT_TEXT, offsetof(struct values, cwd),
     "Start in this folder of the place", opt_check_filled, 0, 0, NULL},
    {'e', "env", "NAME=VALUE", OPT_LIST, offsetof(struct values, env),
     "Set a variable in the command's environment; may be repeated", opt_check_variable,
     0, 0, NULL},
    {'t', "limit", "SECONDS", OPT_SECONDS, offsetof(struct values, limit_ms),
     "Stop it, with all that it started, after this time", NULL, 0, 0, NULL},
    {0, "log-limit", "BYTES", OPT_BYTES, offsetof(struct values, log_limit),
     "Keep the head and the tail of a log that is longer; 1G by default", NULL, 0, 0,
     NULL},
    {0, "no-terminal", NULL, OPT_FLAG, offsetof(struct values, no_terminal),
     "Do without tmux, where it is there too", NULL, 0, 0, NULL},
    {0, "id", "ID", OPT_TEXT, offsetof(struct values, id),
     "Give it this id: a start that was lost is asked again so, and runs once",
     opt_check_filled, 0, 0, NULL},
    {0, "resume", "N", OPT_INT, offsetof(struct values, resume),
     "Have it go on after an interruption, at most N times; see job resume", NULL, 1,
     1000, NULL},
    {0, "resume-command", "COMMAND", OPT_TEXT, offsetof(struct values, resume_command),
     "Go on with this shell text; its own command by default", opt_check_filled, 0, 0,
     NULL},
    {0, "resume-delay", "SECONDS", OPT_SECONDS, offsetof(struct values, resume_delay_ms),
     "Go on no sooner than this after its end; 300 by default", NULL, 0, 0, NULL},
    {0, "on-failure", NULL, OPT_FLAG, offsetof(struct values, on_failure),
     "Go on when it failed by itself too", NULL, 0, 0, NULL},
    {0, "checkpoint", "PATH", OPT_TEXT, offsetof(struct values, checkpoint),
     "Where it keeps what it goes on from; shown by job show", opt_check_filled, 0, 0,
     NULL},
    {0, "checkpoint-command", "COMMAND", OPT_TEXT,
     offsetof(struct values, checkpoint_command),
     "Shell text that prints where it stands, as text or JSON", opt_check_filled, 0, 0,
     NULL},
    {0, "resume-plan", "FILE", OPT_TEXT, offsetof(struct values, resume_plan),
     "A file of this machine that says all this as JSON", opt_check_filled, 0, 0, "file"},
    WATCHING_OPTIONS(watching),
    WATCHING_NO_OPTION(watching),
    OPT_END,
};

static const struct opt adopt_options[] = {
    {'n', "name", "NAME", OPT_TEXT, offsetof(struct values, name),
     "Call it so; the name of the session by default", opt_check_filled, 0, 0, NULL},
    {'L', "socket", "NAME", OPT_TEXT, offsetof(struct values, socket),
     "The socket of its server, as tmux -L has it", opt_check_filled, 0, 0, NULL},
    OPT_END,
};

/* Options may stand behind PLACE too, up to the command. */
static int read_rest(const struct words *operands, struct values *values,
                     struct words *command, sbx_error *err)
{
    const struct opt_set sets[2] = {{options, values}, {cmd_no_options, NULL}};

    return opt_parse(sets, OPT_TO_FIRST_WORD, (char *const *)(operands->items + 1),
                     command, err);
}

static void print_started(const struct app *app, const sbx_job *job, const char *kind)
{
    AUTO_TEXT detail = {0};

    text_add(&detail, "{\"name\":");
    text_add_json(&detail, job->name == NULL ? "" : job->name);
    text_add(&detail, ",\"command\":");
    text_add_json(&detail, job->command == NULL ? "" : job->command);
    text_add(&detail, "}");
    if (job->created)
        ledger_note(kind, job->place, job->id, detail.data);
    if (job->warning != NULL)
        out_note("%s", job->warning);
    if (app->json)
        out_json(sbx_job_json(job));
    else
        (void)printf("%s\n", job->id);
}

/* The text of a plan; NULL where none is named. */
static int read_plan(const char *name, struct text *plan, sbx_error *err)
{
    return name == NULL ? SBX_OK : read_file(name, MOST_PLAN, plan, err);
}

static int start(struct app *app, const char *place, const struct values *values,
                 const struct words *command, sbx_error *err)
{
    AUTO_WATCHING watching = {0};
    AUTO_TEXT plan = {0};
    sbx_job_start_opts opts = {.size = sizeof(opts),
                               .id = values->id,
                               .name = values->name,
                               .cwd = values->cwd,
                               .env = values->env.items,
                               .limit_ms = values->limit_ms,
                               .log_limit = values->log_limit,
                               .flags =
                                   (values->no_terminal ? SBX_JOB_NO_TERMINAL : 0) |
                                   (values->on_failure ? SBX_JOB_RESUME_ON_FAILURE : 0),
                               .cancel = app->cancel,
                               .resume_max = values->resume,
                               .resume_delay_ms = values->resume_delay_ms,
                               .resume_command = values->resume_command,
                               .checkpoint = values->checkpoint,
                               .checkpoint_command = values->checkpoint_command};
    sbx_session *session = NULL;
    sbx_job *job = NULL;
    int rc = read_plan(values->resume_plan, &plan, err);

    opts.resume_plan = plan.data;
    if (rc == SBX_OK)
        rc = watching_prepare(&watching, app, &values->watching, err);
    if (rc == SBX_OK)
        rc = places_open(app, place, &session, err);
    if (rc == SBX_OK && command->count == 1)
        rc = sbx_job_start(session, command->items[0], &opts, &job, err);
    else if (rc == SBX_OK)
        rc = sbx_job_start_argv(session, command->items, &opts, &job, err);
    if (rc == SBX_OK) {
        print_started(app, job, "job.start");
        (void)fflush(stdout);
        if (!values->watching.no_watch)
            watching_begin(app, &watching, job);
    }
    sbx_job_free(job);
    sbx_session_free(session);
    return rc;
}

static struct words copy_of(const struct words *words)
{
    struct words copy = {0};
    size_t i;

    for (i = 0; i < words->count; i++)
        words_add(&copy, words->items[i]);
    return copy;
}

static int run_start(struct app *app, const void *values, const struct words *operands)
{
    struct values given = *(const struct values *)values;
    AUTO_WORDS command = {0};
    sbx_error err = {0};
    int rc;

    /* A list is owned by the struct that it was read into. */
    given.env = copy_of(&((const struct values *)values)->env);
    given.watching.on_event =
        copy_of(&((const struct values *)values)->watching.on_event);
    rc = read_rest(operands, &given, &command, &err);
    if (rc == SBX_OK && command.count == 0)
        rc = fault(&err, SBX_ERR_INVALID, "no COMMAND given");
    if (rc < 0 && err.fix[0] == '\0')
        (void)fault_fix(&err, rc, "sbx job start --help");
    if (rc == SBX_OK)
        rc = start(app, operands->items[0], &given, &command, &err);
    words_clear(&given.env);
    words_clear(&given.watching.on_event);
    return rc < 0 ? job_failed(app, &err) : 0;
}

static int run_adopt(struct app *app, const void *values, const struct words *operands)
{
    const struct values *given = values;
    sbx_job_start_opts opts = {.size = sizeof(opts), .name = given->name};
    sbx_session *session = NULL;
    sbx_job *job = NULL;
    sbx_error err = {0};
    int rc = places_open(app, operands->items[0], &session, &err);

    opts.cancel = app->cancel;
    if (rc == SBX_OK)
        rc = sbx_job_adopt(session, given->socket, operands->items[1], &opts, &job, &err);
    if (rc == SBX_OK)
        print_started(app, job, "job.adopt");
    sbx_job_free(job);
    sbx_session_free(session);
    return rc < 0 ? job_failed(app, &err) : 0;
}

const struct cmd cmd_job_adopt = {
    .name = "job adopt",
    .usage = "[OPTION]... PLACE SESSION",
    .help = "Make a job of a tmux session that runs already",
    .about =
        "It goes on as it was, on its own terminal; from now on it has a log and a "
        "state, and can be waited for and stopped. Of several panes it is the active one.",
    .examples = "job adopt gpu1 train\njob adopt -n night gpu1 0",
    .options = adopt_options,
    .values_size = sizeof(struct values),
    .least = 2,
    .most = 2,
    .operand = "PLACE",
    .second = "SESSION",
    .completes = "place",
    .run = run_adopt,
};

const struct cmd cmd_job_start = {
    .name = "job start",
    .usage = "[OPTION]... PLACE [OPTION]... COMMAND...",
    .help = "Start a command that goes on without us; print its id",
    .about =
        "One word is text for a shell, bash or sh; several are a program and its arguments. "
        "What it prints goes to its log. Where the place has tmux, it has a terminal too: "
        "see attach and send.\n"
        "It goes on when this program, the connection and this machine are gone. A watchdog "
        "here looks after it: see watch.",
    .examples = "job start gpu1 -n train -C proj 'python train.py 2>&1'\n"
                "job start -t 3600 -e SEED=1 gpu1 ./run --epochs 3",
    .options = options,
    .values_size = sizeof(struct values),
    .stop = OPT_TO_FIRST_WORD,
    .least = 2,
    .most = CMD_ANY_NUMBER,
    .operand = "PLACE",
    .second = "COMMAND",
    .completes = "place",
    .run = run_start,
};
