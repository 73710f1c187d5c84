/* exclude_rule.c - takes rules apart, and asks the quick questions of a path first. */
#include "sync/exclude_rule.h"

#include "base/array.h"

#include <string.h>

#define PATH_LIMIT 4095

/* A pattern on its way: what is left of it, and where its wildcards begin. */
struct parse {
    const char *at;
    const char *end;
    const char *first_wild;
    struct sbi_rule *rule;
    size_t token_capacity;
    size_t set_capacity;
    size_t bytes; /* that a match has at least */
};

static bool is_wild(char c)
{
    return c == '*' || c == '?' || c == '[' || c == '\\';
}

static int add_token(struct parse *parse, int kind, char byte, size_t set, sbx_error *err)
{
    struct sbi_rule *rule = parse->rule;
    int rc;

    parse->bytes += kind < SBI_TOKEN_STAR ? 1 : 0;
    if (parse->bytes > PATH_LIMIT || rule->token_count >= SBI_TOKEN_LIMIT ||
        set > UINT16_MAX) {
        rule->kind = SBI_RULE_NEVER;
        return SBX_OK;
    }
    rc = sbi_array_reserve(&rule->tokens, sizeof(*rule->tokens), rule->token_count + 1,
                           &parse->token_capacity, err);
    if (rc == SBX_OK)
        rule->tokens[rule->token_count++] =
            (struct sbi_rule_token){(uint8_t)kind, (uint8_t)byte, (uint16_t)set};
    return rc;
}

static int read_set(struct parse *parse, sbx_error *err)
{
    struct sbi_rule *rule = parse->rule;
    int rc = sbi_array_reserve(&rule->sets, sizeof(*rule->sets), rule->set_count + 1,
                               &parse->set_capacity, err);

    if (rc < 0)
        return rc;
    parse->at =
        sbi_rule_read_set(parse->at + 1, parse->end, &rule->sets[rule->set_count]);
    if (parse->at == NULL) {
        rule->kind = SBI_RULE_NEVER;
        return SBX_OK;
    }
    return add_token(parse, SBI_TOKEN_SET, 0, rule->set_count++, err);
}

static bool ends_in_deep(const struct sbi_rule *rule)
{
    return rule->token_count > 0 &&
           rule->tokens[rule->token_count - 1].kind == SBI_TOKEN_DEEP;
}

/*
 * "**" means folders only where it stands alone between slashes. git cuts off what comes
 * before the first wildcard and begins anew there, so that in "a/b**" too it does.
 */
static int read_stars(struct parse *parse, sbx_error *err)
{
    const char *first = parse->at;
    size_t left;

    while (parse->at < parse->end && *parse->at == '*')
        parse->at++;
    left = (size_t)(parse->end - parse->at);
    if (parse->at - first < 2 || (first != parse->first_wild && first[-1] != '/'))
        return add_token(parse, SBI_TOKEN_STAR, 0, 0, err);
    if (left > 0 && parse->at[0] == '/') {
        parse->at++;
        if (ends_in_deep(parse->rule))
            return SBX_OK;
        return add_token(parse, SBI_TOKEN_DEEP, 0, 0, err);
    }
    if (left == 0 || (left > 1 && parse->at[0] == '\\' && parse->at[1] == '/'))
        return add_token(parse, SBI_TOKEN_ALL, 0, 0, err);
    return add_token(parse, SBI_TOKEN_STAR, 0, 0, err);
}

static int read_token(struct parse *parse, sbx_error *err)
{
    switch (*parse->at) {
    case '*':
        return read_stars(parse, err);
    case '[':
        return read_set(parse, err);
    case '?':
        parse->at++;
        return add_token(parse, SBI_TOKEN_ONE, 0, 0, err);
    case '\\':
        parse->at++;
        if (parse->at == parse->end) {
            parse->rule->kind = SBI_RULE_NEVER;
            return SBX_OK;
        }
        break;
    default:
        break;
    }
    return add_token(parse, SBI_TOKEN_BYTE, *parse->at++, 0, err);
}

