/* exclude_token.h - what rules are made of; parsed by one file, matched by another. */
#ifndef SANDBOX_SYNC_EXCLUDE_TOKEN_H
#define SANDBOX_SYNC_EXCLUDE_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sbi_rule_token_kind {
    SBI_TOKEN_BYTE = 0, /* this byte */
    SBI_TOKEN_ONE = 1,  /* any byte but '/' */
    SBI_TOKEN_SET = 2,  /* a byte of the set */
    SBI_TOKEN_STAR = 3, /* any bytes but '/' */
    SBI_TOKEN_ALL = 4,  /* any bytes */
    SBI_TOKEN_DEEP = 5  /* nothing, or any bytes and a '/' */
};

/* How many tokens a rule may have: for each byte of a path a DEEP and a STAR before it.
 */
#define SBI_TOKEN_LIMIT (3 * 4096)

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

/* Reads what follows '[' into set. NULL: the set does not end. Else what follows it. */
const char *sbi_rule_read_set(const char *at, const char *end, struct sbi_rule_set *set);

/* Whether text is all of tokens; tokens: at most SBI_TOKEN_LIMIT. */
bool sbi_rule_tokens_match(const struct sbi_rule *rule, const char *text, size_t length);

#endif
