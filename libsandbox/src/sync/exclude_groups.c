/* exclude_groups.c - keeps rules by folder, and asks those of a path from its own up. */
#include "sync/exclude_groups.h"

#include "base/array.h"
#include "sync/tree.h"

#include <string.h>

static void group_clear(struct sbi_rule_group *group)
{
    size_t i;

    for (i = 0; i < group->rule_count; i++)
        sbi_rule_clear(&group->rules[i]);
    free(group->rules);
    free(group->folder);
    free(group->way);
    *group = (struct sbi_rule_group){0};
}

/* The group of a folder, or the place where it belongs. */
static bool find(const struct sbi_rule_groups *groups, const char *folder, size_t length,
                 size_t *out)
{
    size_t low = 0, high = groups->inside;
    int order = 1;

    while (low < high && order != 0) {
        size_t middle = low + (high - low) / 2;
        const struct sbi_rule_group *group = &groups->items[middle];

        order = sbi_tree_compare(group->folder, group->folder_length, folder, length);
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *out = order == 0 ? high : low;
    return order == 0;
}

static int insert(struct sbi_rule_groups *groups, size_t at, const char *folder,
                  const char *way, sbx_error *err)
{
    SBI_CLEANUP(group_clear) struct sbi_rule_group group = {0};
    int rc = sbi_array_reserve(&groups->items, sizeof(*groups->items), groups->count + 1,
                               &groups->capacity, err);

    if (rc < 0)
        return rc;
    group.folder = strdup(folder);
    group.way = strdup(way);
    if (group.folder == NULL || group.way == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "keep a rule: out of memory");
    group.folder_length = strlen(folder);
    group.way_length = strlen(way);
    memmove(&groups->items[at + 1], &groups->items[at],
            (groups->count - at) * sizeof(*groups->items));
    groups->items[at] = group;
    groups->count++;
    group = (struct sbi_rule_group){0};
    return SBX_OK;
}

int sbi_rule_groups_inside(struct sbi_rule_groups *groups, const char *folder,
                           struct sbi_rule_group **out, sbx_error *err)
{
    size_t at;
    int rc;

    if (!find(groups, folder, strlen(folder), &at)) {
        rc = insert(groups, at, folder, "", err);
        if (rc < 0)
            return rc;
        groups->inside++;
    }
    *out = &groups->items[at];
    return SBX_OK;
}

int sbi_rule_groups_above(struct sbi_rule_groups *groups, const char *way,
                          struct sbi_rule_group **out, sbx_error *err)
{
    int rc = insert(groups, groups->count, "", way, err);

    if (rc == SBX_OK)
        *out = &groups->items[groups->count - 1];
    return rc;
}

int sbi_rule_group_add(struct sbi_rule_group *group, const char *rule, size_t length,
                       bool turned, sbx_error *err)
{
    struct sbi_rule parsed;
    int rc = sbi_array_reserve(&group->rules, sizeof(*group->rules),
                               group->rule_count + 1, &group->rule_capacity, err);

    if (rc == SBX_OK)
        rc = sbi_rule_parse(rule, length, &parsed, err);
    if (rc < 0)
        return rc;
    parsed.takes_back = parsed.takes_back != turned;
    group->rules[group->rule_count++] = parsed;
    return SBX_OK;
}

static const struct sbi_rule *ask_group(const struct sbi_rule_group *group,
                                        const char *path, size_t length, size_t name_at,
                                        bool is_folder)
{
    size_t i;

    for (i = group->rule_count; i > 0; i--)
        if (sbi_rule_matches(&group->rules[i - 1], path, length, name_at, is_folder))
            return &group->rules[i - 1];
    return NULL;
}

static const struct sbi_rule *ask_above(const struct sbi_rule_group *group,
                                        const char *path, size_t length, size_t name_at,
                                        bool is_folder)
{
    char whole[2 * (SBI_TREE_PATH_LIMIT + 1)];
    size_t start = group->way_length + 1;

    if (start + length > sizeof(whole))
        return NULL;
    memcpy(whole, group->way, group->way_length);
    whole[group->way_length] = '/';
    memcpy(whole + start, path, length);
    return ask_group(group, whole, start + length, start + name_at, is_folder);
}

/* Where the path's folder ends: the last '/' of the first length bytes, or 0. */
static size_t folder_end(const char *path, size_t length)
{
    while (length > 0 && path[length - 1] != '/')
        length--;
    return length == 0 ? 0 : length - 1;
}

const struct sbi_rule *sbi_rule_groups_ask(const struct sbi_rule_groups *groups,
                                           const char *path, size_t length,
                                           bool is_folder)
{
    size_t end = folder_end(path, length);
    size_t name_at = end == 0 ? 0 : end + 1;
    const struct sbi_rule *rule = NULL;
    size_t at;

    while (rule == NULL && groups->inside > 0) {
        size_t start = end == 0 ? 0 : end + 1;

        if (find(groups, path, end, &at))
            rule = ask_group(&groups->items[at], path + start, length - start,
                             name_at - start, is_folder);
        if (end == 0)
            break;
        end = folder_end(path, end);
    }
    for (at = groups->inside; rule == NULL && at < groups->count; at++)
        rule = ask_above(&groups->items[at], path, length, name_at, is_folder);
    return rule;
}

void sbi_rule_groups_clear(struct sbi_rule_groups *groups)
{
    size_t i;

    for (i = 0; i < groups->count; i++)
        group_clear(&groups->items[i]);
    free(groups->items);
    *groups = (struct sbi_rule_groups){0};
}
