#include "survey.h"

#include "parallel.h"

#include <stdlib.h>

enum { LIMIT_MS = 12000 };

static void ask(size_t index, void *userdata)
{
    struct survey *one = (struct survey *)userdata + index;
    const sbx_probe_opts opts = {
        .size = sizeof(opts), .timeout_ms = LIMIT_MS, .cancel = one->call->cancel};
    AUTO_SESSION session = NULL;

    if (fleet_session(one->call, one->host, &session, &one->error) == SBX_OK)
        (void)sbx_probe(session, &opts, &one->report, &one->error);
}

struct survey *survey_run(struct call *call, const sbx_host *const *hosts, size_t count)
{
    struct survey *all = own_zeroed(count, sizeof(*all));
    size_t i;

    for (i = 0; i < count; i++)
        all[i] = (struct survey){.call = call, .host = hosts[i]};
    parallel_run(count, ask, all);
    return all;
}

void survey_free(struct survey *all, size_t count)
{
    size_t i;

    for (i = 0; i < count; i++)
        sbx_probe_report_free(all[i].report);
    free(all);
}

static double gibibytes(int64_t bytes)
{
    return (double)(int64_t)((double)bytes / (1 << 30) * 10 + 0.5) / 10;
}

static void add_size(tree *parent, const char *name, int64_t bytes)
{
    if (bytes != SBX_UNKNOWN)
        tree_add_number(parent, name, gibibytes(bytes));
}

static void add_gpus(tree *one, const sbx_probe_report *report)
{
    tree *list = tree_add_array(one, "gpus");
    size_t i;

    for (i = 0; i < report->gpu_count; i++) {
        const sbx_gpu *gpu = report->gpus[i];
        tree *item = tree_add_object(list, NULL);

        tree_add_text(item, "name", gpu->name);
        add_size(item, "memory_gb", gpu->memory_total);
        add_size(item, "free_gb", gpu->memory_free);
        if (gpu->busy_percent != SBX_UNKNOWN)
            tree_add_int(item, "busy_percent", gpu->busy_percent);
        tree_add_text(item, "fault", gpu->fault);
    }
}

static void add_numbers(tree *one, const sbx_probe_report *report)
{
    tree_add_number(one, "idle_score", report->idle_score);
    if (report->cpu_count != SBX_UNKNOWN)
        tree_add_int(one, "cpus", report->cpu_count);
    if (report->cpu_busy_milli != SBX_UNKNOWN)
        tree_add_int(one, "cpu_busy_percent", report->cpu_busy_milli / 10);
    add_size(one, "memory_gb", report->memory_limit);
    add_size(one, "memory_free_gb", report->memory_available);
    tree_add_text(one, "scheduler", report->scheduler);
    if (report->gpus_known || report->gpu_count > 0)
        add_gpus(one, report);
}

void survey_add(struct call *call, const sbx_host *const *hosts, size_t count, tree *list)
{
    struct survey *all = survey_run(call, hosts, count);
    size_t i;

    for (i = 0; i < count; i++) {
        tree *one = tree_add_object(list, NULL);

        tree_add_text(one, "name", hosts[i]->name);
        tree_add_text(one, "state", all[i].report != NULL ? "reachable" : "failed");
        if (all[i].report != NULL)
            add_numbers(one, all[i].report);
        else
            tree_add_text(one, "why", all[i].error.text);
    }
    survey_free(all, count);
}

static void card_gpus(struct text *out, const sbx_probe_report *report)
{
    size_t i;

    if (report->gpu_count == 0)
        text_add(out, report->gpus_known ? "no GPU" : "GPUs unknown");
    for (i = 0; i < report->gpu_count && i < 8; i++) {
        const sbx_gpu *gpu = report->gpus[i];

        text_addf(out, "%sGPU %zu %s", i > 0 ? ", " : "", i,
                  gpu->name != NULL ? gpu->name : "of unknown make");
        if (gpu->fault != NULL)
            text_addf(out, " (%.40s)", gpu->fault);
        else if (gpu->memory_free != SBX_UNKNOWN && gpu->memory_total != SBX_UNKNOWN)
            text_addf(out, " %.1f of %.1f GiB free", gibibytes(gpu->memory_free),
                      gibibytes(gpu->memory_total));
    }
    text_add(out, "\n");
}

void survey_card(struct text *out, const sbx_probe_report *report)
{
    size_t i;

    text_addf(out, "%s: %s %s %s\n", report->place,
              report->system != NULL ? report->system : "unknown system",
              report->kernel != NULL ? report->kernel : "",
              report->machine != NULL ? report->machine : "");
    if (report->cpu_count != SBX_UNKNOWN && report->cpu_busy_milli != SBX_UNKNOWN)
        text_addf(out, "%lld CPUs, %lld%% busy\n", (long long)report->cpu_count,
                  (long long)report->cpu_busy_milli / 10);
    if (report->memory_available != SBX_UNKNOWN && report->memory_limit != SBX_UNKNOWN)
        text_addf(out, "memory %.1f of %.1f GiB free\n",
                  gibibytes(report->memory_available), gibibytes(report->memory_limit));
    card_gpus(out, report);
    if (report->scheduler != NULL)
        text_addf(out, "jobs go through %s here\n", report->scheduler);
    for (i = 0; i < report->note_count && i < 3; i++)
        text_addf(out, "note: %.40s: %.80s\n", report->notes[i]->field,
                  report->notes[i]->why);
}
