/*
 * parse_amd_smi.c - what amd-smi prints as JSON: lists with an object for each GPU, or,
 * since ROCm 7, an object with such a list under "gpu_data". A number is {"value",
 * "unit"}, a bare number, or "N/A".
 */
#include "probe/parse.h"

#include "base/json.h"
#include "probe/value.h"

#include <stdio.h>
#include <string.h>

/* Follows keys down from an object: "usage/gfx_activity". */
static const cJSON *find(const cJSON *json, const char *path)
{
    char key[64];
    size_t length;

    for (; json != NULL && *path != '\0'; path += length + (path[length] == '/')) {
        length = strcspn(path, "/");
        if (length >= sizeof(key))
            return NULL;
        memcpy(key, path, length);
        key[length] = '\0';
        json = cJSON_GetObjectItemCaseSensitive(json, key);
    }
    return json;
}

static const char *text_at(const cJSON *json, const char *path)
{
    const cJSON *item = find(json, path);

    return cJSON_IsString(item) && item->valuestring[0] != '\0' &&
                   strcmp(item->valuestring, "N/A") != 0
               ? item->valuestring
               : NULL;
}

/* A value in the form of the other tools: "196592 MB", "N/A"; "" where there is none. */
static void put_value(const cJSON *item, char *out, size_t room)
{
    const cJSON *value = cJSON_IsObject(item) ? find(item, "value") : item;
    const char *unit = cJSON_IsObject(item) ? text_at(item, "unit") : NULL;

    out[0] = '\0';
    if (cJSON_IsNumber(value) && value->valuedouble >= 0 &&
        value->valuedouble < 9007199254740992.0)
        (void)snprintf(
            out, room, "%lld.%03d %s", (long long)value->valuedouble,
            (int)((value->valuedouble - (double)(long long)value->valuedouble) * 1000),
            unit == NULL ? "" : unit);
    else if (cJSON_IsString(value))
        (void)snprintf(out, room, "%s %s", value->valuestring, unit == NULL ? "" : unit);
}

#define ROW(path, key, member, unit)                                                     \
    {                                                                                    \
        path, key, offsetof(sbx_gpu, member), SBI_UNIT_##unit                            \
    }

static const struct {
    const char *path;
    const char *key;
    size_t at;
    int unit;
} numbers[] = {
    ROW("mem_usage/total_vram", "memory_total", memory_total, BYTES),
    ROW("mem_usage/used_vram", "memory_used", memory_used, BYTES),
    ROW("mem_usage/free_vram", "memory_free", memory_free, BYTES),
    ROW("usage/gfx_activity", "busy_percent", busy_percent, PERCENT),
    ROW("temperature/edge", "temperature_c", temperature_c, CELSIUS),
    ROW("temperature/hotspot", "temperature_c", temperature_c, CELSIUS),
    ROW("power/socket_power", "power_w", power_mw, MILLI),
    ROW("power/average_socket_power", "power_w", power_mw, MILLI),
    ROW("ecc/total_uncorrectable_count", "ecc_errors", ecc_errors, COUNT),
};

static void read_metric(struct sbi_report *report, sbx_gpu *gpu, const cJSON *metric)
{
    char text[96];
    size_t i;

    for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        put_value(find(metric, numbers[i].path), text, sizeof(text));
        sbi_parse_value(report, sbi_report_prefix(report, gpu).text, numbers[i].key,
                        text[0] == '\0' ? NULL : text, numbers[i].unit,
                        (int64_t *)(void *)((char *)gpu + numbers[i].at));
    }
    if (gpu->busy_percent != SBX_UNKNOWN)
        gpu->busy_samples = 1;
}

/* One process; some versions tell its memory by kinds, and some as one number. */
static void read_process(struct sbi_report *report, sbx_gpu *gpu, const cJSON *entry)
{
    const cJSON *info = find(entry, "process_info");
    const cJSON *memory;
    sbx_gpu_process *process;
    char text[96];
    int64_t pid;

    info = info == NULL ? entry : info;
    put_value(find(info, "pid"), text, sizeof(text));
    if (!sbi_value(text, SBI_UNIT_COUNT, &pid) || pid < 1)
        return;
    process = sbi_report_process(report, gpu);
    if (process == NULL)
        return;
    process->pid = pid;
    process->graphics = 0;
    process->command = sbi_report_text(report, text_at(info, "name"));
    memory = find(info, "memory_usage/vram_mem");
    put_value(memory != NULL ? memory : find(info, "mem_usage"), text, sizeof(text));
    (void)sbi_value(text, SBI_UNIT_BYTES, &process->memory);
}

