/* progress.c - how far a job got, from the last lines of its log. */
#include <sandbox/job.h>

#include "base/error.h"

#include <math.h>
#include <string.h>

#define MOST_LINES 200
#define MOST_EXPONENT 400 /* no double goes further */

struct reader {
    const char *at;
    const char *end;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static void skip(struct reader *reader, const char *any)
{
    while (reader->at < reader->end && strchr(any, *reader->at) != NULL &&
           *reader->at != '\0')
        reader->at++;
}

/* A number in the form of C, whatever the locale is. */
static bool read_number(struct reader *reader, double *out)
{
    double value = 0, scale = 1;
    bool negative = reader->at < reader->end && *reader->at == '-';
    const char *start;
    int exponent = 0;

    reader->at += negative ? 1 : 0;
    for (start = reader->at; reader->at < reader->end && is_digit(*reader->at);)
        value = value * 10 + (*reader->at++ - '0');
    if (start == reader->at)
        return false;
    if (reader->at + 1 < reader->end && *reader->at == '.' && is_digit(reader->at[1]))
        for (reader->at++; reader->at < reader->end && is_digit(*reader->at);) {
            scale /= 10;
            value += scale * (*reader->at++ - '0');
        }
    if (reader->at + 2 < reader->end && (*reader->at == 'e' || *reader->at == 'E') &&
        (reader->at[1] == '-' || reader->at[1] == '+') && is_digit(reader->at[2])) {
        bool down = reader->at[1] == '-';

        for (reader->at += 2; reader->at < reader->end && is_digit(*reader->at);
             reader->at++)
            if (exponent < MOST_EXPONENT)
                exponent = exponent * 10 + (*reader->at - '0');
        for (; exponent > 0; exponent--)
            value = down ? value / 10 : value * 10;
    }
    *out = negative ? -value : value;
    return true;
}

static int64_t whole(double value)
{
    return value < 0 || value > 9e15 ? -1 : (int64_t)value;
}

/* Behind a word: ": 10/200", "=10", " [10/200]". */
static void read_of(struct reader line, int64_t *part, int64_t *all)
{
    double number;

    if (*part >= 0)
        return;
    skip(&line, " \t:=[(#");
    if (!read_number(&line, &number))
        return;
    *part = whole(number);
    skip(&line, " ");
    if (line.at < line.end && *line.at == '/') {
        line.at++;
        skip(&line, " ");
        if (read_number(&line, &number))
            *all = whole(number);
    }
}

static int unit_of(const struct reader *line)
{
    static const char letters[] = "dhms";
    static const int seconds[] = {86400, 3600, 60, 1};
    const char *found = NULL;

    if (line->at < line->end && *line->at != '\0')
        found = strchr(letters, *line->at);
    return found == NULL ? 0 : seconds[found - letters];
}

/* "1:02:03", "02:03", "1h 2m", "45s"; a plain number is seconds. */
static void read_eta(struct reader line, int64_t *eta)
{
    double number, seconds = 0;
    bool more = true;
    int parts = 0;

    if (*eta >= 0)
        return;
    skip(&line, " \t:=[(~");
    while (more && parts < 4 && read_number(&line, &number)) {
        int unit = unit_of(&line);

        parts++;
        seconds = unit > 0 ? seconds + number * unit : seconds * 60 + number;
        more = line.at < line.end && (unit > 0 || *line.at == ':');
        line.at += more ? 1 : 0;
        if (unit > 0)
            skip(&line, " ");
    }
    if (parts > 0)
        *eta = whole(seconds);
}

/* "45%" or "45.5 %", the number before the sign. */
static void read_percent(struct reader line, const char *sign, double *percent)
{
    const char *start = sign;
    double number;

    if (*percent >= 0)
        return;
    while (start > line.at && start[-1] == ' ')
        start--;
    line.end = start;
    while (start > line.at && (is_digit(start[-1]) || start[-1] == '.'))
        start--;
    line.at = start;
    if (read_number(&line, &number) && number <= 100)
        *percent = number;
}

/* A bar of tqdm: "45%|####  | 90/200 [00:10<00:12, ...]". */
static void read_bar(struct reader line, sbx_job_progress *out)
{
    struct reader tail = line;
    double number;

    tail.at = memchr(line.at, '|', (size_t)(line.end - line.at));
    if (tail.at == NULL || tail.at == line.at || tail.at[-1] != '%')
        return;
    for (tail.at++; tail.at < tail.end && *tail.at != '|';)
        tail.at++;
    tail.at += tail.at < tail.end ? 1 : 0;
    read_of(tail, &out->step, &out->steps);
    tail.at = memchr(tail.at, '<', (size_t)(tail.end - tail.at));
    if (tail.at == NULL)
        return;
    tail.at++;
    line = tail;
    if (read_number(&line, &number))
        read_eta(tail, &out->eta_s);
}

static bool same_word(const struct reader *word, const char *name)
{
    size_t length = (size_t)(word->end - word->at), i;

    if (strlen(name) != length)
        return false;
    for (i = 0; i < length; i++)
        if (word->at[i] != name[i] && (name[i] == '_' || (word->at[i] | 0x20) != name[i]))
            return false;
    return true;
}

static void read_word(const struct reader *word, struct reader rest,
                      sbx_job_progress *out)
{
    double number;

    if (same_word(word, "step") || same_word(word, "iter") ||
        same_word(word, "iteration") || same_word(word, "batch"))
        read_of(rest, &out->step, &out->steps);
    else if (same_word(word, "epoch"))
        read_of(rest, &out->epoch, &out->epochs);
    else if (same_word(word, "eta") || same_word(word, "remaining"))
        read_eta(rest, &out->eta_s);
    else if (same_word(word, "loss") || same_word(word, "train_loss")) {
        skip(&rest, " \t:=\"'");
        if (isnan(out->loss) && read_number(&rest, &number) && isfinite(number))
            out->loss = number;
    }
}

static void read_line(struct reader line, sbx_job_progress *out)
{
    const char *at = line.at;

    read_bar(line, out);
    while (at < line.end) {
        struct reader word = {at, at};

        while (word.end < line.end && is_letter(*word.end))
            word.end++;
        if (word.end > word.at) {
            struct reader rest = {word.end, line.end};

            skip(&rest, "\"'");
            read_word(&word, rest, out);
            at = word.end;
            continue;
        }
        if (*at == '%')
            read_percent((struct reader){line.at, line.end}, at, &out->percent);
        at++;
    }
}

int sbx_job_progress_read(const char *log, size_t length, sbx_job_progress *out,
                          sbx_error *err)
{
    sbx_job_progress found = {.size = sizeof(found),
                              .percent = -1,
                              .loss = (double)NAN,
                              .step = -1,
                              .steps = -1,
                              .epoch = -1,
                              .epochs = -1,
                              .eta_s = -1};
    const char *end = log == NULL ? NULL : log + length;
    int lines = 0;

    if (out == NULL || out->size != sizeof(found) || log == NULL)
        return sbi_fail(err, SBX_ERR_INVALID, "read progress: no log, or no room for it");
    while (end > log && lines++ < MOST_LINES) {
        const char *start = end;

        while (start > log && start[-1] != '\n' && start[-1] != '\r')
            start--;
        read_line((struct reader){start, end}, &found);
        end = start > log ? start - 1 : start;
    }
    if (found.percent < 0 && found.step >= 0 && found.steps > 0 &&
        found.step <= found.steps)
        found.percent = 100 * (double)found.step / (double)found.steps;
    *out = found;
    return SBX_OK;
}
