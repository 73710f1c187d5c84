#include "app.h"

#include "cmd.h"
#include "interrupt.h"
#include "prompt.h"

#include <sandbox/log.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const struct opt app_options[] = {
    {0, "json", NULL, OPT_FLAG, offsetof(struct app, json),
     "Print JSON, one object a line", NULL, 0, 0, NULL},
    {'F', "ssh-config", "FILE", OPT_TEXT, offsetof(struct app, ssh_config),
     "Read this ssh_config instead of the usual ones ('none': none)", opt_check_filled, 0,
     0, "file"},
    {0, "config", "FILE", OPT_TEXT, offsetof(struct app, list_file),
     "Read this list of hosts instead of the usual one", opt_check_filled, 0, 0, "file"},
    {0, "no-keeper", NULL, OPT_FLAG, offsetof(struct app, no_keeper),
     "Connect anew, though a keeper has a connection", NULL, 0, 0, NULL},
    {'v', "verbose", NULL, OPT_FLAG, offsetof(struct app, verbose),
     "Tell more; twice: everything", NULL, 0, 0, NULL},
    {'h', "help", NULL, OPT_FLAG, offsetof(struct app, help), "Print this help", NULL, 0,
     0, NULL},
    {'V', "version", NULL, OPT_FLAG, offsetof(struct app, version), "Print the version",
     NULL, 0, 0, NULL},
    OPT_END,
};

int app_open_hosts(struct app *app, sbx_error *err)
{
    sbx_hosts_opts opts = {
        .size = sizeof(opts),
        .list_file = app->list_file,
        .ssh_config = app->ssh_config,
    };

    return app->hosts != NULL ? SBX_OK : sbx_hosts_load(&opts, &app->hosts, err);
}

int app_open_pool(struct app *app, sbx_error *err)
{
    sbx_session_opts opts = {.size = sizeof(opts),
                             .prompt = prompt_ask,
                             .flags =
                                 (app->forward_agent ? SBX_SESSION_FORWARD_AGENT : 0U) |
                                 (app->no_keeper ? SBX_SESSION_NO_KEEPER : 0U) |
                                 (app->own ? SBX_SESSION_OWN : 0U),
                             .keeper_program = own_program(),
                             .idle_ms = app->steady ? -1 : 0};
    int rc = app_open_hosts(app, err);

    if (rc == SBX_OK)
        rc = interrupt_catch(app->program, app->cancel, err);
    if (rc == SBX_OK)
        rc = sbx_pool_new(app->hosts, &opts, &app->pool, err);
    return rc;
}

int app_list_file(const struct app *app, struct text *path, sbx_error *err)
{
    const char *config = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");

    if (app->list_file != NULL)
        text_add(path, app->list_file);
    else if (config != NULL && config[0] == '/')
        text_addf(path, "%s/sbx/hosts.json", config);
    else if (home != NULL && home[0] == '/')
        text_addf(path, "%s/.config/sbx/hosts.json", home);
    else
        return fault_fix(err,
                         fault(err, SBX_ERR_CONFIG,
                               "no list of hosts: HOME is not set, nor XDG_CONFIG_HOME"),
                         "--config FILE");
    return SBX_OK;
}

int app_misused(const struct app *app, const char *form, ...)
{
    char text[sizeof(((sbx_error *)NULL)->text)];
    va_list args;

    va_start(args, form);
    (void)vsnprintf(text, sizeof(text), form, args);
    va_end(args);

    out_note("%s", text);
    if (app->cmd != NULL)
        out_note("try: %s %s --help", app->program, app->cmd->name);
    else
        out_note("try: %s --help", app->program);
    return 2;
}

int app_misread(const struct app *app, const sbx_error *err)
{
    if (err->fix[0] == '\0')
        return app_misused(app, "%s", err->text);
    out_error(err);
    return 2;
}

int app_failed(const struct app *app, const sbx_error *err)
{
    if (app->json) {
        char *json = sbx_error_json(err);

        if (json != NULL)
            (void)printf("{\"error\":%s}\n", json);
        sbx_free(json);
    }
    out_error(err);
    return out_status(err->code);
}

void app_close(struct app *app)
{
    sbx_pool_free(app->pool);
    sbx_hosts_free(app->hosts);
    if (!interrupt_holds(app->cancel))
        sbx_cancel_free(app->cancel);
}
