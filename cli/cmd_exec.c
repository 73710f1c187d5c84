/* cmd_exec.c - `exec`: a command on one place or on many. */
#include "cmd.h"
#include "exec_run.h"
#include "interrupt.h"
#include "places.h"
#include "terminal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct opt options[] = {
    {'t', "timeout", "SECONDS", OPT_SECONDS, offsetof(struct exec_values, timeout_ms),
     "Kill the command, and all that it started, after this time", NULL, 0, 0, NULL},
    {'C', "cwd", "DIR", OPT_TEXT, offsetof(struct exec_values, cwd),
     "Start in this folder of the place", opt_check_filled, 0, 0, NULL},
    {'e', "env", "NAME=VALUE", OPT_LIST, offsetof(struct exec_values, env),
     "Set a variable in the command's environment; may be repeated", opt_check_variable,
     0, 0, NULL},
    {0, "stdin", NULL, OPT_FLAG, offsetof(struct exec_values, use_stdin),
     "Pass on standard input, which is empty otherwise", NULL, 0, 0, NULL},
    {0, "pty", NULL, OPT_FLAG, offsetof(struct exec_values, pty),
     "Give the command a terminal, and this one's keyboard if there is one", NULL, 0, 0,
     NULL},
    {0, "detach-on-hangup", NULL, OPT_FLAG, offsetof(struct exec_values, detach),
     "Let the command go on when this program or the connection dies", NULL, 0, 0, NULL},
    {0, "max-output", "BYTES", OPT_BYTES, offsetof(struct exec_values, max_output),
     "With --json: bytes of each stream to print, default 64K", NULL, 0, 0, NULL},
    OPT_END,
};

enum { MOST_INPUT = 64 << 20 };

/* All of standard input, for several places that each get a copy. */
static int read_input(struct text *input, sbx_error *err)
{
    AUTOFREE char *piece = own_zeroed(1, 1 << 16);
    ssize_t n;

    while ((n = read(STDIN_FILENO, piece, 1 << 16)) != 0) {
        if (n < 0 && errno == EINTR && !interrupt_came())
            continue;
        if (n < 0 && errno == EINTR)
            return fault(err, SBX_ERR_CANCELLED, "read standard input: cancelled");
        if (n < 0)
            return fault_errno(err, SBX_ERR_IO, "read standard input");
        text_add_bytes(input, piece, (size_t)n);
        if (input->length > MOST_INPUT)
            return fault(err, SBX_ERR_LIMIT,
                         "standard input: over 64 MiB, the most for several places");
    }
    return SBX_OK;
}

static int prepare_input(struct exec_run *run, struct text *input, sbx_error *err)
{
    const struct exec_values *values = run->values;
    bool terminal = isatty(STDIN_FILENO);
    int rc;

    if (values->use_stdin && run->count > 1) {
        rc = read_input(input, err);
        run->input = input->data;
        run->input_length = input->length;
        return rc;
    }
    run->input_from_fd = values->use_stdin || (values->pty && terminal && run->live);
    return SBX_OK;
}

/* The command's terminal is like this one, where this is one. */
static void prepare_terminal(struct exec_run *run, struct text *term)
{
    const char *name = getenv("TERM");

    if (!run->values->pty)
        return;
    terminal_size(STDIN_FILENO, &run->rows, &run->columns);
    if (run->columns == 0)
        terminal_size(STDOUT_FILENO, &run->rows, &run->columns);
    if (name == NULL || name[0] == '\0')
        return;
    text_addf(term, "TERM=%s", name);
    words_add(&run->env, term->data);
}

static int run_all(struct exec_run *run, struct places *places)
{
    size_t i;
    int status;

    run->count = places->names.count;
    run->jobs = own_zeroed(run->count, sizeof(run->jobs[0]));
    for (i = 0; i < run->count; i++)
        run->jobs[i].place = places->names.items[i];

    exec_run_all(run);
    if (run->app->json)
        exec_print_json(run);
    else
        exec_say_all(run);
    status = exec_status(run);

    for (i = 0; i < run->count; i++)
        sbx_exec_result_free(run->jobs[i].result);
    free(run->jobs);
    return status;
}

static int run_on(struct app *app, struct exec_run *run, struct places *places)
{
    AUTO_TEXT input = {0};
    AUTO_TEXT term = {0};
    sbx_error err = {0};
    size_t i;
    int rc;

    run->count = places->names.count;
    rc = app_open_pool(app, &err);
    if (rc == SBX_OK)
        rc = prepare_input(run, &input, &err);
    if (rc < 0)
        return app_failed(app, &err);
    prepare_terminal(run, &term);
    for (i = 0; i < run->values->env.count; i++)
        words_add(&run->env, run->values->env.items[i]);
    return run_all(run, places);
}

static int check_use(const struct app *app, const struct exec_values *values,
                     size_t place_count)
{
    if (values->pty && place_count > 1)
        return app_misused(app, "option '--pty' is for one place, and %zu are named",
                           place_count);
    if (values->use_stdin && !values->pty && isatty(STDIN_FILENO)) {
        out_note("option '--stdin': standard input is a terminal");
        out_note("try: --pty, or a pipe or a file as standard input");
        return 2;
    }
    return 0;
}

static int run_exec(struct app *app, const void *values, const struct words *operands)
{
    struct exec_run run = {.app = app, .values = values, .live = !app->json};
    AUTO_PLACES places = {0};
    sbx_error err = {0};
    int status;

    run.command = operands->items + 1;
    if (strcmp(run.command[0], "--") == 0)
        run.command++;
    if (run.command[0] == NULL)
        return app_misused(app, "no COMMAND given");
    if (places_add(&places, app, operands->items[0], &err) < 0)
        return app_failed(app, &err);

    status = check_use(app, values, places.names.count);
    if (status == 0)
        status = run_on(app, &run, &places);
    words_clear(&run.env);
    return status;
}

const struct cmd cmd_exec = {
    .name = "exec",
    .usage = "[OPTION]... PLACE[,PLACE...]|@TAG COMMAND...",
    .help = "Run a command on one place or on many",
    .about =
        "One word behind PLACE is text for the shell of the place; several are a program "
        "and its arguments, which reach it as they stand. What stands behind PLACE "
        "belongs to the command, options too.\n"
        "Output is printed as it comes; with several places, by lines that begin with "
        "the place. The exit status is the command's own; 124 timed out, 128+N killed by "
        "signal N, 130 cancelled, 255 not started or lost, 2 usage. With several places "
        "it is the highest.\n"
        "Ctrl-C stops the command over there and says whether it is dead; a second one "
        "ends at once.",
    .examples = "exec local 'make -j4 2>&1 | tail'\n"
                "exec -t 60 -C /data gpu1 python3 train.py --epochs 1\n"
                "exec @lab uptime",
    .options = options,
    .values_size = sizeof(struct exec_values),
    .stop = OPT_TO_FIRST_WORD,
    .least = 2,
    .most = CMD_ANY_NUMBER,
    .operand = "PLACE",
    .completes = "places",
    .run = run_exec,
};
