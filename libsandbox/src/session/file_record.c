/* file_record.c - facts of files, from what four kinds of tools print. */
#include "session/file_record.h"

#include <string.h>

#define LONGEST_RECORD ((size_t)256 * 1024)
#define MOST_WORDS 12
#define NS INT64_C(1000000000)

/* The words of one record's facts; each ends in a NUL. */
struct words {
    char text[256];
    const char *at[MOST_WORDS];
    size_t count;
};

static bool split(const char *facts, struct words *words)
{
    char *at = words->text;
    size_t length = strlen(facts);

    words->count = 0;
    if (length >= sizeof(words->text))
        return false;
    memcpy(words->text, facts, length + 1);
    while (words->count < MOST_WORDS) {
        words->at[words->count++] = at;
        at = strchr(at, ' ');
        if (at == NULL)
            return true;
        *at++ = '\0';
    }
    return false;
}

/* Digits of a base up to what 63 bits hold, to the end of the word. */
static bool read_number(const char *word, int base, int64_t *out)
{
    static const char digits[] = "0123456789abcdef";
    int64_t number = 0;
    const char *digit;

    if (*word == '\0')
        return false;
    for (; *word != '\0'; word++) {
        digit = memchr(digits, *word, (size_t)base);
        if (digit == NULL || number > (INT64_MAX - 15) / base)
            return false;
        number = number * base + (digit - digits);
    }
    *out = number;
    return true;
}

/* Up to nine digits behind a point as billionths; *step is what the last one counts. */
static bool read_fraction(const char *at, int64_t *ns, int64_t *step)
{
    int64_t worth = NS;

    *ns = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        worth /= 10;
        *ns += (*at - '0') * worth;
        if (worth > 0)
            *step = worth;
    }
    return *at == '\0';
}

/* "12", "-1.5", "1700000000.1234567890"; "-" is not known. */
static bool read_time(const char *word, sbx_file_info *info)
{
    bool negative = *word == '-';
    int64_t seconds, ns = 0;
    char whole[24];
    size_t length;

    info->mtime_ns = INT64_MIN;
    info->mtime_step_ns = NS;
    if (strcmp(word, "-") == 0)
        return true;
    word += negative ? 1 : 0;
    length = strcspn(word, ".");
    if (length >= sizeof(whole))
        return false;
    memcpy(whole, word, length);
    whole[length] = '\0';
    if (!read_number(whole, 10, &seconds))
        return false;
    if (word[length] == '.' &&
        !read_fraction(word + length + 1, &ns, &info->mtime_step_ns))
        return false;
    if (seconds < INT64_MAX / NS - 1)
        info->mtime_ns = negative ? -(seconds * NS + ns) : seconds * NS + ns;
    return true;
}

/* stat -c tells whole seconds, rounded down; the rest of them stands in the time of day.
 */
static void add_fraction(const char *time_of_day, sbx_file_info *info)
{
    const char *point = strchr(time_of_day, '.');
    int64_t ns, step = NS;

    if (point == NULL || info->mtime_ns == INT64_MIN ||
        !read_fraction(point + 1, &ns, &step))
        return;
    info->mtime_ns += ns;
    info->mtime_step_ns = step;
}

/* Letters of find's %y and of ls -l; the file type of a mode, as all systems have it. */
static const struct {
    const char *letters;
    int64_t type;
    int kind;
} kinds[] = {
    {"f-", 010, SBX_FILE_REGULAR},     {"d", 004, SBX_FILE_FOLDER},
    {"l", 012, SBX_FILE_LINK},         {"p", 001, SBX_FILE_PIPE},
    {"s", 014, SBX_FILE_SOCKET},       {"c", 002, SBX_FILE_CHARACTER_DEVICE},
    {"b", 006, SBX_FILE_BLOCK_DEVICE},
};

static int kind_of_letter(char letter)
{
    size_t i;

    for (i = 0; letter != '\0' && i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strchr(kinds[i].letters, letter) != NULL)
            return kinds[i].kind;
    return SBX_FILE_OTHER;
}

static int kind_of_type(int64_t type)
{
    size_t i;

    for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (kinds[i].type == type)
            return kinds[i].kind;
    return SBX_FILE_OTHER;
}

static bool read_mode(const char *word, int base, sbx_file_info *info)
{
    int64_t mode;

    if (!read_number(word, base, &mode) || mode > 0177777)
        return false;
    info->mode = (uint32_t)(mode & 07777);
    info->kind = kind_of_type(mode >> 12);
    return true;
}

