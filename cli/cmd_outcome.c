/* cmd_outcome.c - `outcome`: what became of a command whose answer was lost. */
#include "cmd.h"
#include "output_list.h"
#include "places.h"

#include <sandbox/exec.h>
#include <sandbox/output.h>

#include <string.h>
#include <unistd.h>

/* What is known here of a run. */
struct known {
    char run_id[OUTPUT_ID_ROOM];
    struct text place;
    bool told; /* its end was seen here */
};

static void add_ago(struct text *line, const sbx_outcome *outcome, int64_t then)
{
    if (then <= 0 || outcome->asked < then)
        return;
    text_add(line, ", ");
    text_add_age(line, outcome->asked - then);
    text_add(line, " ago");
}

static void add_end(struct text *line, const sbx_outcome *outcome)
{
    if (outcome->exit_code >= 0)
        text_addf(line, "exited with status %d", (int)outcome->exit_code);
    else if (outcome->signal_name != NULL)
        text_addf(line, "was killed by SIG%s", outcome->signal_name);
    else
        text_addf(line, "was killed by signal %d", (int)outcome->signal);
}

static void add_pids(struct text *line, const char *before, const sbx_outcome *outcome)
{
    size_t i;

    if (outcome->survivor_count == 0)
        return;
    text_add(line, before);
    for (i = 0; i < outcome->survivor_count; i++)
        text_addf(line, " %lld", (long long)outcome->survivors[i]);
}

static void say_no_trace(struct text *line, const sbx_outcome *outcome)
{
    (void)outcome;
    text_add(line,
             "no trace of it there: it never started, or it ended by itself and that "
             "was not to be kept, or all that is over a day ago");
}

static void say_starting(struct text *line, const sbx_outcome *outcome)
{
    text_addf(line, "its login shell, pid %lld, has not begun it yet",
              (long long)outcome->pid);
}

static void say_running(struct text *line, const sbx_outcome *outcome)
{
    text_addf(line, "runs, pid %lld", (long long)outcome->pid);
    if (outcome->started > 0 && outcome->asked >= outcome->started) {
        text_add(line, ", for ");
        text_add_age(line, outcome->asked - outcome->started);
    }
}

static void say_ended_so(struct text *line, const sbx_outcome *outcome)
{
    add_end(line, outcome);
    add_ago(line, outcome, outcome->ended);
    add_pids(line, "; in the background it has left", outcome);
}

static void say_killed(struct text *line, const sbx_outcome *outcome)
{
    static const char *const causes[] = {
        [SBX_OUTCOME_GONE] = " because its client was gone",
        [SBX_OUTCOME_LIMIT] = " over there at its time limit",
        [SBX_OUTCOME_ASKED] = " as its client asked",
    };

    text_add(line, "was killed");
    if (outcome->cause >= SBX_OUTCOME_GONE && outcome->cause <= SBX_OUTCOME_ASKED)
        text_add(line, causes[outcome->cause]);
    add_ago(line, outcome, outcome->ended);
    if (outcome->exit_code >= 0 || outcome->signal > 0) {
        text_add(line, ", and ");
        add_end(line, outcome);
    }
    if (outcome->confirmed_dead)
        text_add(line, "; all of it is dead");
    else if (outcome->survivor_count == 0)
        text_add(line, "; could not look what still runs");
    add_pids(line, "; NOT dead: pid", outcome);
}

static void say_ended(struct text *line, const sbx_outcome *outcome)
{
    text_add(line, "it has ended, and how is not known");
    add_pids(line, "; in the background it has left", outcome);
}

static void say(const struct known *known, const sbx_outcome *outcome)
{
    static void (*const rows[])(struct text *, const sbx_outcome *) = {
        [SBX_OUTCOME_NO_TRACE] = say_no_trace, [SBX_OUTCOME_STARTING] = say_starting,
        [SBX_OUTCOME_RUNNING] = say_running,   [SBX_OUTCOME_EXITED] = say_ended_so,
        [SBX_OUTCOME_SIGNALED] = say_ended_so, [SBX_OUTCOME_KILLED] = say_killed,
        [SBX_OUTCOME_ENDED] = say_ended,
    };
    AUTO_TEXT line = {0};

    if (outcome->state < SBX_OUTCOME_NO_TRACE || outcome->state > SBX_OUTCOME_ENDED)
        return;
    text_addf(&line, "run %s on %s: ", outcome->run_id, outcome->place);
    if (outcome->state == SBX_OUTCOME_NO_TRACE && known->told)
        text_add(&line, "its end was told when it ended; nothing of it is kept there");
    else
        rows[outcome->state](&line, outcome);
    text_add(&line, "\n");
    (void)out_write(STDOUT_FILENO, line.data, line.length);
    if (outcome->state == SBX_OUTCOME_ENDED)
        out_note("try: " SBX_PROGRAM_NAME " exec --keep-outcome, next time");
}

