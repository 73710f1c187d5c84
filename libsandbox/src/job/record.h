/* record.h - what is known of jobs, as it was read from what the scripts tell. */
#ifndef SANDBOX_JOB_RECORD_H
#define SANDBOX_JOB_RECORD_H

#include "base/str.h"

#include <stdint.h>

#define SBI_RECORD_MOST 10000     /* jobs of one place */
#define SBI_RECORD_MOST_RUNS 2000 /* generations of one job */
#define SBI_RECORD_WORD 64

struct sbi_record_process {
    int64_t pid; /* 0: not told */
    char since[SBI_RECORD_WORD];
};

enum sbi_record_end {
    SBI_RECORD_EXIT = 1,
    SBI_RECORD_SIGNAL,
    SBI_RECORD_EITHER,
    SBI_RECORD_NOTHING
};

/* One generation. */
struct sbi_record_run {
    int64_t generation;
    char *stopped_by; /* NULL: it was not; so are the next two */
    char *resumed_by;
    char *held_by;
    char boot[SBI_RECORD_WORD];
    char machine[SBI_RECORD_WORD];
    struct sbi_record_process runner;
    struct sbi_record_process child;
    int64_t started_s; /* 0: not told; so are the next four */
    int64_t stopped_s;
    int64_t ended_s;
    int64_t due_s;
    int64_t used; /* resumes by itself, this one too */
    bool forced;
    int way; /* an sbx_job_way, or 0 */
    int end; /* an sbi_record_end, 0: none is recorded */
    int64_t number;
    int64_t peak; /* -1: not told */
    int64_t oom;  /* processes that were killed for want of memory; -1: not known */
    int64_t cgroup_peak; /* -1: not told */
};

struct sbi_record {
    char *id;
    char *name;
    char *command;
    char *cwd;
    char *owner;
    char *folder;
    char *socket; /* of an adopted one; so is the next */
    char *session;
    char *resume_command; /* NULL: none; so are the next two */
    char *checkpoint_path;
    char *checkpoint_command;
    char **labels;
    char digest[65];
    int64_t limit_s;
    int64_t resume_max; /* 0: it has no policy */
    int64_t resume_delay_s;
    bool resume_on_failure;
    int64_t made_s; /* 0: not told */
    int64_t cut_from;
    int64_t cut_to;
    int64_t log_size;            /* -1: not told */
    struct sbi_record_run *runs; /* by their generation */
    size_t run_count;
    size_t run_room;
};

struct sbi_records {
    int64_t now_s;
    char boot[SBI_RECORD_WORD];
    char machine[SBI_RECORD_WORD];
    int created; /* -1: not told */
    bool warned; /* of a start: logind ends what a login leaves behind */
    bool truncated;
    char answer[SBI_RECORD_WORD]; /* of a resume, else "" */
    int64_t left_ms;
    struct sbi_record *items;
    size_t count;
    size_t room;
    struct sbi_record_process *alive;
    size_t alive_count;
    size_t alive_room;
    int64_t *left;
    size_t left_count;
    size_t left_room;
    struct sbi_str checkpoint; /* of the only job; data is NULL where none was told */
};

#define SBI_AUTO_RECORDS SBI_CLEANUP(sbi_records_clear) struct sbi_records

/* Orders processes, as `alive` of a set of records is. */
int sbi_record_by_pid(const void *a, const void *b);

/* Whether that very process was alive: its pid and its start. */
bool sbi_records_lives(const struct sbi_records *records,
                       const struct sbi_record_process *process);

/* The last generation; one of all zeroes where none has begun. */
const struct sbi_record_run *sbi_record_last(const struct sbi_record *record);

void sbi_record_clear(struct sbi_record *record);
void sbi_records_clear(struct sbi_records *records);

#endif
