#include "job/token.h"

#include <string.h>

struct sbi_token sbi_token_word(struct sbi_token *line)
{
    struct sbi_token word;

    while (line->at < line->end && *line->at == ' ')
        line->at++;
    word.at = line->at;
    while (line->at < line->end && *line->at != ' ')
        line->at++;
    word.end = line->at;
    if (line->at < line->end)
        line->at++;
    return word;
}

bool sbi_token_is(struct sbi_token word, const char *text)
{
    size_t length = strlen(text);

    return (size_t)(word.end - word.at) == length && memcmp(word.at, text, length) == 0;
}

int64_t sbi_token_number(struct sbi_token *line, int64_t otherwise)
{
    struct sbi_token word = sbi_token_word(line);
    int64_t number = 0;

    if (word.at == word.end || word.end - word.at > 18)
        return otherwise;
    for (; word.at < word.end; word.at++) {
        if (*word.at < '0' || *word.at > '9')
            return otherwise;
        number = number * 10 + (*word.at - '0');
    }
    return number;
}

void sbi_token_copy(struct sbi_token word, char *out, size_t room)
{
    size_t length = (size_t)(word.end - word.at);

    if (length >= room)
        length = 0;
    memcpy(out, word.at, length);
    out[length] = '\0';
}

static int hex_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

int sbi_token_text(struct sbi_token line, char **out)
{
    SBI_AUTO_STR text = {.limit = 64 * 1024};
    const char *at;

    sbi_str_add(&text, "");
    for (at = line.at; at < line.end; at++) {
        int high = at + 2 < line.end && *at == '%' ? hex_of(at[1]) : -1;
        int low = high < 0 ? -1 : hex_of(at[2]);
        char byte = low < 0 ? *at : (char)(high * 16 + low);

        sbi_str_add_bytes(&text, &byte, 1);
        at += low < 0 ? 0 : 2;
    }
    free(*out);
    *out = NULL;
    if (text.length == 0 && text.status == SBX_OK)
        *out = calloc(1, 1);
    else if (sbi_str_take(&text, out, NULL) < 0)
        *out = NULL;
    return *out == NULL ? SBX_ERR_NO_MEMORY : SBX_OK;
}

void sbi_token_add(struct sbi_str *text, const char *key, const char *value,
                   size_t length)
{
    size_t i;

    sbi_str_addf(text, "%s ", key);
    for (i = 0; i < length; i++) {
        unsigned char byte = (unsigned char)value[i];

        if (byte < 0x20 || byte == 0x7f || byte == '%')
            sbi_str_addf(text, "%%%02X", byte);
        else
            sbi_str_add_bytes(text, &byte, 1);
    }
    sbi_str_add(text, "\n");
}
