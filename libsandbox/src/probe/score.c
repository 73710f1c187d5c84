#include "probe/score.h"

#include <stdio.h>

#define MEBIBYTE ((int64_t)1 << 20)
#define BUSY_HOLDS (256 * MEBIBYTE) /* of one process that computes */
#define BUSY_USED (1024 * MEBIBYTE) /* a driver and a desktop hold less */

static double share(int64_t part, int64_t whole)
{
    if (part == SBX_UNKNOWN || whole == SBX_UNKNOWN || whole <= 0 || part <= 0)
        return 0;
    return part >= whole ? 1 : (double)part / (double)whole;
}

double sbi_score_gpu(const sbx_gpu *gpu)
{
    double idle = 0;

    if (gpu->fault != NULL)
        return 0;
    if (gpu->busy_percent != SBX_UNKNOWN)
        idle = share(100 - gpu->busy_percent, 100);
    return 0.6 * share(gpu->memory_free, gpu->memory_total) + 0.4 * idle;
}

/* The process that computes and holds most, if it holds what counts; or NULL. */
static const sbx_gpu_process *holder_of(const sbx_gpu *gpu)
{
    const sbx_gpu_process *most = NULL;
    size_t i;

    for (i = 0; i < gpu->process_count; i++) {
        const sbx_gpu_process *process = gpu->processes[i];

        if (process->graphics != 1 && process->memory != SBX_UNKNOWN &&
            process->memory >= (most == NULL ? BUSY_HOLDS : most->memory))
            most = process;
    }
    return most;
}

const char *sbi_score_taken(const sbx_gpu *gpu, char *room, size_t size)
{
    const sbx_gpu_process *holder = holder_of(gpu);

    if (gpu->leased == 1) {
        (void)snprintf(room, size, "leased by %.40s%s%.80s",
                       gpu->lease_user == NULL ? "somebody" : gpu->lease_user,
                       gpu->lease_purpose == NULL ? "" : " for ",
                       gpu->lease_purpose == NULL ? "" : gpu->lease_purpose);
        return room;
    }
    if (holder != NULL) {
        (void)snprintf(room, size, "%.60s of %.40s (pid %lld) holds %lld MiB",
                       holder->command == NULL ? "a process" : holder->command,
                       holder->user == NULL ? "somebody" : holder->user,
                       (long long)holder->pid, (long long)(holder->memory / MEBIBYTE));
        return room;
    }
    if (gpu->unified == 1 || gpu->memory_used == SBX_UNKNOWN ||
        gpu->memory_total == SBX_UNKNOWN)
        return NULL;
    if (gpu->memory_used <= BUSY_USED || gpu->memory_used <= gpu->memory_total / 10)
        return NULL;
    (void)snprintf(room, size, "%lld MiB are in use%s",
                   (long long)(gpu->memory_used / MEBIBYTE),
                   gpu->memory_unseen != SBX_UNKNOWN && gpu->memory_unseen > BUSY_USED
                       ? " by no process that is to be seen"
                       : "");
    return room;
}

void sbi_score_each_gpu(const sbx_probe_report *report, sbi_score_fn fn, void *userdata)
{
    size_t i, j;

    for (i = 0; i < report->gpu_count; i++) {
        const sbx_gpu *gpu = report->gpus[i];

        if (gpu->mig != 1)
            fn(gpu, NULL, userdata);
        for (j = 0; j < gpu->instance_count; j++)
            fn(gpu->instances[j], gpu, userdata);
    }
}

int64_t sbi_score_idle_cpus(const sbx_probe_report *report)
{
    int64_t idle;

    if (report->cpu_count == SBX_UNKNOWN || report->cpu_busy_milli == SBX_UNKNOWN ||
        report->cpu_limit_milli == SBX_UNKNOWN)
        return SBX_UNKNOWN;
    idle = report->cpu_count * (1000 - report->cpu_busy_milli);
    return idle < report->cpu_limit_milli ? idle : report->cpu_limit_milli;
}

struct mean {
    double total;
    size_t count;
};

static void add_gpu(const sbx_gpu *gpu, const sbx_gpu *whole, void *userdata)
{
    struct mean *mean = userdata;

    (void)whole;
    mean->total += sbi_score_gpu(gpu);
    mean->count++;
}

double sbi_score_idle(const sbx_probe_report *report)
{
    double cpus = share(sbi_score_idle_cpus(report), report->cpu_limit_milli);
    double memory = share(report->memory_available, report->memory_limit);
    double host = cpus < memory ? cpus : memory;
    struct mean gpus = {0};

    sbi_score_each_gpu(report, add_gpu, &gpus);
    if (gpus.count == 0)
        return report->gpus_known ? host : host * 0.3;
    return 0.7 * gpus.total / (double)gpus.count + 0.3 * host;
}
