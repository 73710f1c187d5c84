#include "transport/engine_http.h"

#include <string.h>
#include <strings.h>

#define LINE_LIMIT ((size_t)8 * 1024)
#define HEAD_LIMIT ((size_t)64 * 1024)
#define BODY_LIMIT ((size_t)4 * 1024 * 1024)

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "HTTP/1.1 200 OK" */
static void take_status(struct sbi_engine_http *answer, const char *line)
{
    const char *code = line + 9;

    if (strncmp(line, "HTTP/1.", 7) != 0 || strlen(line) < 12 || line[8] != ' ' ||
        !is_digit(code[0]) || !is_digit(code[1]) || !is_digit(code[2]) ||
        code[0] == '0') {
        answer->stage = SBI_HTTP_BROKEN;
        return;
    }
    answer->status = (code[0] - '0') * 100 + (code[1] - '0') * 10 + (code[2] - '0');
    answer->closes = line[7] == '0';
    answer->stage = SBI_HTTP_FIELDS;
}

/* False where it is no number, or one that nobody means. */
static bool read_number(const char *text, unsigned base, uint64_t *out)
{
    static const char digits[] = "0123456789abcdef";
    const char *at;
    uint64_t number = 0;
    size_t count;

    for (count = 0; text[count] != '\0'; count++) {
        char c = text[count];

        c = (char)(c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);
        at = strchr(digits, c);
        if (at == NULL || (size_t)(at - digits) >= base)
            break;
        number = number * base + (uint64_t)(at - digits);
        if (count > 14)
            return false;
    }
    *out = number;
    return count > 0 && text[count + strspn(text + count, " \t")] == '\0';
}

static void take_length(struct sbi_engine_http *answer, const char *value)
{
    uint64_t length;

    if (!read_number(value, 10, &length) ||
        (answer->has_length && length != answer->left)) {
        answer->stage = SBI_HTTP_BROKEN;
        return;
    }
    answer->has_length = true;
    answer->left = length;
}

static void take_coding(struct sbi_engine_http *answer, const char *value)
{
    if (strcasecmp(value, "chunked") == 0)
        answer->chunked = true;
    else
        answer->stage = SBI_HTTP_BROKEN;
}

static void take_connection(struct sbi_engine_http *answer, const char *value)
{
    answer->closes = answer->closes || strcasecmp(value, "close") == 0;
}

/* Days from 1970 to the first of a month; the year begins in March. */
static int64_t days_until(int64_t year, int month)
{
    year -= month < 3;
    month = (month + 9) % 12;
    return year * 365 + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 -
           719468;
}

/* "Mon, 30 Nov 2026 13:52:56 GMT": the one form that is sent. */
static void take_date(struct sbi_engine_http *answer, const char *value)
{
    static const char form[] = "www, 00 www 0000 00:00:00 GMT";
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    const char *month = NULL;
    size_t i;

    if (strlen(value) != sizeof(form) - 1)
        return;
    for (i = 0; form[i] != '\0'; i++)
        if (form[i] == '0' ? !is_digit(value[i]) : form[i] != 'w' && form[i] != value[i])
            return;
    for (i = 0; i < 12 && month == NULL; i++)
        if (memcmp(months + 3 * i, value + 8, 3) == 0)
            month = months + 3 * i;
    if (month == NULL)
        return;
#define PAIR(at) ((value[at] - '0') * 10 + (value[(at) + 1] - '0'))
    answer->date = (days_until(PAIR(12) * 100 + PAIR(14), (int)i) + PAIR(5) - 1) * 86400 +
                   PAIR(17) * 3600 + PAIR(20) * 60 + PAIR(23);
#undef PAIR
}

static void take_field(struct sbi_engine_http *answer, char *line)
{
    static const struct {
        const char *name;
        void (*take)(struct sbi_engine_http *answer, const char *value);
    } rows[] = {{"content-length", take_length},
                {"transfer-encoding", take_coding},
                {"connection", take_connection},
                {"date", take_date}};
    char *colon = strchr(line, ':');
    size_t i;

    if (colon == NULL) {
        answer->stage = SBI_HTTP_BROKEN;
        return;
    }
    *colon = '\0';
    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcasecmp(line, rows[i].name) == 0)
            rows[i].take(answer, colon + 1 + strspn(colon + 1, " \t"));
}

