/* cmd_probe.c - `probe`: how busy places are. */
#include "cmd.h"
#include "probing.h"

#include <stdio.h>
#include <stdlib.h>

struct values {
    int64_t all;
    int64_t timeout_ms;
    int64_t sample_ms;
    const char *folder;
};

static const struct opt options[] = {
    {'a', "all", NULL, OPT_FLAG, offsetof(struct values, all),
     "Every place that is known by name", NULL, 0, 0, NULL},
    {'t', "timeout", "SECONDS", OPT_SECONDS, offsetof(struct values, timeout_ms),
     "Take this long for a place at most", NULL, 0, 0, NULL},
    {0, "sample", "SECONDS", OPT_SECONDS, offsetof(struct values, sample_ms),
     "Between the two looks at the CPUs; 0.1 to 10, 0.5 by default", NULL, 0, 0, NULL},
    {'C', "cwd", "DIR", OPT_TEXT, offsetof(struct values, folder),
     "The folder there whose disk is told of", opt_check_filled, 0, 0, NULL},
    OPT_END,
};

static const char *or_unknown(const char *text)
{
    return text == NULL ? "?" : text;
}

/* A number in thousandths with one digit behind the point, or "?". */
static void add_milli(struct text *line, int64_t milli)
{
    if (milli == SBX_UNKNOWN)
        text_add(line, "?");
    else
        text_addf(line, "%.1f", (double)milli / 1000);
}

static void add_number(struct text *line, int64_t number, const char *unit)
{
    if (number == SBX_UNKNOWN)
        text_addf(line, "?%s", unit);
    else
        text_addf(line, "%lld%s", (long long)number, unit);
}

static void add_of(struct text *line, int64_t part, int64_t whole, const char *what)
{
    probing_add_size(line, part);
    text_addf(line, " %s of ", what);
    probing_add_size(line, whole);
}

static void add_host(struct text *out, const sbx_probe_report *report)
{
    text_addf(out, "%s: %s %s %s", report->place, or_unknown(report->system),
              or_unknown(report->kernel), or_unknown(report->machine));
    if (report->uptime_s != SBX_UNKNOWN)
        text_addf(out, ", up %lld d %lld h", (long long)(report->uptime_s / 86400),
                  (long long)(report->uptime_s / 3600 % 24));
    text_add(out, ", users: ");
    add_number(out, report->users, "");
    if (report->scheduler != NULL)
        text_addf(out, "; %s hands it out", report->scheduler);
    text_addf(out, "\n    idle     %.2f of 1\n    cpu      ", report->idle_score);
    add_number(out, report->cpu_count, " CPUs, ");
    add_number(out,
               report->cpu_busy_milli == SBX_UNKNOWN ? SBX_UNKNOWN
                                                     : (report->cpu_busy_milli + 5) / 10,
               "% busy, load ");
    add_milli(out, report->load1_milli);
    if (report->cpu_count != SBX_UNKNOWN &&
        report->cpu_limit_milli != report->cpu_count * 1000) {
        text_add(out, ", we may use ");
        add_milli(out, report->cpu_limit_milli);
    }
    text_add(out, "\n    memory   ");
    add_of(out, report->memory_available, report->memory_limit, "free");
    text_add(out, ", swap ");
    add_of(out, report->swap_free, report->swap_total, "free");
    text_add(out, "\n");
}

static void add_disks(struct text *out, const sbx_probe_report *report)
{
    size_t i;

    for (i = 0; i < report->disk_count; i++) {
        const sbx_probe_disk *disk = report->disks[i];

        text_addf(out, "    disk     ");
        add_of(out, disk->free, disk->total, "free");
        text_addf(out, "  %s %s\n", or_unknown(disk->name), or_unknown(disk->path));
    }
}

