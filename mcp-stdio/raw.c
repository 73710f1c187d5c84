#include "raw.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

struct raw raw_trim(struct raw text)
{
    while (text.length > 0 && is_blank(text.at[0])) {
        text.at++;
        text.length--;
    }
    while (text.length > 0 && is_blank(text.at[text.length - 1]))
        text.length--;
    return text;
}

bool raw_equal(struct raw value, const char *text)
{
    return value.length == strlen(text) && memcmp(value.at, text, value.length) == 0;
}

size_t raw_character(const char *at, size_t left)
{
    static const struct {
        unsigned char first, last, low, high; /* of the lead byte, then of the second */
        size_t length;
    } forms[] = {
        {0x00, 0x7f, 0x00, 0xff, 1}, {0xc2, 0xdf, 0x80, 0xbf, 2},
        {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
        {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4},
        {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    const unsigned char *bytes = (const unsigned char *)at;
    size_t i;
    size_t j;

    for (i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
        if (left > 0 && bytes[0] >= forms[i].first && bytes[0] <= forms[i].last)
            break;
    if (i == sizeof(forms) / sizeof(forms[0]) || forms[i].length > left)
        return 0;
    if (forms[i].length > 1 && (bytes[1] < forms[i].low || bytes[1] > forms[i].high))
        return 0;
    for (j = 2; j < forms[i].length; j++)
        if ((bytes[j] & 0xc0) != 0x80)
            return 0;
    return forms[i].length;
}

static bool is_text(struct raw text)
{
    size_t at = 0;

    while (at < text.length) {
        size_t step = text.at[at] > 0 ? 1 : raw_character(text.at + at, text.length - at);

        if (step == 0)
            return false;
        at += step;
    }
    return true;
}

/* The four digits of an escape, or -1. */
static int code_unit(struct raw text, size_t at)
{
    static const char digits[] = "0123456789abcdef0123456789ABCDEF";
    int code = 0;
    size_t i;

    if (at + 4 > text.length)
        return -1;
    for (i = at; i < at + 4; i++) {
        const char *digit = text.at[i] == '\0' ? NULL : strchr(digits, text.at[i]);

        if (digit == NULL)
            return -1;
        code = code * 16 + (int)((digit - digits) % 16);
    }
    return code;
}

static bool is_between(int value, int least, int most)
{
    return value >= least && value <= most;
}

/* Looks at the escape whose backslash stands there; how many bytes it has. */
static size_t look_at_escape(struct raw text, size_t at, struct raw_look *look)
{
    int code;
    int second = -1;

    if (at + 1 >= text.length || text.at[at + 1] != 'u')
        return 2;
    code = code_unit(text, at + 2);
    look->has_nul = look->has_nul || code == 0;
    if (!is_between(code, 0xd800, 0xdfff))
        return code < 0 ? 2 : 6;
    if (at + 7 < text.length && text.at[at + 6] == '\\' && text.at[at + 7] == 'u')
        second = code_unit(text, at + 8);
    if (code < 0xdc00 && is_between(second, 0xdc00, 0xdfff))
        return 12;
    look->has_half = true;
    return 6;
}

/* Behind the string that begins there; the text's length where it does not end. */
static size_t skip_string(struct raw text, size_t at, struct raw_look *look)
{
    for (at++; at < text.length && text.at[at] != '"';)
        at += text.at[at] == '\\' ? look_at_escape(text, at, look) : 1;
    return at < text.length ? at + 1 : text.length + 1;
}

struct raw_look raw_look_over(struct raw text)
{
    struct raw_look look = {.is_text = is_text(text)};
    size_t depth = 0;
    size_t at = 0;

    text = raw_trim(text);
    look.has_nul = memchr(text.at, '\0', text.length) != NULL;
    while (at < text.length) {
        char c = text.at[at];

        if (c == '"') {
            at = skip_string(text, at, &look);
            continue;
        }
        at++;
        if (c == '{' || c == '[') {
            depth++;
            look.depth = depth > look.depth ? depth : look.depth;
        } else if ((c == '}' || c == ']') && (depth == 0 || --depth == 0)) {
            break;
        }
    }
    look.whole = text.length > 1 && (text.at[0] == '{' || text.at[0] == '[') &&
                 depth == 0 && at == text.length;
    return look;
}

/* Behind the value that begins there. */
static size_t skip_value(struct raw text, size_t at)
{
    struct raw_look unused = {0};
    size_t depth = 0;

    while (at < text.length) {
        char c = text.at[at];

        if (depth == 0 && (c == ',' || c == '}' || c == ']'))
            break;
        if (c == '"') {
            at = skip_string(text, at, &unused);
            continue;
        }
        if (c == '{' || c == '[')
            depth++;
        else if (c == '}' || c == ']')
            depth--;
        at++;
    }
    return at < text.length ? at : text.length;
}

struct raw raw_inside(struct raw array)
{
    array = raw_trim(array);
    if (array.length < 2)
        return (struct raw){array.at, 0};
    return (struct raw){array.at + 1, array.length - 2};
}

static void drop(struct raw *text, size_t length)
{
    text->at += length;
    text->length -= length;
}

bool raw_next(struct raw *rest, struct raw *item)
{
    size_t end;

    *rest = raw_trim(*rest);
    if (rest->length == 0)
        return false;
    end = skip_value(*rest, 0);
    *item = raw_trim((struct raw){rest->at, end});
    drop(rest, end < rest->length ? end + 1 : end);
    return true;
}

bool raw_member(struct raw object, const char *name, struct raw *out)
{
    size_t length = strlen(name);
    struct raw rest = raw_inside(object);
    struct raw item;

    object = raw_trim(object);
    if (object.length < 2 || object.at[0] != '{')
        return false;
    while (raw_next(&rest, &item)) {
        struct raw value = item;

        if (item.length < length + 3 || item.at[0] != '"' || item.at[length + 1] != '"' ||
            memcmp(item.at + 1, name, length) != 0)
            continue;
        drop(&value, length + 2);
        value = raw_trim(value);
        if (value.length < 2 || value.at[0] != ':')
            continue;
        drop(&value, 1);
        *out = raw_trim(value);
        return true;
    }
    return false;
}

/* How many bytes the character or escape of a string has that stands there; 0: neither.
 */
static size_t step_in_string(struct raw text, size_t at)
{
    static const char escapes[] = {'"', '\\', '/', 'b', 'f', 'n', 'r', 't'};

    if ((unsigned char)text.at[at] < 0x20)
        return 0;
    if (text.at[at] != '\\')
        return 1;
    if (at + 1 < text.length && text.at[at + 1] == 'u')
        return code_unit(text, at + 2) < 0 ? 0 : 6;
    if (at + 1 == text.length || !memchr(escapes, text.at[at + 1], sizeof(escapes)))
        return 0;
    return 2;
}

/* One string, whole, and nothing behind it. */
static bool is_string(struct raw value)
{
    size_t at = 1;
    size_t step = 1;

    if (value.length < 2 || value.at[0] != '"' || !is_text(value))
        return false;
    for (; at < value.length && value.at[at] != '"' && step > 0; at += step)
        step = step_in_string(value, at);
    return step > 0 && at + 1 == value.length;
}

/* It goes out as it came in, so it has to be JSON to the letter. */
bool raw_is_id(struct raw value)
{
    size_t i = value.length > 0 && value.at[0] == '-' ? 1 : 0;

    if (value.length > 0 && value.at[0] == '"')
        return value.length <= 4096 && is_string(value);
    if (i == value.length || value.length > 64 ||
        (value.at[i] == '0' && i + 1 < value.length))
        return false;
    for (; i < value.length; i++)
        if (value.at[i] < '0' || value.at[i] > '9')
            return false;
    return true;
}
