#include "probe/report.h"

#include "base/cleanup.h"
#include "probe/fields.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_DISKS = 8,
    MOST_GPUS = 64,
    MOST_INSTANCES = 16,
    MOST_PROCESSES = 256,
    MOST_NOTES = 1024
};

/* What a report owns is a list of such pieces. */
struct sbi_owned {
    struct sbi_owned *next;
    _Alignas(16) char bytes[];
};

struct sbi_report *sbi_report_new(const char *place)
{
    struct sbi_report *report = calloc(1, sizeof(*report));

    if (report == NULL)
        return NULL;
    sbi_fields_unknown(sbi_report_fields, &report->public);
    report->public.place = sbi_report_text(report, place);
    if (report->status == SBX_OK)
        return report;
    sbx_probe_report_free(&report->public);
    return NULL;
}

void sbx_probe_report_free(sbx_probe_report *public)
{
    struct sbi_report *report = (struct sbi_report *)public;
    struct sbi_owned *piece;

    if (report == NULL)
        return;
    while ((piece = report->owned) != NULL) {
        report->owned = piece->next;
        free(piece);
    }
    free(report);
}

void *sbi_report_room(struct sbi_report *report, size_t size)
{
    struct sbi_owned *piece = calloc(1, sizeof(*piece) + size);

    if (piece == NULL) {
        report->status = SBX_ERR_NO_MEMORY;
        return NULL;
    }
    piece->next = report->owned;
    report->owned = piece;
    return piece->bytes;
}

const char *sbi_report_text(struct sbi_report *report, const char *text)
{
    size_t length = text == NULL ? 0 : strlen(text);
    char *copy = length == 0 ? NULL : sbi_report_room(report, length + 1);

    if (copy != NULL)
        memcpy(copy, text, length);
    return copy;
}

static const char *add_text(struct sbi_report *report, const char *format, va_list args)
{
    char text[512];

    (void)vsnprintf(text, sizeof(text), format, args);
    return sbi_report_text(report, text);
}

const char *sbi_report_textf(struct sbi_report *report, const char *format, ...)
{
    const char *text;
    va_list args;

    va_start(args, format);
    text = add_text(report, format, args);
    va_end(args);
    return text;
}

/*
 * One more at the end of a list of pointers that is made whole on its first use, so
 * that pointers to its items stay. *list points at what the public struct shows.
 */
static void *grow(struct sbi_report *report, const void ***list, size_t *count,
                  size_t most, size_t size)
{
    void *item;

    if (*list == NULL)
        *list = sbi_report_room(report, most * sizeof((*list)[0]));
    if (*list == NULL || *count >= most)
        return NULL;
    item = sbi_report_room(report, size);
    if (item != NULL)
        (*list)[(*count)++] = item;
    return item;
}

sbx_probe_disk *sbi_report_disk(struct sbi_report *report)
{
    const void **list = (const void **)report->disks;
    sbx_probe_disk *disk =
        grow(report, &list, &report->public.disk_count, MOST_DISKS, sizeof(*disk));

    report->disks = (const sbx_probe_disk **)list;
    report->public.disks = report->disks;
    if (disk != NULL)
        sbi_fields_unknown(sbi_disk_fields, disk);
    return disk;
}

sbx_gpu *sbi_report_gpu(struct sbi_report *report)
{
    const void **list = (const void **)report->gpus;
    sbx_gpu *gpu =
        grow(report, &list, &report->public.gpu_count, MOST_GPUS, sizeof(*gpu));

    report->gpus = (const sbx_gpu **)list;
    report->public.gpus = report->gpus;
    if (gpu != NULL)
        sbi_fields_unknown(sbi_gpu_fields, gpu);
    return gpu;
}

