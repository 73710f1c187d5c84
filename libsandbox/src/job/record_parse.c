#include "job/record_parse.h"

#include "base/strv.h"
#include "job/record_reading.h"

#include <string.h>

#define MOST_LEFT 1000
#define MOST_LABELS 64
#define MOST_CHECKPOINT ((size_t)64 * 1024)

enum section { IN_FILES = 0, IN_STATS, IN_SIZES, IN_CHECKPOINT };

static void begin_job(struct sbi_reading *reading, struct sbi_token id)
{
    struct sbi_records *records = reading->records;

    reading->open = NULL;
    if (id.at == id.end || id.end - id.at > SBI_RECORD_WORD)
        return;
    if (records->count == SBI_RECORD_MOST) {
        records->truncated = true;
        return;
    }
    if (!sbi_reading_room(reading, &records->items, sizeof(records->items[0]),
                          records->count, &records->room))
        return;
    reading->open = &records->items[records->count++];
    *reading->open = (struct sbi_record){.log_size = -1};
    sbi_reading_text(reading, id, &reading->open->id);
    if (reading->base != NULL && !reading->no_memory) {
        SBI_AUTO_STR folder = {0};

        sbi_str_add_bytes(&folder, reading->base, reading->base_length);
        sbi_str_addf(&folder, "/%s", reading->open->id);
        if (sbi_str_take(&folder, &reading->open->folder, NULL) < 0)
            reading->no_memory = true;
    }
}

static void read_made(struct sbi_reading *reading, struct sbi_record *job,
                      struct sbi_token line)
{
    (void)reading;
    job->made_s = sbi_token_number(&line, 0);
}

static void read_cut(struct sbi_reading *reading, struct sbi_record *job,
                     struct sbi_token line)
{
    (void)reading;
    job->cut_from = sbi_token_number(&line, 0);
    job->cut_to = sbi_token_number(&line, 0);
}

/* Lines that name their job. */
static const struct {
    const char *key;
    void (*read)(struct sbi_reading *reading, struct sbi_record *job,
                 struct sbi_token line);
} of_job[] = {
    {"made", read_made},
    {"cut", read_cut},
};

/* Lines of a record: texts, by where they go. */
static const struct {
    const char *key;
    size_t at;
} texts[] = {
    {"name", offsetof(struct sbi_record, name)},
    {"command", offsetof(struct sbi_record, command)},
    {"cwd", offsetof(struct sbi_record, cwd)},
    {"owner", offsetof(struct sbi_record, owner)},
    {"socket", offsetof(struct sbi_record, socket)},
    {"session", offsetof(struct sbi_record, session)},
    {"resume-command", offsetof(struct sbi_record, resume_command)},
    {"checkpoint", offsetof(struct sbi_record, checkpoint_path)},
    {"checkpoint-command", offsetof(struct sbi_record, checkpoint_command)},
};

static void read_label(struct sbi_reading *reading, struct sbi_token line)
{
    struct sbi_record *job = reading->open;
    SBI_AUTOFREE char *label = NULL;

    if (sbi_strv_count((const char *const *)job->labels) == MOST_LABELS)
        return;
    sbi_reading_text(reading, line, &label);
    if (label != NULL && sbi_strv_add(&job->labels, label, NULL) < 0)
        reading->no_memory = true;
}

static void read_record(struct sbi_reading *reading, struct sbi_token key,
                        struct sbi_token line)
{
    struct sbi_record *job = reading->open;
    size_t i;

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (sbi_token_is(key, texts[i].key))
            sbi_reading_text(reading, line, (char **)((char *)job + texts[i].at));
    if (sbi_token_is(key, "label"))
        read_label(reading, line);
    if (sbi_token_is(key, "digest"))
        sbi_token_copy(sbi_token_word(&line), job->digest, sizeof(job->digest));
    if (sbi_token_is(key, "limit"))
        job->limit_s = sbi_token_number(&line, 0);
    if (sbi_token_is(key, "resume")) {
        job->resume_max = sbi_token_number(&line, 0);
        job->resume_delay_s = sbi_token_number(&line, 0);
        job->resume_on_failure = sbi_token_number(&line, 0) == 1;
    }
}

static void read_file_line(struct sbi_reading *reading, struct sbi_token line)
{
    struct sbi_token key = sbi_token_word(&line);
    struct sbi_record *job;
    size_t i;

    if (sbi_token_is(key, "job")) {
        begin_job(reading, sbi_token_word(&line));
        return;
    }
    for (i = 0; i < sizeof(of_job) / sizeof(of_job[0]); i++) {
        if (!sbi_token_is(key, of_job[i].key))
            continue;
        job = sbi_reading_job(reading, sbi_token_word(&line));
        if (job != NULL)
            of_job[i].read(reading, job, line);
        return;
    }
    if (!sbi_reading_run(reading, key, line) && reading->open != NULL)
        read_record(reading, key, line);
}

/* "-rw------- 1 1000 1000 SIZE Nov 29 22:00 /.../ID/log" */
static void read_size(struct sbi_reading *reading, struct sbi_token line)
{
    static const char name[] = "/log";
    const char *end = line.end - strlen(name), *start;
    struct sbi_record *job;
    int64_t size;
    int i;

    if (line.end - line.at < 20 || memcmp(end, name, strlen(name)) != 0)
        return;
    for (i = 0; i < 4; i++)
        (void)sbi_token_word(&line);
    size = sbi_token_number(&line, -1);
    for (start = end; start > line.at && start[-1] != '/';)
        start--;
    job = sbi_reading_job(reading, (struct sbi_token){start, end});
    if (job != NULL)
        job->log_size = size;
}

