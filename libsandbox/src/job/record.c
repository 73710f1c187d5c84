#include "job/record.h"

#include "base/strv.h"

#include <string.h>

int sbi_record_by_pid(const void *a, const void *b)
{
    const struct sbi_record_process *left = a, *right = b;

    return left->pid < right->pid ? -1 : left->pid > right->pid;
}

bool sbi_records_lives(const struct sbi_records *records,
                       const struct sbi_record_process *process)
{
    const struct sbi_record_process *found;

    if (process->pid <= 0 || records->alive_count == 0)
        return false;
    found = bsearch(process, records->alive, records->alive_count,
                    sizeof(records->alive[0]), sbi_record_by_pid);
    return found != NULL && strcmp(found->since, process->since) == 0;
}

const struct sbi_record_run *sbi_record_last(const struct sbi_record *record)
{
    static const struct sbi_record_run none = {.peak = -1, .oom = -1, .cgroup_peak = -1};

    return record->run_count == 0 ? &none : &record->runs[record->run_count - 1];
}

void sbi_record_clear(struct sbi_record *record)
{
    size_t i;

    free(record->id);
    free(record->name);
    free(record->command);
    free(record->cwd);
    free(record->owner);
    free(record->folder);
    free(record->socket);
    free(record->session);
    free(record->resume_command);
    free(record->checkpoint_path);
    free(record->checkpoint_command);
    sbi_strv_clear(&record->labels);
    for (i = 0; i < record->run_count; i++) {
        free(record->runs[i].stopped_by);
        free(record->runs[i].resumed_by);
        free(record->runs[i].held_by);
    }
    free(record->runs);
}

void sbi_records_clear(struct sbi_records *records)
{
    size_t i;

    for (i = 0; i < records->count; i++)
        sbi_record_clear(&records->items[i]);
    free(records->items);
    free(records->alive);
    free(records->left);
    sbi_str_clear(&records->checkpoint);
    *records = (struct sbi_records){0};
}
