/* cmd_watch.c - `watch`: the group, and what changes a watch: add, rm. */
#include "cmd.h"
#include "job_run.h"
#include "watch_find.h"
#include "watchdog.h"
#include "watching.h"

#include <stdio.h>
#include <string.h>

struct values {
    struct watching_values watching;
};

static const struct opt add_options[] = {
    WATCHING_OPTIONS(watching),
    {0, "interval", "SECONDS", OPT_SECONDS, WATCHING_AT(watching, interval_ms),
     "Look so often; as the watchdog does by default", NULL, 0, 0, NULL},
    OPT_END,
};

/* The name that the place goes by, and the id of the job: of a name a round trip. */
static int find_job(struct app *app, const struct words *operands, struct text *place,
                    char **id, sbx_error *err)
{
    sbx_session *session = NULL;
    int rc = job_open(app, operands, &session, id, err);

    if (rc == SBX_OK)
        text_add(place, sbx_session_place(session));
    sbx_session_free(session);
    return rc;
}

static int add(struct app *app, const struct watching *watching, const char *place,
               const char *id, sbx_error *err)
{
    sbx_ledger *ledger = NULL;
    int64_t number = 0;
    int rc = sbx_ledger_open(NULL, &ledger, err);

    if (rc == SBX_OK)
        rc = sbx_watch_add(ledger, place, id, &watching->opts, &number, err);
    if (rc == SBX_OK) {
        if (app->json)
            rc = watch_print_one(ledger, number, err);
        else
            (void)printf("%lld\n", (long long)number);
        (void)fflush(stdout);
        watchdog_ensure(app, ledger);
    }
    sbx_ledger_close(ledger);
    return rc;
}

static int run_add(struct app *app, const void *values, const struct words *operands)
{
    const struct values *given = values;
    AUTO_WATCHING watching = {0};
    AUTO_TEXT place = {0};
    AUTOFREE char *id = NULL;
    sbx_error err = {0};
    int rc = watching_prepare(&watching, app, &given->watching, &err);

    if (rc == SBX_OK)
        rc = find_job(app, operands, &place, &id, &err);
    if (rc == SBX_OK)
        rc = add(app, &watching, place.data, id, &err);
    return rc < 0 ? job_failed(app, &err) : 0;
}

static int remove_all(struct app *app, sbx_ledger *ledger, const char *word,
                      sbx_error *err)
{
    sbx_watch_list *list = NULL;
    int rc = watch_find(ledger, word, &list, err);
    size_t i;

    for (i = 0; rc == SBX_OK && i < list->count; i++) {
        rc = sbx_watch_remove(ledger, list->items[i]->number, err);
        if (rc == SBX_OK && app->json)
            (void)printf("{\"number\":%lld,\"removed\":true}\n",
                         (long long)list->items[i]->number);
    }
    sbx_watch_list_free(list);
    return rc;
}

/* Those too behind one that fails. */
static int remove_each(struct app *app, sbx_ledger *ledger, const void *values,
                       const struct words *operands, sbx_error *err)
{
    size_t i;
    int worst = 0;

    (void)values;
    for (i = 0; i < operands->count; i++)
        if (remove_all(app, ledger, operands->items[i], err) < 0)
            worst = job_failed(app, err);
    return worst;
}

static int run_rm(struct app *app, const void *values, const struct words *operands)
{
    return watch_on_ledger(app, values, operands, remove_each);
}

const struct cmd cmd_watch_add = {
    .name = "watch add",
    .usage = "[OPTION]... PLACE JOB",
    .help = "Look after a job, and tell what becomes of it; print the watch's number",
    .about =
        "Each event is written to the ledger, once (see watch events), and told as the "
        "options say. One job has one watch: added again, it gets these options. job start "
        "does this by itself.",
    .examples =
        "watch add gpu1 train --notify\n"
        "watch add gpu1 train --webhook https://example.org/hook "
        "--webhook-secret ~/.hook\n"
        "watch add gpu1 train --on-event ./told.sh --on-event --all --wake claude",
    .options = add_options,
    .values_size = sizeof(struct values),
    JOB_OPERANDS(2),
    .run = run_add,
};

const struct cmd cmd_watch_rm = {
    .name = "watch rm",
    .usage = "WATCH...",
    .help = "Look after jobs no more",
    .about = "A WATCH is named by its number, or by the id of its job. Its events stay.",
    .examples = "watch rm 3\nwatch rm train-1f0c22ab",
    .options = cmd_no_options,
    .values_size = sizeof(struct values),
    .least = 1,
    .most = CMD_ANY_NUMBER,
    .operand = "WATCH",
    .run = run_rm,
};

static const struct cmd *const commands[] = {
    &cmd_watch_add,    &cmd_watch_ls,  &cmd_watch_show,    &cmd_watch_rm,
    &cmd_watch_events, &cmd_watch_run, &cmd_watch_install, &cmd_watch_uninstall,
    &cmd_watch_status, NULL,
};

const struct cmd cmd_watch = {
    .name = "watch",
    .usage = "COMMAND ...",
    .help = "Look after jobs while nobody else does, and tell what becomes of them",
    .about =
        "A watchdog asks each place every five minutes, and tells by notification, "
        "webhook, command, file or an agent. job start makes one run; install makes it "
        "last.",
    .examples = "watch ls\nwatch events -n 20\nwatch install",
    .options = cmd_no_options,
    .commands = commands,
};
