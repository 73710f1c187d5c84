/* cmd.c - finds commands in their tables, and writes their help. */
#include "cmd.h"

#include "nearest.h"

#include <stdio.h>
#include <string.h>

const struct opt cmd_no_options[] = {OPT_END};

const char *cmd_word(const struct cmd *cmd)
{
    const char *blank = strrchr(cmd->name, ' ');

    return blank == NULL ? cmd->name : blank + 1;
}

bool cmd_hidden(const struct cmd *cmd)
{
    return cmd->help == NULL;
}

const struct cmd *cmd_named(const struct cmd *const *table, const char *name)
{
    for (; *table != NULL; table++)
        if (strcmp(cmd_word(*table), name) == 0)
            return *table;
    return NULL;
}

static int unknown(const struct cmd *group, const char *word, sbx_error *err)
{
    const struct cmd *const *table = group == NULL ? cmd_all : group->commands;
    const char *under = group == NULL ? "" : group->name;
    const char *blank = group == NULL ? "" : " ";
    AUTO_WORDS names = {0};
    const char *near;
    int rc;

    for (; *table != NULL; table++)
        if (!cmd_hidden(*table))
            words_add(&names, cmd_word(*table));
    near = nearest_word(&names, word);
    rc = fault(err, SBX_ERR_INVALID, "unknown command '%s%s%s'", under, blank, word);
    return near == NULL
               ? rc
               : fault_fix(err, rc, SBX_PROGRAM_NAME " %s%s%s", under, blank, near);
}

int cmd_find(const struct words *words, const struct cmd **out, sbx_error *err)
{
    const struct cmd *const *table = cmd_all;
    const struct cmd *found = NULL;
    size_t i;

    for (i = 0; i < words->count && table != NULL; i++) {
        const struct cmd *next = cmd_named(table, words->items[i]);

        if (next == NULL)
            return unknown(found, words->items[i], err);
        found = next;
        table = next->commands;
    }
    *out = found;
    return SBX_OK;
}

void cmd_each(void (*fn)(const struct cmd *cmd, void *userdata), void *userdata)
{
    const struct cmd *const *at;
    const struct cmd *const *below;

    for (at = cmd_all; *at != NULL; at++) {
        if ((*at)->run != NULL)
            fn(*at, userdata);
        for (below = (*at)->commands; below != NULL && *below != NULL; below++)
            fn(*below, userdata);
    }
}

static void add_commands(const struct cmd *const *table, struct text *help)
{
    text_add(help, "\nCommands:\n");
    for (; *table != NULL; table++)
        if (!cmd_hidden(*table))
            text_addf(help, "  %-12s %s\n", cmd_word(*table), (*table)->help);
}

/* Lines of a row's text, each wrapped, or each after the program's name. */
static void add_lines(struct text *help, const char *lines, const char *program)
{
    for (; *lines != '\0'; lines += strcspn(lines, "\n"), lines += *lines == '\n') {
        AUTOFREE char *line = own_copy(lines, strcspn(lines, "\n"));

        if (program != NULL)
            text_addf(help, "  %s %s\n", program, line);
        else
            opt_help_wrapped(help, line, 0);
    }
}

static void add_program(const struct app *app, struct text *help)
{
    text_addf(help,
              "Usage: %s [OPTION]... COMMAND ...\n\nRuns commands in sandboxes: on this "
              "machine, and on hosts over SSH.\n",
              app->program);
    add_commands(cmd_all, help);
    text_add(help, "\nOptions, before the command or behind it:\n");
    opt_help(app_options, help);
    text_add(help, "\nExamples:\n");
    add_lines(help, "exec gpu1 nvidia-smi\nhost check @lab\nhelp exec", app->program);
}

static void add_command(const struct app *app, const struct cmd *cmd, struct text *help)
{
    text_addf(help, "Usage: %s %s %s\n\n%s.\n", app->program, cmd->name, cmd->usage,
              cmd->help);
    if (cmd->about != NULL) {
        text_add(help, "\n");
        add_lines(help, cmd->about, NULL);
    }
    if (cmd->commands != NULL)
        add_commands(cmd->commands, help);
    if (cmd->options->name != NULL) {
        text_add(help, "\nOptions:\n");
        opt_help(cmd->options, help);
    }
    text_add(help, "\nOptions of every command:\n");
    opt_help(app_options, help);
    text_add(help, "\nExamples:\n");
    add_lines(help, cmd->examples, app->program);
}

void cmd_help_text(const struct app *app, const struct cmd *cmd, struct text *help)
{
    AUTO_TEXT text = {0};

    if (cmd == NULL)
        add_program(app, &text);
    else
        add_command(app, cmd, &text);
    out_add_named(help, text.data);
}
