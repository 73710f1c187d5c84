/*
 * parse_nvidia.c - what nvidia-smi prints: -q -x of every version since 2017, -L for the
 * names of MIG instances, and samples of how busy each GPU is.
 *
 * Elements moved between versions of the XML (power_readings, then gpu_power_readings;
 * the counters of ECC), so a field has a row for each place where it stood.
 */
#include "probe/parse.h"

#include "probe/value.h"
#include "probe/xml.h"

#include <stdio.h>
#include <string.h>

#define ROOT "nvidia_smi_log/"
#define GPU ROOT "gpu/"
#define MIG GPU "mig_devices/mig_device/"
#define PROCESS GPU "processes/process_info/"
#define LINE 256

/* Compute instances of one GPU instance share its memory. */
struct ids {
    int64_t gpu;
    int64_t compute;
};

/* What is being read. */
struct reader {
    struct sbi_report *report;
    sbx_gpu *gpu;       /* NULL: outside of one, or past the limit */
    sbx_gpu *instance;  /* of a MIG device */
    struct ids ids[64]; /* of the instances of that GPU */
    struct {
        int64_t pid, memory, graphics;
        struct ids ids;
        char name[LINE], why[LINE];
    } process;
    char driver[LINE];
    size_t first; /* GPUs that were there before */
};

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
    ROW(GPU "fb_memory_usage/total", "memory_total", memory_total, BYTES),
    ROW(GPU "fb_memory_usage/used", "memory_used", memory_used, BYTES),
    ROW(GPU "fb_memory_usage/free", "memory_free", memory_free, BYTES),
    ROW(GPU "utilization/gpu_util", "busy_percent", busy_percent, PERCENT),
    ROW(GPU "temperature/gpu_temp", "temperature_c", temperature_c, CELSIUS),
    ROW(GPU "power_readings/power_draw", "power_w", power_mw, MILLI),
    ROW(GPU "power_readings/power_limit", "power_limit_w", power_limit_mw, MILLI),
    ROW(GPU "gpu_power_readings/power_draw", "power_w", power_mw, MILLI),
    ROW(GPU "gpu_power_readings/average_power_draw", "power_w", power_mw, MILLI),
    ROW(GPU "gpu_power_readings/instant_power_draw", "power_w", power_mw, MILLI),
    ROW(GPU "gpu_power_readings/current_power_limit", "power_limit_w", power_limit_mw,
        MILLI),
    ROW(GPU "gpu_power_readings/power_limit", "power_limit_w", power_limit_mw, MILLI),
    ROW(MIG "index", "index", index, COUNT),
    ROW(MIG "fb_memory_usage/total", "memory_total", memory_total, BYTES),
    ROW(MIG "fb_memory_usage/used", "memory_used", memory_used, BYTES),
    ROW(MIG "fb_memory_usage/free", "memory_free", memory_free, BYTES),
};

/* Counters of errors that could not be corrected; they add up. */
static const char *const ecc_paths[] = {
    GPU "ecc_errors/volatile/double_bit/total",
    GPU "ecc_errors/volatile/sram_uncorrectable",
    GPU "ecc_errors/volatile/sram_uncorrectable_parity",
    GPU "ecc_errors/volatile/sram_uncorrectable_secded",
    GPU "ecc_errors/volatile/dram_uncorrectable",
};

/* Devices whose memory is the host's. */
static const char *const unified_names[] = {"GB10", "Orin", "Thor", "Xavier", "Tegra"};

