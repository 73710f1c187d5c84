/* report_json.c - a report as JSON: what is unknown is null, and "unknown" says why. */
#include "base/json.h"
#include "probe/fields.h"

#include <sandbox/probe.h>

static void add_field(cJSON *object, const struct sbi_field *field, const void *of)
{
    const char *text;
    int64_t number;

    if (field->kind == SBI_FIELD_TEXT) {
        text = *(const char *const *)(const void *)((const char *)of + field->at);
        sbi_json_add_text(object, field->key, text);
        return;
    }
    number = sbi_field_number(field, of);
    if (number == SBX_UNKNOWN)
        (void)cJSON_AddNullToObject(object, field->key);
    else if (field->kind == SBI_FIELD_BOOL)
        (void)cJSON_AddBoolToObject(object, field->key, number != 0);
    else
        (void)cJSON_AddNumberToObject(
            object, field->key,
            field->kind == SBI_FIELD_MILLI ? (double)number / 1000 : (double)number);
}

static cJSON *make_object(const struct sbi_field *fields, const void *of)
{
    cJSON *object = cJSON_CreateObject();

    for (; fields->key != NULL; fields++)
        add_field(object, fields, of);
    return object;
}

static cJSON *make_gpu(const sbx_gpu *gpu)
{
    cJSON *object = make_object(sbi_gpu_fields, gpu);
    cJSON *list = cJSON_AddArrayToObject(object, "instances");
    size_t i;

    for (i = 0; i < gpu->instance_count; i++)
        (void)cJSON_AddItemToArray(list, make_gpu(gpu->instances[i]));
    list = cJSON_AddArrayToObject(object, "processes");
    for (i = 0; i < gpu->process_count; i++)
        (void)cJSON_AddItemToArray(list,
                                   make_object(sbi_process_fields, gpu->processes[i]));
    (void)cJSON_AddBoolToObject(object, "processes_known", gpu->processes_known != 0);
    return object;
}

char *sbx_probe_json(const sbx_probe_report *report)
{
    SBI_AUTO_JSON object = make_object(sbi_report_fields, report);
    cJSON *list = cJSON_AddArrayToObject(object, "disks");
    size_t i;

    for (i = 0; i < report->disk_count; i++)
        (void)cJSON_AddItemToArray(list, make_object(sbi_disk_fields, report->disks[i]));
    list = cJSON_AddArrayToObject(object, "gpus");
    for (i = 0; i < report->gpu_count; i++)
        (void)cJSON_AddItemToArray(list, make_gpu(report->gpus[i]));
    (void)cJSON_AddBoolToObject(object, "gpus_known", report->gpus_known != 0);
    (void)cJSON_AddNumberToObject(object, "idle_score", report->idle_score);
    list = cJSON_AddObjectToObject(object, "unknown");
    for (i = 0; i < report->note_count; i++)
        sbi_json_add_text(list, report->notes[i]->field, report->notes[i]->why);
    return sbi_json_print(object);
}
