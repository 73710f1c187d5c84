/*
 * probe.c - any bytes as the output of the probe's script, and as that of each tool in
 * it. The first byte says which.
 */
#include "base/str.h"
#include "probe/parse.h"

#include <sandbox/pick.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const tools[] = {
    "",        "nvidia-smi 0",  "nvidia-smi 15",  "rocm-smi 0", "amd-metric 0",
    "disks 0", "nvidia-list 0", "nvidia-use 143",
};

static void check_gpu(const sbx_gpu *gpu)
{
    size_t i;

    if (gpu->busy_percent != SBX_UNKNOWN &&
        (gpu->busy_percent < 0 || gpu->busy_percent > 100))
        abort();
    if (gpu->memory_free != SBX_UNKNOWN && gpu->memory_free < 0)
        abort();
    for (i = 0; i < gpu->process_count; i++)
        if (gpu->processes[i]->pid < 0)
            abort();
    for (i = 0; i < gpu->instance_count; i++)
        check_gpu(gpu->instances[i]);
}

static void check_report(const sbx_probe_report *report)
{
    const sbx_pick_candidate candidate = {
        .size = sizeof(candidate), .place = "x", .report = report};
    const sbx_pick_candidate *list[] = {&candidate};
    const sbx_pick_need need = {.size = sizeof(need), .gpus = 1, .vram = 1 << 20};
    sbx_pick_result *result = NULL;
    char *json = sbx_probe_json(report);
    size_t i;

    if (json == NULL || !(report->idle_score >= 0 && report->idle_score <= 1))
        abort();
    sbx_free(json);
    for (i = 0; i < report->gpu_count; i++)
        check_gpu(report->gpus[i]);
    if (sbx_pick(list, 1, &need, &result, NULL) < 0)
        abort();
    sbx_pick_result_free(result);
}

/* A machine, then a section of that tool's with the bytes. */
static void look_at(const char *tool, const uint8_t *data, size_t size)
{
    struct sbi_report *report = sbi_report_new("x");
    struct sbi_sections sections = {0};
    SBI_AUTO_STR text = {0};

    sbi_str_add(&text, "sbx:m:online 0-7\nsbx:m:disk home /home\nsbx:m:pci\n");
    if (tool[0] != '\0' && strncmp(tool, "nvidia-l", 8) != 0 &&
        strncmp(tool, "nvidia-u", 8) != 0)
        sbi_str_addf(&text, "sbx:m:tool %s\n", tool);
    else if (tool[0] != '\0')
        sbi_str_addf(&text,
                     "sbx:m:tool nvidia-smi 0\n<nvidia_smi_log><gpu><uuid>GPU-1</uuid>"
                     "<utilization><gpu_util>5 %%</gpu_util></utilization><mig_devices>"
                     "<mig_device><index>0</index></mig_device></mig_devices></gpu>\n"
                     "sbx:m:tool %s\n",
                     tool);
    sbi_str_add_bytes(&text, data, size);
    sbi_str_add(&text, "\nsbx:m:end\n");
    if (report == NULL ||
        sbi_sections_parse(text.data, text.length, "sbx:m:", &sections, NULL) < 0)
        abort();
    if (sbi_probe_parse(report, &sections, NULL) == SBX_OK)
        check_report(&report->public);
    sbi_sections_clear(&sections);
    sbx_probe_report_free(&report->public);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 0)
        look_at(tools[data[0] % (sizeof(tools) / sizeof(tools[0]))], data + 1, size - 1);
    return 0;
}
