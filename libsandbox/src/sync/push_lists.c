/* push_lists.c - the files of names in `c`, each short enough for one call of xargs. */
#include "sync/push_state.h"

#include <stdio.h>
#include <string.h>

#define LIST_LIMIT (12 * 1024) /* BusyBox takes 20 KiB of arguments */

int sbi_push_list_end(struct sbi_push_list *list, sbx_error *err)
{
    char name[64];
    int rc = sbi_str_check(&list->text, err);

    if (rc < 0 || list->text.length == 0)
        return rc;
    (void)snprintf(name, sizeof(name), "%s.%06u", list->name, list->number++);
    if (list->mode != 0)
        (void)snprintf(name, sizeof(name), "%s.%06u.%o", list->name, list->number - 1,
                       list->mode);
    rc = sbi_push_control(list->pushing, name, list->text.data, list->text.length, err);
    list->text.length = 0;
    return rc;
}

int sbi_push_list_add(struct sbi_push_list *list, const char *prefix, const char *path,
                      sbx_error *err)
{
    size_t length = strlen(prefix) + strlen(path) + 2;
    int rc = SBX_OK;

    if (list->text.length > 0 && list->text.length + length > LIST_LIMIT)
        rc = sbi_push_list_end(list, err);
    sbi_str_add(&list->text, prefix);
    sbi_str_add(&list->text, "/");
    sbi_str_add_bytes(&list->text, path, strlen(path) + 1);
    return rc == SBX_OK ? sbi_str_check(&list->text, err) : rc;
}

void sbi_push_list_clear(struct sbi_push_list *list)
{
    sbi_str_clear(&list->text);
}

static bool is_folder(const struct sbi_tree *tree, uint32_t index)
{
    return tree->entries[index].kind == SBI_TREE_FOLDER;
}

/* Files, and folders that are empty by then, deepest first as the plan has them. */
static int add_removals(struct sbi_pushing *pushing, const struct sbi_plan_list *plan,
                        const char *files_name, const char *folders_name, sbx_error *err)
{
    const struct sbi_tree *target = sbi_sync_target(pushing->sync);
    SBI_AUTO_PUSH_LIST files = {.pushing = pushing, .name = files_name};
    SBI_AUTO_PUSH_LIST folders = {.pushing = pushing, .name = folders_name};
    size_t i;
    int rc = SBX_OK;

    for (i = 0; i < plan->count && rc == SBX_OK; i++) {
        uint32_t index = plan->items[i].target;

        rc = sbi_push_list_add(
            is_folder(target, index) ? &folders : &files, ".",
            sbi_sync_below(sbi_tree_path(target, index), pushing->sync->there.name), err);
        pushing->sync->deleted++;
    }
    if (rc == SBX_OK)
        rc = sbi_push_list_end(&files, err);
    return rc == SBX_OK ? sbi_push_list_end(&folders, err) : rc;
}

static int add_dropped(struct sbi_pushing *pushing, sbx_error *err)
{
    SBI_AUTO_PUSH_LIST list = {.pushing = pushing, .name = "drop"};
    const char *at = pushing->dropped.data;
    const char *end = at == NULL ? NULL : at + pushing->dropped.length;
    int rc = SBX_OK;

    for (; at != end && rc == SBX_OK; at += strlen(at) + 1)
        rc = sbi_push_list_add(&list, ".", at, err);
    return rc == SBX_OK ? sbi_push_list_end(&list, err) : rc;
}

/* It comes to be with its item. */
int sbi_push_folder_of(struct sbi_pushing *pushing, uint32_t source, sbx_error *err)
{
    struct sbi_archive_item item = {.kind = SBI_ARCHIVE_FOLDER, .mode = 0700};
    int rc = sbi_push_staged(pushing, "t/", source, err);
    char *slash;

    if (rc < 0)
        return rc;
    slash = strrchr(pushing->path.data, '/');
    *slash = '\0';
    item.path = pushing->path.data;
    return sbi_archive_add(pushing->writer, &item, err);
}

/* A pair may not be cut: a list ends where the two would not fit. */
static int add_hard_links(struct sbi_pushing *pushing, sbx_error *err)
{
    const struct sbi_plan_list *make = &pushing->sync->plan.make;
    SBI_AUTO_PUSH_LIST list = {.pushing = pushing, .name = "ln"};
    size_t i;
    int rc = SBX_OK;

    for (i = 0; i < make->count && rc == SBX_OK; i++) {
        const struct sbi_plan_action *action = &make->items[i];
        const char *leader, *path;

        if (action->what != SBI_PLAN_HARD_LINK ||
            pushing->state[action->leader] != SBI_PUSH_NOT_SENT)
            continue;
        pushing->tied = true;
        leader = sbi_tree_path(pushing->source, action->leader);
        path = sbi_tree_path(pushing->source, action->source);
        if (list.text.length + strlen(leader) + strlen(path) + SBI_PUSH_STAGE_ROOM >
            LIST_LIMIT)
            rc = sbi_push_list_end(&list, err);
        if (rc == SBX_OK)
            rc = sbi_push_folder_of(pushing, action->source, err);
        if (rc == SBX_OK)
            rc = sbi_push_list_add(&list, ".", leader, err);
        if (rc == SBX_OK)
            rc = sbi_push_list_add(&list, pushing->stage, path, err);
    }
    return rc == SBX_OK ? sbi_push_list_end(&list, err) : rc;
}

