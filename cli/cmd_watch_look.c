/* cmd_watch_look.c - `watch ls`, `watch show`, `watch events`: what is watched, and what
 * happened. */
#include "cmd.h"
#include "watch_find.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

struct values {
    int64_t all;
    int64_t most;
    int64_t after;
    const char *kind;
    const char *place;
    const char *job;
};

#define AT(member) offsetof(struct values, member)

static const struct opt ls_options[] = {
    {'a', "all", NULL, OPT_FLAG, AT(all), "Those too whose job has ended", NULL, 0, 0,
     NULL},
    OPT_END,
};

static const struct opt events_options[] = {
    {'n', "lines", "N", OPT_INT, AT(most), "The newest so many; 100 by default", NULL, 1,
     1000000000, NULL},
    {'a', "all", NULL, OPT_FLAG, AT(all), "All of them", NULL, 0, 0, NULL},
    {0, "after", "N", OPT_INT, AT(after), "Only those numbered above this", NULL, 0,
     INT64_C(1000000000000000), NULL},
    {'k', "kind", "KIND", OPT_TEXT, AT(kind), "Only of this kind: failed, completed, ...",
     opt_check_filled, 0, 0,
     "started progress unreachable reachable completed failed oom interrupted "
     "resume_scheduled resume_started resume_failed crash_loop gave_up"},
    {'p', "place", "PLACE", OPT_TEXT, AT(place), "Only of this place", opt_check_filled,
     0, 0, NULL},
    {0, "job", "ID", OPT_TEXT, AT(job), "Only of this job", opt_check_filled, 0, 0, NULL},
    OPT_END,
};

static bool read_number(const char *word, int64_t *number)
{
    *number = 0;
    if (word[0] == '\0' || strlen(word) > 15)
        return false;
    for (; *word >= '0' && *word <= '9'; word++)
        *number = *number * 10 + (*word - '0');
    return *word == '\0' && *number > 0;
}

int watch_find(sbx_ledger *ledger, const char *word, sbx_watch_list **out, sbx_error *err)
{
    sbx_watch_query query = {.size = sizeof(query), .flags = SBX_WATCH_ALL};
    sbx_watch_list *list = NULL;
    int rc;

    if (!read_number(word, &query.number)) {
        query.number = 0;
        query.job = word;
    }
    rc = sbx_watch_list_all(ledger, &query, &list, err);
    if (rc == SBX_OK && list->count == 0) {
        sbx_watch_list_free(list);
        rc = fault(err, SBX_ERR_NOT_FOUND, "there is no watch '%.80s'", word);
        return fault_fix(err, rc, SBX_PROGRAM_NAME " watch ls --all");
    }
    if (rc == SBX_OK)
        *out = list;
    return rc;
}

int watch_on_ledger(struct app *app, const void *values, const struct words *operands,
                    watch_fn fn)
{
    sbx_ledger *ledger = NULL;
    sbx_error err = {0};
    int rc = sbx_ledger_open(NULL, &ledger, &err), status;

    if (rc == SBX_OK)
        rc = fn(app, ledger, values, operands, &err);
    sbx_ledger_close(ledger);
    if (rc >= 0)
        return rc;
    status = app_failed(app, &err);
    return rc == SBX_ERR_NOT_FOUND ? 1 : status;
}

int watch_print_one(sbx_ledger *ledger, int64_t number, sbx_error *err)
{
    const sbx_watch_query query = {
        .size = sizeof(query), .number = number, .flags = SBX_WATCH_ALL};
    sbx_watch_list *list = NULL;
    int rc = sbx_watch_list_all(ledger, &query, &list, err);

    if (rc == SBX_OK && list->count == 1)
        out_json(sbx_watch_json(list->items[0]));
    sbx_watch_list_free(list);
    return rc;
}

static void add_ago(struct text *text, int64_t at_ms)
{
    int64_t seconds = (int64_t)time(NULL) - at_ms / 1000;

    if (at_ms <= 0) {
        text_add(text, "never");
        return;
    }
    text_add_age(text, seconds < 0 ? 0 : seconds);
}

