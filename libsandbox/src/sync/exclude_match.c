/*
 * exclude_match.c - matches by walking all ways through a pattern at once.
 *
 * A state is a place in the pattern where the text so far may have led. Each byte of the
 * text moves the set of states on, so the time is pattern times text for any pattern:
 * one that was written to make us go back and forth cannot.
 */
#include "sync/exclude_token.h"

#include <string.h>

/* Reaches a place, and those behind it that need no byte. */
static void reach(const struct sbi_rule *rule, bool *states, size_t at)
{
    states[at] = true;
    while (at < rule->token_count && rule->tokens[at].kind >= SBI_TOKEN_STAR)
        states[++at] = true;
}

static bool takes(const struct sbi_rule *rule, const struct sbi_rule_token *token,
                  unsigned char byte)
{
    switch (token->kind) {
    case SBI_TOKEN_BYTE:
        return token->byte == byte;
    case SBI_TOKEN_SET:
        return (rule->sets[token->set].bits[byte / 8] >> byte % 8 & 1) != 0;
    default:
        return byte != '/';
    }
}

/* One byte, from one state. Later states have moved already. */
static void move(const struct sbi_rule *rule, bool *states, size_t at, unsigned char byte)
{
    const struct sbi_rule_token *token = &rule->tokens[at];

    switch (token->kind) {
    case SBI_TOKEN_DEEP: /* stays in it; only a slash leads out */
        if (byte == '/')
            reach(rule, states, at + 1);
        break;
    case SBI_TOKEN_ALL:
        reach(rule, states, at);
        break;
    case SBI_TOKEN_STAR:
        states[at] = false;
        if (byte != '/')
            reach(rule, states, at);
        break;
    default:
        states[at] = false;
        if (takes(rule, token, byte))
            reach(rule, states, at + 1);
    }
}

bool sbi_rule_tokens_match(const struct sbi_rule *rule, const char *text, size_t length)
{
    bool states[SBI_TOKEN_LIMIT + 1];
    bool alive = true;
    size_t i, at;

    memset(states, 0, rule->token_count + 1);
    reach(rule, states, 0);
    for (i = 0; alive && i < length; i++) {
        alive = false;
        states[rule->token_count] = false;
        for (at = rule->token_count; at > 0; at--) {
            if (states[at - 1]) {
                alive = true;
                move(rule, states, at - 1, (unsigned char)text[i]);
            }
        }
    }
    return states[rule->token_count];
}
