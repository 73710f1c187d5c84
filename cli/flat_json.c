#include "flat_json.h"

#include <stdlib.h>
#include <string.h>

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r\n");
}

static void add_code_point(struct text *text, unsigned long code)
{
    const char bytes[] = {(char)(0xe0 | code >> 12), (char)(0x80 | (code >> 6 & 0x3f)),
                          (char)(0x80 | (code & 0x3f))};

    if (code < 0x20 || code == 0x7f || (code >= 0xd800 && code < 0xe000))
        text_add(text, "?");
    else if (code < 0x80)
        text_addf(text, "%c", (int)code);
    else if (code < 0x800)
        text_addf(text, "%c%c", (int)(0xc0 | code >> 6), (int)(0x80 | (code & 0x3f)));
    else
        text_add_bytes(text, bytes, sizeof(bytes));
}

/* at: behind the opening quote. Returns the place behind the closing one. */
static const char *read_string(const char *at, struct text *text)
{
    char digits[5] = "";

    for (; *at != '\0' && *at != '"'; at++) {
        if (*at != '\\') {
            text_add_bytes(text, at, 1);
        } else if (*++at == 'u' && strnlen(at + 1, 4) == 4) {
            memcpy(digits, at + 1, 4);
            add_code_point(text, strtoul(digits, NULL, 16));
            at += 4;
        } else if (*at == '\0') {
            break;
        } else {
            text_add_bytes(text, strchr("bfnrt", *at) != NULL ? "?" : at, 1);
        }
    }
    return *at == '"' ? at + 1 : at;
}

/* One string, number or word. */
static const char *read_scalar(const char *at, struct text *text)
{
    size_t length;

    if (*at == '"')
        return read_string(at + 1, text);
    length = strcspn(at, ",]}");
    if (strncmp(at, "null", 4) != 0)
        text_add_bytes(text, at, length);
    return at + length;
}

/* Brackets are only marks between items here, so any depth reads in one loop. */
static const char *read_value(const char *at, struct text *text)
{
    size_t depth = 0;

    do {
        at = skip_blanks(at);
        if (*at == '[' || *at == '{') {
            depth++;
            at++;
        } else if (*at == ']' || *at == '}') {
            depth--;
            at++;
        } else if (*at == ',') {
            text_add(text, " ");
            at++;
        } else if (*at == ':') {
            text_add(text, "=");
            at++;
        } else if (*at != '\0') {
            at = read_scalar(at, text);
        }
    } while (depth > 0 && *at != '\0');
    return at;
}

void flat_json(const char *json, struct text *lines)
{
    const char *at = skip_blanks(json);

    while (*at == '{' || *at == ',') {
        AUTO_TEXT key = {0};
        AUTO_TEXT value = {0};

        at = skip_blanks(at + 1);
        if (*at != '"')
            break;
        at = skip_blanks(read_string(at + 1, &key));
        if (*at == ':')
            at = read_value(at + 1, &value);
        if (value.length > 0)
            text_addf(lines, "%-24s %s\n", key.data == NULL ? "" : key.data, value.data);
        at = skip_blanks(at);
    }
}
