#include "job_away.h"

#include "text.h"

#include <sandbox/job.h>
#include <sandbox/ledger.h>
#include <sandbox/watch.h>

#include <stdio.h>
#include <time.h>

/* When that was told, in seconds since 1970; -1: it was not. */
static int64_t since(sbx_ledger *ledger, const sbx_watch *watch)
{
    const sbx_watch_event_query query = {
        .size = sizeof(query), .most = 1, .watch = watch->number, .kind = "unreachable"};
    sbx_watch_event_list *events = NULL;
    int64_t at = -1;

    if (watch->unreachable == 0 || sbx_watch_events(ledger, &query, &events, NULL) < 0)
        return -1;
    if (events->count > 0)
        at = events->items[0]->at_ms / 1000;
    sbx_watch_event_list_free(events);
    return at;
}

static void print_row(const sbx_job *job)
{
    AUTO_TEXT state = {0};
    int64_t now = (int64_t)time(NULL);

    text_add(&state, "unreachable");
    if (job->unreachable_at_s >= 0) {
        text_add(&state, " for ");
        text_add_age(&state,
                     now < job->unreachable_at_s ? 0 : now - job->unreachable_at_s);
    }
    (void)printf("%-12s %-36s %-24s %5s\n", job->place, job->id, state.data, "?");
}

static size_t print_all(const struct app *app, sbx_ledger *ledger,
                        const sbx_watch_list *list, const sbx_error *why)
{
    size_t i;

    for (i = 0; i < list->count; i++) {
        const sbx_watch *watch = list->items[i];
        sbx_job *job = sbx_job_unreachable(watch->place, watch->job, why);

        if (job == NULL)
            return i;
        job->unreachable_at_s = since(ledger, watch);
        if (app->json)
            out_json(sbx_job_json(job));
        else
            print_row(job);
        sbx_job_free(job);
    }
    return list->count;
}

size_t job_away_print(const struct app *app, const char *place, const char *word,
                      const sbx_error *why)
{
    const sbx_watch_query query = {.size = sizeof(query), .place = place, .job = word};
    sbx_watch_list *list = NULL;
    sbx_ledger *ledger = NULL;
    size_t count = 0;

    if (sbx_ledger_open(NULL, &ledger, NULL) == SBX_OK &&
        sbx_watch_list_all(ledger, &query, &list, NULL) == SBX_OK)
        count = print_all(app, ledger, list, why);
    sbx_watch_list_free(list);
    sbx_ledger_close(ledger);
    return count;
}
