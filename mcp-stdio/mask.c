#include "mask.h"

#include <string.h>

static const struct {
    const char *prefix;
    size_t least; /* characters behind it */
    const char *name;
} tokens[] = {
    {"AKIA", 16, "AWS key"},        {"ASIA", 16, "AWS key"},
    {"ghp_", 30, "GitHub token"},   {"gho_", 30, "GitHub token"},
    {"ghu_", 30, "GitHub token"},   {"ghs_", 30, "GitHub token"},
    {"ghr_", 30, "GitHub token"},   {"github_pat_", 22, "GitHub token"},
    {"glpat-", 20, "GitLab token"}, {"xoxb-", 10, "Slack token"},
    {"xoxp-", 10, "Slack token"},   {"xoxa-", 10, "Slack token"},
    {"xoxs-", 10, "Slack token"},   {"sk-", 32, "API key"},
    {"sk_live_", 20, "API key"},    {"hf_", 30, "Hugging Face token"},
    {"AIza", 35, "Google API key"}, {"npm_", 36, "npm token"},
    {"eyJ", 60, "web token"},
};

static bool is_token(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '-' || c == '.';
}

static size_t token_run(const char *at)
{
    size_t length = 0;

    while (is_token(at[length]))
        length++;
    return length;
}

/* The length of the token that begins there, or 0. */
static size_t token_length(const char *at, const char **name)
{
    size_t run = token_run(at);
    size_t i;

    for (i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++) {
        size_t prefix = strlen(tokens[i].prefix);

        if (run >= prefix + tokens[i].least &&
            strncmp(at, tokens[i].prefix, prefix) == 0) {
            *name = tokens[i].name;
            return run;
        }
    }
    return 0;
}

/* A private key, from its first line to its last, or to the end where that is cut off. */
static size_t key_length(const char *at)
{
    size_t line = strcspn(at, "\n");
    const char *end;

    if (strncmp(at, "-----BEGIN ", 11) != 0)
        return 0;
    end = strstr(at, "PRIVATE KEY-----");
    if (end == NULL || (size_t)(end - at) > line)
        return 0;
    end = strstr(end, "-----END ");
    return end == NULL ? strlen(at) : (size_t)(end - at) + strcspn(end, "\n");
}

static size_t known_length(const char *at, const struct words *known)
{
    size_t i;

    for (i = 0; i < known->count; i++)
        if (strncmp(at, known->items[i], strlen(known->items[i])) == 0)
            return strlen(known->items[i]);
    return 0;
}

static size_t secret_length(const char *text, size_t at, const struct words *known,
                            bool formats, const char **name)
{
    size_t length = known_length(text + at, known);

    *name = "password";
    if (length > 0 || !formats)
        return length;
    if (text[at] == '-') {
        *name = "private key";
        return key_length(text + at);
    }
    return at > 0 && is_token(text[at - 1]) ? 0 : token_length(text + at, name);
}

/* The end of a key whose beginning was cut off: lines of base64 before it go too. */
static void drop_key_tail(struct text *out, size_t from, const char *end)
{
    size_t at = out->length;

    if (strncmp(end, "-----END ", 9) != 0 || strstr(end, "PRIVATE KEY-----") == NULL)
        return;
    while (at > from &&
           (is_token(out->data[at - 1]) || strchr("+/=\n", out->data[at - 1]) != NULL))
        at--;
    out->length = at;
    text_add(out, "[masked: private key]\n");
}

bool mask_text(const char *text, const struct words *known, bool formats,
               struct text *out)
{
    size_t at = 0;
    size_t done = 0;
    const char *name;
    bool found = false;

    while (text[at] != '\0') {
        size_t length = secret_length(text, at, known, formats, &name);

        if (length == 0 && !(formats && strncmp(text + at, "-----END ", 9) == 0)) {
            at++;
            continue;
        }
        text_add_bytes(out, text + done, at - done);
        if (length > 0)
            text_addf(out, "[masked: %s]", name);
        else
            drop_key_tail(out, 0, text + at);
        done = at;
        at += length > 0 ? length : 9;
        done = length > 0 ? at : done;
        found = true;
    }
    if (found)
        text_add(out, text + done);
    return found;
}
