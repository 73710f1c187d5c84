/*
 * far_record.c - each form split by its own sign, and handed on as the three texts of a
 * manifest. What stands in them is judged there.
 */
#include "sync/far_record.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define RECORD_LIMIT (64 * 1024)
#define FIELDS 6 /* between kind and path: mode size mtime device inode links */

static int damaged(sbx_error *err)
{
    return sbi_fail(err, SBX_ERR_REMOTE, "the listing is damaged");
}

static int feed3(struct sbi_far_records *records, const char *const texts[3],
                 const size_t lengths[3], sbx_error *err)
{
    int i, rc = SBX_OK;

    for (i = 0; i < 3 && rc == SBX_OK; i++) {
        rc = sbi_manifest_feed(records->manifest, texts[i], lengths[i], err);
        if (rc == SBX_OK)
            rc = sbi_manifest_feed(records->manifest, "", 1, err);
    }
    return rc;
}

/* Past count blanks from text on; NULL where there are not that many. */
static const char *past_blanks(const char *text, const char *end, int count)
{
    while (count > 0 && text != NULL) {
        text = memchr(text, ' ', (size_t)(end - text));
        if (text != NULL)
            text++;
        count--;
    }
    return text;
}

/* What a record tells of its end, or PATH// and what is behind that. */
static bool is_end(const char *record, size_t length, const char **slashes)
{
    *slashes = memmem(record, length, "//", 2);
    return *slashes == NULL && length > 2 && memcmp(record, "E ", 2) == 0;
}

static int take_end(struct sbi_far_records *records, const char *record, size_t length,
                    sbx_error *err)
{
    return feed3(records, (const char *[]){record, "", ""}, (size_t[]){length, 0, 0},
                 err);
}

/* "PATH//KIND and six fields TARGET" as find prints it. */
static int take_gnu(struct sbi_far_records *records, const char *record, size_t length,
                    sbx_error *err)
{
    const char *end = record + length, *slashes, *target;

    if (is_end(record, length, &slashes))
        return take_end(records, record, length, err);
    target = slashes == NULL ? NULL : past_blanks(slashes + 2, end, FIELDS + 1);
    if (target == NULL)
        return damaged(err);
    return feed3(records, (const char *[]){slashes + 2, record, target},
                 (size_t[]){(size_t)(target - slashes - 3), (size_t)(slashes - record),
                            (size_t)(end - target)},
                 err);
}

static char kind_of(unsigned long mode)
{
    switch (mode & S_IFMT) {
    case S_IFREG:
        return 'f';
    case S_IFDIR:
        return 'd';
    case S_IFLNK:
        return 'l';
    default:
        return 'p';
    }
}

/* "./a/b" is a/b; the root is "." or, where it is one file, "./name". */
static void strip_path(const struct sbi_far_records *records, const char **path,
                       size_t *length)
{
    if (*length >= 2 && memcmp(*path, "./", 2) == 0) {
        *path += 2;
        *length -= 2;
        if (records->name[0] == '\0' || strlen(records->name) != *length ||
            memcmp(records->name, *path, *length) != 0)
            return;
    } else if (*length != 1 || **path != '.') {
        return;
    }
    *path += *length;
    *length = 0;
}

/* What stat says of a link: 'PATH' -> 'TARGET' (GNU and BusyBox), or TARGET (BSD). */
static const char *target_of(const char *path, size_t path_length, const char *rest,
                             size_t *length)
{
    size_t before = path_length + 7; /* '' -> ' */

    if (*length <= before || rest[0] != '\'' || rest[*length - 1] != '\'' ||
        memcmp(rest + 1, path, path_length) != 0 ||
        memcmp(rest + 1 + path_length, "' -> '", 6) != 0)
        return rest;
    *length -= before + 1;
    return rest + before;
}

/* A number of a mode, and where it ends. Nothing is taken that strtoul would skip. */
static bool read_mode(const char *text, int base, unsigned long *mode, const char **end)
{
    char *stop = NULL;

    if (*text == ' ' || *text == '-' || *text == '+')
        return false;
    *mode = strtoul(text, &stop, base);
    *end = stop;
    return stop != text && *stop == ' ';
}

