/* cmd_version.c - `version`. */
#include "cmd.h"

#include <stdio.h>

static int run_version(struct app *app, const void *values, const struct words *operands)
{
    (void)values;
    (void)operands;
    (void)printf(app->json ? "{\"version\":\"%s\"}\n" : "libsandbox %s\n", sbx_version());
    return 0;
}

const struct cmd cmd_version = {
    .name = "version",
    .usage = "[OPTION]...",
    .help = "Print the version",
    .examples = "version\nversion --json",
    .options = cmd_no_options,
    .most = 0,
    .run = run_version,
};
