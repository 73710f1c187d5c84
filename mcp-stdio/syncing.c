#include "syncing.h"

#include "guard.h"
#include "tool.h"

#include <string.h>

enum { MOST_ITEMS = 100 };

void syncing_read(struct syncing *syncing, const tree *spec)
{
    static const struct {
        const char *name;
        uint64_t flag;
    } flags[] = {{"delete", SBX_SYNC_DELETE},
                 {"git", SBX_SYNC_GIT},
                 {"checksum", SBX_SYNC_CHECKSUM}};
    const char *direction = args_text(spec, "direction");
    size_t i;

    *syncing = (struct syncing){.opts = {.size = sizeof(sbx_sync_opts)}};
    for (i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
        if (args_bool(spec, flags[i].name))
            syncing->opts.flags |= flags[i].flag;
    args_words(spec, "exclude", &syncing->exclude);
    for (i = 0; guard_excludes[i] != NULL; i++)
        words_add(&syncing->exclude, guard_excludes[i]);
    if (args_text(spec, "exclude_file") != NULL)
        words_add(&syncing->exclude_from, args_text(spec, "exclude_file"));
    syncing->opts.exclude = syncing->exclude.items;
    syncing->opts.exclude_from = syncing->exclude_from.items;
    syncing->opts.plan = args_text(spec, "plan");
    syncing->direction = direction != NULL && strcmp(direction, "pull") == 0
                             ? SBX_SYNC_PULL
                             : SBX_SYNC_PUSH;
    syncing->local = args_text(spec, "local");
    syncing->remote = args_text(spec, "remote");
}

void syncing_clear(struct syncing *syncing)
{
    words_clear(&syncing->exclude);
    words_clear(&syncing->exclude_from);
}

int syncing_plan(const struct syncing *syncing, sbx_session *session, sbx_sync_plan **out,
                 sbx_error *err)
{
    return sbx_sync_plan_new(session, syncing->direction, syncing->local, syncing->remote,
                             &syncing->opts, out, err);
}

int syncing_do(const struct syncing *syncing, sbx_session *session, sbx_sync_report **out,
               sbx_error *err)
{
    return syncing->direction == SBX_SYNC_PUSH
               ? sbx_sync_push(session, syncing->local, syncing->remote, &syncing->opts,
                               out, err)
               : sbx_sync_pull(session, syncing->remote, syncing->local, &syncing->opts,
                               out, err);
}

static void add_item(tree *list, const sbx_sync_item *item)
{
    tree *one = tree_add_object(list, NULL);

    tree_add_text(one, "action", item->action);
    tree_add_text(one, "path", item->path);
    tree_add_text(one, "reason", item->reason);
}

/* What would be deleted is told first: it is what a plan is read for. */
void syncing_add_plan(tree *out, const sbx_sync_plan *plan)
{
    const sbx_sync_summary *summary = sbx_sync_plan_summary(plan);
    tree *list = tree_add_array(out, "items");
    size_t told = 0;
    size_t i;
    int round;

    for (round = 0; round < 2; round++)
        for (i = 0; i < sbx_sync_plan_count(plan) && told < MOST_ITEMS; i++) {
            sbx_sync_item item = {.size = sizeof(item)};

            if (!sbx_sync_plan_item(plan, i, &item) ||
                (strcmp(item.action, "delete") == 0) != (round == 0))
                continue;
            add_item(list, &item);
            told++;
        }
    tree_add_text(out, "local", summary->local);
    tree_add_text(out, "remote", summary->remote);
    tree_add_int(out, "files", (int64_t)summary->send_files);
    tree_add_int(out, "bytes", (int64_t)summary->send_bytes);
    tree_add_int(out, "deleted", (int64_t)summary->delete_count);
    tree_add_int(out, "unchanged", (int64_t)summary->unchanged);
    tree_add_int(out, "failed", (int64_t)summary->failed);
}

void syncing_add_report(tree *out, const sbx_sync_report *report)
{
    tree *list = tree_add_array(out, "items");
    size_t i;

    for (i = 0; i < sbx_sync_report_count(report) && i < MOST_ITEMS; i++) {
        sbx_sync_item item = {.size = sizeof(item)};

        if (sbx_sync_report_item(report, i, &item))
            add_item(list, &item);
    }
    tree_add_text(out, "local", report->local);
    tree_add_text(out, "remote", report->remote);
    tree_add_int(out, "files", (int64_t)report->sent_files);
    tree_add_int(out, "bytes", (int64_t)report->sent_bytes);
    tree_add_int(out, "deleted", (int64_t)report->deleted);
    tree_add_int(out, "unchanged", (int64_t)report->unchanged);
    tree_add_int(out, "failed", (int64_t)report->failed);
    tree_add_int(out, "duration_ms", report->duration_ms);
}
