/*
 * parse.h - from what the script printed to a report. Nothing here can fail but for
 * memory (report->status): what is not understood is a note.
 */
#ifndef SANDBOX_PROBE_PARSE_H
#define SANDBOX_PROBE_PARSE_H

#include "probe/report.h"
#include "probe/sections.h"

/* Reads all of it. Fails where the script ended before it had told of the machine. */
int sbi_probe_parse(struct sbi_report *report, const struct sbi_sections *sections,
                    sbx_error *err);

/* Their clock, in milliseconds since the epoch. */
bool sbi_parse_clock(const struct sbi_sections *sections, int64_t *out);

void sbi_parse_host(struct sbi_report *report, const struct sbi_sections *sections);
/* Needs what sbi_parse_host has read. */
void sbi_parse_cgroups(struct sbi_report *report, const struct sbi_sections *sections);
void sbi_parse_disks(struct sbi_report *report, const struct sbi_sections *sections);

/* Each reads what a tool printed, and adds the GPUs in it. */
void sbi_parse_nvidia(struct sbi_report *report, const char *text);
void sbi_parse_nvidia_list(struct sbi_report *report, const char *text);
void sbi_parse_nvidia_use(struct sbi_report *report, const char *text);
void sbi_parse_rocm(struct sbi_report *report, const char *text);
/* The four texts of amd-smi; any may be NULL. */
void sbi_parse_amd(struct sbi_report *report, const char *list, const char *asic,
                   const char *metric, const char *process);

/* Says who the processes on the GPUs are: lines of "PID USER COMMAND". */
void sbi_parse_owners(struct sbi_report *report, const char *text);

/* All GPU tools of a probe: how they ended, and why GPUs are not known. */
void sbi_parse_gpus(struct sbi_report *report, const struct sbi_sections *sections);

/* Reads a number of a field, or notes what stands there instead. NULL tells nothing. */
void sbi_parse_value(struct sbi_report *report, const char *prefix, const char *key,
                     const char *text, int unit, int64_t *out);

/* The runs of digits in text: how many were put to out. */
size_t sbi_parse_numbers(const char *text, int64_t *out, size_t most);

/* "0-3,8" is 5; 0 where it is no such list. */
int64_t sbi_parse_cpu_list(const char *text);

#endif