sbx_gpu *sbi_report_instance(struct sbi_report *report, sbx_gpu *gpu)
{
    const void **list = (const void **)(uintptr_t)gpu->instances;
    sbx_gpu *instance =
        grow(report, &list, &gpu->instance_count, MOST_INSTANCES, sizeof(*instance));

    gpu->instances = (const sbx_gpu *const *)list;
    if (instance != NULL)
        sbi_fields_unknown(sbi_gpu_fields, instance);
    return instance;
}

sbx_gpu_process *sbi_report_process(struct sbi_report *report, sbx_gpu *gpu)
{
    const void **list = (const void **)(uintptr_t)gpu->processes;
    sbx_gpu_process *process =
        grow(report, &list, &gpu->process_count, MOST_PROCESSES, sizeof(*process));

    gpu->processes = (const sbx_gpu_process *const *)list;
    if (process != NULL)
        sbi_fields_unknown(sbi_process_fields, process);
    else
        gpu->processes_known = 0;
    return process;
}

const char *sbx_probe_why(const sbx_probe_report *report, const char *field)
{
    size_t i;

    for (i = 0; report != NULL && field != NULL && i < report->note_count; i++)
        if (strcmp(report->notes[i]->field, field) == 0)
            return report->notes[i]->why;
    return NULL;
}

void sbi_report_note(struct sbi_report *report, const char *prefix, const char *key,
                     const char *format, ...)
{
    const void **list = (const void **)report->notes;
    sbx_probe_note *note;
    char field[96];
    va_list args;

    (void)snprintf(field, sizeof(field), "%s%s%s", prefix, prefix[0] == '\0' ? "" : ".",
                   key);
    if (sbx_probe_why(&report->public, field) != NULL)
        return;
    note = grow(report, &list, &report->public.note_count, MOST_NOTES, sizeof(*note));
    report->notes = (const sbx_probe_note **)list;
    report->public.notes = report->notes;
    if (note == NULL)
        return;
    note->field = sbi_report_text(report, field);
    va_start(args, format);
    note->why = add_text(report, format, args);
    va_end(args);
    if (note->field == NULL || note->why == NULL)
        report->public.note_count--;
}

/* Where gpu stands: the i-th of a list, or an instance below that one. */
struct sbi_prefix sbi_report_prefix(const struct sbi_report *report, const sbx_gpu *gpu)
{
    struct sbi_prefix prefix = {""};
    size_t i, j;

    for (i = 0; i < report->public.gpu_count; i++) {
        const sbx_gpu *whole = report->gpus[i];

        if (whole == gpu)
            (void)snprintf(prefix.text, sizeof(prefix.text), "gpus[%zu]", i);
        for (j = 0; j < whole->instance_count; j++)
            if (whole->instances[j] == gpu)
                (void)snprintf(prefix.text, sizeof(prefix.text),
                               "gpus[%zu].instances[%zu]", i, j);
    }
    return prefix;
}

static void finish(struct sbi_report *report, const char *prefix,
                   const struct sbi_field *fields, const void *of)
{
    for (; fields->key != NULL; fields++)
        if (fields->kind != SBI_FIELD_TEXT && sbi_field_number(fields, of) == SBX_UNKNOWN)
            sbi_report_note(report, prefix, fields->key, "nothing there tells it");
}

static void finish_gpu(struct sbi_report *report, const sbx_gpu *gpu)
{
    size_t i;

    finish(report, sbi_report_prefix(report, gpu).text, sbi_gpu_fields, gpu);
    for (i = 0; i < gpu->instance_count; i++)
        finish_gpu(report, gpu->instances[i]);
}

void sbi_report_finish(struct sbi_report *report)
{
    char prefix[80];
    size_t i;

    finish(report, "", sbi_report_fields, &report->public);
    for (i = 0; i < report->public.disk_count; i++) {
        (void)snprintf(prefix, sizeof(prefix), "disks[%zu]", i);
        finish(report, prefix, sbi_disk_fields, report->disks[i]);
    }
    for (i = 0; i < report->public.gpu_count; i++)
        finish_gpu(report, report->gpus[i]);
}
