#include "watching.h"

#include "watchdog.h"

#include <string.h>
#include <unistd.h>

void watching_clear(struct watching *watching)
{
    text_clear(&watching->secret);
    text_clear(&watching->folder);
    text_clear(&watching->ssh_config);
    text_clear(&watching->list_file);
    text_clear(&watching->program);
    words_clear(&watching->command);
}

/* The watchdog starts elsewhere: what is relative is so to where we are. */
static const char *absolute(struct text *path, const char *given)
{
    char *here = given[0] == '/' ? NULL : getcwd(NULL, 0);

    if (here != NULL)
        text_addf(path, "%s/", strcmp(here, "/") == 0 ? "" : here);
    text_add(path, given);
    own_free(&here);
    return path->data;
}

static void add_command(struct watching *watching, const struct words *given)
{
    size_t i;

    if (given->count == 0)
        return;
    if (strchr(given->items[0], '/') != NULL)
        words_add(&watching->command, absolute(&watching->program, given->items[0]));
    else
        words_add(&watching->command, given->items[0]);
    for (i = 1; i < given->count; i++)
        words_add(&watching->command, given->items[i]);
    watching->opts.command = watching->command.items;
}

static int check(const struct watching *watching, const struct watching_values *values,
                 sbx_error *err)
{
    const bool told = values->notify || values->webhook != NULL ||
                      values->on_event.count > 0 || values->wake != NULL ||
                      values->events != NULL || values->progress > 0;

    if (values->no_watch && told)
        return fault(err, SBX_ERR_INVALID,
                     "'--no-watch', and somebody is to be told of it");
    if (watching->opts.webhook_secret != NULL &&
        access(watching->opts.webhook_secret, R_OK) < 0)
        return fault_errno(err, SBX_ERR_INVALID, "read the secret '%s'",
                           watching->opts.webhook_secret);
    if (watching->opts.webhook_ca != NULL && access(watching->opts.webhook_ca, R_OK) < 0)
        return fault_errno(err, SBX_ERR_INVALID, "read the certificates '%s'",
                           watching->opts.webhook_ca);
    return sbx_watch_check(&watching->opts, err);
}

int watching_prepare(struct watching *watching, const struct app *app,
                     const struct watching_values *values, sbx_error *err)
{
    sbx_watch_opts *opts = &watching->opts;

    *opts = (sbx_watch_opts){.size = sizeof(*opts),
                             .flags = values->notify ? SBX_WATCH_NOTIFY : 0,
                             .webhook = values->webhook,
                             .wake = values->wake,
                             .interval_ms = values->interval_ms,
                             .progress = values->progress};
    if (values->webhook_secret != NULL)
        opts->webhook_secret = absolute(&watching->secret, values->webhook_secret);
    if (values->webhook_ca != NULL)
        opts->webhook_ca = absolute(&watching->ca, values->webhook_ca);
    if (values->events != NULL)
        opts->folder = absolute(&watching->folder, values->events);
    if (app->ssh_config != NULL && strcmp(app->ssh_config, "none") == 0)
        opts->ssh_config = app->ssh_config;
    else if (app->ssh_config != NULL)
        opts->ssh_config = absolute(&watching->ssh_config, app->ssh_config);
    if (app->list_file != NULL)
        opts->list_file = absolute(&watching->list_file, app->list_file);
    add_command(watching, &values->on_event);
    return check(watching, values, err);
}

void watching_begin(const struct app *app, const struct watching *watching,
                    const sbx_job *job)
{
    sbx_ledger *ledger = NULL;
    sbx_error err = {0};
    int rc = sbx_ledger_open(NULL, &ledger, &err);

    if (rc == SBX_OK)
        rc = sbx_watch_add(ledger, job->place, job->id, &watching->opts, NULL, &err);
    if (rc < 0)
        out_note("not watched: %s", err.text);
    else
        watchdog_ensure(app, ledger);
    sbx_ledger_close(ledger);
}