static int copy_bytes(const struct sbi_rule_token *tokens, size_t count, char **out,
                      size_t *length, sbx_error *err)
{
    char *bytes = malloc(count + 1);
    size_t i;

    if (bytes == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "read a rule: out of memory");
    for (i = 0; i < count; i++)
        bytes[i] = (char)tokens[i].byte;
    bytes[count] = '\0';
    *out = bytes;
    *length = count;
    return SBX_OK;
}

/* Plain bytes at either end are compared before the tokens between are walked. */
static int split(struct sbi_rule *rule, sbx_error *err)
{
    size_t head = 0, tail = 0;
    int rc;

    while (head < rule->token_count && rule->tokens[head].kind == SBI_TOKEN_BYTE)
        head++;
    while (head + tail < rule->token_count &&
           rule->tokens[rule->token_count - 1 - tail].kind == SBI_TOKEN_BYTE)
        tail++;
    rc = copy_bytes(rule->tokens, head, &rule->head, &rule->head_length, err);
    if (rc == SBX_OK)
        rc = copy_bytes(rule->tokens + rule->token_count - tail, tail, &rule->tail,
                        &rule->tail_length, err);
    if (rc < 0)
        return rc;
    rule->token_count -= head + tail;
    memmove(rule->tokens, rule->tokens + head, rule->token_count * sizeof(*rule->tokens));
    if (rule->token_count == 0)
        rule->kind = SBI_RULE_LITERAL;
    return SBX_OK;
}

static int read_pattern(struct parse *parse, sbx_error *err)
{
    int rc = SBX_OK;

    parse->rule->kind = SBI_RULE_PATTERN;
    while (rc == SBX_OK && parse->rule->kind != SBI_RULE_NEVER && parse->at < parse->end)
        rc = read_token(parse, err);
    if (rc < 0 || parse->rule->kind == SBI_RULE_NEVER)
        return rc;
    return split(parse->rule, err);
}

int sbi_rule_parse(const char *text, size_t length, struct sbi_rule *out, sbx_error *err)
{
    SBI_CLEANUP(sbi_rule_clear) struct sbi_rule rule = {0};
    struct parse parse = {.at = text, .end = text + length, .rule = &rule};
    int rc = SBX_OK;

    if (parse.at < parse.end && *parse.at == '!') {
        rule.takes_back = true;
        parse.at++;
    }
    if (parse.at < parse.end && parse.end[-1] == '/') {
        rule.folders_only = true;
        parse.end--;
    }
    rule.whole_path = parse.at < parse.end &&
                      memchr(parse.at, '/', (size_t)(parse.end - parse.at)) != NULL;
    if (parse.at < parse.end && *parse.at == '/')
        parse.at++;
    parse.first_wild = parse.at;
    while (parse.first_wild < parse.end && !is_wild(*parse.first_wild))
        parse.first_wild++;

    if (parse.at < parse.end)
        rc = read_pattern(&parse, err);
    if (rc < 0)
        return rc;
    *out = rule;
    rule = (struct sbi_rule){0};
    return SBX_OK;
}

bool sbi_rule_matches(const struct sbi_rule *rule, const char *path, size_t length,
                      size_t name_at, bool is_folder)
{
    size_t fixed = rule->head_length + rule->tail_length;

    if (rule->kind == SBI_RULE_NEVER || (rule->folders_only && !is_folder))
        return false;
    if (!rule->whole_path) {
        path += name_at;
        length -= name_at;
    }
    if (length < fixed || memcmp(path, rule->head, rule->head_length) != 0 ||
        memcmp(path + length - rule->tail_length, rule->tail, rule->tail_length) != 0)
        return false;
    if (rule->kind == SBI_RULE_LITERAL)
        return length == fixed;
    if (rule->token_count == 1 && rule->tokens[0].kind == SBI_TOKEN_STAR)
        return memchr(path + rule->head_length, '/', length - fixed) == NULL;
    return sbi_rule_tokens_match(rule, path + rule->head_length, length - fixed);
}

void sbi_rule_clear(struct sbi_rule *rule)
{
    free(rule->head);
    free(rule->tail);
    free(rule->tokens);
    free(rule->sets);
    *rule = (struct sbi_rule){0};
}
