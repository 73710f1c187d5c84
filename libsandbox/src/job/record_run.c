/* record_run.c - lines that are of one generation of a job. */
#include "job/record_reading.h"

#include <sandbox/job.h>

#include <string.h>

#define MOST_GENERATION 1000000

static int way_of(struct sbi_token word)
{
    static const char *const names[] = {"plain", "tmux", "adopted"};
    int i;

    for (i = 0; i < 3; i++)
        if (sbi_token_is(word, names[i]))
            return i + 1;
    return 0;
}

static void read_pid(struct sbi_reading *reading, struct sbi_record_run *run,
                     struct sbi_token line)
{
    (void)reading;
    run->runner.pid = sbi_token_number(&line, 0);
    sbi_token_copy(sbi_token_word(&line), run->runner.since, SBI_RECORD_WORD);
    sbi_token_copy(sbi_token_word(&line), run->boot, SBI_RECORD_WORD);
    run->started_s = sbi_token_number(&line, 0);
    run->way = way_of(sbi_token_word(&line));
    (void)sbi_token_word(&line);
    sbi_token_copy(sbi_token_word(&line), run->machine, SBI_RECORD_WORD);
}

static void read_resumed(struct sbi_reading *reading, struct sbi_record_run *run,
                         struct sbi_token line)
{
    (void)sbi_token_number(&line, 0);
    run->used = sbi_token_number(&line, 0);
    (void)sbi_token_word(&line);
    run->forced = sbi_token_number(&line, 0) == 1;
    (void)sbi_token_word(&line);
    sbi_reading_text(reading, line, &run->resumed_by);
}

static void read_child(struct sbi_reading *reading, struct sbi_record_run *run,
                       struct sbi_token line)
{
    (void)reading;
    run->child.pid = sbi_token_number(&line, 0);
    sbi_token_copy(sbi_token_word(&line), run->child.since, SBI_RECORD_WORD);
}

static void read_stopped(struct sbi_reading *reading, struct sbi_record_run *run,
                         struct sbi_token line)
{
    run->stopped_s = sbi_token_number(&line, 0);
    sbi_reading_text(reading, line, &run->stopped_by);
}

static void read_held(struct sbi_reading *reading, struct sbi_record_run *run,
                      struct sbi_token line)
{
    (void)sbi_token_number(&line, 0);
    sbi_reading_text(reading, line, &run->held_by);
}

static void read_due(struct sbi_reading *reading, struct sbi_record_run *run,
                     struct sbi_token line)
{
    (void)reading;
    run->due_s = sbi_token_number(&line, 0);
}

static void read_status(struct sbi_reading *reading, struct sbi_record_run *run,
                        struct sbi_token line)
{
    static const char *const names[] = {"exit", "signal", "either", "unknown"};
    struct sbi_token word;
    int i;

    (void)reading;
    run->ended_s = sbi_token_number(&line, 0);
    (void)sbi_token_word(&line);
    word = sbi_token_word(&line);
    run->end = SBI_RECORD_NOTHING;
    for (i = 0; i < 4; i++)
        if (sbi_token_is(word, names[i]))
            run->end = i + 1;
    run->number = sbi_token_number(&line, -1);
    run->peak = sbi_token_number(&line, -1);
    run->oom = sbi_token_number(&line, -1);
    run->cgroup_peak = sbi_token_number(&line, -1);
    if (run->number < 0 || run->number > 255)
        run->end = SBI_RECORD_NOTHING;
}

static const struct {
    const char *key;
    void (*read)(struct sbi_reading *reading, struct sbi_record_run *run,
                 struct sbi_token line);
} rows[] = {
    {"pid", read_pid},         {"resumed", read_resumed}, {"child", read_child},
    {"stopped", read_stopped}, {"held", read_held},       {"due", read_due},
    {"status", read_status},
};

/* The generation of that number, a new one where it is not there; they stay in order. */
static struct sbi_record_run *find_run(struct sbi_reading *reading,
                                       struct sbi_record *job, int64_t generation)
{
    size_t at = job->run_count;
    struct sbi_record_run *runs;

    while (at > 0 && job->runs[at - 1].generation > generation)
        at--;
    if (at > 0 && job->runs[at - 1].generation == generation)
        return &job->runs[at - 1];
    if (job->run_count == SBI_RECORD_MOST_RUNS)
        return NULL;
    if (!sbi_reading_room(reading, &job->runs, sizeof(*runs), job->run_count,
                          &job->run_room))
        return NULL;
    runs = job->runs;
    memmove(&runs[at + 1], &runs[at], (job->run_count - at) * sizeof(*runs));
    job->run_count++;
    runs[at] = (struct sbi_record_run){
        .generation = generation, .peak = -1, .oom = -1, .cgroup_peak = -1};
    return &runs[at];
}

bool sbi_reading_run(struct sbi_reading *reading, struct sbi_token key,
                     struct sbi_token line)
{
    struct sbi_record *job;
    struct sbi_record_run *run = NULL;
    int64_t generation;
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (!sbi_token_is(key, rows[i].key))
            continue;
        job = sbi_reading_job(reading, sbi_token_word(&line));
        generation = sbi_token_number(&line, -1);
        if (job != NULL && generation >= 0 && generation <= MOST_GENERATION)
            run = find_run(reading, job, generation);
        if (run != NULL)
            rows[i].read(reading, run, line);
        return true;
    }
    return false;
}