/* "drwxr-sr-t": nine letters behind the kind's, more may follow ('+', '.', '@'). */
static bool read_letters(const char *word, sbx_file_info *info)
{
    static const uint32_t special[] = {04000, 02000, 01000};
    size_t i;

    if (strlen(word) < 10)
        return false;
    info->kind = kind_of_letter(word[0]);
    info->mode = 0;
    for (i = 0; i < 9; i++) {
        char letter = word[i + 1];

        if (strchr("rwxst", letter) != NULL)
            info->mode |= 0400u >> i;
        if (i % 3 == 2 && strchr("sStT", letter) != NULL)
            info->mode |= special[i / 3];
    }
    return true;
}

/* SIZE MTIME UID GID LINKS */
static bool read_rest(const char *const *words, sbx_file_info *info)
{
    return read_number(words[0], 10, &info->size) && read_time(words[1], info) &&
           read_number(words[2], 10, &info->uid) &&
           read_number(words[3], 10, &info->gid) &&
           read_number(words[4], 10, &info->links);
}

static bool read_facts(const char *facts, sbx_file_info *info)
{
    struct words words;
    bool good = split(facts, &words) && words.count >= 7 && strlen(words.at[0]) == 1;

    if (!good)
        return false;
    switch (words.at[0][0]) {
    case 'f':
        good = words.count == 8 && read_mode(words.at[2], 8, info) &&
               read_rest(words.at + 3, info);
        info->kind = kind_of_letter(words.at[1][0]);
        return good;
    case 'c':
        good = read_mode(words.at[1], 16, info) && read_rest(words.at + 2, info);
        if (good && words.count >= 9)
            add_fraction(words.at[8], info);
        return good;
    case 'b':
        return words.count == 7 && read_mode(words.at[1], 8, info) &&
               read_rest(words.at + 2, info);
    case 'l':
        return words.count == 7 && read_letters(words.at[1], info) &&
               read_rest(words.at + 2, info);
    default:
        return false;
    }
}

/* The start of the next of three fields, or NULL where this one has no end yet. */
static const char *behind_nul(const char *at, const char *end)
{
    const char *nul = memchr(at, '\0', (size_t)(end - at));

    return nul == NULL ? NULL : nul + 1;
}

/* Takes one record from the start; 0 where it is not whole, -1 where it is none. */
static int64_t take_record(struct sbi_file_records *records, const char *start,
                           const char *end)
{
    sbx_file_info info = {0};
    const char *name, *target = NULL, *next = NULL;

    name = behind_nul(start, end);
    if (name != NULL)
        target = behind_nul(name, end);
    if (target != NULL)
        next = behind_nul(target, end);
    if (next == NULL)
        return 0;
    if (!read_facts(start, &info))
        return -1;
    info.path = name;
    info.target = info.kind == SBX_FILE_LINK ? target : NULL;
    records->ended = records->on_info(&info, records->userdata) != 0;
    return next - start;
}

int sbi_file_records_add(struct sbi_file_records *records, const char *data,
                         size_t length, sbx_error *err)
{
    struct sbi_str *rest = &records->rest;
    int64_t taken = 1;
    size_t at = 0;

    sbi_str_add_bytes(rest, data, length);
    if (rest->status != SBX_OK)
        return sbi_fail(err, rest->status, "read a listing: out of memory");
    while (taken > 0 && at < rest->length && !records->ended) {
        taken = take_record(records, rest->data + at, rest->data + rest->length);
        at += taken > 0 ? (size_t)taken : 0;
    }
    if (taken < 0)
        return sbi_fail(err, SBX_ERR_REMOTE,
                        "the tools over there list files in no form that is known: "
                        "'%.40s'",
                        rest->data + at);
    if (records->ended)
        at = rest->length;
    rest->length -= at;
    if (at > 0)
        memmove(rest->data, rest->data + at, rest->length);
    if (rest->length > LONGEST_RECORD)
        return sbi_fail(err, SBX_ERR_LIMIT, "a name over %zu bytes in a listing",
                        LONGEST_RECORD);
    return SBX_OK;
}

int sbi_file_records_end(const struct sbi_file_records *records, sbx_error *err)
{
    if (records->rest.length == 0 || records->ended)
        return SBX_OK;
    return sbi_fail(err, SBX_ERR_REMOTE, "a listing that ends within a name");
}

void sbi_file_records_clear(struct sbi_file_records *records)
{
    sbi_str_clear(&records->rest);
}