struct meta {
    uint32_t source;
    uint32_t target;
};

struct metas {
    struct meta *items;
    size_t count;
};

static int by_mode(const void *a, const void *b, void *userdata)
{
    const struct sbi_tree *source = userdata;
    unsigned i = source->entries[((const struct meta *)a)->source].mode;
    unsigned j = source->entries[((const struct meta *)b)->source].mode;

    return i < j ? -1 : i > j;
}

static int by_time(const void *a, const void *b, void *userdata)
{
    const struct sbi_tree *source = userdata;
    const struct sbi_tree_entry *i = &source->entries[((const struct meta *)a)->source];
    const struct sbi_tree_entry *j = &source->entries[((const struct meta *)b)->source];

    if (i->mtime != j->mtime)
        return i->mtime < j->mtime ? -1 : 1;
    return i->mtime_ns < j->mtime_ns ? -1 : i->mtime_ns > j->mtime_ns;
}

static int add_modes(struct sbi_pushing *pushing, const struct metas *metas,
                     sbx_error *err)
{
    const struct sbi_tree *source = pushing->source;
    const struct sbi_tree *target = sbi_sync_target(pushing->sync);
    size_t i = 0;
    int rc = SBX_OK;

    qsort_r(metas->items, metas->count, sizeof(*metas->items), by_mode,
            (void *)(uintptr_t)source);
    while (i < metas->count && rc == SBX_OK) {
        unsigned mode = source->entries[metas->items[i].source].mode;
        char name[32];
        SBI_AUTO_PUSH_LIST list = {.pushing = pushing, .name = name};

        (void)snprintf(name, sizeof(name), "chmod.%o", mode);
        for (; i < metas->count && rc == SBX_OK &&
               source->entries[metas->items[i].source].mode == mode;
             i++)
            if (metas->items[i].target == SBI_TREE_NONE ||
                target->entries[metas->items[i].target].mode != mode)
                rc = sbi_push_list_add(
                    &list, ".",
                    sbi_sync_below(sbi_tree_path(source, metas->items[i].source),
                                   pushing->sync->there.name),
                    err);
        if (rc == SBX_OK)
            rc = sbi_push_list_end(&list, err);
    }
    return rc;
}

static int add_time(struct sbi_pushing *pushing, uint32_t source, unsigned number,
                    sbx_error *err)
{
    const struct sbi_tree_entry *entry = &pushing->source->entries[source];
    char path[64];
    struct sbi_archive_item item = {.path = path,
                                    .kind = SBI_ARCHIVE_FILE,
                                    .mode = 0600,
                                    .seconds = entry->mtime,
                                    .nanoseconds = entry->mtime_ns};

    (void)snprintf(path, sizeof(path), "c/time.%06u", number);
    return sbi_archive_add(pushing->writer, &item, err);
}

static int add_times(struct sbi_pushing *pushing, const struct metas *metas,
                     sbx_error *err)
{
    const struct sbi_tree *target = sbi_sync_target(pushing->sync);
    unsigned number = 0;
    size_t i = 0;
    int rc = SBX_OK;

    qsort_r(metas->items, metas->count, sizeof(*metas->items), by_time,
            (void *)(uintptr_t)pushing->source);
    while (i < metas->count && rc == SBX_OK) {
        size_t first = i;
        char name[32];
        SBI_AUTO_PUSH_LIST list = {.pushing = pushing, .name = name};

        (void)snprintf(name, sizeof(name), "touch.%06u", number);
        rc = add_time(pushing, metas->items[i].source, number++, err);
        for (; i < metas->count && rc == SBX_OK &&
               by_time(&metas->items[first], &metas->items[i],
                       (void *)(uintptr_t)pushing->source) == 0;
             i++)
            rc = sbi_push_list_add(
                &list, ".",
                sbi_sync_below(sbi_tree_path(target, metas->items[i].target),
                               pushing->sync->there.name),
                err);
        if (rc == SBX_OK)
            rc = sbi_push_list_end(&list, err);
    }
    return rc;
}

/* A small tar leaves these bits out. */
static bool loses_mode(const struct sbi_pushing *pushing,
                       const struct sbi_plan_action *action)
{
    return pushing->sync->there.tar == SBI_TAR_SMALL && action->what == SBI_PLAN_SEND &&
           pushing->state[action->source] == SBI_PUSH_SENT &&
           (pushing->source->entries[action->source].mode & 07000) != 0;
}

