#include "watch/deliver.h"

#include "watch/event.h"
#include "watch/kind.h"
#include "watch/schedule.h"
#include "watch/settings.h"

#include <string.h>

static bool by_desktop(const sbx_watch_opts *opts, int kind)
{
    return opts->flags & SBX_WATCH_NOTIFY && kind != SBI_KIND_STARTED &&
           kind != SBI_KIND_PROGRESS;
}

static bool by_webhook(const sbx_watch_opts *opts, int kind)
{
    (void)kind;
    return opts->webhook != NULL;
}

static bool by_command(const sbx_watch_opts *opts, int kind)
{
    (void)kind;
    return opts->command != NULL;
}

static bool by_agent(const sbx_watch_opts *opts, int kind)
{
    return opts->wake != NULL && sbi_kind(kind)->wakes;
}

static bool by_folder(const sbx_watch_opts *opts, int kind)
{
    (void)kind;
    return opts->folder != NULL;
}

static const struct way {
    const char *name;
    bool (*wanted)(const sbx_watch_opts *opts, int kind);
    sbi_tell_fn tell;
    int64_t most; /* tries */
} ways[SBI_WAYS] = {
    {"notify", by_desktop, sbi_tell_desktop, 3},
    {"webhook", by_webhook, sbi_tell_webhook, 20}, /* the last hours after the first */
    {"command", by_command, sbi_tell_command, 5},
    {"wake", by_agent, sbi_tell_agent, 5},
    {"folder", by_folder, sbi_tell_folder, 10},
};

void sbi_deliver_ways(const sbx_watch_opts *opts, int kind, const char *out[SBI_WAYS + 1])
{
    size_t count = 0, i;

    for (i = 0; i < SBI_WAYS; i++)
        if (ways[i].wanted(opts, kind))
            out[count++] = ways[i].name;
    out[count] = NULL;
}

static const struct way *way_named(const char *name)
{
    size_t i;

    for (i = 0; i < SBI_WAYS; i++)
        if (strcmp(ways[i].name, name) == 0)
            return &ways[i];
    return NULL;
}

/* The settings as they are now: who was set right meanwhile is told so. */
static int tell(const struct sbi_teller *teller, const struct sbi_delivery *delivery,
                const struct way *way, sbx_error *err)
{
    const struct sbi_event_query of_event = {.number = delivery->event, .most = 1};
    const struct sbi_watch_query of_watch = {.number = delivery->watch};
    SBI_AUTO_EVENTS events = {0};
    SBI_AUTO_WATCHES watches = {0};
    SBI_AUTO_SETTINGS settings = {0};
    sbx_watch_event event;
    int rc = sbi_events_read(teller->ledger, &of_event, &events, err);

    if (rc == SBX_OK)
        rc = sbi_watches_read(teller->ledger, &of_watch, &watches, err);
    if (rc == SBX_OK && (events.count == 0 || watches.count == 0))
        rc = sbi_fail(err, SBX_ERR_NOT_FOUND, "it is there no more");
    if (rc == SBX_OK)
        rc = sbi_settings_read(watches.items[0].settings, &settings, err);
    if (rc < 0)
        return rc;
    sbi_event_show(&events.items[0], &event);
    if (!way->wanted(&settings.opts, sbi_kind_named(event.kind)))
        return SBX_OK;
    return way->tell(teller, &settings.opts, &event, err);
}

static int end_of(int rc, const struct way *way, int64_t tries)
{
    if (rc == SBX_OK)
        return SBI_DELIVERED;
    if (rc == SBX_ERR_INVALID || rc == SBX_ERR_NOT_FOUND || tries >= way->most)
        return SBI_DELIVER_NEVER;
    return SBI_DELIVER_AGAIN;
}

int sbi_deliver(const struct sbi_teller *teller, const struct sbi_delivery *delivery,
                sbx_error *err)
{
    const struct way *way = way_named(delivery->way);
    struct sbi_delivery ended = *delivery;
    sbx_error why = {0};
    int64_t next_ms;
    int rc, how;

    if (way == NULL)
        return sbi_deliveries_end(teller->ledger, delivery, SBI_DELIVER_NEVER, 0,
                                  "no such way is known", err);
    rc = tell(teller, delivery, way, &why);
    next_ms = sbi_schedule_wall() + sbi_schedule_retry(delivery->tries);
    how = end_of(rc, way, delivery->tries);
    if (rc < 0 && teller->cancel != NULL && sbx_cancel_fired(teller->cancel)) {
        how = SBI_DELIVER_AGAIN; /* no try of it: we were ended */
        ended.tries--;
        next_ms = 0;
    }
    return sbi_deliveries_end(teller->ledger, &ended, how, next_ms,
                              rc < 0 ? why.text : NULL, err);
}
