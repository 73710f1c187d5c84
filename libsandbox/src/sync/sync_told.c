/* sync_told.c - a plan as the caller sees it: its numbers, its items, as JSON. */
#include "sync/sync_told.h"

#include "base/clock.h"
#include "base/digest.h"
#include "base/json.h"

#include <string.h>

#define JSON_ITEMS 100000

static int hash_tree(const struct sbi_tree *tree, char out[65], sbx_error *err)
{
    unsigned char digest[32];
    int rc = sbi_tree_hash(tree, digest, err);

    if (rc == SBX_OK)
        sbi_hex(digest, sizeof(digest), out);
    return rc;
}

int sbi_sync_sum_up(sbx_sync_plan *plan, sbx_error *err)
{
    struct sbi_sync *sync = &plan->sync;
    const struct sbi_plan *made = &sync->plan;
    int rc = hash_tree(&sync->here.tree, plan->here_hash, err);

    if (rc == SBX_OK)
        rc = hash_tree(&sync->there.tree, plan->there_hash, err);
    if (rc < 0)
        return rc;
    plan->summary = (sbx_sync_summary){
        .place = sbx_session_place(sync->session),
        .local = sync->here_path,
        .remote = sync->far_path,
        .token = sync->token,
        .direction = sync->direction,
        .send_files = made->send_count,
        .send_bytes = made->send_bytes,
        .other = made->make.count - made->send_count,
        .delete_count = made->removed_count,
        .delete_bytes = made->removed_bytes,
        .unchanged = made->same_count,
        .extra = made->extra_count,
        .skipped = sync->notes.totals[SBI_NOTE_SKIP],
        .failed = sync->notes.totals[SBI_NOTE_FAIL],
        .local_hash = plan->here_hash,
        .remote_hash = plan->there_hash,
    };
    return SBX_OK;
}

const sbx_sync_summary *sbx_sync_plan_summary(const sbx_sync_plan *plan)
{
    return &plan->summary;
}

/* Times of folders are no news to anybody: they are not told. */
size_t sbx_sync_plan_count(const sbx_sync_plan *plan)
{
    const struct sbi_plan *made = &plan->sync.plan;

    return made->clear.count + made->make.count + made->remove.count +
           plan->sync.notes.count;
}

static void give_item(const sbx_sync_item *item, sbx_sync_item *out)
{
    size_t size = out->size;

    memcpy(out, item, size < sizeof(*item) ? size : sizeof(*item));
    out->size = size;
}

static void tell_action(const struct sbi_sync *sync, const struct sbi_plan_action *action,
                        sbx_sync_item *item)
{
    bool in_source = action->source != SBI_TREE_NONE && action->what != SBI_PLAN_REMOVE;
    const struct sbi_tree *tree =
        in_source ? sbi_sync_source(sync) : sbi_sync_target(sync);
    uint32_t index = in_source ? action->source : action->target;

    item->action = sbi_plan_what_name(action->what);
    item->reason = sbi_plan_why_text(action->why);
    item->path = sbi_tree_path(tree, index);
    if (action->what == SBI_PLAN_SEND || action->what == SBI_PLAN_REMOVE)
        item->bytes = tree->entries[index].size;
}

static bool tell_note(const struct sbi_sync_notes *notes, size_t index,
                      sbx_sync_item *item)
{
    if (index >= notes->count)
        return false;
    item->action = notes->items[index].kind == SBI_NOTE_SKIP ? "skip" : "fail";
    item->reason = notes->items[index].reason;
    item->path = notes->items[index].path;
    return true;
}

bool sbx_sync_plan_item(const sbx_sync_plan *plan, size_t index, sbx_sync_item *out)
{
    const struct sbi_plan *made = &plan->sync.plan;
    const struct sbi_plan_list *lists[] = {&made->clear, &made->make, &made->remove};
    sbx_sync_item item = {0};
    size_t i;

    for (i = 0; i < 3 && index >= lists[i]->count; i++)
        index -= lists[i]->count;
    if (i < 3)
        tell_action(&plan->sync, &lists[i]->items[index], &item);
    else if (!tell_note(&plan->sync.notes, index, &item))
        return false;
    give_item(&item, out);
    return true;
}

/* A path as text, or, where it is no UTF-8, in base64 under another key. */
static void add_item(cJSON *items, const sbx_sync_item *item)
{
    size_t length = strlen(item->path);
    bool text = sbi_json_is_text(item->path, length);
    cJSON *object = cJSON_CreateObject();

    (void)cJSON_AddStringToObject(object, "action", item->action);
    (void)cJSON_AddItemToObject(object, text ? "path" : "path_base64",
                                sbi_json_bytes(item->path, length, text));
    sbi_json_add_text(object, "reason", item->reason);
    (void)cJSON_AddNumberToObject(object, "bytes", (double)item->bytes);
    (void)cJSON_AddItemToArray(items, object);
}

struct number {
    const char *name;
    uint64_t value;
};

static void add_numbers(cJSON *object, const struct number *numbers)
{
    for (; numbers->name != NULL; numbers++)
        (void)cJSON_AddNumberToObject(object, numbers->name, (double)numbers->value);
}

static void add_roots(cJSON *object, const char *place, const char *local,
                      const char *remote, const char *token, int64_t direction)
{
    sbi_json_add_text(object, "place", place);
    (void)cJSON_AddStringToObject(object, "direction",
                                  direction == SBX_SYNC_PUSH ? "push" : "pull");
    sbi_json_add_text(object, "local", local);
    sbi_json_add_text(object, "remote", remote);
    sbi_json_add_text(object, "plan", token);
}

