/*
 * report.h - a report while it is made. What hangs on it is its own, and goes with it.
 *
 * Every number starts as SBX_UNKNOWN. No call here fails: where there is no memory, or
 * a limit is met, `status` says so from then on, and what was to be added is left out.
 */
#ifndef SANDBOX_PROBE_REPORT_H
#define SANDBOX_PROBE_REPORT_H

#include "base/error.h"

#include <sandbox/probe.h>

struct sbi_owned;

struct sbi_report {
    sbx_probe_report public; /* first: the public pointer is ours too */
    struct sbi_owned *owned;
    const sbx_probe_disk **disks;
    const sbx_gpu **gpus;
    const sbx_probe_note **notes;
    int status;
};

/* NULL where there is no memory. */
struct sbi_report *sbi_report_new(const char *place);

/* Zeroed memory of the report's, or NULL. */
void *sbi_report_room(struct sbi_report *report, size_t size);

/* A copy; NULL for NULL, for "" and where there is no memory. */
const char *sbi_report_text(struct sbi_report *report, const char *text);
const char *sbi_report_textf(struct sbi_report *report, const char *format, ...)
    SBI_PRINTF(2, 3);

/* NULL past a limit of 8 disks, 64 GPUs, 16 instances of one and 256 processes of one. */
sbx_probe_disk *sbi_report_disk(struct sbi_report *report);
sbx_gpu *sbi_report_gpu(struct sbi_report *report);
sbx_gpu *sbi_report_instance(struct sbi_report *report, sbx_gpu *gpu);
sbx_gpu_process *sbi_report_process(struct sbi_report *report, sbx_gpu *gpu);

/* Says why a field is not known: "PREFIX.KEY", or KEY where prefix is "". First one wins.
 */
void sbi_report_note(struct sbi_report *report, const char *prefix, const char *key,
                     const char *format, ...) SBI_PRINTF(4, 5);

/* Any number that is unknown without a note gets one. */
void sbi_report_finish(struct sbi_report *report);

/* "gpus[2]" and "gpus[2].instances[0]", as notes name them. */
struct sbi_prefix {
    char text[80];
};
struct sbi_prefix sbi_report_prefix(const struct sbi_report *report, const sbx_gpu *gpu);

#endif
