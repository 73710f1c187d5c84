/* ssh_config_lex.c - cuts a line of ssh_config into keyword, rest and words. */
#include "base/str.h"
#include "transport/ssh_config_reading.h"

#include <string.h>

#define BLANKS " \t\r\n"

/* Takes the quote at *at away; the word ends at the one that closes it. */
static bool close_quote(char **at)
{
    memmove(*at, *at + 1, strlen(*at));
    *at = strchr(*at, '"');
    if (*at == NULL)
        return false;
    **at = '\0';
    *at += 1 + strspn(*at + 1, BLANKS);
    return true;
}

char *sbi_ssh_config_word(char **at)
{
    char *word = *at;
    bool equals;

    if (word == NULL)
        return NULL;
    *at = strpbrk(word, BLANKS "\"=");
    if (*at == NULL)
        return word;
    if (**at == '"')
        return close_quote(at) ? word : NULL;

    equals = **at == '=';
    **at = '\0';
    *at += 1 + strspn(*at + 1, BLANKS);
    if (**at == '=' && !equals)
        *at += 1 + strspn(*at + 1, BLANKS);
    return word;
}

/* A form feed counts as blank at the end only, as for ssh. */
static void trim_end(char *text)
{
    size_t length = strlen(text);

    while (length > 1 && strchr(BLANKS "\f", text[length - 1]) != NULL)
        text[--length] = '\0';
}

bool sbi_ssh_config_cut(char *text, struct sbi_ssh_line *line)
{
    char *at = text;
    char *keyword;

    trim_end(text);
    keyword = sbi_ssh_config_word(&at);
    if (keyword != NULL && *keyword == '\0')
        keyword = sbi_ssh_config_word(&at);
    if (keyword == NULL || *keyword == '\0' || *keyword == '#')
        return false;

    sbi_ssh_config_lower(keyword);
    line->keyword = keyword;
    line->rest = at == NULL ? keyword + strlen(keyword) : at + strspn(at, BLANKS);
    return true;
}

/* Inside quotes a backslash before a blank is only a backslash. */
static bool is_escape(const char *at, char quote)
{
    return at[0] == '\\' && (at[1] == '\'' || at[1] == '"' || at[1] == '\\' ||
                             (quote == '\0' && at[1] == ' '));
}

/* Copies one word without its quotes; returns where it ends, or NULL in an open quote. */
static const char *read_word(const char *at, struct sbi_str *word)
{
    char quote = '\0';

    for (; *at != '\0'; at++) {
        if (is_escape(at, quote))
            sbi_str_add_bytes(word, ++at, 1);
        else if (quote == '\0' && (*at == ' ' || *at == '\t'))
            break;
        else if (quote == '\0' && (*at == '"' || *at == '\''))
            quote = *at;
        else if (quote != '\0' && *at == quote)
            quote = '\0';
        else
            sbi_str_add_bytes(word, at, 1);
    }
    return quote == '\0' ? at : NULL;
}

static int add_word(char ***words, struct sbi_str *word, sbx_error *err)
{
    SBI_AUTOFREE char *text = NULL;
    int rc = sbi_str_take(word, &text, err);

    return rc < 0 ? rc : sbi_strv_add(words, text, err);
}

#define MAX_WORDS 1024

int sbi_ssh_config_words(const char *text, char ***out, sbx_error *err)
{
    SBI_AUTO_STRV words = NULL;
    size_t count = 0;
    int rc = SBX_OK;

    while (rc == SBX_OK && *(text += strspn(text, " \t")) != '\0' && *text != '#') {
        SBI_AUTO_STR word = {0};

        if (count++ == MAX_WORDS)
            return sbi_fail(err, SBX_ERR_LIMIT, "more than %d words", MAX_WORDS);
        text = read_word(text, &word);
        if (text == NULL)
            return sbi_fail(err, SBX_ERR_CONFIG, "a quote that is not closed");
        rc = add_word(&words, &word, err);
    }
    if (rc == SBX_OK)
        *out = SBI_STEAL(words);
    return rc;
}
