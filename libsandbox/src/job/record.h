/*
 * record.h - what the scripts tell of jobs, read into a struct each: pure, with limits.
 *
 *     sbx1 NOW BOOT        the clock over there, and a word for this boot
 *     created 0|1          of a start
 *     warned 0|1           of a start: 1 where logind will end it
 *     left PID...          of a stop: what could not be killed
 *     base FOLDER          what follows lies in it
 *     stats                lines of /proc/PID/stat, or "ps PID STATE STARTED..."
 *     files                of each job its files, one behind the other:
 *       job ID, name TEXT, command TEXT, cwd TEXT, owner TEXT, digest HEX, limit SECONDS,
 *       cap BYTES, words COUNT, socket TEXT, session TEXT, end
 *       made ID TIME
 *       pid ID GENERATION PID SINCE BOOT TIME plain|tmux|adopted
 *       child ID PID SINCE
 *       cut ID FROM TO
 *       stopped ID TIME BY
 *       status ID TIME exit|signal|either|unknown NUMBER PEAK OOM
 *     sizes                lines of `ls -ln` of logs, then again `files`
 *     bye                  so it is whole
 *
 * TEXT and BY have each byte that a line cannot hold as %XX. A line of another kind, or
 * of a job that was not begun, is skipped: an older or newer version wrote it.
 */
#ifndef SANDBOX_JOB_RECORD_H
#define SANDBOX_JOB_RECORD_H

#include "base/str.h"

#include <stdint.h>

#define SBI_RECORD_MOST 10000 /* jobs of one place */
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

struct sbi_record {
    char *id;
    char *name;
    char *command;
    char *cwd;
    char *owner;
    char *folder;
    char *stopped_by; /* NULL: it was not */
    char *socket;     /* of an adopted one; so is the next */
    char *session;
    char digest[65];
    char boot[SBI_RECORD_WORD];
    struct sbi_record_process runner;
    struct sbi_record_process child;
    int64_t generation;
    int64_t limit_s;
    int64_t made_s; /* 0: not told; so are the next three */
    int64_t started_s;
    int64_t stopped_s;
    int64_t ended_s;
    int way; /* an sbx_job_way, or 0 */
    int end; /* an sbi_record_end, 0: none is recorded */
    int64_t number;
    int64_t peak; /* -1: not told */
    int64_t oom;  /* -1: not known, else 0 or 1 */
    int64_t cut_from;
    int64_t cut_to;
    int64_t log_size; /* -1: not told */
};

struct sbi_records {
    int64_t now_s;
    char boot[SBI_RECORD_WORD];
    int created; /* -1: not told */
    bool warned; /* of a start: logind ends what a login leaves behind */
    bool truncated;
    struct sbi_record *items;
    size_t count;
    struct sbi_record_process *alive;
    size_t alive_count;
    int64_t *left;
    size_t left_count;
};

#define SBI_AUTO_RECORDS SBI_CLEANUP(sbi_records_clear) struct sbi_records

/* Fails with SBX_ERR_REMOTE on a text without its first or last line. */
int sbi_records_parse(const char *text, size_t length, struct sbi_records *out,
                      sbx_error *err);

/* Whether that very process was alive: its pid and its start. */
bool sbi_records_lives(const struct sbi_records *records,
                       const struct sbi_record_process *process);

void sbi_record_clear(struct sbi_record *record);
void sbi_records_clear(struct sbi_records *records);

#endif
