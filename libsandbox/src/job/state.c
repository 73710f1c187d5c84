#include "job/state.h"

#include <sandbox/job.h>

#include <string.h>

#define START_S 60 /* from the folder to the first process */

/* What is known of a job, as bits. */
enum fact {
    ENDED = 1,        /* its end is recorded */
    BY_SIGNAL = 2,    /* and that was a signal */
    BY_KERNEL = 4,    /* for want of memory */
    BY_NOTHING = 8,   /* nothing told how */
    STOPPED = 16,     /* somebody asked for its end */
    ALIVE = 32,       /* the command or its runner is there: pid, start and boot */
    BEGAN = 64,       /* it had a runner */
    OTHER_BOOT = 128, /* of another boot than this one */
    NO_BOOT = 256,    /* which boot is not known */
    YOUNG = 512       /* made so lately that it may be about to begin */
};

/* The first row decides whose facts are all there, and whose others are not. */
static const struct {
    unsigned there;
    unsigned absent;
    struct sbi_state is;
} rows[] = {
    {ENDED | STOPPED, 0, {SBX_JOB_STOPPED, 0}},
    {ENDED | BY_KERNEL, 0, {SBX_JOB_OOM, 0}},
    {ENDED | BY_SIGNAL, 0, {SBX_JOB_SIGNALED, 0}},
    {ENDED, BY_NOTHING, {SBX_JOB_EXITED, 0}},
    {ENDED, 0, {SBX_JOB_LOST, SBX_JOB_UNKNOWN}},
    {ALIVE, 0, {SBX_JOB_RUNNING, 0}},
    {STOPPED, 0, {SBX_JOB_STOPPED, 0}},
    {BEGAN | OTHER_BOOT, 0, {SBX_JOB_LOST, SBX_JOB_REBOOT}},
    {BEGAN, NO_BOOT, {SBX_JOB_LOST, SBX_JOB_KILLED}},
    {BEGAN, 0, {SBX_JOB_LOST, SBX_JOB_UNKNOWN}},
    {YOUNG, 0, {SBX_JOB_RUNNING, 0}},
    {0, 0, {SBX_JOB_LOST, SBX_JOB_UNSTARTED}},
};

static unsigned facts_of(const struct sbi_records *records,
                         const struct sbi_record *record)
{
    bool began = record->runner.pid > 0, ended = record->end != 0;
    bool no_boot = strcmp(record->boot, "-") == 0 || record->boot[0] == '\0' ||
                   strcmp(records->boot, "-") == 0;
    bool same_boot = strcmp(record->boot, records->boot) == 0;
    bool alive = began && same_boot &&
                 (sbi_records_lives(records, &record->runner) ||
                  sbi_records_lives(records, &record->child));
    bool by_signal = record->end == SBI_RECORD_SIGNAL;

    return (ended ? ENDED : 0) | (by_signal ? BY_SIGNAL : 0) |
           (by_signal && record->oom == 1 ? BY_KERNEL : 0) |
           (record->end == SBI_RECORD_NOTHING ? BY_NOTHING : 0) |
           (record->stopped_by != NULL ? STOPPED : 0) | (alive ? ALIVE : 0) |
           (began ? BEGAN : 0) | (began && !no_boot && !same_boot ? OTHER_BOOT : 0) |
           (no_boot ? NO_BOOT : 0) |
           (record->made_s > 0 && records->now_s - record->made_s < START_S ? YOUNG : 0);
}

struct sbi_state sbi_state_of(const struct sbi_records *records,
                              const struct sbi_record *record)
{
    unsigned facts = facts_of(records, record);
    size_t i = 0;

    while ((facts & rows[i].there) != rows[i].there || (facts & rows[i].absent) != 0)
        i++;
    return rows[i].is;
}
