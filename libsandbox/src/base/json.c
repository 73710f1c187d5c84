/*
 * json.c - reads and prints JSON with cJSON, and mends what cJSON leaves open.
 *
 * Before it reads a text, comments become blanks (so that positions stay), and
 * what would silently change on the way through C strings is refused: bytes that
 * are no UTF-8, and NUL, escaped or not. After it printed one, bytes that are no
 * UTF-8 become U+FFFD; they can stand nowhere but in a string.
 */
#include "base/json.h"

#include "base/digest.h"
#include "base/str.h"

#include <stdint.h>
#include <string.h>

static const char replacement[] = "\xEF\xBF\xBD";

/* The length of the UTF-8 character that starts there, or 0 where none does. */
static size_t character_length(const unsigned char *at, size_t left)
{
    static const struct {
        unsigned char mask, lead;
        uint32_t least;
    } forms[] = {
        {0x80, 0x00, 0}, {0xE0, 0xC0, 0x80}, {0xF0, 0xE0, 0x800}, {0xF8, 0xF0, 0x10000}};
    size_t length, i;
    uint32_t point;

    for (length = 1; length <= 4; length++)
        if ((at[0] & forms[length - 1].mask) == forms[length - 1].lead)
            break;
    if (length > 4 || length > left)
        return 0;

    point = at[0] & (unsigned char)~forms[length - 1].mask;
    for (i = 1; i < length; i++) {
        if ((at[i] & 0xC0) != 0x80)
            return 0;
        point = point << 6 | (at[i] & 0x3Fu);
    }
    if (point < forms[length - 1].least || point > 0x10FFFF)
        return 0;
    return point >= 0xD800 && point <= 0xDFFF ? 0 : length;
}

/* How many bytes at the start are UTF-8 without NUL. */
static size_t text_length(const unsigned char *bytes, size_t length)
{
    size_t at = 0, step;

    while (at < length && bytes[at] != '\0') {
        step = character_length(bytes + at, length - at);
        if (step == 0)
            break;
        at += step;
    }
    return at;
}

bool sbi_json_is_text(const void *bytes, size_t length)
{
    return text_length(bytes, length) == length;
}

static char *repaired(const void *bytes, size_t length)
{
    const unsigned char *from = bytes;
    SBI_AUTO_STR text = {0};
    char *out = NULL;
    size_t good;

    for (; length > 0; from++, length--) {
        good = text_length(from, length);
        sbi_str_add_bytes(&text, from, good);
        from += good;
        length -= good;
        if (length == 0)
            break;
        sbi_str_add(&text, replacement);
    }
    (void)sbi_str_take(&text, &out, NULL);
    return out;
}

static int fail_at(const char *text, size_t offset, const char *what, sbx_error *err)
{
    size_t line = 1, column = 1, i;

    for (i = 0; i < offset; i++) {
        column += ((unsigned char)text[i] & 0xC0) != 0x80;
        if (text[i] == '\n') {
            line++;
            column = 1;
        }
    }
    return sbi_fail(err, SBX_ERR_CONFIG, "line %zu, column %zu: %s", line, column, what);
}

/* The end of the string that starts at its quote, behind the closing one. */
static size_t string_end(const char *text, size_t at, size_t length)
{
    for (at++; at < length && text[at] != '"'; at++)
        if (text[at] == '\\')
            at++;
    return at < length ? at + 1 : length;
}

/* The end of the comment that starts there; at itself where none starts. */
static size_t comment_end(const char *text, size_t at, size_t length)
{
    const char *end;

    if (text[at] != '/' || at + 1 >= length)
        return at;
    if (text[at + 1] == '/') {
        end = memchr(text + at, '\n', length - at);
        return end == NULL ? length : (size_t)(end - text);
    }
    if (text[at + 1] != '*')
        return at;
    end = memmem(text + at + 2, length - at - 2, "*/", 2);
    return end == NULL ? SIZE_MAX : (size_t)(end - text) + 2;
}