/* Which body follows; an answer of 1xx but 101 is none, and the next one is. */
static void begin_body(struct sbi_engine_http *answer)
{
    int status = answer->status;

    if (status >= 100 && status < 200 && status != 101) {
        answer->stage = SBI_HTTP_STATUS;
        answer->has_length = answer->chunked = false;
        answer->left = 0;
    } else if (status == 101 || status == 204 || status == 304) {
        answer->stage = SBI_HTTP_DONE;
    } else if (answer->chunked) {
        answer->stage = SBI_HTTP_SIZE;
    } else if (answer->has_length) {
        answer->stage = answer->left == 0 ? SBI_HTTP_DONE : SBI_HTTP_BODY;
    } else {
        answer->stage = SBI_HTTP_REST;
        answer->closes = true;
    }
}

/* "1f" or "1f;some=thing" */
static void begin_chunk(struct sbi_engine_http *answer, char *line)
{
    line[strcspn(line, ";")] = '\0';
    if (!read_number(line, 16, &answer->left))
        answer->stage = SBI_HTTP_BROKEN;
    else
        answer->stage = answer->left == 0 ? SBI_HTTP_TRAILERS : SBI_HTTP_CHUNK;
}

static void take_line(struct sbi_engine_http *answer, char *line)
{
    bool empty = line[0] == '\0';

    switch (answer->stage) {
    case SBI_HTTP_STATUS:
        take_status(answer, line);
        break;
    case SBI_HTTP_FIELDS:
        if (empty)
            begin_body(answer);
        else
            take_field(answer, line);
        break;
    case SBI_HTTP_SIZE:
        begin_chunk(answer, line);
        break;
    case SBI_HTTP_GAP:
        answer->stage = empty ? SBI_HTTP_SIZE : SBI_HTTP_BROKEN;
        break;
    default:
        answer->stage = empty ? SBI_HTTP_DONE : SBI_HTTP_TRAILERS;
        break;
    }
}

/* Bytes up to the end of a line, or all. */
static size_t gather_line(struct sbi_engine_http *answer, const char *data, size_t length)
{
    const char *end = memchr(data, '\n', length);
    size_t used = end == NULL ? length : (size_t)(end - data) + 1;
    struct sbi_str *line = &answer->line;

    line->limit = LINE_LIMIT;
    sbi_str_add_bytes(line, data, used);
    answer->head += used;
    if (line->status != SBX_OK || answer->head > HEAD_LIMIT ||
        memchr(data, '\0', used) != NULL) {
        answer->stage = SBI_HTTP_BROKEN;
        return used;
    }
    if (end == NULL)
        return used;
    line->data[--line->length] = '\0';
    if (line->length > 0 && line->data[line->length - 1] == '\r')
        line->data[--line->length] = '\0';
    take_line(answer, line->data);
    sbi_str_clear(line);
    return used;
}

static size_t gather_body(struct sbi_engine_http *answer, const char *data, size_t length)
{
    bool counted = answer->stage != SBI_HTTP_REST;

    if (counted && length > answer->left)
        length = (size_t)answer->left;
    answer->body.limit = BODY_LIMIT;
    sbi_str_add_bytes(&answer->body, data, length);
    if (answer->body.status != SBX_OK) {
        answer->stage = SBI_HTTP_BROKEN;
        return length;
    }
    answer->left -= counted ? length : 0;
    if (counted && answer->left == 0) {
        answer->stage = answer->stage == SBI_HTTP_BODY ? SBI_HTTP_DONE : SBI_HTTP_GAP;
        answer->head = 0;
    }
    return length;
}

static bool is_over(const struct sbi_engine_http *answer)
{
    return answer->stage == SBI_HTTP_DONE || answer->stage == SBI_HTTP_BROKEN;
}

static bool is_in_body(const struct sbi_engine_http *answer)
{
    return answer->stage == SBI_HTTP_BODY || answer->stage == SBI_HTTP_REST ||
           answer->stage == SBI_HTTP_CHUNK;
}

size_t sbi_engine_http_take(struct sbi_engine_http *answer, const char *data,
                            size_t length)
{
    size_t used = 0;

    while (used < length && !is_over(answer))
        used += is_in_body(answer) ? gather_body(answer, data + used, length - used)
                                   : gather_line(answer, data + used, length - used);
    return used;
}

void sbi_engine_http_end(struct sbi_engine_http *answer)
{
    if (answer->stage == SBI_HTTP_REST)
        answer->stage = SBI_HTTP_DONE;
    else if (!is_over(answer))
        answer->stage = SBI_HTTP_BROKEN;
}

void sbi_engine_http_clear(struct sbi_engine_http *answer)
{
    sbi_str_clear(&answer->line);
    sbi_str_clear(&answer->body);
    *answer = (struct sbi_engine_http){0};
}
