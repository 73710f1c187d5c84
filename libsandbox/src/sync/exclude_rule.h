/* exclude_rule.h - one rule of gitignore(5): taken apart once, matched often. */
#ifndef SANDBOX_SYNC_EXCLUDE_RULE_H
#define SANDBOX_SYNC_EXCLUDE_RULE_H

#include "base/cleanup.h"
#include "base/error.h"
#include "sync/exclude_token.h"

/* Takes text apart as git does. Anything is a rule, if only one that matches nothing. */
int sbi_rule_parse(const char *text, size_t length, struct sbi_rule *out, sbx_error *err);

/*
 * Whether the rule speaks of a path: relative to the folder of the rule, the name being
 * what is at name_at.
 */
bool sbi_rule_matches(const struct sbi_rule *rule, const char *path, size_t length,
                      size_t name_at, bool is_folder);

void sbi_rule_clear(struct sbi_rule *rule);

#endif