/* record ends in a NUL behind its last byte. */
static int take_stat(struct sbi_far_records *records, const char *record, size_t length,
                     sbx_error *err)
{
    const char *end = record + length, *path = record, *slashes, *rest, *target, *fields;
    size_t path_length, target_length;
    unsigned long mode;
    char head[256];
    int written;

    if (is_end(record, length, &slashes))
        return take_end(records, record, length, err);
    rest = slashes == NULL ? NULL : past_blanks(slashes + 2, end, FIELDS);
    if (rest == NULL ||
        !read_mode(slashes + 2, records->form == SBI_FORM_STAT ? 16 : 8, &mode, &fields))
        return damaged(err);
    path_length = (size_t)(slashes - path);
    target_length = (size_t)(end - rest);
    target = target_of(path, path_length, rest, &target_length);
    if (kind_of(mode) != 'l')
        target_length = 0;
    strip_path(records, &path, &path_length);
    written = snprintf(head, sizeof(head), "%c %lo %.*s", kind_of(mode), mode & 07777,
                       (int)(rest - 2 - fields), fields + 1);
    if (written < 0 || (size_t)written >= sizeof(head))
        return damaged(err);
    return feed3(records, (const char *[]){head, path, target},
                 (size_t[]){(size_t)written, path_length, target_length}, err);
}

static void drop(struct sbi_str *text, size_t length)
{
    text->length -= length;
    memmove(text->data, text->data + length, text->length + 1);
}

/* A record that has no end is damaged; one that we had no room for is not. */
static int not_whole(const struct sbi_str *partial, sbx_error *err)
{
    return partial->status == SBX_ERR_LIMIT ? damaged(err) : sbi_str_check(partial, err);
}

static int feed_gnu(struct sbi_far_records *records, const char *data, size_t length,
                    sbx_error *err)
{
    struct sbi_str *partial = &records->partial;
    const char *nul;
    size_t whole;
    int rc = SBX_OK;

    while (rc == SBX_OK && (nul = memchr(data, '\0', length)) != NULL) {
        whole = (size_t)(nul - data);
        if (partial->length > 0) {
            sbi_str_add_bytes(partial, data, whole);
            rc = partial->status < 0
                     ? not_whole(partial, err)
                     : take_gnu(records, partial->data, partial->length, err);
            drop(partial, partial->length);
        } else {
            rc = take_gnu(records, data, whole, err);
        }
        data += whole + 1;
        length -= whole + 1;
    }
    sbi_str_add_bytes(partial, data, length);
    return rc == SBX_OK && partial->status < 0 ? not_whole(partial, err) : rc;
}

/* Every record but the last ends where "\nMARK" begins. */
static int take_marked(struct sbi_far_records *records, bool all, sbx_error *err)
{
    struct sbi_str *partial = &records->partial;
    size_t mark = strlen(records->mark), at = 0, length;
    int rc = SBX_OK;

    while (rc == SBX_OK && partial->length - at > mark) {
        char *begin = partial->data + at, *from = begin, *next;
        char *end = partial->data + partial->length;

        if (memcmp(begin, records->mark, mark) != 0)
            return damaged(err);
        do {
            next = memchr(from, '\n', (size_t)(end - from));
            from = next == NULL ? end : next + 1;
        } while (next != NULL && (size_t)(end - from) >= mark &&
                 memcmp(from, records->mark, mark) != 0);
        if (!all && (next == NULL || (size_t)(end - from) < mark))
            break;
        if (next == NULL)
            return damaged(err);
        if (all && (size_t)(end - from) < mark && from != end)
            return damaged(err);
        *next = '\0';
        length = (size_t)(next - begin);
        rc = take_stat(records, begin + mark, length - mark, err);
        at += length + 1;
    }
    if (at > 0)
        drop(partial, at);
    return rc;
}

int sbi_far_records_feed(struct sbi_far_records *records, const void *data, size_t length,
                         sbx_error *err)
{
    int rc;

    if (records->form == SBI_FORM_GNU) {
        records->partial.limit = RECORD_LIMIT;
        return feed_gnu(records, data, length, err);
    }
    sbi_str_add_bytes(&records->partial, data, length);
    if (records->partial.status < 0)
        return not_whole(&records->partial, err);
    rc = take_marked(records, false, err);
    return rc == SBX_OK && records->partial.length > RECORD_LIMIT + length ? damaged(err)
                                                                           : rc;
}

int sbi_far_records_end(struct sbi_far_records *records, sbx_error *err)
{
    if (records->form != SBI_FORM_GNU && records->partial.length > 0)
        return take_marked(records, true, err);
    return records->partial.length > 0 ? damaged(err) : SBX_OK;
}
