/* exclude_rule.h - one rule of gitignore(5): taken apart once, matched often. */
#ifndef SANDBOX_SYNC_EXCLUDE_RULE_H
#define SANDBOX_SYNC_EXCLUDE_RULE_H

#include "base/cleanup.h"
#include "base/error.h"

enum sbi_rule_kind {
    SBI_RULE_NEVER = 0,   /* matches nothing */
    SBI_RULE_LITERAL = 1, /* is the bytes of head */
    SBI_RULE_PATTERN = 2  /* starts with head, then tokens, ends in tail */
};

struct sbi_rule_token {
    uint8_t kind;
    uint8_t byte;
    uint16_t set;
};

struct sbi_rule_set {
    uint8_t bits[32];
};

struct sbi_rule {
    int kind;          /* sbi_rule_kind */
    bool takes_back;   /* it began with '!' */
    bool folders_only; /* it ended in '/' */
    bool whole_path;   /* it holds a '/': the path is matched, else the name alone */
    char *head;
    size_t head_length;
    char *tail;
    size_t tail_length;
    struct sbi_rule_token *tokens;
    size_t token_count;
    struct sbi_rule_set *sets;
    size_t set_count;
};

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