/* Modes first: a file that may not be written may still be touched by its owner. */
static int add_metas(struct sbi_pushing *pushing, sbx_error *err)
{
    const struct sbi_plan_list *make = &pushing->sync->plan.make;
    SBI_AUTOFREE struct meta *items = calloc(make->count + 1, sizeof(*items));
    struct metas modes = {.items = items}, times = {.items = items};
    size_t i;
    int rc;

    if (items == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    for (i = 0; i < make->count; i++)
        if (make->items[i].what == SBI_PLAN_META)
            items[times.count++] =
                (struct meta){make->items[i].source, make->items[i].target};
    pushing->sync->other += times.count;
    rc = add_times(pushing, &times, err);
    modes.count = times.count;
    for (i = 0; i < make->count; i++)
        if (loses_mode(pushing, &make->items[i]))
            items[modes.count++] = (struct meta){make->items[i].source, SBI_TREE_NONE};
    return rc == SBX_OK ? add_modes(pushing, &modes, err) : rc;
}

static int add_folder_modes(struct sbi_pushing *pushing, sbx_error *err)
{
    const struct sbi_plan_list *finish = &pushing->sync->plan.finish;
    const struct sbi_tree *source = pushing->source;
    unsigned number = 0;
    size_t i = 0;
    int rc = SBX_OK;

    while (i < finish->count && rc == SBX_OK) {
        unsigned mode = source->entries[finish->items[i].source].mode;
        SBI_AUTO_PUSH_LIST list = {
            .pushing = pushing, .name = "fmode", .number = number, .mode = mode};

        for (; i < finish->count && rc == SBX_OK &&
               source->entries[finish->items[i].source].mode == mode;
             i++)
            rc = sbi_push_list_add(&list, ".",
                                   sbi_tree_path(source, finish->items[i].source), err);
        if (rc == SBX_OK)
            rc = sbi_push_list_end(&list, err);
        number = list.number;
    }
    return rc;
}

static int keep(const void *data, size_t length, void *userdata, sbx_error *err)
{
    struct sbi_str *text = userdata;

    sbi_str_add_bytes(text, data, length);
    return text->status == SBX_OK ? SBX_OK
                                  : sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
}

static int write_folders(struct sbi_pushing *pushing, struct sbi_archive_writer *writer,
                         sbx_error *err)
{
    const struct sbi_plan_list *finish = &pushing->sync->plan.finish;
    size_t i;
    int rc = SBX_OK;

    for (i = 0; i < finish->count && rc == SBX_OK; i++) {
        const struct sbi_tree_entry *entry =
            &pushing->source->entries[finish->items[i].source];
        struct sbi_archive_item item = {.kind = SBI_ARCHIVE_FOLDER,
                                        .mode = entry->mode,
                                        .seconds = entry->mtime,
                                        .nanoseconds = entry->mtime_ns};

        rc = sbi_push_staged(pushing, "./", finish->items[i].source, err);
        item.path = pushing->path.data;
        if (rc == SBX_OK)
            rc = sbi_archive_add(writer, &item, err);
    }
    return rc == SBX_OK ? sbi_archive_finish(writer, err) : rc;
}

static void writer_clear(struct sbi_archive_writer **writer)
{
    sbi_archive_writer_free(*writer);
}

static int add_folders(struct sbi_pushing *pushing, sbx_error *err)
{
    SBI_CLEANUP(writer_clear) struct sbi_archive_writer *writer = NULL;
    SBI_AUTO_STR text = {0};
    const struct sbi_archive_writer_opts opts = {.pack = pushing->pack,
                                                 .seconds = pushing->sync->there.tar ==
                                                            SBI_TAR_SMALL,
                                                 .put = keep,
                                                 .userdata = &text};
    int rc;

    if (pushing->sync->plan.finish.count == 0 || pushing->flat)
        return SBX_OK;
    rc = sbi_archive_writer_new(&opts, &writer, err);
    if (rc == SBX_OK)
        rc = write_folders(pushing, writer, err);
    if (rc == SBX_OK)
        rc = sbi_push_control(pushing, "folders", text.data, text.length, err);
    if (rc == SBX_OK && pushing->sync->there.tar == SBI_TAR_SMALL)
        rc = add_folder_modes(pushing, err);
    return rc;
}

int sbi_push_lists(struct sbi_pushing *pushing, sbx_error *err)
{
    const struct sbi_plan *plan = &pushing->sync->plan;
    int rc;

    rc = add_dropped(pushing, err);
    if (rc == SBX_OK)
        rc = add_hard_links(pushing, err);
    if (rc == SBX_OK)
        rc = add_removals(pushing, &plan->clear, "clear.f", "clear.d", err);
    if (rc == SBX_OK)
        rc = sbi_push_moves(pushing, err);
    if (rc == SBX_OK)
        rc = add_removals(pushing, &plan->remove, "remove.f", "remove.d", err);
    if (rc == SBX_OK)
        rc = add_metas(pushing, err);
    return rc == SBX_OK ? add_folders(pushing, err) : rc;
}