static void take_number(struct reader *reader, const char *path, const char *text)
{
    bool of_mig = strncmp(path, MIG, strlen(MIG)) == 0;
    sbx_gpu *gpu = of_mig ? reader->instance : reader->gpu;
    size_t i;

    for (i = 0; gpu != NULL && i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (strcmp(numbers[i].path, path) == 0)
            sbi_parse_value(reader->report, sbi_report_prefix(reader->report, gpu).text,
                            numbers[i].key, text, numbers[i].unit,
                            (int64_t *)(void *)((char *)gpu + numbers[i].at));
}

static void take_ecc(struct reader *reader, const char *path, const char *text)
{
    int64_t errors = SBX_UNKNOWN;
    size_t i;

    for (i = 0; i < sizeof(ecc_paths) / sizeof(ecc_paths[0]); i++) {
        if (strcmp(ecc_paths[i], path) != 0)
            continue;
        sbi_parse_value(reader->report,
                        sbi_report_prefix(reader->report, reader->gpu).text, "ecc_errors",
                        text, SBI_UNIT_COUNT, &errors);
        if (errors != SBX_UNKNOWN)
            reader->gpu->ecc_errors =
                errors +
                (reader->gpu->ecc_errors == SBX_UNKNOWN ? 0 : reader->gpu->ecc_errors);
    }
}

static bool means_nothing(const char *text)
{
    return text[0] == '\0' || strstr(text, "N/A") != NULL ||
           strstr(text, "Not Supported") != NULL || strcmp(text, "None") == 0;
}

/* A text that tells that the GPU is in trouble, wherever it stands. */
static bool is_fault(const char *text)
{
    static const char *const faults[] = {"is lost", "requires reset", "Unknown Error",
                                         "fallen off"};
    size_t i;

    for (i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
        if (strstr(text, faults[i]) != NULL)
            return true;
    return false;
}

static void take_text(struct reader *reader, const char *path, const char *text)
{
    struct sbi_report *report = reader->report;
    sbx_gpu *gpu = reader->gpu;

    if (is_fault(text) && gpu->fault == NULL)
        gpu->fault = sbi_report_text(report, text);
    if (means_nothing(text))
        return;
    if (strcmp(path, GPU "product_name") == 0 && !is_fault(text))
        gpu->name = sbi_report_text(report, text);
    else if (strcmp(path, GPU "uuid") == 0 && !is_fault(text))
        gpu->uuid = sbi_report_text(report, text);
    else if (strcmp(path, GPU "pci/pci_bus_id") == 0 && !is_fault(text))
        gpu->bus = sbi_report_text(report, text);
    else if (strcmp(path, GPU "mig_mode/current_mig") == 0)
        gpu->mig = strcmp(text, "Enabled") == 0;
    else if (strcmp(path, GPU "gpu_reset_status/reset_required") == 0 &&
             strcmp(text, "Yes") == 0)
        gpu->fault = sbi_report_text(report, "GPU requires reset");
}

static void take_process(struct reader *reader, const char *path, const char *text)
{
    const char *leaf = path + strlen(PROCESS);

    if (strncmp(path, PROCESS, strlen(PROCESS)) != 0)
        return;
    if (strcmp(leaf, "pid") == 0)
        (void)sbi_value(text, SBI_UNIT_COUNT, &reader->process.pid);
    else if (strcmp(leaf, "gpu_instance_id") == 0)
        (void)sbi_value(text, SBI_UNIT_COUNT, &reader->process.ids.gpu);
    else if (strcmp(leaf, "compute_instance_id") == 0)
        (void)sbi_value(text, SBI_UNIT_COUNT, &reader->process.ids.compute);
    else if (strcmp(leaf, "type") == 0)
        reader->process.graphics = strcmp(text, "G") == 0;
    else if (strcmp(leaf, "process_name") == 0)
        (void)snprintf(reader->process.name, LINE, "%.*s", LINE - 1, text);
    else if (strcmp(leaf, "used_memory") == 0 &&
             !sbi_value(text, SBI_UNIT_BYTES, &reader->process.memory))
        (void)snprintf(reader->process.why, LINE, "%.*s", LINE - 1, text);
}

static sbx_gpu *gpu_of_process(struct reader *reader)
{
    const struct ids *ids = &reader->process.ids;
    size_t i;

    for (i = 0; ids->gpu != SBX_UNKNOWN && i < reader->gpu->instance_count; i++)
        if (reader->ids[i].gpu == ids->gpu &&
            (reader->ids[i].compute == ids->compute || ids->compute == SBX_UNKNOWN))
            return (sbx_gpu *)(uintptr_t)reader->gpu->instances[i];
    return reader->gpu;
}

static void end_process(struct reader *reader)
{
    sbx_gpu *gpu = gpu_of_process(reader);
    sbx_gpu_process *process;
    char key[48];

    if (reader->process.pid < 1)
        return;
    process = sbi_report_process(reader->report, gpu);
    if (process == NULL)
        return;
    process->pid = reader->process.pid;
    process->memory = reader->process.memory;
    process->graphics = reader->process.graphics;
    process->command = sbi_report_text(reader->report, reader->process.name);
    if (process->memory != SBX_UNKNOWN)
        return;
    (void)snprintf(key, sizeof(key), "processes[%zu].memory", gpu->process_count - 1);
    sbi_report_note(reader->report, sbi_report_prefix(reader->report, gpu).text, key,
                    "%s",
                    reader->process.why[0] == '\0' ? "nvidia-smi does not tell"
                                                   : reader->process.why);
}

static void begin_gpu(struct reader *reader)
{
    struct sbi_report *report = reader->report;

    reader->gpu = sbi_report_gpu(report);
    if (reader->gpu == NULL) {
        report->public.gpus_known = 0;
        sbi_report_note(report, "", "gpus", "there are more than are read");
        return;
    }
    reader->gpu->vendor = sbi_report_text(report, "nvidia");
    reader->gpu->driver = sbi_report_text(report, reader->driver);
    reader->gpu->index = (int64_t)(report->public.gpu_count - 1 - reader->first);
    reader->gpu->mig = 0;
    reader->gpu->unified = 0;
    reader->gpu->processes_known = 0;
}

static void begin_instance(struct reader *reader)
{
    reader->instance = sbi_report_instance(reader->report, reader->gpu);
    if (reader->instance == NULL)
        return;
    reader->instance->vendor = reader->gpu->vendor;
    reader->instance->name = reader->gpu->name;
    reader->instance->bus = reader->gpu->bus;
    reader->instance->driver = reader->gpu->driver;
    reader->instance->mig = 0;
    reader->instance->unified = 0;
    reader->ids[reader->gpu->instance_count - 1] = (struct ids){SBX_UNKNOWN, SBX_UNKNOWN};
}

static void end_gpu(struct reader *reader)
{
    sbx_gpu *gpu = reader->gpu;
    size_t i;

    if (gpu->busy_percent != SBX_UNKNOWN)
        gpu->busy_samples = 1;
    for (i = 0; i < sizeof(unified_names) / sizeof(unified_names[0]); i++)
        if (gpu->memory_total == SBX_UNKNOWN && gpu->name != NULL && gpu->fault == NULL &&
            strstr(gpu->name, unified_names[i]) != NULL)
            gpu->unified = 1;
    for (i = 0; i < gpu->instance_count; i++)
        ((sbx_gpu *)(uintptr_t)gpu->instances[i])->processes_known = gpu->processes_known;
    reader->gpu = NULL;
}

static void open_element(struct reader *reader, const char *path)
{
    if (strcmp(path, ROOT "gpu") == 0) {
        begin_gpu(reader);
    } else if (reader->gpu == NULL) {
        return;
    } else if (strcmp(path, GPU "mig_devices/mig_device") == 0) {
        begin_instance(reader);
    } else if (strcmp(path, GPU "processes") == 0) {
        reader->gpu->processes_known = 1;
    } else if (strcmp(path, GPU "processes/process_info") == 0) {
        memset(&reader->process, 0, sizeof(reader->process));
        reader->process.memory = SBX_UNKNOWN;
        reader->process.ids = (struct ids){SBX_UNKNOWN, SBX_UNKNOWN};
    }
}

static void take_ids(struct reader *reader, const char *path, const char *text)
{
    struct ids *ids;

    if (reader->instance == NULL)
        return;
    ids = &reader->ids[reader->gpu->instance_count - 1];
    if (strcmp(path, MIG "gpu_instance_id") == 0)
        (void)sbi_value(text, SBI_UNIT_COUNT, &ids->gpu);
    else if (strcmp(path, MIG "compute_instance_id") == 0)
        (void)sbi_value(text, SBI_UNIT_COUNT, &ids->compute);
}

static void close_in_gpu(struct reader *reader, const char *path, const char *text)
{
    take_text(reader, path, text);
    take_number(reader, path, text);
    take_ecc(reader, path, text);
    take_process(reader, path, text);
    take_ids(reader, path, text);
    if (strcmp(path, GPU "processes") == 0 && text[0] != '\0' &&
        strcmp(text, "None") != 0)
        reader->gpu->processes_known = 0; /* "N/A" and not a list */
    else if (strcmp(path, GPU "processes/process_info") == 0)
        end_process(reader);
    else if (strcmp(path, GPU "mig_devices/mig_device") == 0)
        reader->instance = NULL;
    else if (strcmp(path, ROOT "gpu") == 0)
        end_gpu(reader);
}

/* "610.57.04 [Deprecated; ...]": newer drivers have other elements for it, and say so. */
static void take_version(struct reader *reader, const char *path, const char *text)
{
    char version[64];

    (void)snprintf(version, sizeof(version), "%.*s", (int)strspn(text, "0123456789."),
                   text);
    if (version[0] == '\0')
        return;
    if (strcmp(path, ROOT "driver_version") == 0 || strcmp(path, ROOT "kmd_version") == 0)
        memcpy(reader->driver, version, sizeof(version));
    else if (strcmp(path, ROOT "cuda_version") == 0 ||
             strcmp(path, ROOT "cuda_umd_version") == 0)
        reader->report->public.cuda = sbi_report_text(reader->report, version);
}

static void close_element(struct reader *reader, const char *path, const char *text)
{
    if (reader->gpu != NULL)
        close_in_gpu(reader, path, text);
    else
        take_version(reader, path, text);
}

void sbi_parse_nvidia(struct sbi_report *report, const char *text)
{
    struct reader reader = {.report = report, .first = report->public.gpu_count};
    struct sbi_xml xml = {.at = strchr(text, '<')};
    int event;

    while (xml.at != NULL && (event = sbi_xml_next(&xml)) != SBI_XML_END) {
        if (event == SBI_XML_OPEN)
            open_element(&reader, xml.path);
        else
            close_element(&reader, xml.path, xml.text);
    }
    if (reader.gpu != NULL) { /* cut off within one */
        if (reader.gpu->fault == NULL)
            reader.gpu->fault =
                sbi_report_text(report, "what nvidia-smi told was cut off");
        end_gpu(&reader);
    }
}

/* "GPU 0: NAME (UUID: GPU-...)", then "  MIG 3g.40gb     Device  0: (UUID: MIG-...)". */
void sbi_parse_nvidia_list(struct sbi_report *report, const char *text)
{
    const sbx_gpu *gpu = NULL;
    sbx_gpu *instance;
    char line[LINE], uuid[LINE], profile[32];
    long long index;
    const char *at;
    size_t i;

    while (sbi_next_line(&text, line, sizeof(line))) {
        at = strstr(line, "(UUID: ");
        if (at == NULL || sscanf(at + 7, "%255[^) ]", uuid) != 1)
            continue;
        for (i = 0; strncmp(line, "GPU ", 4) == 0 && i < report->public.gpu_count; i++)
            if (report->gpus[i]->uuid != NULL && strcmp(report->gpus[i]->uuid, uuid) == 0)
                gpu = report->gpus[i];
        if (gpu == NULL || sscanf(line, " MIG %31s Device %9lld:", profile, &index) != 2)
            continue;
        for (i = 0; i < gpu->instance_count; i++) {
            instance = (sbx_gpu *)(uintptr_t)gpu->instances[i];
            if (instance->index != index)
                continue;
            instance->uuid = sbi_report_text(report, uuid);
            instance->profile = sbi_report_text(report, profile);
        }
    }
}

/* Adds to the sum of one GPU's samples; false for a line that is of another, or cut. */
static bool add_sample(const char *line, const char *uuid, int64_t *total)
{
    size_t length = strlen(uuid);
    int64_t busy;

    if (strncmp(line, uuid, length) != 0 || line[length] != ',' ||
        !sbi_value(line + length + 1, SBI_UNIT_PERCENT, &busy))
        return false;
    *total += busy;
    return true;
}

/* "GPU-..., 65": one line a GPU and sample; the last may be cut. */
void sbi_parse_nvidia_use(struct sbi_report *report, const char *text)
{
    char line[LINE];
    size_t i;

    for (i = 0; i < report->public.gpu_count; i++) {
        sbx_gpu *gpu = (sbx_gpu *)(uintptr_t)report->gpus[i];
        int64_t total = gpu->busy_percent;
        const char *at = text;

        if (gpu->uuid == NULL || gpu->busy_samples == SBX_UNKNOWN)
            continue;
        while (sbi_next_line(&at, line, sizeof(line)))
            gpu->busy_samples += add_sample(line, gpu->uuid, &total);
        gpu->busy_percent = (total + gpu->busy_samples / 2) / gpu->busy_samples;
    }
}
