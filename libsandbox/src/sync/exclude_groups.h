/* exclude_groups.h - the rules of one level, by the folder that they speak of. */
#ifndef SANDBOX_SYNC_EXCLUDE_GROUPS_H
#define SANDBOX_SYNC_EXCLUDE_GROUPS_H

#include "sync/exclude_rule.h"

/*
 * The rules of one folder, in the order of their lines. A folder above the root has a
 * way: the path from it down to the root.
 */
struct sbi_rule_group {
    char *folder;
    size_t folder_length;
    char *way;
    size_t way_length; /* 0: the folder is the root or below it */
    struct sbi_rule *rules;
    size_t rule_count;
    size_t rule_capacity;
};

/* Starts as all zero. Those at and below the root come by folder, then those above. */
struct sbi_rule_groups {
    struct sbi_rule_group *items;
    size_t count;
    size_t capacity;
    size_t inside; /* how many are at or below the root */
};

/* The group of a folder below the root ("" is the root), made if need be. */
int sbi_rule_groups_inside(struct sbi_rule_groups *groups, const char *folder,
                           struct sbi_rule_group **out, sbx_error *err);

/* A group above the root; each one further up than the last. */
int sbi_rule_groups_above(struct sbi_rule_groups *groups, const char *way,
                          struct sbi_rule_group **out, sbx_error *err);

int sbi_rule_group_add(struct sbi_rule_group *group, const char *rule, size_t length,
                       bool turned, sbx_error *err);

/* The rule that decides about a path, or NULL. */
const struct sbi_rule *sbi_rule_groups_ask(const struct sbi_rule_groups *groups,
                                           const char *path, size_t length,
                                           bool is_folder);

void sbi_rule_groups_clear(struct sbi_rule_groups *groups);

#endif
