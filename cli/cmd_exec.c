/* cmd_exec.c - `exec`: a command on one place or on many. */
#include "cmd.h"
#include "exec_run.h"
#include "places.h"

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
    {'A', "forward-agent", NULL, OPT_FLAG, offsetof(struct exec_values, forward_agent),
     "Lend this side's SSH agent to what runs there; root there can use it too", NULL, 0,
     0, NULL},
    {0, "stdin", NULL, OPT_FLAG, offsetof(struct exec_values, use_stdin),
     "Pass on standard input, which is empty otherwise", NULL, 0, 0, NULL},
    {0, "stdin-commands", NULL, OPT_FLAG, offsetof(struct exec_values, stdin_commands),
     "Read the commands from standard input, a line each, and run one behind another",
     NULL, 0, 0, NULL},
    {0, "stop-at-failure", NULL, OPT_FLAG, offsetof(struct exec_values, stop_at_failure),
     "With --stdin-commands: run no more behind the first that failed", NULL, 0, 0, NULL},
    {0, "pty", NULL, OPT_FLAG, offsetof(struct exec_values, pty),
     "Give the command a terminal, and this one's keyboard if there is one", NULL, 0, 0,
     NULL},
    {0, "detach-on-hangup", NULL, OPT_FLAG, offsetof(struct exec_values, detach),
     "Let the command go on when this program or the connection dies", NULL, 0, 0, NULL},
    {0, "keep-outcome", NULL, OPT_FLAG, offsetof(struct exec_values, keep_outcome),
     "Keep over there how it ended, for outcome; so does --detach-on-hangup", NULL, 0, 0,
     NULL},
    {0, "max-output", "BYTES", OPT_BYTES, offsetof(struct exec_values, max_output),
     "With --json: bytes of each stream to print, default 64K", NULL, 0, 0, NULL},
    OPT_END,
};

static int check_use(const struct app *app, const struct exec_values *values,
                     size_t place_count)
{
    if (values->stdin_commands && (values->use_stdin || values->pty))
        return app_misused(app,
                           "option '--stdin-commands': with '%s' there is one "
                           "standard input for two",
                           values->pty ? "--pty" : "--stdin");
    if (values->stop_at_failure && !values->stdin_commands)
        return app_misused(app, "option '--stop-at-failure' is for '--stdin-commands'");
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

static int check_command(const struct app *app, const struct exec_values *values,
                         const char *const **command)
{
    const char *first = **command;

    if (values->stdin_commands)
        return first == NULL ? 0
                             : app_misused(app,
                                           "option '--stdin-commands': the commands are "
                                           "read, and '%s' is given",
                                           first);
    if (first != NULL && strcmp(first, "--") == 0)
        ++*command;
    else if (first != NULL && first[0] == '-') {
        out_note("'%s' stands behind PLACE, where the command begins", first);
        out_note(
            "try: options ahead of PLACE, or -- ahead of a command that is called so");
        return 2;
    }
    return **command == NULL ? app_misused(app, "no COMMAND given") : 0;
}

static int run_exec(struct app *app, const void *values, const struct words *operands)
{
    struct exec_run run = {.app = app, .values = values, .live = !app->json};
    AUTO_PLACES places = {0};
    sbx_error err = {0};
    int status;

    run.command = operands->items + 1;
    status = check_command(app, values, &run.command);
    if (status != 0)
        return status;
    if (places_add(&places, app, operands->items[0], &err) < 0)
        return app_failed(app, &err);

    status = check_use(app, values, places.names.count);
    if (status == 0)
        status = exec_on_places(&run, &places);
    return status;
}

const struct cmd cmd_exec = {
    .name = "exec",
    .usage = "[OPTION]... PLACE[,PLACE...]|@TAG COMMAND...",
    .help = "Run a command on one place or on many",
    .about =
        "One word behind PLACE is text for the shell of the place; several are a program "
        "and its arguments, which reach it as they stand. What stands behind PLACE "
        "belongs to the command, options too: those of exec stand before PLACE.\n"
        "Output is printed as it comes; with several places, by lines that begin with "
        "the place. The exit status is the command's own; 124 timed out, 128+N killed by "
        "signal N, 130 cancelled, 255 not started or lost, 2 usage. With several places "
        "it is the highest.\n"
        "With --stdin-commands each line of standard input is a command's text, and all "
        "run one behind another over one connection. One that fails is told by its line, "
        "with --json in 'line', and the exit status is the highest. One that is lost or "
        "not started ends the list.\n"
        "Ctrl-C stops the command over there and says whether it is dead; a second one "
        "ends at once.",
    .examples = "exec local 'make -j4 2>&1 | tail'\n"
                "exec -t 60 -C /data gpu1 python3 train.py --epochs 1\n"
                "exec @lab uptime\n"
                "exec --stdin-commands gpu1 <commands",
    .options = options,
    .values_size = sizeof(struct exec_values),
    .stop = OPT_TO_FIRST_WORD,
    .least = 1,
    .most = CMD_ANY_NUMBER,
    .operand = "PLACE",
    .completes = "places",
    .run = run_exec,
};

const struct cmd cmd_computer_exec = {
    .name = "computer exec",
    .usage = "[OPTION]... PLACE/NAME COMMAND...",
    .help = "Run a command in one: exec, whose place it is",
    .examples = "computer exec local/box 'cat /etc/os-release'",
    .options = options,
    .values_size = sizeof(struct exec_values),
    .stop = OPT_TO_FIRST_WORD,
    .least = 1,
    .most = CMD_ANY_NUMBER,
    .operand = "PLACE/NAME",
    .run = run_exec,
};
