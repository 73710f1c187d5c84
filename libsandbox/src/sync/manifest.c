/* manifest.c - reads a listing in pieces of any size, and believes nothing of it. */
#include "sync/manifest.h"

#include <string.h>

#define ENTRY_LIMIT 10000000
#define HEAD_LIMIT 256
#define RECORD_LIMIT (HEAD_LIMIT + 2 * (SBI_TREE_PATH_LIMIT + 1))
#define TEXTS 3 /* of a record, each with its NUL */
#define END_KIND 'E'
#define DIGITS 9

static const struct {
    char letter;
    int kind;
} kinds[] = {
    {'f', SBI_TREE_FILE},   {'d', SBI_TREE_FOLDER}, {'l', SBI_TREE_LINK},
    {'p', SBI_TREE_OTHER},  {'s', SBI_TREE_OTHER},  {'b', SBI_TREE_OTHER},
    {'c', SBI_TREE_OTHER},  {'D', SBI_TREE_OTHER},  {'U', SBI_TREE_OTHER},
    {'x', SBI_TREE_HIDDEN}, {'!', SBI_TREE_UNREAD}, {'?', SBI_TREE_UNREAD},
    {'N', SBI_TREE_UNREAD}, {'L', SBI_TREE_UNREAD},
};

static int kind_of(char letter)
{
    size_t i;

    for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (kinds[i].letter == letter)
            return kinds[i].kind;
    return 0;
}

static char letter_of(unsigned kind)
{
    size_t i;

    for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (kinds[i].kind == (int)kind)
            return kinds[i].letter;
    return '?';
}

/* Reads digits of a base; false where there is none, or too many. */
static bool read_number(const char **at, unsigned base, uint64_t *out)
{
    const char *start = *at;
    uint64_t number = 0;

    while (**at >= '0' && **at < (char)('0' + base)) {
        unsigned digit = (unsigned)(**at - '0');

        if (number > (UINT64_MAX - digit) / base)
            return false;
        number = number * base + digit;
        (*at)++;
    }
    *out = number;
    return *at > start;
}

static bool read_blank(const char **at)
{
    if (**at != ' ')
        return false;
    (*at)++;
    return true;
}

/* The digits behind the point: nanoseconds, and how many were given. */
static bool read_fraction(const char **at, struct sbi_tree_item *item)
{
    unsigned digits = 0;

    if (**at != '.')
        return true;
    (*at)++;
    while (**at >= '0' && **at <= '9') {
        if (digits < DIGITS) {
            item->mtime_ns = item->mtime_ns * 10 + (unsigned)(**at - '0');
            digits++;
        }
        (*at)++;
    }
    item->digits = digits;
    for (; digits < DIGITS; digits++)
        item->mtime_ns *= 10;
    return true;
}

/*
 * find prints the seconds and nanoseconds of the system apart, so that a moment
 * before 1970 is "-2.5" for a second and a half before: the fraction counts upwards.
 */
static bool read_time(const char **at, struct sbi_tree_item *item)
{
    bool negative = **at == '-';
    uint64_t seconds;

    if (negative)
        (*at)++;
    if (!read_number(at, 10, &seconds) || seconds > INT64_MAX)
        return false;
    item->mtime = negative ? -(int64_t)seconds : (int64_t)seconds;
    return read_fraction(at, item);
}

static bool read_maybe(const char **at, uint64_t *out)
{
    if (**at != '-')
        return read_number(at, 10, out);
    *out = 0;
    (*at)++;
    return true;
}

static bool read_head(const char *at, struct sbi_tree_item *item)
{
    uint64_t mode = 0;
    bool well;

    item->kind = kind_of(*at);
    if (item->kind == 0)
        return false;
    at++;
    well = read_blank(&at) && read_number(&at, 8, &mode) && read_blank(&at) &&
           read_number(&at, 10, &item->size) && read_blank(&at) && read_time(&at, item) &&
           read_blank(&at) && read_maybe(&at, &item->device) && read_blank(&at) &&
           read_maybe(&at, &item->inode) && read_blank(&at) &&
           read_maybe(&at, &item->links);
    item->mode = (unsigned)(mode & 07777);
    return well && *at == '\0';
}

static int take_end(struct sbi_manifest_reader *reader, const char *head, sbx_error *err)
{
    const char *at = head + 1;
    uint64_t status = 0;

    if (!read_blank(&at) || !read_number(&at, 10, &status) || status > INT32_MAX ||
        *at != '\0')
        return sbi_fail(err, SBX_ERR_REMOTE, "a listing with a garbled end");
    reader->ended = true;
    reader->status = (int64_t)status;
    reader->tree->partial = reader->tree->partial || status != 0;
    return SBX_OK;
}

