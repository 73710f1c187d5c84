#include "job/state.h"

#include <sandbox/job.h>

#include <stdlib.h>
#include <string.h>

#define START_S 60 /* from the folder to the first process */
#define KILL 9

/* What is known of a job, as bits. */
enum fact {
    ENDED = 1,           /* its end is recorded */
    BY_SIGNAL = 2,       /* and that was a signal */
    BY_KERNEL = 4,       /* for want of memory */
    BY_NOTHING = 8,      /* nothing told how */
    STOPPED = 16,        /* somebody asked for its end */
    ALIVE = 32,          /* the command or its runner is there: pid, start and boot */
    BEGAN = 64,          /* it had a runner */
    OTHER_BOOT = 128,    /* of another boot than this one */
    NO_BOOT = 256,       /* which boot is not known */
    YOUNG = 512,         /* made so lately that it may be about to begin */
    OTHER_MACHINE = 1024 /* of a machine with another name, which shares this home */
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
    {BEGAN | OTHER_MACHINE, 0, {SBX_JOB_UNREACHABLE, 0}},
    {STOPPED, 0, {SBX_JOB_STOPPED, 0}},
    {BEGAN | OTHER_BOOT, 0, {SBX_JOB_LOST, SBX_JOB_REBOOT}},
    {BEGAN, NO_BOOT, {SBX_JOB_LOST, SBX_JOB_KILLED}},
    {BEGAN, 0, {SBX_JOB_LOST, SBX_JOB_UNKNOWN}},
    {YOUNG, 0, {SBX_JOB_RUNNING, 0}},
    {0, 0, {SBX_JOB_LOST, SBX_JOB_UNSTARTED}},
};

static bool differ(const char *one, const char *other)
{
    return one[0] != '\0' && other[0] != '\0' && strcmp(one, other) != 0;
}

static unsigned facts_of(const struct sbi_records *records,
                         const struct sbi_record *record,
                         const struct sbi_record_run *run)
{
    bool began = run->runner.pid > 0, ended = run->end != 0;
    bool no_boot = strcmp(run->boot, "-") == 0 || run->boot[0] == '\0' ||
                   strcmp(records->boot, "-") == 0;
    bool same_boot = strcmp(run->boot, records->boot) == 0;
    bool alive = began && same_boot &&
                 (sbi_records_lives(records, &run->runner) ||
                  sbi_records_lives(records, &run->child));
    bool by_signal = run->end == SBI_RECORD_SIGNAL;
    /* What a shell says whose last command was killed so. */
    bool by_kill = (by_signal && run->number == KILL) ||
                   ((run->end == SBI_RECORD_EXIT || run->end == SBI_RECORD_EITHER) &&
                    run->number == 128 + KILL);

    return (ended ? ENDED : 0) | (by_signal ? BY_SIGNAL : 0) |
           (by_kill && run->oom > 0 ? BY_KERNEL : 0) |
           (run->end == SBI_RECORD_NOTHING ? BY_NOTHING : 0) |
           (run->stopped_by != NULL ? STOPPED : 0) | (alive ? ALIVE : 0) |
           (began ? BEGAN : 0) | (began && !no_boot && !same_boot ? OTHER_BOOT : 0) |
           (no_boot ? NO_BOOT : 0) |
           (differ(run->machine, records->machine) ? OTHER_MACHINE : 0) |
           (record->made_s > 0 && llabs(records->now_s - record->made_s) < START_S ? YOUNG
                                                                                   : 0);
}

struct sbi_state sbi_state_of(const struct sbi_records *records,
                              const struct sbi_record *record,
                              const struct sbi_record_run *run)
{
    unsigned facts = facts_of(records, record, run);
    size_t i = 0;

    while ((facts & rows[i].there) != rows[i].there || (facts & rows[i].absent) != 0)
        i++;
    return rows[i].is;
}
