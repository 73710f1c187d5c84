/* parse.c - the order in which the parts of a probe are read, and what they share. */
#include "probe/parse.h"

#include "probe/lease_record.h"
#include "probe/score.h"
#include "probe/value.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LINE 1024

void sbi_parse_value(struct sbi_report *report, const char *prefix, const char *key,
                     const char *text, int unit, int64_t *out)
{
    if (text == NULL || *out != SBX_UNKNOWN)
        return;
    if (!sbi_value(text, unit, out))
        sbi_report_note(report, prefix, key, "%.60s", text[0] == '\0' ? "empty" : text);
}

static sbx_gpu_process *process_of(const sbx_gpu *gpu, int64_t pid)
{
    size_t i;

    for (i = 0; i < gpu->process_count; i++)
        if (gpu->processes[i]->pid == pid)
            return (sbx_gpu_process *)(uintptr_t)gpu->processes[i];
    return NULL;
}

static void tell_owner(struct sbi_report *report, const sbx_gpu *gpu, int64_t pid,
                       const char *user, const char *command)
{
    sbx_gpu_process *process = process_of(gpu, pid);
    size_t i;

    if (process != NULL) {
        process->user = sbi_report_text(report, user);
        if (command[0] != '\0')
            process->command = sbi_report_text(report, command);
    }
    for (i = 0; i < gpu->instance_count; i++)
        tell_owner(report, gpu->instances[i], pid, user, command);
}

void sbi_parse_owners(struct sbi_report *report, const char *text)
{
    char line[LINE], *rest, *user;
    int64_t pid;
    size_t i;

    while (sbi_next_line(&text, line, sizeof(line))) {
        rest = line + strspn(line, " ");
        if (sbi_parse_numbers(rest, &pid, 1) != 1 || rest[0] < '0' || rest[0] > '9')
            continue;
        rest += strspn(rest, "0123456789");
        rest += strspn(rest, " ");
        user = strsep(&rest, " ");
        if (rest != NULL)
            for (i = 0; i < report->public.gpu_count; i++)
                tell_owner(report, report->gpus[i], pid, user, rest + strspn(rest, " "));
    }
}

/* What a tool said went wrong: its first line that is no markup. */
static void first_words(const char *text, char *out, size_t room)
{
    char line[256];

    out[0] = '\0';
    while (out[0] == '\0' && sbi_next_line(&text, line, sizeof(line)))
        if (line[strspn(line, " ")] != '\0' && line[strspn(line, " ")] != '<')
            (void)snprintf(out, room, "%s", line + strspn(line, " "));
}

/* "Unable to determine the device handle for GPU 0000:0B:00.0: GPU is lost. ..." */
static void add_lost(struct sbi_report *report, const char *text)
{
    const char *mark = "Unable to determine the device handle for";
    char line[256], bus[32];
    const char *at;
    sbx_gpu *gpu;

    while (sbi_next_line(&text, line, sizeof(line))) {
        at = strstr(line, mark);
        if (at == NULL)
            continue;
        at += strlen(mark);
        at += strspn(at, " GPUgpu");
        gpu = sbi_report_gpu(report);
        if (gpu == NULL)
            return;
        (void)snprintf(bus, sizeof(bus), "%.*s",
                       (int)strspn(at, "0123456789abcdefABCDEF:."), at);
        if (bus[0] != '\0' && bus[strlen(bus) - 1] == ':')
            bus[strlen(bus) - 1] = '\0';
        gpu->vendor = sbi_report_text(report, "nvidia");
        gpu->bus = sbi_report_text(report, bus);
        gpu->fault = sbi_report_text(report, line);
        gpu->mig = gpu->unified = 0;
    }
}

static void not_known(struct sbi_report *report, const char *tool, const char *why)
{
    report->public.gpus_known = 0;
    sbi_report_note(report, "", "gpus", "%s %s", tool, why);
}