static int take_entry(struct sbi_manifest_reader *reader, const char *head,
                      sbx_error *err)
{
    const char *path = head + strlen(head) + 1;
    const char *target = path + strlen(path) + 1;
    size_t limit = reader->entry_limit == 0 ? ENTRY_LIMIT : reader->entry_limit;
    struct sbi_tree_item item = {.path = path, .path_length = strlen(path)};
    int rc;

    if (reader->tree->count >= limit)
        return sbi_fail(err, SBX_ERR_LIMIT, "a listing of over %zu entries", limit);
    if (!read_head(head, &item))
        return sbi_fail(err, SBX_ERR_REMOTE, "a listing with a garbled entry '%.80s'",
                        head);
    if (item.kind == SBI_TREE_LINK && target[0] == '\0')
        item.kind = SBI_TREE_UNREAD; /* it went away between two calls of the lister */
    if (item.kind == SBI_TREE_LINK)
        item.target = target;
    rc = sbi_tree_add(reader->tree, &item, err);
    return rc == SBX_ERR_INVALID ? sbi_wrap(err, SBX_ERR_REMOTE, "a listing") : rc;
}

static int take_record(struct sbi_manifest_reader *reader, sbx_error *err)
{
    const char *head = reader->record;

    reader->record_length = 0;
    reader->nul_count = 0;
    if (reader->ended)
        return sbi_fail(err, SBX_ERR_REMOTE, "a listing that goes on behind its end");
    return head[0] == END_KIND ? take_end(reader, head, err)
                               : take_entry(reader, head, err);
}

static int keep(struct sbi_manifest_reader *reader, const char *data, size_t length,
                sbx_error *err)
{
    if (reader->record == NULL)
        reader->record = malloc(RECORD_LIMIT);
    if (reader->record == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "read a listing: out of memory");
    if (length > RECORD_LIMIT - reader->record_length)
        return sbi_fail(err, SBX_ERR_REMOTE, "a listing with an entry over %d bytes",
                        RECORD_LIMIT);
    memcpy(reader->record + reader->record_length, data, length);
    reader->record_length += length;
    return SBX_OK;
}

int sbi_manifest_feed(struct sbi_manifest_reader *reader, const void *data, size_t length,
                      sbx_error *err)
{
    const char *rest = data;
    int rc;

    while (length > 0) {
        const char *nul = memchr(rest, '\0', length);
        size_t part = nul == NULL ? length : (size_t)(nul - rest) + 1;

        rc = keep(reader, rest, part, err);
        if (rc == SBX_OK && nul != NULL && ++reader->nul_count == TEXTS)
            rc = take_record(reader, err);
        if (rc < 0)
            return rc;
        rest += part;
        length -= part;
    }
    return SBX_OK;
}

int sbi_manifest_finish(struct sbi_manifest_reader *reader, sbx_error *err)
{
    int rc;

    if (!reader->ended || reader->record_length > 0)
        return sbi_fail(err, SBX_ERR_REMOTE,
                        "a listing that is cut off behind %zu entries",
                        reader->tree->count);
    rc = sbi_tree_sort(reader->tree, err);
    return rc == SBX_ERR_INVALID ? sbi_wrap(err, SBX_ERR_REMOTE, "a listing") : rc;
}

void sbi_manifest_reader_clear(struct sbi_manifest_reader *reader)
{
    free(reader->record);
    *reader = (struct sbi_manifest_reader){0};
}

static void add_time(struct sbi_str *text, const struct sbi_tree_entry *entry)
{
    unsigned fraction = entry->mtime_ns;
    unsigned i;

    sbi_str_addf(text, " %lld", (long long)entry->mtime);
    if (entry->digits == 0)
        return;
    for (i = entry->digits; i < DIGITS; i++)
        fraction /= 10;
    sbi_str_addf(text, ".%0*u", (int)entry->digits, fraction);
}

void sbi_manifest_add(struct sbi_str *text, const struct sbi_tree *tree, size_t index)
{
    const struct sbi_tree_entry *entry = &tree->entries[index];
    const char *target = sbi_tree_target(tree, index);

    sbi_str_addf(text, "%c %o %llu", letter_of(entry->kind), (unsigned)entry->mode,
                 (unsigned long long)entry->size);
    add_time(text, entry);
    sbi_str_addf(text, " %llu %llu %u", (unsigned long long)sbi_tree_device(tree, index),
                 (unsigned long long)entry->inode, (unsigned)entry->links);
    sbi_str_add_bytes(text, "", 1);
    sbi_str_add_bytes(text, sbi_tree_path(tree, index), entry->path_length + 1u);
    sbi_str_add_bytes(text, target, strlen(target) + 1);
}

void sbi_manifest_add_end(struct sbi_str *text, int status)
{
    sbi_str_addf(text, "%c %d", END_KIND, status);
    sbi_str_add_bytes(text, "\0\0\0", TEXTS);
}