static void add_processes(struct text *out, const sbx_gpu *gpu)
{
    size_t i;

    for (i = 0; i < gpu->process_count; i++) {
        const sbx_gpu_process *process = gpu->processes[i];

        text_add(out, "               ");
        probing_add_size(out, process->memory);
        text_addf(out, "  %s  %lld  %.80s\n", or_unknown(process->user),
                  (long long)process->pid, or_unknown(process->command));
    }
    if (gpu->memory_unseen != SBX_UNKNOWN && gpu->memory_unseen >= 1 << 30) {
        text_add(out, "               ");
        probing_add_size(out, gpu->memory_unseen);
        text_add(out, "  held by no process that is to be seen\n");
    }
}

static void add_gpu(struct text *out, const sbx_gpu *gpu, const char *word)
{
    size_t i;

    text_addf(out, "    %s ", word);
    add_number(out, gpu->index, "");
    text_addf(out, "    %s  ",
              gpu->profile != NULL ? gpu->profile : or_unknown(gpu->name));
    if (gpu->fault != NULL)
        text_addf(out, "cannot be used: %s\n", gpu->fault);
    if (gpu->fault == NULL) {
        add_of(out, gpu->memory_free, gpu->memory_total, "free");
        text_add(out, ", ");
        add_number(out, gpu->busy_percent, "% busy");
        text_add(out, "\n");
    }
    add_processes(out, gpu);
    for (i = 0; i < gpu->instance_count; i++)
        add_gpu(out, gpu->instances[i], "  mig");
}

/* Why what matters most is not known. */
static void add_reasons(struct text *out, const sbx_probe_report *report)
{
    static const char *const fields[] = {"cpu_count", "cpu_busy", "memory_total",
                                         "memory_available", "gpus"};
    const char *why;
    size_t i;

    for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
        if ((why = sbx_probe_why(report, fields[i])) != NULL)
            text_addf(out, "    unknown  %s: %s\n", fields[i], why);
    if (report->gpus_known && report->gpu_count == 0)
        text_add(out, "    gpu      none\n");
}

static void print_report(const sbx_probe_report *report)
{
    AUTO_TEXT out = {0};
    size_t i;

    add_host(&out, report);
    add_disks(&out, report);
    for (i = 0; i < report->gpu_count; i++)
        add_gpu(&out, report->gpus[i], "gpu");
    add_reasons(&out, report);
    (void)fputs(out.data, stdout);
}

static int print_all(const struct app *app, const struct probing *probing)
{
    int worst = 0;
    size_t i;

    for (i = 0; i < probing->count; i++) {
        const struct probed *probed = &probing->all[i];

        if (probed->report != NULL && app->json)
            out_json(sbx_probe_json(probed->report));
        else if (probed->report != NULL)
            print_report(probed->report);
        else if (app->json)
            probing_print_error(probed);
        (void)fflush(stdout);
        if (probed->report == NULL) {
            int status = out_status(probed->error.code);

            out_error(&probed->error);
            worst = status > worst ? status : worst;
        }
    }
    return worst;
}

static int run_probe(struct app *app, const void *values, const struct words *operands)
{
    const struct values *given = values;
    const struct probing_opts opts = {.limit_ms = given->timeout_ms,
                                      .sample_ms = given->sample_ms,
                                      .folder = given->folder};
    AUTO_PLACES places = {0};
    AUTO_PROBING probing = {0};
    sbx_error err = {0};

    if (!given->all && operands->count == 0)
        return app_misused(app, "no PLACE given, and no --all");
    if (places_prepare(&places, app, operands, given->all, true, &err) < 0)
        return app_failed(app, &err);
    if (probing_run(&probing, app, &places, &opts, &err) < 0)
        return app_failed(app, &err);
    return print_all(app, &probing);
}

const struct cmd cmd_probe = {
    .name = "probe",
    .usage = "[OPTION]... PLACE...",
    .help = "Tell how busy places are: CPUs, memory, disks, GPUs and who is on them",
    .about =
        "Each place is asked once, all at the same time; it takes about half a second, in "
        "which its CPUs are looked at twice. What cannot be learnt is told as '?', and why "
        "below.",
    .examples = "probe gpu1\nprobe @lab local\nprobe --all --json",
    .options = options,
    .values_size = sizeof(struct values),
    .most = CMD_ANY_NUMBER,
    .operand = "PLACE",
    .completes = "places",
    .run = run_probe,
};