static void print_row(const sbx_watch *watch)
{
    AUTO_TEXT line = {0};
    AUTO_TEXT ago = {0};

    add_ago(&ago, watch->looked_at_ms);
    text_addf(&line, "%4lld  ", (long long)watch->number);
    text_add_shown(&line, watch->place);
    text_addf(&line, "  %s  %s%s  %s", watch->job,
              watch->state == NULL ? "?" : watch->state, watch->done ? ", done" : "",
              ago.data);
    if (watch->undelivered > 0)
        text_addf(&line, "  %lld NOT told", (long long)watch->undelivered);
    if (watch->error != NULL) {
        text_add(&line, "  ");
        text_add_shown(&line, watch->error);
    }
    (void)printf("%s\n", line.data);
}

static int list_all(struct app *app, sbx_ledger *ledger, const void *values,
                    const struct words *operands, sbx_error *err)
{
    const struct values *given = values;
    const sbx_watch_query query = {.size = sizeof(query),
                                   .flags = given->all ? SBX_WATCH_ALL : 0};
    sbx_watch_list *list = NULL;
    size_t i;
    int rc = sbx_watch_list_all(ledger, &query, &list, err);

    (void)operands;
    for (i = 0; rc == SBX_OK && i < list->count; i++) {
        if (app->json)
            out_json(sbx_watch_json(list->items[i]));
        else
            print_row(list->items[i]);
    }
    sbx_watch_list_free(list);
    return rc;
}

static int run_ls(struct app *app, const void *values, const struct words *operands)
{
    return watch_on_ledger(app, values, operands, list_all);
}

static void add_line(struct text *out, const char *what, const char *value)
{
    if (value == NULL)
        return;
    text_addf(out, "    %-10s", what);
    text_add_shown(out, value);
    text_add(out, "\n");
}

static void add_told(struct text *out, const sbx_watch_opts *opts)
{
    AUTO_TEXT command = {0};
    size_t i;

    if (opts->flags & SBX_WATCH_NOTIFY)
        add_line(out, "tells", "the desktop");
    add_line(out, "webhook", opts->webhook);
    add_line(out, "secret", opts->webhook_secret);
    add_line(out, "vouched", opts->webhook_ca);
    for (i = 0; opts->command != NULL && opts->command[i] != NULL; i++)
        text_addf(&command, "%s%s", i == 0 ? "" : " ", opts->command[i]);
    add_line(out, "command", command.data);
    add_line(out, "wakes", opts->wake);
    add_line(out, "events", opts->folder);
    if (opts->progress > 0)
        text_addf(out, "    %-10seach %lld %%\n", "progress", (long long)opts->progress);
    if (opts->interval_ms > 0)
        text_addf(out, "    %-10s%lld ms\n", "interval", (long long)opts->interval_ms);
    add_line(out, "hosts", opts->list_file);
    add_line(out, "ssh -F", opts->ssh_config);
}

static void print_watch(const sbx_watch *watch)
{
    AUTO_TEXT out = {0};

    text_addf(&out, "%lld: ", (long long)watch->number);
    text_add_shown(&out, watch->place);
    text_addf(&out, " %s\n", watch->job);
    add_line(&out, "job", watch->state == NULL ? "not looked at yet" : watch->state);
    add_line(&out, "watch", watch->done ? "done: it is not looked at any more" : "open");
    text_addf(&out, "    %-10s", "looked at");
    add_ago(&out, watch->looked_at_ms);
    text_add(&out, watch->looked_at_ms > 0 ? " ago\n" : "\n");
    add_line(&out, "error", watch->error);
    add_told(&out, watch->opts);
    if (watch->waiting > 0)
        text_addf(&out, "    %-10s%lld deliveries\n", "to make",
                  (long long)watch->waiting);
    if (watch->undelivered > 0)
        text_addf(&out, "    %-10s%lld deliveries\n", "given up",
                  (long long)watch->undelivered);
    (void)fputs(out.data, stdout);
}