static void blank(char *text, size_t from, size_t to)
{
    for (; from < to; from++)
        if (text[from] != '\n')
            text[from] = ' ';
}

/* An escaped NUL within a string, which would end it early as a C string. */
static const char *escaped_nul(const char *text, size_t from, size_t to)
{
    for (; from + 5 < to; from++) {
        if (text[from] != '\\')
            continue;
        if (memcmp(text + from, "\\u0000", 6) == 0)
            return text + from;
        from++;
    }
    return NULL;
}

static int strip_comments(char *text, size_t length, sbx_error *err)
{
    const char *nul;
    size_t at = 0, end;

    while (at < length) {
        if (text[at] == '"') {
            end = string_end(text, at, length);
            nul = escaped_nul(text, at, end);
            if (nul != NULL)
                return fail_at(text, (size_t)(nul - text), "a NUL in a string", err);
            at = end;
            continue;
        }
        end = comment_end(text, at, length);
        if (end == SIZE_MAX)
            return fail_at(text, at, "a comment without its end", err);
        blank(text, at, end);
        at = end > at ? end : at + 1;
    }
    return SBX_OK;
}

static int parse_plain(const char *text, size_t length, cJSON **out, sbx_error *err)
{
    SBI_AUTO_JSON json = NULL;
    const char *end = text;

    json = cJSON_ParseWithLengthOpts(text, length, &end, false);
    if (json == NULL)
        return fail_at(text, (size_t)(end - text), "not JSON", err);

    while (end < text + length && memchr(" \t\r\n", *end, 4) != NULL)
        end++;
    if (end < text + length)
        return fail_at(text, (size_t)(end - text), "more text behind the value", err);
    *out = SBI_STEAL(json);
    return SBX_OK;
}

int sbi_json_parse(const char *text, size_t length, cJSON **out, sbx_error *err)
{
    size_t good = text_length((const unsigned char *)text, length);
    char *copy;
    int rc;

    if (good < length)
        return fail_at(text, good, text[good] == '\0' ? "a NUL byte" : "not UTF-8", err);
    copy = malloc(length + 1);
    if (copy == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "read JSON: out of memory");

    memcpy(copy, text, length);
    copy[length] = '\0';
    rc = strip_comments(copy, length, err);
    if (rc == SBX_OK)
        rc = parse_plain(copy, length, out, err);
    explicit_bzero(copy, length); /* it may be a list of hosts with passwords */
    free(copy);
    return rc;
}

cJSON *sbi_json_bytes(const void *bytes, size_t length, bool as_text)
{
    SBI_AUTOFREE char *text = NULL;

    if (as_text)
        text = repaired(bytes, length);
    else if (sbi_base64_encode(bytes, length, &text, NULL) < 0)
        return NULL;
    return text == NULL ? NULL : cJSON_CreateString(text);
}

char *sbi_json_print(const cJSON *json)
{
    char *printed = cJSON_PrintUnformatted(json);
    char *text;

    if (printed == NULL)
        return NULL;
    text = repaired(printed, strlen(printed));
    cJSON_free(printed); /* not free: the program may have given cJSON hooks */
    return text;
}

void sbi_json_add_text(cJSON *object, const char *key, const char *text)
{
    if (text == NULL)
        (void)cJSON_AddNullToObject(object, key);
    else
        (void)cJSON_AddStringToObject(object, key, text);
}

static void wipe_strings(cJSON *json)
{
    for (; json != NULL; json = json->next) {
        if ((json->type & cJSON_IsReference) != 0)
            continue;
        if (json->valuestring != NULL)
            explicit_bzero(json->valuestring, strlen(json->valuestring));
        wipe_strings(json->child);
    }
}

void sbi_json_clear(cJSON **json)
{
    wipe_strings(*json);
    cJSON_Delete(*json);
    *json = NULL;
}
