/*
 * parse_cgroup.c - the tightest limit of all cgroups above us, of either version.
 *
 * What is available within one is its limit less what it uses, less what of that is
 * clean pages of files, which the kernel gives up first.
 */
#include "probe/parse.h"

#include "probe/value.h"

#include <string.h>

#define LINE 128

struct level {
    int64_t quota; /* SBX_UNKNOWN: no limit, or none that is told */
    int64_t period;
    int64_t memory;
    int64_t high;
    int64_t used;
    int64_t files;
};

static const struct {
    const char *key;
    size_t at;
} keys[] = {
    {"cpu.cfs_quota_us", offsetof(struct level, quota)},
    {"cpu.cfs_period_us", offsetof(struct level, period)},
    {"memory.max", offsetof(struct level, memory)},
    {"memory.high", offsetof(struct level, high)},
    {"memory.limit_in_bytes", offsetof(struct level, memory)},
    {"memory.current", offsetof(struct level, used)},
    {"memory.usage_in_bytes", offsetof(struct level, used)},
    {"inactive_file", offsetof(struct level, files)},
    {"total_inactive_file", offsetof(struct level, files)}, /* v1: with those below */
};

/* "max" and "-1" are no number, and so no limit; nor is one over any machine's memory. */
static void read_line(struct level *level, char *line)
{
    char *value = strchr(line, ' ');
    int64_t numbers[2];
    size_t i;

    if (value == NULL)
        return;
    *value++ = '\0';
    if (strcmp(line, "cpu.max") == 0 && value[0] != 'm' &&
        sbi_parse_numbers(value, numbers, 2) == 2) {
        level->quota = numbers[0];
        level->period = numbers[1];
    }
    for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        if (strcmp(line, keys[i].key) == 0)
            (void)sbi_value(value, SBI_UNIT_COUNT,
                            (int64_t *)(void *)((char *)level + keys[i].at));
}

static void lower(int64_t *value, int64_t limit)
{
    if (*value == SBX_UNKNOWN || limit < *value)
        *value = limit;
}

static void apply_memory(sbx_probe_report *public, const struct level *level,
                         int64_t limit)
{
    int64_t held = level->used == SBX_UNKNOWN ? 0 : level->used;

    if (limit == SBX_UNKNOWN ||
        (public->memory_total != SBX_UNKNOWN && limit >= public->memory_total))
        return;
    if (level->files != SBX_UNKNOWN)
        held = held > level->files ? held - level->files : 0;
    lower(&public->memory_limit, limit);
    lower(&public->memory_available, limit > held ? limit - held : 0);
}

static void apply(sbx_probe_report *public, const struct level *level)
{
    if (level->quota > 0 && level->period > 0 && level->quota < (int64_t)1 << 40)
        lower(&public->cpu_limit_milli, level->quota * 1000 / level->period);
    apply_memory(public, level, level->memory);
    apply_memory(public, level, level->high);
}

void sbi_parse_cgroups(struct sbi_report *report, const struct sbi_sections *sections)
{
    char line[LINE];
    const char *at;
    size_t i;

    for (i = 0; i < sections->count; i++) {
        struct level level = {SBX_UNKNOWN, SBX_UNKNOWN, SBX_UNKNOWN,
                              SBX_UNKNOWN, SBX_UNKNOWN, SBX_UNKNOWN};

        if (strcmp(sections->list[i].name, "cgroup") != 0)
            continue;
        at = sections->list[i].body;
        while (sbi_next_line(&at, line, sizeof(line)))
            read_line(&level, line);
        apply(&report->public, &level);
    }
}
