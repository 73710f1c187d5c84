#include "job/record.h"

#include "job/token.h"

#include <sandbox/job.h>

#include <string.h>

#define MOST_PROCESSES (4 * SBI_RECORD_MOST)
#define MOST_LEFT 1000
#define STAT_SINCE 19 /* fields between the state and the start, in /proc/PID/stat */

enum section { IN_FILES = 0, IN_STATS, IN_SIZES };

struct reading {
    struct sbi_records *records;
    const char *base; /* borrowed from the text */
    size_t base_length;
    struct sbi_record *open; /* whose lines these are */
    int section;             /* whose lines come */
    bool begun;
    bool whole;
    bool no_memory;
};

static void take_text(struct reading *reading, struct sbi_token line, char **out)
{
    if (sbi_token_text(line, out) < 0)
        reading->no_memory = true;
}

/* Room for one more in an array that doubles: at 0, 1, 2, 4... of them it is full. */
static void *grown(struct reading *reading, void *array, size_t count, size_t size)
{
    void *larger;

    if ((count & (count - 1)) != 0)
        return array;
    larger = realloc(array, (count == 0 ? 1 : count * 2) * size);
    if (larger == NULL)
        reading->no_memory = true;
    return larger;
}

static void begin_job(struct reading *reading, struct sbi_token id)
{
    struct sbi_records *records = reading->records;
    struct sbi_record *items;

    reading->open = NULL;
    if (id.at == id.end || id.end - id.at > SBI_RECORD_WORD)
        return;
    if (records->count == SBI_RECORD_MOST) {
        records->truncated = true;
        return;
    }
    items = grown(reading, records->items, records->count, sizeof(*items));
    if (items == NULL)
        return;
    records->items = items;
    reading->open = &items[records->count++];
    *reading->open = (struct sbi_record){.peak = -1, .oom = -1, .log_size = -1};
    take_text(reading, id, &reading->open->id);
    if (reading->base != NULL && !reading->no_memory) {
        SBI_AUTO_STR folder = {0};

        sbi_str_add_bytes(&folder, reading->base, reading->base_length);
        sbi_str_addf(&folder, "/%s", reading->open->id);
        if (sbi_str_take(&folder, &reading->open->folder, NULL) < 0)
            reading->no_memory = true;
    }
}

/* The job of that id: the open one, or one behind it, as sizes come in the same order. */
static struct sbi_record *find_job(struct reading *reading, struct sbi_token id)
{
    struct sbi_records *records = reading->records;
    size_t first = reading->open == NULL ? 0 : (size_t)(reading->open - records->items);
    size_t i;

    for (i = 0; i < records->count; i++) {
        struct sbi_record *job = &records->items[(first + i) % records->count];

        if (job->id != NULL && sbi_token_is(id, job->id)) {
            reading->open = job;
            return job;
        }
    }
    return NULL;
}

static void add_alive(struct reading *reading, int64_t pid, struct sbi_token since)
{
    struct sbi_records *records = reading->records;
    struct sbi_record_process *alive;

    if (records->alive_count == MOST_PROCESSES || pid <= 0)
        return;
    alive = grown(reading, records->alive, records->alive_count, sizeof(*alive));
    if (alive == NULL)
        return;
    records->alive = alive;
    alive[records->alive_count].pid = pid;
    sbi_token_copy(since, alive[records->alive_count].since, SBI_RECORD_WORD);
    records->alive_count++;
}

/* A line of /proc/PID/stat: the command's name is in parentheses and may hold any. */
static void read_stat(struct reading *reading, struct sbi_token line)
{
    const char *last = line.end;
    int64_t pid = sbi_token_number(&line, 0);
    struct sbi_token word;
    int i;

    while (last > line.at && last[-1] != ')')
        last--;
    if (last == line.at)
        return;
    line.at = last;
    word = sbi_token_word(&line);
    if (sbi_token_is(word, "Z") || sbi_token_is(word, "X"))
        return;
    for (i = 0; i < STAT_SINCE; i++)
        word = sbi_token_word(&line);
    add_alive(reading, pid, word);
}

