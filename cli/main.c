/* main.c - the commands of the program, and the way from argv to one of them. */
#include "cmd.h"

#include <sandbox/log.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct cmd *const cmd_all[] = {
    &cmd_exec,     &cmd_shell,  &cmd_file,       &cmd_sync,   &cmd_cp,
    &cmd_job,      &cmd_wait,   &cmd_watch,      &cmd_host,   &cmd_keeper,
    &cmd_forward,  &cmd_doctor, &cmd_probe,      &cmd_pick,   &cmd_lease,
    &cmd_computer, &cmd_run,    &cmd_top,        &cmd_output, &cmd_outcome,
    &cmd_audit,    &cmd_mcp,    &cmd_completion, &cmd_help,   &cmd_version,
    &cmd_complete, &cmd_hosts,  &cmd_options,    NULL,
};

static void print_log(int level, const char *line, void *userdata)
{
    (void)level;
    (void)userdata;
    out_note("%s", line);
}

/* A file opened later must not become the standard output of a closed one. */
static void fill_standard_streams(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd >= 0)
        (void)close(fd);
}

static int print_help(const struct app *app, const struct cmd *cmd)
{
    AUTO_TEXT help = {0};

    cmd_help_text(app, cmd, &help);
    (void)fputs(help.data, stdout);
    return 0;
}

/* Whether the next word may be one of a command's name. */
static bool leads_on(const struct cmd *cmd, const char *word)
{
    if (cmd == NULL || cmd->commands == NULL)
        return cmd == NULL;
    return cmd->run == NULL || (word != NULL && cmd_named(cmd->commands, word) != NULL);
}

/*
 * Reads the global options and the words of the command's name, one at a time, as
 * what is behind them is the command's own to read. *rest is moved behind them.
 */
static int find_command(struct app *app, char *const **rest, sbx_error *err)
{
    const struct opt_set sets[2] = {{app_options, app}, {cmd_no_options, NULL}};
    AUTO_WORDS name = {0};
    int rc = SBX_OK;

    while (rc == SBX_OK && leads_on(app->cmd, **rest)) {
        AUTO_WORDS operands = {0};

        rc = opt_parse(sets, OPT_TO_FIRST_WORD, *rest, &operands, err);
        while (**rest != NULL && operands.count > 0 && **rest != operands.items[0])
            ++*rest;
        if (rc < 0 || operands.count == 0)
            return rc;
        ++*rest;
        words_add(&name, operands.items[0]);
        rc = cmd_find(&name, &app->cmd, err);
    }
    return rc;
}

static int check_operands(const struct app *app, const struct words *operands)
{
    const struct cmd *cmd = app->cmd;

    if (operands->count < cmd->least)
        return app_misused(app, "no %s given",
                           operands->count == 0 ? cmd->operand : cmd->second);
    if (operands->count > cmd->most)
        return app_misused(app, "one word too many: '%s'", operands->items[cmd->most]);
    return 0;
}

static int run_command(struct app *app, char *const *rest)
{
    AUTOFREE void *values = own_zeroed(1, app->cmd->values_size);
    const struct opt_set sets[2] = {{app->cmd->options, values}, {app_options, app}};
    AUTO_WORDS operands = {0};
    sbx_error err = {0};
    int status = 0;

    if (opt_parse(sets, app->cmd->stop, rest, &operands, &err) < 0)
        status = app_misread(app, &err);
    else if (app->help)
        status = print_help(app, app->cmd);
    else if (app->version)
        status = cmd_version.run(app, NULL, &operands);
    else
        status = check_operands(app, &operands);

    sbx_log_to(print_log, app->verbose > 0 ? (int)app->verbose + 1 : SBX_LOG_WARN, NULL);
    if (status == 0 && !app->help && !app->version)
        status = sbx_cancel_new(&app->cancel, &err) < 0
                     ? app_failed(app, &err)
                     : app->cmd->run(app, values, &operands);
    opt_clear(&sets[0]);
    return status;
}

static int run_program(struct app *app, char *const *rest)
{
    const struct words nothing = {0};
    sbx_error err = {0};

    if (find_command(app, &rest, &err) < 0)
        return app_misread(app, &err);
    if (app->version)
        return cmd_version.run(app, NULL, &nothing);
    if (app->cmd != NULL && app->cmd->run != NULL)
        return run_command(app, rest);
    if (app->help)
        return print_help(app, app->cmd);
    return app_misused(app, "no command given");
}

/* What stdio still holds is part of the answer: that it got out is checked. */
static int flush(int status)
{
    sbx_error err = {0};

    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    if (errno == EPIPE)
        return 141;
    (void)fault_errno(&err, SBX_ERR_IO, "write standard output");
    out_error(&err);
    return 255;
}

int main(int argc, char **argv)
{
    struct app app = {0};
    const char *name = argc > 0 && argv[0][0] != '\0' ? argv[0] : "sbx";
    const char *slash = strrchr(name, '/');
    int status;

    app.program = slash != NULL && slash[1] != '\0' ? slash + 1 : name;
#ifdef SBX_ONLY_COMMAND
    app.program = SBX_PROGRAM_NAME; /* its help tells of `sbx mcp` */
    app.cmd = &SBX_ONLY_COMMAND;
    app.only_command = true;
#endif
    out_set_program(app.program);
    fill_standard_streams();
    status = run_program(&app, argc > 0 ? argv + 1 : argv);
    app_close(&app);
    return flush(status);
}