char *sbx_sync_plan_json(const sbx_sync_plan *plan)
{
    const sbx_sync_summary *sum = &plan->summary;
    const struct number numbers[] = {{"send_files", sum->send_files},
                                     {"send_bytes", sum->send_bytes},
                                     {"other", sum->other},
                                     {"delete", sum->delete_count},
                                     {"delete_bytes", sum->delete_bytes},
                                     {"unchanged", sum->unchanged},
                                     {"extra", sum->extra},
                                     {"skipped", sum->skipped},
                                     {"failed", sum->failed},
                                     {NULL, 0}};
    SBI_AUTO_JSON object = cJSON_CreateObject();
    size_t count = sbx_sync_plan_count(plan), i;
    cJSON *items;

    add_roots(object, sum->place, sum->local, sum->remote, sum->token, sum->direction);
    add_numbers(object, numbers);
    sbi_json_add_text(object, "local_hash", sum->local_hash);
    sbi_json_add_text(object, "remote_hash", sum->remote_hash);
    items = cJSON_AddArrayToObject(object, "items");
    for (i = 0; i < count && i < JSON_ITEMS; i++) {
        sbx_sync_item item = {.size = sizeof(item)};

        if (sbx_sync_plan_item(plan, i, &item))
            add_item(items, &item);
    }
    (void)cJSON_AddBoolToObject(object, "items_truncated", count > JSON_ITEMS);
    return sbi_json_print(object);
}

struct report {
    sbx_sync_report public;
    char *place;
    char *local;
    char *remote;
    char token[65];
    char here_hash[65];
    char there_hash[65];
    struct sbi_sync_notes notes;
};

static void report_clear(struct report **report)
{
    sbx_sync_report_free((sbx_sync_report *)*report);
}

static void tell_numbers(const struct sbi_sync *sync, struct report *report)
{
    report->public = (sbx_sync_report){
        .place = report->place,
        .local = report->local,
        .remote = report->remote,
        .token = report->token,
        .direction = sync->direction,
        .sent_files = sync->sent_files,
        .sent_bytes = sync->sent_bytes,
        .other = sync->other,
        .deleted = sync->deleted,
        .unchanged = sync->plan.same_count,
        .extra = sync->plan.extra_count,
        .skipped = sync->notes.totals[SBI_NOTE_SKIP],
        .failed = sync->notes.totals[SBI_NOTE_FAIL],
        .wire_up = sync->wire_up,
        .wire_down = sync->wire_down,
        .duration_ms = sbi_now_ms() - sync->progress.started,
        .local_hash = report->here_hash,
        .remote_hash = report->there_hash,
    };
}

int sbi_sync_report(struct sbi_sync *sync, sbx_sync_report **out, sbx_error *err)
{
    SBI_CLEANUP(report_clear) struct report *report = calloc(1, sizeof(*report));
    int rc;

    if (report == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    report->place = strdup(sbx_session_place(sync->session));
    report->local = strdup(sync->here_path);
    report->remote = strdup(sync->far_path);
    if (report->place == NULL || report->local == NULL || report->remote == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    memcpy(report->token, sync->token, sizeof(report->token));
    rc = hash_tree(&sync->here.tree, report->here_hash, err);
    if (rc == SBX_OK)
        rc = hash_tree(&sync->there.tree, report->there_hash, err);
    if (rc < 0)
        return rc;
    tell_numbers(sync, report);
    report->notes = sync->notes;
    sync->notes = (struct sbi_sync_notes){0};
    *out = &SBI_STEAL(report)->public;
    return SBX_OK;
}

size_t sbx_sync_report_count(const sbx_sync_report *report)
{
    return ((const struct report *)report)->notes.count;
}

bool sbx_sync_report_item(const sbx_sync_report *report, size_t index, sbx_sync_item *out)
{
    sbx_sync_item item = {0};

    if (!tell_note(&((const struct report *)report)->notes, index, &item))
        return false;
    give_item(&item, out);
    return true;
}

char *sbx_sync_report_json(const sbx_sync_report *report)
{
    const struct number numbers[] = {{"sent_files", report->sent_files},
                                     {"sent_bytes", report->sent_bytes},
                                     {"other", report->other},
                                     {"deleted", report->deleted},
                                     {"unchanged", report->unchanged},
                                     {"extra", report->extra},
                                     {"skipped", report->skipped},
                                     {"failed", report->failed},
                                     {"wire_up", report->wire_up},
                                     {"wire_down", report->wire_down},
                                     {"duration_ms", (uint64_t)report->duration_ms},
                                     {NULL, 0}};
    SBI_AUTO_JSON object = cJSON_CreateObject();
    size_t i;
    cJSON *items;

    add_roots(object, report->place, report->local, report->remote, report->token,
              report->direction);
    add_numbers(object, numbers);
    sbi_json_add_text(object, "local_hash", report->local_hash);
    sbi_json_add_text(object, "remote_hash", report->remote_hash);
    items = cJSON_AddArrayToObject(object, "items");
    for (i = 0; i < sbx_sync_report_count(report); i++) {
        sbx_sync_item item = {.size = sizeof(item)};

        if (sbx_sync_report_item(report, i, &item))
            add_item(items, &item);
    }
    return sbi_json_print(object);
}

void sbx_sync_report_free(sbx_sync_report *public)
{
    struct report *report = (struct report *)public;

    if (report == NULL)
        return;
    sbi_sync_notes_clear(&report->notes);
    free(report->place);
    free(report->local);
    free(report->remote);
    free(report);
}
