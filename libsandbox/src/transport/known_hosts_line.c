/* known_hosts_line.c - reads known_hosts line by line and matches host names. */
#include "transport/known_hosts_line.h"

#include "base/cleanup.h"
#include "base/digest.h"
#include "base/str.h"

#include <string.h>

#define LINE_LIMIT (64 * 1024)
#define HASH_SIZE 20 /* SHA-1, for the salt and the hash alike */
#define SSH_PORT 22

struct slice {
    const char *at;
    size_t length;
};

int sbi_known_name_set(struct sbi_known_name *name, const char *host, int port,
                       sbx_error *err)
{
    SBI_AUTO_STR plain = {0};
    SBI_AUTO_STR bracketed = {0};
    struct sbi_known_name made = {0};
    int rc;

    sbi_str_add(&plain, host);
    sbi_str_addf(&bracketed, "[%s]:%d", host, port);
    rc = sbi_str_take(&bracketed, port == SSH_PORT ? &made.with_port : &made.name, err);
    if (rc == SBX_OK && port == SSH_PORT)
        rc = sbi_str_take(&plain, &made.name, err);
    if (rc < 0)
        sbi_known_name_clear(&made);
    else
        *name = made;
    return rc;
}

void sbi_known_name_clear(struct sbi_known_name *name)
{
    free(name->name);
    free(name->with_port);
    *name = (struct sbi_known_name){0};
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static struct slice next_word(struct slice *rest)
{
    struct slice word;

    while (rest->length > 0 && is_blank(*rest->at)) {
        rest->at++;
        rest->length--;
    }
    word = (struct slice){rest->at, 0};
    while (rest->length > 0 && !is_blank(*rest->at)) {
        rest->at++;
        rest->length--;
        word.length++;
    }
    return word;
}

static bool is_word(struct slice word, const char *text)
{
    return word.length == strlen(text) && memcmp(word.at, text, word.length) == 0;
}

static int marker_of(struct slice word)
{
    static const struct {
        const char *word;
        int marker;
    } markers[] = {
        {"@cert-authority", SBI_KNOWN_MARK_CA},
        {"@revoked", SBI_KNOWN_MARK_REVOKED},
    };
    size_t i;

    for (i = 0; i < sizeof(markers) / sizeof(markers[0]); i++)
        if (is_word(word, markers[i].word))
            return markers[i].marker;
    return -1;
}

static bool parse(struct slice text, struct sbi_known_line *line)
{
    struct slice names = next_word(&text);
    struct slice type, key;
    int marker = SBI_KNOWN_PLAIN;

    if (names.length == 0 || *names.at == '#')
        return false;
    if (*names.at == '@') {
        marker = marker_of(names);
        names = next_word(&text);
    }
    type = next_word(&text);
    key = next_word(&text);
    if (marker < 0 || key.length == 0 || *names.at == '@')
        return false;

    *line = (struct sbi_known_line){line->number, marker,      names.at, names.length,
                                    type.at,      type.length, key.at,   key.length};
    return true;
}

bool sbi_known_line_next(const char *text, size_t length, size_t *offset,
                         struct sbi_known_line *line)
{
    while (*offset < length) {
        struct slice here = {text + *offset, length - *offset};
        const char *end = memchr(here.at, '\n', here.length);

        if (end != NULL)
            here.length = (size_t)(end - here.at);
        *offset += here.length + (end != NULL ? 1 : 0);
        line->number++;
        if (here.length <= LINE_LIMIT && parse(here, line))
            return true;
    }
    return false;
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Only '*' and '?' are special: a '[' stands before a host with a port. */
static bool matches(struct slice pattern, const char *name)
{
    size_t p = 0, star = SIZE_MAX;
    const char *retry = name;

    while (*name != '\0') {
        if (p < pattern.length && pattern.at[p] == '*') {
            star = p++;
            retry = name;
        } else if (p < pattern.length &&
                   (pattern.at[p] == '?' || lower(pattern.at[p]) == lower(*name))) {
            p++;
            name++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            name = ++retry;
        } else {
            return false;
        }
    }
    while (p < pattern.length && pattern.at[p] == '*')
        p++;
    return p == pattern.length;
}

static bool ends_in(struct slice word, const char *end)
{
    size_t length = strlen(end);

    return word.length >= length &&
           memcmp(word.at + word.length - length, end, length) == 0;
}

/* ssh never writes port 22, so only who wrote it out can have meant it. */
static bool matches_name(struct slice pattern, const struct sbi_known_name *name)
{
    return matches(pattern, name->name) ||
           (name->with_port != NULL && ends_in(pattern, "]:22") &&
            matches(pattern, name->with_port));
}

/* A negated pattern that matches outweighs all others of its list. */
static bool list_covers(struct slice list, const struct sbi_known_name *name)
{
    bool covered = false;

    while (list.length > 0) {
        const char *comma = memchr(list.at, ',', list.length);
        size_t length = comma == NULL ? list.length : (size_t)(comma - list.at);
        bool negated = *list.at == '!';
        struct slice pattern = {list.at + negated, length - negated};

        if (pattern.length > 0 && matches_name(pattern, name)) {
            if (negated)
                return false;
            covered = true;
        }
        length += comma != NULL ? 1 : 0;
        list = (struct slice){list.at + length, list.length - length};
    }
    return covered;
}

/* Decodes one of the two fields of a hashed name; false where it is garbage. */
static int hash_field(struct slice field, unsigned char out[HASH_SIZE], bool *well,
                      sbx_error *err)
{
    SBI_AUTOFREE unsigned char *bytes = NULL;
    size_t length = 0;
    int rc = sbi_base64_decode(field.at, field.length, &bytes, &length, NULL);

    if (rc == SBX_ERR_NO_MEMORY)
        return sbi_fail(err, rc, "out of memory");
    *well = rc == SBX_OK && length == HASH_SIZE;
    if (*well)
        memcpy(out, bytes, HASH_SIZE);
    return SBX_OK;
}

/* hashed: what follows "|1|", that is "SALT|HASH". */
static int hash_covers(struct slice hashed, const char *name, bool *out, sbx_error *err)
{
    unsigned char salt[HASH_SIZE], want[HASH_SIZE], have[HASH_SIZE];
    const char *bar = memchr(hashed.at, '|', hashed.length);
    struct slice first, second;
    bool well = false;
    int rc;

    *out = false;
    if (bar == NULL)
        return SBX_OK;

    first = (struct slice){hashed.at, (size_t)(bar - hashed.at)};
    second = (struct slice){bar + 1, hashed.length - first.length - 1};
    rc = hash_field(first, salt, &well, err);
    if (rc == SBX_OK && well)
        rc = hash_field(second, want, &well, err);
    if (rc < 0 || !well)
        return rc;

    rc = sbi_hmac_sha1(salt, HASH_SIZE, name, strlen(name), have, err);
    if (rc == SBX_OK)
        *out = memcmp(have, want, HASH_SIZE) == 0;
    return rc;
}

int sbi_known_line_covers(const struct sbi_known_line *line,
                          const struct sbi_known_name *name, bool *out, sbx_error *err)
{
    struct slice names = {line->names, line->names_length};

    if (names.length >= 3 && memcmp(names.at, "|1|", 3) == 0) {
        names = (struct slice){names.at + 3, names.length - 3};
        return hash_covers(names, name->name, out, err);
    }
    *out = list_covers(names, name);
    return SBX_OK;
}

bool sbi_key_is_of_type(const void *blob, size_t length, const char *type,
                        size_t type_length)
{
    const unsigned char *bytes = blob;
    size_t said;

    if (length < 4)
        return false;
    said = (size_t)bytes[0] << 24 | (size_t)bytes[1] << 16 | (size_t)bytes[2] << 8 |
           bytes[3];
    return said == type_length && said < length - 4 &&
           memcmp(bytes + 4, type, type_length) == 0;
}

int sbi_known_line_key(const struct sbi_known_line *line, unsigned char **out,
                       size_t *length, sbx_error *err)
{
    SBI_AUTOFREE unsigned char *key = NULL;
    size_t key_length = 0;
    int rc = sbi_base64_decode(line->key, line->key_length, &key, &key_length, err);

    if (rc < 0)
        return rc;
    if (!sbi_key_is_of_type(key, key_length, line->type, line->type_length))
        return sbi_fail(err, SBX_ERR_INVALID, "a key of another type than '%.*s'",
                        (int)line->type_length, line->type);
    *length = key_length;
    *out = SBI_STEAL(key);
    return SBX_OK;
}
