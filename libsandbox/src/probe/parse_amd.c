/*
 * parse_amd.c - what rocm-smi prints as JSON. Names of keys changed between versions of
 * ROCm in case and in words, so a field has all that it was called, best first.
 */
#include "probe/parse.h"

#include "base/json.h"
#include "probe/value.h"

#include <stdio.h>
#include <string.h>

/* The text under the first of these keys that is there, in any case; or NULL. */
static const char *text_of(const cJSON *card, const char *const *keys)
{
    const cJSON *item;

    for (; *keys != NULL; keys++) {
        item = cJSON_GetObjectItem(card, *keys);
        if (cJSON_IsString(item) && item->valuestring[0] != '\0')
            return item->valuestring;
    }
    return NULL;
}

#define ROW(key, member, unit, ...)                                                      \
    {                                                                                    \
        key, offsetof(sbx_gpu, member), SBI_UNIT_##unit,                                 \
        {                                                                                \
            __VA_ARGS__, NULL                                                            \
        }                                                                                \
    }

static const struct {
    const char *key;
    size_t at;
    int unit;
    const char *names[5];
} numbers[] = {
    ROW("memory_total", memory_total, BYTES, "VRAM Total Memory (B)"),
    ROW("memory_used", memory_used, BYTES, "VRAM Total Used Memory (B)"),
    ROW("busy_percent", busy_percent, PERCENT, "GPU use (%)"),
    ROW("temperature_c", temperature_c, CELSIUS, "Temperature (Sensor edge) (C)",
        "Temperature (Sensor junction) (C)"),
    ROW("power_w", power_mw, MILLI, "Average Graphics Package Power (W)",
        "Current Socket Graphics Package Power (W)", "Average Socket Power (W)"),
    ROW("power_limit_w", power_limit_mw, MILLI, "Max Graphics Package Power (W)"),
};

/* Some versions tell a number of PCI where a name should be. */
static const char *name_of(const cJSON *card)
{
    static const char *const keys[] = {"Device Name", "Card Series", "Card SKU", NULL};
    const char *const one[][2] = {{keys[0], NULL}, {keys[1], NULL}, {keys[2], NULL}};
    const char *text;
    size_t i;

    for (i = 0; i < 3; i++) {
        text = text_of(card, one[i]);
        if (text != NULL && strncmp(text, "0x", 2) != 0 && strcmp(text, "N/A") != 0)
            return text;
    }
    return NULL;
}

static void read_card(struct sbi_report *report, const cJSON *card, const char *driver)
{
    static const char *const bus[] = {"PCI Bus", NULL};
    static const char *const uuid[] = {"Unique ID", NULL};
    sbx_gpu *gpu = sbi_report_gpu(report);
    int64_t index = SBX_UNKNOWN;
    const char *text;
    size_t i;

    if (gpu == NULL)
        return;
    (void)sbi_parse_numbers(card->string, &index, 1);
    gpu->vendor = sbi_report_text(report, "amd");
    gpu->index = index;
    gpu->name = sbi_report_text(report, name_of(card));
    gpu->bus = sbi_report_text(report, text_of(card, bus));
    text = text_of(card, uuid);
    if (text != NULL && strcmp(text, "N/A") != 0)
        gpu->uuid = sbi_report_text(report, text);
    gpu->driver = sbi_report_text(report, driver);
    gpu->mig = 0;
    gpu->unified = 0;
    for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        sbi_parse_value(report, sbi_report_prefix(report, gpu).text, numbers[i].key,
                        text_of(card, numbers[i].names), numbers[i].unit,
                        (int64_t *)(void *)((char *)gpu + numbers[i].at));
    if (gpu->busy_percent != SBX_UNKNOWN)
        gpu->busy_samples = 1;
    sbi_report_note(report, sbi_report_prefix(report, gpu).text, "ecc_errors",
                    "rocm-smi is not asked for it");
}

/*
 * "PID1234": "python3, 2, 1073741824, 0, 0": a name, how many GPUs, bytes on all of
 * them. Which GPUs these are is told only where there is one, or none but one.
 */
static void read_process(struct sbi_report *report, size_t first, const cJSON *item)
{
    size_t count = report->public.gpu_count - first;
    char copy[256], *rest = copy, *words[3] = {NULL};
    int64_t pid, memory, gpus;
    sbx_gpu_process *process;
    size_t i;

    if (sbi_parse_numbers(item->string + 3, &pid, 1) != 1 || !cJSON_IsString(item))
        return;
    (void)snprintf(copy, sizeof(copy), "%s", item->valuestring);
    for (i = 0; i < 3; i++)
        words[i] = strsep(&rest, ",");
    if (words[2] == NULL || !sbi_value(words[1], SBI_UNIT_COUNT, &gpus) || gpus < 1)
        return;
    if (count != 1) {
        for (i = first; i < report->public.gpu_count; i++)
            ((sbx_gpu *)(uintptr_t)report->gpus[i])->processes_known = 0;
        return;
    }
    process = sbi_report_process(report, (sbx_gpu *)(uintptr_t)report->gpus[first]);
    if (process == NULL)
        return;
    process->pid = pid;
    process->graphics = 0;
    process->command = sbi_report_text(report, words[0]);
    if (sbi_value(words[2], SBI_UNIT_BYTES, &memory))
        process->memory = memory;
}

static void read_cards(struct sbi_report *report, const cJSON *json)
{
    static const char *const keys[] = {"Driver version", NULL};
    const cJSON *system = cJSON_GetObjectItem(json, "system");
    const char *driver = system == NULL ? NULL : text_of(system, keys);
    size_t first = report->public.gpu_count, i;
    const cJSON *item;

    cJSON_ArrayForEach(item, json) if (strncmp(item->string, "card", 4) == 0 &&
                                       cJSON_IsObject(item))
        read_card(report, item, driver);
    for (i = first; i < report->public.gpu_count; i++)
        ((sbx_gpu *)(uintptr_t)report->gpus[i])->processes_known = 1;
    if (!cJSON_IsObject(system))
        return;
    cJSON_ArrayForEach(item, system) if (strncmp(item->string, "PID", 3) == 0)
        read_process(report, first, item);
}

/* Warnings may stand before the object. Without a GPU it prints nothing, and exits 0. */
void sbi_parse_rocm(struct sbi_report *report, const char *text)
{
    SBI_AUTO_JSON json = NULL;
    const char *at = strchr(text, '{');
    sbx_error err = {0};

    if (at == NULL)
        return;
    if (sbi_json_parse(at, strlen(at), &json, &err) < 0 || !cJSON_IsObject(json)) {
        report->public.gpus_known = 0;
        sbi_report_note(report, "", "gpus", "what rocm-smi told is not JSON: %s",
                        err.text);
        return;
    }
    read_cards(report, json);
}
