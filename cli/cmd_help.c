/* cmd_help.c - `help`: what --help prints, asked for by name. */
#include "cmd.h"

#include <stdio.h>

static int run_help(struct app *app, const void *values, const struct words *operands)
{
    const struct cmd *cmd = NULL;
    AUTO_TEXT help = {0};
    sbx_error err = {0};

    (void)values;
    if (cmd_find(operands, &cmd, &err) < 0) {
        out_error(&err);
        if (err.fix[0] == '\0')
            out_note("try: %s --help", app->program);
        return 2;
    }
    cmd_help_text(app, cmd, &help);
    (void)fputs(help.data, stdout);
    return 0;
}

const struct cmd cmd_help = {
    .name = "help",
    .usage = "[COMMAND]",
    .help = "Explain a command",
    .examples = "help\nhelp exec\nhelp host add",
    .options = cmd_no_options,
    .most = 2,
    .completes = "command",
    .run = run_help,
};