/* True where its text is to be read: it ended, be it badly. */
static bool look_at_end(struct sbi_report *report, const char *tool, const char *end,
                        const char *text)
{
    char why[400], words[256];

    if (strncmp(end, "late", 4) == 0) {
        not_known(report, tool,
                  end[4] == '\0' ? "did not answer in time"
                                 : "did not answer in time, and cannot be killed");
        return false;
    }
    if (strncmp(end, "stuck ", 6) == 0) {
        (void)snprintf(why, sizeof(why),
                       "was not started: an earlier one still hangs (pid %s)", end + 6);
        not_known(report, tool, why);
        return false;
    }
    if (strcmp(end, "0") == 0)
        return true;
    first_words(text, words, sizeof(words));
    if (strcmp(end, "6") == 0 && strstr(words, "No devices were found") != NULL)
        return false;
    (void)snprintf(why, sizeof(why), "failed with status %.20s: %s", end,
                   words[0] == '\0' ? "it does not say why" : words);
    not_known(report, tool, why);
    return true;
}

/* Hardware without the tool that tells of it. */
static void look_at_bus(struct sbi_report *report, const struct sbi_sections *sections,
                        const char *vendor, const char *tool)
{
    char line[LINE];
    const char *at;
    size_t i;

    for (i = 0; i < sections->count; i++) {
        if (strcmp(sections->list[i].name, "pci") != 0)
            continue;
        at = sections->list[i].body;
        while (sbi_next_line(&at, line, sizeof(line)))
            if (strncmp(line, vendor, strlen(vendor)) == 0) {
                report->public.gpus_known = 0;
                sbi_report_note(report, "", "gpus", "a GPU at %.40s, and no %s there",
                                line + strlen(vendor) + 1, tool);
                return;
            }
    }
}

static const char *text_of_tool(const struct sbi_sections *sections, const char *tool)
{
    const char *end = NULL;

    return sbi_section_tool(sections, tool, &end);
}

static void read_nvidia(struct sbi_report *report, const struct sbi_sections *sections)
{
    const char *end = NULL;
    const char *text = sbi_section_tool(sections, "nvidia-smi", &end);
    const char *more;

    if (text == NULL)
        return;
    if (strcmp(end, "missing") == 0) {
        look_at_bus(report, sections, "0x10de", "nvidia-smi");
        return;
    }
    if (!look_at_end(report, "nvidia-smi", end, text))
        return;
    sbi_parse_nvidia(report, text);
    add_lost(report, text);
    if (report->public.gpu_count == 0 && strcmp(end, "0") == 0)
        not_known(report, "nvidia-smi", "told nothing that is understood");
    if ((more = text_of_tool(sections, "nvidia-list")) != NULL)
        sbi_parse_nvidia_list(report, more);
    if ((more = text_of_tool(sections, "nvidia-use")) != NULL)
        sbi_parse_nvidia_use(report, more);
}

static void read_amd(struct sbi_report *report, const struct sbi_sections *sections)
{
    const char *end = NULL;
    const char *text = sbi_section_tool(sections, "rocm-smi", &end);

    if (text != NULL && strcmp(end, "missing") == 0)
        look_at_bus(report, sections, "0x1002", "rocm-smi");
    else if (text != NULL && look_at_end(report, "rocm-smi", end, text))
        sbi_parse_rocm(report, text);
    text = sbi_section_tool(sections, "amd-metric", &end);
    if (text != NULL && look_at_end(report, "amd-smi", end, text))
        sbi_parse_amd(report, text_of_tool(sections, "amd-list"),
                      text_of_tool(sections, "amd-static"), text,
                      text_of_tool(sections, "amd-process"));
}

/* What the tools leave to be worked out: free memory, and memory that nobody shows. */
static void complete_gpu(struct sbi_report *report, sbx_gpu *gpu)
{
    int64_t held = 0;
    size_t i;

    if (gpu->unified == 1) {
        gpu->memory_total = report->public.memory_total;
        gpu->memory_free = report->public.memory_available;
        if (gpu->memory_total != SBX_UNKNOWN && gpu->memory_free != SBX_UNKNOWN)
            gpu->memory_used = gpu->memory_total - gpu->memory_free;
    }
    if (gpu->memory_free == SBX_UNKNOWN && gpu->memory_total != SBX_UNKNOWN &&
        gpu->memory_used != SBX_UNKNOWN && gpu->memory_used <= gpu->memory_total)
        gpu->memory_free = gpu->memory_total - gpu->memory_used;
    for (i = 0; i < gpu->process_count && held != SBX_UNKNOWN; i++)
        held = gpu->processes[i]->memory == SBX_UNKNOWN
                   ? SBX_UNKNOWN
                   : held + gpu->processes[i]->memory;
    if (gpu->processes_known && held != SBX_UNKNOWN && gpu->unified == 0 &&
        gpu->memory_used != SBX_UNKNOWN && gpu->instance_count == 0)
        gpu->memory_unseen = gpu->memory_used > held ? gpu->memory_used - held : 0;
    for (i = 0; i < gpu->instance_count; i++)
        complete_gpu(report, (sbx_gpu *)(uintptr_t)gpu->instances[i]);
}