static void read_left(struct sbi_reading *reading, struct sbi_token line)
{
    struct sbi_records *records = reading->records;

    while (line.at < line.end && records->left_count < MOST_LEFT) {
        int64_t pid = sbi_token_number(&line, 0);

        if (pid <= 0)
            continue;
        if (!sbi_reading_room(reading, &records->left, sizeof(pid), records->left_count,
                              &records->left_room))
            return;
        records->left[records->left_count++] = pid;
    }
}

/* Bytes as od(1) writes them: two digits and a blank each. */
static void read_hex(struct sbi_reading *reading, struct sbi_token line)
{
    static const char digits[] = "0123456789abcdef";
    struct sbi_str *text = &reading->records->checkpoint;
    struct sbi_token word = sbi_token_word(&line);

    for (; word.at < word.end; word = sbi_token_word(&line)) {
        const char *high = strchr(digits, word.at[0]);
        const char *low = word.end - word.at == 2 ? strchr(digits, word.at[1]) : NULL;
        char byte;

        if (high == NULL || low == NULL || text->length >= MOST_CHECKPOINT)
            return;
        byte = (char)((high - digits) * 16 + (low - digits));
        sbi_str_add_bytes(text, &byte, 1);
    }
}

static void read_head(struct sbi_reading *reading, struct sbi_token line)
{
    struct sbi_records *records = reading->records;

    reading->begun = true;
    records->now_s = sbi_token_number(&line, 0);
    sbi_token_copy(sbi_token_word(&line), records->boot, SBI_RECORD_WORD);
    sbi_token_copy(sbi_token_word(&line), records->machine, SBI_RECORD_WORD);
}

static void read_base(struct sbi_reading *reading, struct sbi_token line)
{
    reading->base = line.at;
    reading->base_length = (size_t)(line.end - line.at);
}

static void read_created(struct sbi_reading *reading, struct sbi_token line)
{
    reading->records->created = (int)sbi_token_number(&line, 0);
}

static void read_warned(struct sbi_reading *reading, struct sbi_token line)
{
    reading->records->warned = sbi_token_number(&line, 0) == 1;
}

static void read_answer(struct sbi_reading *reading, struct sbi_token line)
{
    sbi_token_copy(sbi_token_word(&line), reading->records->answer, SBI_RECORD_WORD);
    reading->records->left_ms = sbi_token_number(&line, 0);
}

static void read_bye(struct sbi_reading *reading, struct sbi_token line)
{
    (void)line;
    reading->whole = true;
}

/* Lines that are of no job. */
static const struct {
    const char *key;
    void (*read)(struct sbi_reading *reading, struct sbi_token line);
} of_answer[] = {
    {"sbx1", read_head},     {"base", read_base},     {"created", read_created},
    {"warned", read_warned}, {"answer", read_answer}, {"left", read_left},
    {"bye", read_bye},
};

static const struct {
    const char *key;
    int section;
} sections[] = {
    {"stats", IN_STATS},
    {"files", IN_FILES},
    {"sizes", IN_SIZES},
    {"checkpoint", IN_CHECKPOINT},
};

static void read_in_section(struct sbi_reading *reading, struct sbi_token line)
{
    struct sbi_token rest = line, key = sbi_token_word(&rest);

    switch (reading->section) {
    case IN_STATS:
        if (sbi_token_is(key, "ps"))
            sbi_reading_ps(reading, rest);
        else
            sbi_reading_stat(reading, line);
        break;
    case IN_SIZES:
        read_size(reading, line);
        break;
    case IN_CHECKPOINT:
        read_hex(reading, line);
        break;
    default:
        read_file_line(reading, line);
    }
}

static void read_line(struct sbi_reading *reading, struct sbi_token line)
{
    struct sbi_token rest = line, key = sbi_token_word(&rest);
    size_t i;

    for (i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
        if (rest.at == rest.end && sbi_token_is(key, sections[i].key)) {
            reading->section = sections[i].section;
            return;
        }
    for (i = 0; i < sizeof(of_answer) / sizeof(of_answer[0]); i++)
        if (sbi_token_is(key, of_answer[i].key)) {
            of_answer[i].read(reading, rest);
            return;
        }
    read_in_section(reading, line);
}

int sbi_records_parse(const char *text, size_t length, struct sbi_records *out,
                      sbx_error *err)
{
    SBI_AUTO_RECORDS records = {.created = -1};
    struct sbi_reading reading = {.records = &records};
    const char *at = text, *end = text + length;

    while (at < end && !reading.no_memory) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));

        if (stop == NULL)
            break;
        read_line(&reading, (struct sbi_token){at, stop});
        at = stop + 1;
    }
    if (reading.no_memory)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    if (!reading.begun || !reading.whole)
        return sbi_fail(err, SBX_ERR_REMOTE, "the answer from over there is not whole");
    sbi_reading_end(&reading);
    *out = records;
    records = (struct sbi_records){0};
    return SBX_OK;
}
