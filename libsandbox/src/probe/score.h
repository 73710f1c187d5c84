/* score.h - how free a host and its GPUs are. docs/gpus.md has the formulas. */
#ifndef SANDBOX_PROBE_SCORE_H
#define SANDBOX_PROBE_SCORE_H

#include <sandbox/probe.h>

/* 0 to 1; what is unknown counts as taken. */
double sbi_score_idle(const sbx_probe_report *report);

/* The same for a GPU, or an instance of one. */
double sbi_score_gpu(const sbx_gpu *gpu);

/*
 * NULL where nobody uses it, else why it is taken: "80% of its memory is in use". The
 * text is put to room, or is constant.
 */
const char *sbi_score_taken(const sbx_gpu *gpu, char *room, size_t size);

/* whole is the GPU that gpu is an instance of, or NULL. */
typedef void (*sbi_score_fn)(const sbx_gpu *gpu, const sbx_gpu *whole, void *userdata);

/* Calls fn with each GPU that can be used: of one that is split, with its instances. */
void sbi_score_each_gpu(const sbx_probe_report *report, sbi_score_fn fn, void *userdata);

/* Idle CPUs that we may use, in thousandths, or SBX_UNKNOWN. */
int64_t sbi_score_idle_cpus(const sbx_probe_report *report);

#endif