/* Its output, if it printed any, tells where it was. */
static int find_known(const char *word, struct known *known, sbx_error *err)
{
    sbx_output_runs *runs = NULL;
    size_t i;
    int rc = output_named(word, known->run_id, err);

    if (rc == SBX_OK &&
        (strlen(known->run_id) != 32 || strspn(known->run_id, "0123456789abcdef") != 32))
        rc = fault_fix(err,
                       fault(err, SBX_ERR_INVALID,
                             "'%s' is no run id, which has 32 hex digits", word),
                       "sbx exec -v, or --json, tells the id of a run");
    if (rc == SBX_OK)
        rc = sbx_output_list(-1, NULL, &runs, err);
    if (rc < 0)
        return rc;
    for (i = 0; i < runs->count; i++)
        if (strcmp(runs->items[i].run_id, known->run_id) == 0) {
            if (runs->items[i].place != NULL)
                text_add(&known->place, runs->items[i].place);
            known->told = runs->items[i].complete != 0;
        }
    sbx_output_runs_free(runs);
    return SBX_OK;
}

static int ask(struct app *app, const char *place, const struct known *known,
               sbx_outcome **outcome, sbx_error *err)
{
    const sbx_outcome_opts opts = {.size = sizeof(opts), .cancel = app->cancel};
    sbx_session *session = NULL;
    int rc = app_open_pool(app, err);

    if (rc == SBX_OK)
        rc = places_open(app, place, &session, err);
    if (rc == SBX_OK)
        rc = sbx_exec_outcome(session, known->run_id, &opts, outcome, err);
    sbx_session_free(session);
    return rc;
}

static int tell(struct app *app, const struct words *operands, struct known *known,
                sbx_error *err)
{
    const char *place = operands->count > 1 ? operands->items[1] : known->place.data;
    sbx_outcome *outcome = NULL;
    int status, rc;

    if (place == NULL)
        return fault_fix(err,
                         fault(err, SBX_ERR_NOT_FOUND,
                               "run '%s': on which place it was is not known here",
                               known->run_id),
                         "name the place behind it");
    rc = ask(app, place, known, &outcome, err);
    if (rc < 0)
        return rc;
    status = outcome->state == SBX_OUTCOME_NO_TRACE ? 1 : 0;
    if (app->json)
        out_json(sbx_outcome_json(outcome));
    else
        say(known, outcome);
    sbx_outcome_free(outcome);
    return status;
}

static int run_outcome(struct app *app, const void *values, const struct words *operands)
{
    struct known known = {0};
    sbx_error err = {0};
    int rc;

    (void)values;
    rc = find_known(operands->items[0], &known, &err);
    if (rc == SBX_OK)
        rc = tell(app, operands, &known, &err);
    text_clear(&known.place);
    return rc < 0 ? app_failed(app, &err) : rc;
}

const struct cmd cmd_outcome = {
    .name = "outcome",
    .usage = "[OPTION]... RUN_ID|last [PLACE]",
    .help = "Tell what became of a command whose answer was lost",
    .about =
        "Asks the place where it ran. RUN_ID is named where a connection was lost, in the "
        "JSON of exec, and in what exec -v says; its first digits will do, and 'last' is "
        "the newest that printed something or was lost. PLACE is needed where that is not "
        "known here.\n"
        "It runs, or was killed, by whom, and whether all of it is dead; how it ended by "
        "itself is kept, for a day, for exec --keep-outcome and --detach-on-hangup. The "
        "exit status is 0 if there was something to tell, and 1 if there is no trace.",
    .examples = "outcome last\n"
                "outcome 0123456789abcdef0123456789abcdef gpu1",
    .options = cmd_no_options,
    .least = 1,
    .most = 2,
    .operand = "RUN_ID",
    .completes = "|place",
    .run = run_outcome,
};