/* "ps PID STATE Sun Nov 29 22:00:00 2026": the start is one word, with '_' between. */
static void read_ps(struct reading *reading, struct sbi_token line)
{
    int64_t pid = sbi_token_number(&line, 0);
    struct sbi_token state = sbi_token_word(&line), word;
    char since[SBI_RECORD_WORD];
    size_t length = 0;

    if (state.at == state.end || *state.at == 'Z')
        return;
    for (word = sbi_token_word(&line); word.at < word.end; word = sbi_token_word(&line)) {
        size_t more = (size_t)(word.end - word.at);

        if (length + more + 1 >= sizeof(since))
            return;
        if (length > 0)
            since[length++] = '_';
        memcpy(since + length, word.at, more);
        length += more;
    }
    add_alive(reading, pid, (struct sbi_token){since, since + length});
}

static int way_of(struct sbi_token word)
{
    static const char *const names[] = {"plain", "tmux", "adopted"};
    int i;

    for (i = 0; i < 3; i++)
        if (sbi_token_is(word, names[i]))
            return i + 1;
    return 0;
}

static void read_pid(struct reading *reading, struct sbi_record *job,
                     struct sbi_token line)
{
    (void)reading;
    job->generation = sbi_token_number(&line, 0);
    job->runner.pid = sbi_token_number(&line, 0);
    sbi_token_copy(sbi_token_word(&line), job->runner.since, SBI_RECORD_WORD);
    sbi_token_copy(sbi_token_word(&line), job->boot, SBI_RECORD_WORD);
    job->started_s = sbi_token_number(&line, 0);
    job->way = way_of(sbi_token_word(&line));
}

static void read_child(struct reading *reading, struct sbi_record *job,
                       struct sbi_token line)
{
    (void)reading;
    job->child.pid = sbi_token_number(&line, 0);
    sbi_token_copy(sbi_token_word(&line), job->child.since, SBI_RECORD_WORD);
}

static void read_made(struct reading *reading, struct sbi_record *job,
                      struct sbi_token line)
{
    (void)reading;
    job->made_s = sbi_token_number(&line, 0);
}

static void read_cut(struct reading *reading, struct sbi_record *job,
                     struct sbi_token line)
{
    (void)reading;
    job->cut_from = sbi_token_number(&line, 0);
    job->cut_to = sbi_token_number(&line, 0);
}

static void read_stopped(struct reading *reading, struct sbi_record *job,
                         struct sbi_token line)
{
    job->stopped_s = sbi_token_number(&line, 0);
    take_text(reading, line, &job->stopped_by);
}

static void read_status(struct reading *reading, struct sbi_record *job,
                        struct sbi_token line)
{
    static const char *const names[] = {"exit", "signal", "either", "unknown"};
    struct sbi_token word;
    int i;

    (void)reading;
    job->ended_s = sbi_token_number(&line, 0);
    word = sbi_token_word(&line);
    job->end = SBI_RECORD_NOTHING;
    for (i = 0; i < 4; i++)
        if (sbi_token_is(word, names[i]))
            job->end = i + 1;
    job->number = sbi_token_number(&line, -1);
    job->peak = sbi_token_number(&line, -1);
    job->oom = sbi_token_number(&line, -1);
    if (job->number < 0 || job->number > 255)
        job->end = SBI_RECORD_NOTHING;
}

/* Lines that name their job. */
static const struct {
    const char *key;
    void (*read)(struct reading *reading, struct sbi_record *job, struct sbi_token line);
} of_job[] = {
    {"pid", read_pid},         {"child", read_child},   {"made", read_made},
    {"stopped", read_stopped}, {"status", read_status}, {"cut", read_cut},
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
};

static void read_record(struct reading *reading, struct sbi_token key,
                        struct sbi_token line)
{
    struct sbi_record *job = reading->open;
    size_t i;

    for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        if (sbi_token_is(key, texts[i].key))
            take_text(reading, line, (char **)((char *)job + texts[i].at));
    if (sbi_token_is(key, "digest"))
        sbi_token_copy(sbi_token_word(&line), job->digest, sizeof(job->digest));
    if (sbi_token_is(key, "limit"))
        job->limit_s = sbi_token_number(&line, 0);
}