static void print_event(const struct app *app, const sbx_watch_event *event)
{
    AUTO_TEXT line = {0};
    time_t then = (time_t)(event->at_ms / 1000);
    struct tm day;
    char when[32] = "";

    if (app->json) {
        out_json(sbx_watch_event_json(event));
        return;
    }
    if (localtime_r(&then, &day) != NULL)
        (void)strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &day);
    text_addf(&line, "%lld  %s  %-11s  ", (long long)event->number, when, event->kind);
    text_add_shown(&line, event->summary);
    (void)printf("%s\n", line.data);
}

static int print_events(const struct app *app, sbx_ledger *ledger,
                        const sbx_watch_event_query *query, sbx_error *err)
{
    sbx_watch_event_list *list = NULL;
    int rc = sbx_watch_events(ledger, query, &list, err);
    size_t i;

    for (i = 0; rc == SBX_OK && i < list->count; i++)
        print_event(app, list->items[i]);
    sbx_watch_event_list_free(list);
    return rc;
}

static int show(struct app *app, sbx_ledger *ledger, const char *word, sbx_error *err)
{
    sbx_watch_list *list = NULL;
    int rc = watch_find(ledger, word, &list, err);
    size_t i;

    for (i = 0; rc == SBX_OK && i < list->count; i++) {
        const sbx_watch_event_query query = {
            .size = sizeof(query), .watch = list->items[i]->number, .most = 20};

        if (app->json) {
            out_json(sbx_watch_json(list->items[i]));
            continue;
        }
        print_watch(list->items[i]);
        rc = print_events(app, ledger, &query, err);
    }
    sbx_watch_list_free(list);
    return rc;
}

static int show_each(struct app *app, sbx_ledger *ledger, const void *values,
                     const struct words *operands, sbx_error *err)
{
    size_t i;
    int rc = SBX_OK;

    (void)values;
    for (i = 0; rc == SBX_OK && i < operands->count; i++)
        rc = show(app, ledger, operands->items[i], err);
    return rc;
}

static int run_show(struct app *app, const void *values, const struct words *operands)
{
    return watch_on_ledger(app, values, operands, show_each);
}

static int tell_events(struct app *app, sbx_ledger *ledger, const void *values,
                       const struct words *operands, sbx_error *err)
{
    const struct values *given = values;
    const sbx_watch_event_query query = {.size = sizeof(query),
                                         .most = given->all ? -1 : given->most,
                                         .after = given->after,
                                         .kind = given->kind,
                                         .place = given->place,
                                         .job = given->job};

    (void)operands;
    return print_events(app, ledger, &query, err);
}

static int run_events(struct app *app, const void *values, const struct words *operands)
{
    return watch_on_ledger(app, values, operands, tell_events);
}

const struct cmd cmd_watch_ls = {
    .name = "watch ls",
    .usage = "[OPTION]...",
    .help = "List what is watched: number, place, job, how it was when, errors",
    .examples = "watch ls\nwatch ls --all --json",
    .options = ls_options,
    .values_size = sizeof(struct values),
    .run = run_ls,
};

const struct cmd cmd_watch_show = {
    .name = "watch show",
    .usage = "WATCH...",
    .help = "Tell all that is known of watches, and their last events",
    .about = "A WATCH is named by its number, or by the id of its job.",
    .examples = "watch show 3\nwatch show train-1f0c22ab",
    .options = cmd_no_options,
    .values_size = sizeof(struct values),
    .least = 1,
    .most = CMD_ANY_NUMBER,
    .operand = "WATCH",
    .run = run_show,
};

const struct cmd cmd_watch_events = {
    .name = "watch events",
    .usage = "[OPTION]...",
    .help = "Tell what happened to the jobs that are watched, oldest first",
    .about = "With --json an object a line; its `number` is what --after takes to go on.",
    .examples = "watch events -n 20\nwatch events --after 118 --json\n"
                "watch events -k failed -p gpu1",
    .options = events_options,
    .values_size = sizeof(struct values),
    .run = run_events,
};
