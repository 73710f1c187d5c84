/* cmd_audit.c - `audit`: what the ledger has, and that nobody changed it. */
#include "cmd.h"

#include <sandbox/ledger.h>

#include <stdio.h>
#include <string.h>
#include <time.h>

struct values {
    int64_t most;
    const char *kind;
    const char *place;
    const char *subject;
    int64_t since_ms;
    int64_t all;
};

#define AT(member) offsetof(struct values, member)

static const struct opt show_options[] = {
    {'n', "lines", "N", OPT_INT, AT(most), "The newest so many; 100 by default", NULL, 1,
     1000000000, NULL},
    {'a', "all", NULL, OPT_FLAG, AT(all), "All of them", NULL, 0, 0, NULL},
    {'k', "kind", "KIND", OPT_TEXT, AT(kind),
     "Only of this kind: job.start, or job. for all that begin so", opt_check_filled, 0,
     0, NULL},
    {'p', "place", "PLACE", OPT_TEXT, AT(place), "Only of this place", opt_check_filled,
     0, 0, NULL},
    {0, "subject", "TEXT", OPT_TEXT, AT(subject), "Only of this job, path or GPU",
     opt_check_filled, 0, 0, NULL},
    {0, "since", "SECONDS", OPT_SECONDS, AT(since_ms), "Only of the last so many seconds",
     NULL, 0, 0, NULL},
    OPT_END,
};

static void add_time(struct text *text, int64_t at_ms)
{
    time_t then = (time_t)(at_ms / 1000);
    struct tm day;
    char when[32];

    if (localtime_r(&then, &day) != NULL &&
        strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &day) > 0)
        text_add(text, when);
}

static void add_word(struct text *text, const char *word)
{
    text_add(text, "  ");
    text_add_shown(text, word == NULL ? "-" : word);
}

static void print_entry(const struct app *app, const sbx_ledger_entry *entry)
{
    AUTO_TEXT line = {0};

    if (app->json) {
        out_json(sbx_ledger_entry_json(entry));
        return;
    }
    text_addf(&line, "%lld  ", (long long)entry->number);
    add_time(&line, entry->at_ms);
    add_word(&line, entry->kind);
    add_word(&line, entry->place);
    add_word(&line, entry->subject);
    add_word(&line, entry->actor);
    if (entry->detail != NULL)
        add_word(&line, entry->detail);
    (void)printf("%s\n", line.data);
}

static int64_t now_ms(void)
{
    return (int64_t)time(NULL) * 1000;
}

static int run_show(struct app *app, const void *values, const struct words *operands)
{
    const struct values *given = values;
    const sbx_ledger_query query = {
        .size = sizeof(query),
        .most = given->all ? -1 : given->most,
        .kind = given->kind,
        .place = given->place,
        .subject = given->subject,
        .since_ms = given->since_ms > 0 ? now_ms() - given->since_ms : 0};
    sbx_ledger *ledger = NULL;
    sbx_ledger_list *list = NULL;
    sbx_error err = {0};
    size_t i;
    int rc = sbx_ledger_open(NULL, &ledger, &err);

    (void)operands;
    if (rc == SBX_OK)
        rc = sbx_ledger_list_all(ledger, &query, &list, &err);
    for (i = 0; rc == SBX_OK && i < list->count; i++)
        print_entry(app, &list->items[i]);
    sbx_ledger_list_free(list);
    sbx_ledger_close(ledger);
    return rc < 0 ? app_failed(app, &err) : 0;
}

/* An entry that was changed is what is asked for, and the answer no: status 1. */
static int run_verify(struct app *app, const void *values, const struct words *operands)
{
    sbx_ledger *ledger = NULL;
    sbx_error err = {0};
    int64_t count = 0;
    char last[65] = "";
    int rc = sbx_ledger_open(NULL, &ledger, &err);

    (void)values;
    (void)operands;
    if (rc == SBX_OK)
        rc = sbx_ledger_verify(ledger, &count, last, &err);
    sbx_ledger_close(ledger);
    if (rc == SBX_ERR_CONFLICT)
        return (void)app_failed(app, &err), 1;
    if (rc < 0)
        return app_failed(app, &err);
    if (app->json)
        (void)printf("{\"entries\":%lld,\"last\":\"%s\"}\n", (long long)count, last);
    else
        (void)printf("%lld entries, none changed; the last hash is %s\n",
                     (long long)count, count == 0 ? "-" : last);
    return 0;
}

const struct cmd cmd_audit_show = {
    .name = "audit show",
    .usage = "[OPTION]...",
    .help = "Show what was done where: jobs, leases, runs, an agent's calls",
    .about =
        "Oldest first: number, time, kind, place, subject, who, and the rest as JSON. The "
        "ledger is this user's own ($XDG_STATE_HOME/sbx/ledger.db), and added to only.",
    .examples = "audit show\naudit show -k job. -p gpu1 --since 86400",
    .options = show_options,
    .values_size = sizeof(struct values),
    .run = run_show,
};

const struct cmd cmd_audit_verify = {
    .name = "audit verify",
    .usage = "",
    .help = "Check that no entry was changed or taken out",
    .about =
        "Each entry is chained to the one before by a hash. The status is 1 where one "
        "is not as it was written. The last hash, kept elsewhere, shows later that "
        "nothing was cut off at the end.",
    .examples = "audit verify",
    .options = cmd_no_options,
    .run = run_verify,
};

static const struct cmd *const commands[] = {&cmd_audit_show, &cmd_audit_verify, NULL};

const struct cmd cmd_audit = {
    .name = "audit",
    .usage = "COMMAND ...",
    .help = "Show the ledger of what was done where, and verify it",
    .examples = "audit show -k job. -p gpu1 --since 86400\naudit verify",
    .options = cmd_no_options,
    .commands = commands,
};
