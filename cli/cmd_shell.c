/* cmd_shell.c - `shell`: the login shell of a place on this terminal. */
#include "cmd.h"
#include "exec_run.h"

#include <unistd.h>

static const struct opt options[] = {
    {'C', "cwd", "DIR", OPT_TEXT, offsetof(struct exec_values, cwd),
     "Start in this folder of the place", opt_check_filled, 0, 0, NULL},
    {'e', "env", "NAME=VALUE", OPT_LIST, offsetof(struct exec_values, env),
     "Set a variable in the shell's environment; may be repeated", opt_check_variable, 0,
     0, NULL},
    {'A', "forward-agent", NULL, OPT_FLAG, offsetof(struct exec_values, forward_agent),
     "Lend this side's SSH agent to what runs there; root there can use it too", NULL, 0,
     0, NULL},
    OPT_END,
};

/* A login of its own counts its shells from 1. */
static const char *const login_shell[] = {
    "/bin/sh", "-c", "unset SHLVL; exec \"${SHELL:-/bin/sh}\" -l", NULL};

static int no_terminal(const char *place)
{
    out_note("standard input is not a terminal, which a shell needs");
    out_note("try: " SBX_PROGRAM_NAME
             " exec %s COMMAND, or exec --stdin %s sh with a script",
             place, place);
    return 2;
}

static int run_shell(struct app *app, const void *values, const struct words *operands)
{
    struct exec_values wanted = *(const struct exec_values *)values;
    struct exec_run run = {.app = app,
                           .values = &wanted,
                           .command = login_shell,
                           .live = true,
                           .shell = true};
    AUTO_PLACES places = {0};
    sbx_error err = {0};

    if (app->json)
        return app_misused(app, "option '--json': a shell has no JSON to print");
    if (places_add(&places, app, operands->items[0], &err) < 0)
        return app_failed(app, &err);
    if (places.names.count > 1)
        return app_misused(app, "a shell is on one place, and %zu are named",
                           places.names.count);
    if (!isatty(STDIN_FILENO))
        return no_terminal(places.names.items[0]);

    /* What ends it is the hangup of its terminal, so that tmux and nohup outlive it. */
    wanted.pty = 1;
    wanted.detach = 1;
    wanted.max_output = 1;
    return exec_on_places(&run, &places);
}

const struct cmd cmd_shell = {
    .name = "shell",
    .usage = "[OPTION]... PLACE",
    .help = "Open a shell on a place, on this terminal",
    .about =
        "It is the login shell over there. Keys go to it as they are typed, Ctrl-C too; "
        "its window is as large as this one. The exit status is the shell's own.\n"
        "Behind Enter, ~. ends the connection, ~? tells of these keys, and ~~ is a "
        "tilde.\n"
        "Where the connection ends, so does the shell; what was started with nohup or "
        "in tmux goes on.",
    .examples = "shell gpu1\nshell -C /data gpu1\nshell local",
    .options = options,
    .values_size = sizeof(struct exec_values),
    .stop = OPT_ALL,
    .least = 1,
    .most = 1,
    .operand = "PLACE",
    .completes = "place",
    .run = run_shell,
};

const struct cmd cmd_computer_shell = {
    .name = "computer shell",
    .usage = "[OPTION]... PLACE/NAME",
    .help = "Open a shell in one, on this terminal",
    .examples = "computer shell local/box",
    .options = options,
    .values_size = sizeof(struct exec_values),
    .stop = OPT_ALL,
    .least = 1,
    .most = 1,
    .operand = "PLACE/NAME",
    .run = run_shell,
};