static void lease_gpu(struct sbi_report *report, sbx_gpu *gpu, const sbx_lease *lease)
{
    bool is_it = (gpu->uuid != NULL && strcmp(gpu->uuid, lease->gpu) == 0) ||
                 (gpu->bus != NULL && strcmp(gpu->bus, lease->gpu) == 0);
    size_t i;

    if (is_it) {
        gpu->leased = 1;
        gpu->lease_user = sbi_report_text(report, lease->user);
        gpu->lease_purpose = sbi_report_text(report, lease->purpose);
    }
    for (i = 0; i < gpu->instance_count; i++)
        lease_gpu(report, (sbx_gpu *)(uintptr_t)gpu->instances[i], lease);
}

static void nobodys(sbx_gpu *gpu)
{
    size_t i;

    gpu->leased = 0;
    for (i = 0; i < gpu->instance_count; i++)
        nobodys((sbx_gpu *)(uintptr_t)gpu->instances[i]);
}

/* Without the section it is not known who has a lease. */
static void read_leases(struct sbi_report *report, const struct sbi_sections *sections)
{
    const char *at = NULL;
    sbx_lease lease;
    char line[LINE];
    size_t i;

    for (i = 0; i < sections->count && at == NULL; i++)
        if (strcmp(sections->list[i].name, "leases") == 0)
            at = sections->list[i].body;
    for (i = 0; at != NULL && i < report->public.gpu_count; i++)
        nobodys((sbx_gpu *)(uintptr_t)report->gpus[i]);
    while (at != NULL && sbi_next_line(&at, line, sizeof(line)))
        if (sbi_lease_read(line, &lease))
            for (i = 0; i < report->public.gpu_count; i++)
                lease_gpu(report, (sbx_gpu *)(uintptr_t)report->gpus[i], &lease);
}

void sbi_parse_gpus(struct sbi_report *report, const struct sbi_sections *sections)
{
    size_t i;

    report->public.gpus_known = 1;
    if (sbi_section_value(sections, "unwritable") != NULL)
        not_known(report, "nvidia-smi",
                  "was not started: there is no folder to write to");
    read_nvidia(report, sections);
    read_amd(report, sections);
    for (i = 0; i < sections->count; i++)
        if (strcmp(sections->list[i].name, "owners") == 0)
            sbi_parse_owners(report, sections->list[i].body);
    for (i = 0; i < report->public.gpu_count; i++)
        complete_gpu(report, (sbx_gpu *)(uintptr_t)report->gpus[i]);
    read_leases(report, sections);
}

/* A probe that was cut off while the GPUs were looked at still tells of the machine. */
int sbi_probe_parse(struct sbi_report *report, const struct sbi_sections *sections,
                    sbx_error *err)
{
    if (sbi_section_value(sections, "pci") == NULL)
        return sbi_fail(err, SBX_ERR_REMOTE,
                        "the script ended before it had told of the machine");
    sbi_parse_host(report, sections);
    sbi_parse_cgroups(report, sections);
    sbi_parse_disks(report, sections);
    sbi_parse_gpus(report, sections);
    if (sbi_section_value(sections, "end") == NULL)
        not_known(report, "the script", "was cut off");
    sbi_report_finish(report);
    report->public.idle_score = sbi_score_idle(&report->public);
    if (report->status != SBX_OK)
        return sbi_fail(err, report->status, "read a probe: out of memory");
    return SBX_OK;
}