static void read_file_line(struct reading *reading, struct sbi_token line)
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
        job = find_job(reading, sbi_token_word(&line));
        if (job != NULL)
            of_job[i].read(reading, job, line);
        return;
    }
    if (reading->open != NULL)
        read_record(reading, key, line);
}

/* "-rw------- 1 1000 1000 SIZE Nov 29 22:00 /.../ID/log" */
static void read_size(struct reading *reading, struct sbi_token line)
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
    job = find_job(reading, (struct sbi_token){start, end});
    if (job != NULL)
        job->log_size = size;
}

static void read_left(struct reading *reading, struct sbi_token line)
{
    struct sbi_records *records = reading->records;

    while (line.at < line.end && records->left_count < MOST_LEFT) {
        int64_t pid = sbi_token_number(&line, 0);
        int64_t *left;

        if (pid <= 0)
            continue;
        left = grown(reading, records->left, records->left_count, sizeof(*left));
        if (left == NULL)
            return;
        records->left = left;
        left[records->left_count++] = pid;
    }
}

static void read_line(struct reading *reading, struct sbi_token line)
{
    struct sbi_token rest = line, key = sbi_token_word(&rest);

    if (sbi_token_is(key, "sbx1")) {
        reading->begun = true;
        reading->records->now_s = sbi_token_number(&rest, 0);
        sbi_token_copy(sbi_token_word(&rest), reading->records->boot, SBI_RECORD_WORD);
    } else if (sbi_token_is(key, "base")) {
        reading->base = rest.at;
        reading->base_length = (size_t)(rest.end - rest.at);
    } else if (sbi_token_is(key, "stats") || sbi_token_is(key, "files")) {
        reading->section = sbi_token_is(key, "stats") ? IN_STATS : IN_FILES;
    } else if (sbi_token_is(key, "sizes")) {
        reading->section = IN_SIZES;
    } else if (reading->section == IN_STATS && sbi_token_is(key, "ps")) {
        read_ps(reading, rest);
    } else if (reading->section == IN_STATS) {
        read_stat(reading, line);
    } else if (reading->section == IN_SIZES) {
        read_size(reading, line);
    } else if (sbi_token_is(key, "created")) {
        reading->records->created = (int)sbi_token_number(&rest, 0);
    } else if (sbi_token_is(key, "warned")) {
        reading->records->warned = sbi_token_number(&rest, 0) == 1;
    } else if (sbi_token_is(key, "left")) {
        read_left(reading, rest);
    } else if (sbi_token_is(key, "bye")) {
        reading->whole = true;
    } else {
        read_file_line(reading, line);
    }
}

static int by_pid(const void *a, const void *b)
{
    const struct sbi_record_process *left = a, *right = b;

    return left->pid < right->pid ? -1 : left->pid > right->pid;
}

int sbi_records_parse(const char *text, size_t length, struct sbi_records *out,
                      sbx_error *err)
{
    SBI_AUTO_RECORDS records = {.created = -1};
    struct reading reading = {.records = &records};
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
    if (records.alive_count > 0)
        qsort(records.alive, records.alive_count, sizeof(records.alive[0]), by_pid);
    *out = records;
    records = (struct sbi_records){0};
    return SBX_OK;
}

bool sbi_records_lives(const struct sbi_records *records,
                       const struct sbi_record_process *process)
{
    const struct sbi_record_process *found;

    if (process->pid <= 0 || records->alive_count == 0)
        return false;
    found = bsearch(process, records->alive, records->alive_count,
                    sizeof(records->alive[0]), by_pid);
    return found != NULL && strcmp(found->since, process->since) == 0;
}

void sbi_record_clear(struct sbi_record *record)
{
    free(record->id);
    free(record->name);
    free(record->command);
    free(record->cwd);
    free(record->owner);
    free(record->folder);
    free(record->stopped_by);
    free(record->socket);
    free(record->session);
}

void sbi_records_clear(struct sbi_records *records)
{
    size_t i;

    for (i = 0; i < records->count; i++)
        sbi_record_clear(&records->items[i]);
    free(records->items);
    free(records->alive);
    free(records->left);
    *records = (struct sbi_records){0};
}