static const cJSON *of_gpu(const cJSON *list, int64_t index)
{
    const cJSON *item, *number;

    cJSON_ArrayForEach(item, list)
    {
        number = find(item, "gpu");
        if (cJSON_IsNumber(number) && number->valuedouble == (double)index)
            return item;
    }
    return NULL;
}

static void read_processes(struct sbi_report *report, sbx_gpu *gpu, const cJSON *list)
{
    const cJSON *processes = find(of_gpu(list, gpu->index), "process_list");
    const cJSON *item;

    gpu->processes_known = cJSON_IsArray(processes);
    if (cJSON_IsArray(processes))
        cJSON_ArrayForEach(item, processes) read_process(report, gpu, item);
}

/* The list of GPUs in what one of the four told, or NULL. */
static const cJSON *parse(const char *text, cJSON **json)
{
    const char *at = text == NULL ? NULL : strpbrk(text, "[{");

    if (at == NULL || sbi_json_parse(at, strlen(at), json, NULL) < 0)
        return NULL;
    if (cJSON_IsArray(*json))
        return *json;
    return find(*json, "gpu_data");
}

/* What the four told: the lists are borrowed from the trees. */
struct answers {
    cJSON *json[4];
    const cJSON *lists[4];
};

static void answers_clear(struct answers *answers)
{
    size_t i;

    for (i = 0; i < 4; i++)
        sbi_json_clear(&answers->json[i]);
}

static void read_gpu(struct sbi_report *report, int64_t index,
                     const struct answers *answers)
{
    const cJSON *listed = of_gpu(answers->lists[0], index);
    const cJSON *asic = of_gpu(answers->lists[1], index);
    const char *bus = text_at(asic, "bus/bdf");
    sbx_gpu *gpu = sbi_report_gpu(report);
    char text[96];

    if (gpu == NULL)
        return;
    gpu->vendor = sbi_report_text(report, "amd");
    gpu->index = index;
    gpu->name = sbi_report_text(report, text_at(asic, "asic/market_name"));
    gpu->bus = sbi_report_text(report, bus != NULL ? bus : text_at(listed, "bdf"));
    gpu->uuid = sbi_report_text(report, text_at(listed, "uuid"));
    gpu->driver = sbi_report_text(report, text_at(asic, "driver/version"));
    gpu->mig = 0;
    gpu->unified = 0;
    read_metric(report, gpu, of_gpu(answers->lists[2], index));
    put_value(find(asic, "vram/size"), text, sizeof(text));
    if (gpu->memory_total == SBX_UNKNOWN)
        (void)sbi_value(text, SBI_UNIT_BYTES, &gpu->memory_total);
    read_processes(report, gpu, answers->lists[3]);
}

void sbi_parse_amd(struct sbi_report *report, const char *list, const char *asic,
                   const char *metric, const char *process)
{
    const char *const texts[4] = {list, asic, metric, process};
    SBI_CLEANUP(answers_clear) struct answers answers = {{NULL}, {NULL}};
    const cJSON *item, *number;
    size_t i;

    for (i = 0; i < 4; i++)
        answers.lists[i] = parse(texts[i], &answers.json[i]);
    if (answers.lists[0] == NULL && answers.lists[2] == NULL) {
        report->public.gpus_known = 0;
        sbi_report_note(report, "", "gpus", "amd-smi told nothing that is understood");
        return;
    }
    cJSON_ArrayForEach(item, answers.lists[answers.lists[0] != NULL ? 0 : 2])
    {
        number = find(item, "gpu");
        if (cJSON_IsNumber(number) && number->valuedouble >= 0 &&
            number->valuedouble <= 1000)
            read_gpu(report, (int64_t)number->valuedouble, &answers);
    }
}
