/*
 * pick.c - hard needs first, each with its reason, then the score.
 *
 * The score prefers what is just enough, so that large GPUs, and hosts with any, stay
 * free for those who need them; then what is empty over what is quiet, as a GPU whose
 * memory is held is somebody's, however little it does right now.
 */
#include <sandbox/pick.h>

#include "base/opts.h"
#include "base/strv.h"
#include "probe/pick_gpus.h"
#include "probe/pick_result.h"
#include "probe/score.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define DEFAULT_AGE_S 60
#define LEAST_ROOM ((int64_t)1 << 20)
#define GIBIBYTE ((double)((int64_t)1 << 30))

struct deciding {
    sbx_pick_need need;
    regex_t model;
    bool has_model;
    int64_t now_s;
    struct sbi_pick_gpus gpus; /* of the host that is looked at */
    struct sbi_pick_row *row;
    int rc;
    sbx_error *err;
};

static void deciding_clear(struct deciding *deciding)
{
    if (deciding->has_model)
        regfree(&deciding->model);
    sbi_str_clear(&deciding->gpus.why);
}

SBI_PRINTF(2, 3)
static void refuse(struct deciding *deciding, const char *format, ...)
{
    char text[2400];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (deciding->rc == SBX_OK)
        deciding->rc = sbi_strv_add(&deciding->row->reasons, text, deciding->err);
}

static const char *why_or(const sbx_probe_report *report, const char *field,
                          const char *otherwise)
{
    const char *why = sbx_probe_why(report, field);

    return why == NULL ? otherwise : why;
}

static void need_bytes(struct deciding *deciding, const char *what, int64_t needed,
                       int64_t there)
{
    if (needed == 0)
        return;
    if (there == SBX_UNKNOWN)
        refuse(deciding, "%s: not known", what);
    else if (there < needed)
        refuse(deciding, "%s: %.1f GiB, %.1f needed", what, (double)there / GIBIBYTE,
               (double)needed / GIBIBYTE);
}

/* Half a CPU of other work does not keep a job from one. */
static void need_cpus(struct deciding *deciding, const sbx_probe_report *report)
{
    int64_t idle = sbi_score_idle_cpus(report);
    int64_t needed = deciding->need.cpus;

    if (needed == 0)
        return;
    if (idle == SBX_UNKNOWN)
        refuse(deciding, "idle CPUs: not known");
    else if (needed * 1000 > report->cpu_limit_milli || needed * 1000 > idle + 500)
        refuse(deciding, "idle CPUs: %.1f of %.1f, %lld needed", (double)idle / 1000,
               (double)report->cpu_limit_milli / 1000, (long long)needed);
}

static void need_gpus(struct deciding *deciding, const sbx_probe_report *report)
{
    const sbx_pick_need *need = &deciding->need;
    struct sbi_pick_gpus *gpus = &deciding->gpus;
    const char *why;

    sbi_str_clear(&gpus->why);
    sbi_pick_gpus(report, need->vram, deciding->has_model ? &deciding->model : NULL,
                  gpus);
    deciding->row->public.free_gpus = (int64_t)gpus->count;
    if (need->gpus == 0 || gpus->count >= (size_t)need->gpus)
        return;
    why = gpus->why.data == NULL ? "" : gpus->why.data;
    if (!report->gpus_known)
        refuse(deciding, "GPUs: %s", why_or(report, "gpus", "not known"));
    if (gpus->seen > 0)
        refuse(deciding, "GPUs: %zu of %zu would do, %lld needed%s%s", gpus->count,
               gpus->seen, (long long)need->gpus, why[0] == '\0' ? "" : "; ", why);
    else if (report->gpus_known)
        refuse(deciding, "GPUs: there are none");
}

static int64_t room_on_disk(const sbx_probe_report *report)
{
    static const char *const names[] = {"folder", "home"};
    size_t i, j;

    for (i = 0; i < 2; i++)
        for (j = 0; j < report->disk_count; j++)
            if (report->disks[j]->name != NULL &&
                strcmp(report->disks[j]->name, names[i]) == 0)
                return report->disks[j]->free;
    return SBX_UNKNOWN;
}

static void check_needs(struct deciding *deciding, const sbx_probe_report *report)
{
    const sbx_pick_need *need = &deciding->need;

    if (deciding->row->public.age_s == SBX_UNKNOWN)
        refuse(deciding, "age: not known");
    else if (deciding->row->public.age_s > need->max_age_s)
        refuse(deciding, "age: told %lld s ago, %lld are allowed",
               (long long)deciding->row->public.age_s, (long long)need->max_age_s);
    if (report->scheduler != NULL && (need->flags & SBX_PICK_SCHEDULED) == 0)
        refuse(deciding, "scheduler: %s hands this node out", report->scheduler);
    need_gpus(deciding, report);
    need_cpus(deciding, report);
    need_bytes(deciding, "memory available", need->memory, report->memory_available);
    need_bytes(deciding, "free on disk", need->disk, room_on_disk(report));
}

static double part(double value, double whole)
{
    if (value <= 0 || whole <= 0)
        return 0;
    return value >= whole ? 1 : value / whole;
}

/* How well what is taken fits what is needed. */
static double tightness(const struct deciding *deciding, const sbx_probe_report *report)
{
    const struct sbi_pick_gpus *gpus = &deciding->gpus;
    size_t taken = (size_t)deciding->need.gpus, i;
    double fit = 0;

    if (taken == 0)
        return !report->gpus_known ? 0.3 : report->gpu_count == 0 ? 1 : 0;
    for (i = 0; i < taken; i++)
        fit += deciding->need.vram > 0
                   ? part((double)deciding->need.vram, (double)gpus->fit[i]->memory_total)
                   : part(8 * GIBIBYTE, (double)gpus->fit[i]->memory_total);
    return 0.7 * fit / (double)taken + 0.3 * part((double)taken, (double)gpus->count);
}

struct quality {
    double empty;   /* of the memory that is taken */
    double idle;    /* of what is to compute */
    double sampled; /* over several samples */
};

static struct quality quality_of(const struct deciding *deciding,
                                 const sbx_probe_report *report)
{
    struct quality quality = {0};
    size_t taken = (size_t)deciding->need.gpus, i;

    if (taken == 0) {
        quality.empty =
            part((double)report->memory_available, (double)report->memory_limit);
        quality.idle =
            part((double)sbi_score_idle_cpus(report), (double)report->cpu_limit_milli);
        quality.sampled = report->cpu_busy_milli != SBX_UNKNOWN;
        return quality;
    }
    for (i = 0; i < taken; i++) {
        const sbx_gpu *gpu = deciding->gpus.fit[i];

        quality.empty += part((double)gpu->memory_free, (double)gpu->memory_total);
        if (gpu->busy_percent == SBX_UNKNOWN)
            continue;
        quality.idle += part((double)(100 - gpu->busy_percent), 100);
        quality.sampled += part((double)gpu->busy_samples, 3);
    }
    quality.empty /= (double)taken;
    quality.idle /= (double)taken;
    quality.sampled /= (double)taken;
    return quality;
}

static double score_of(const struct deciding *deciding, const sbx_probe_report *report)
{
    const struct quality quality = quality_of(deciding, report);
    double host =
        part((double)sbi_score_idle_cpus(report), (double)report->cpu_limit_milli);
    double memory = part((double)report->memory_available, (double)report->memory_limit);
    double fresh =
        1 - part((double)deciding->row->public.age_s, (double)deciding->need.max_age_s);

    return 0.45 * tightness(deciding, report) + 0.30 * quality.empty +
           0.05 * quality.idle + 0.10 * (host < memory ? host : memory) +
           0.05 * quality.sampled + 0.05 * fresh;
}

static void take_gpus(struct deciding *deciding)
{
    const sbx_gpu *gpu;
    int64_t i;

    for (i = 0; i < deciding->need.gpus && deciding->rc == SBX_OK; i++) {
        gpu = deciding->gpus.fit[i];
        deciding->rc = sbi_strv_add(&deciding->row->gpus,
                                    gpu->uuid != NULL  ? gpu->uuid
                                    : gpu->bus != NULL ? gpu->bus
                                                       : "?",
                                    deciding->err);
    }
}

static void decide(struct deciding *deciding, const sbx_pick_candidate *candidate)
{
    const sbx_probe_report *report = candidate->report;
    sbx_pick_row *public = &deciding->row->public;

    public->age_s = SBX_UNKNOWN;
    public->free_gpus = SBX_UNKNOWN;
    if (report == NULL) {
        refuse(deciding, "%s",
               candidate->error != NULL && candidate->error->text[0] != '\0'
                   ? candidate->error->text
                   : "there is no report of it");
        return;
    }
    if (report->taken_at_s != SBX_UNKNOWN && report->taken_at_s <= deciding->now_s)
    public->age_s = deciding->now_s - report->taken_at_s;
    else if (report->taken_at_s != SBX_UNKNOWN) /* our clock was set back since */
        public->age_s = 0;
    public->idle_score = report->idle_score;
    check_needs(deciding, report);
    if (deciding->rc < 0 || deciding->row->reasons != NULL)
        return;
    public->fits = 1;
    public->score = score_of(deciding, report);
    take_gpus(deciding);
}

static int read_model(struct deciding *deciding, sbx_error *err)
{
    const char *model = deciding->need.gpu_model;
    char why[128];
    int failed;

    if (model == NULL)
        return SBX_OK;
    failed = regcomp(&deciding->model, model, REG_EXTENDED | REG_ICASE | REG_NOSUB);
    deciding->has_model = failed == 0;
    if (failed == 0)
        return SBX_OK;
    (void)regerror(failed, &deciding->model, why, sizeof(why));
    return sbi_fail(err, failed == REG_ESPACE ? SBX_ERR_NO_MEMORY : SBX_ERR_INVALID,
                    "GPU model '%s': %s", model, why);
}

/* No job needs less: who says 20 means 20 GiB. */
static int check_room(const sbx_pick_need *need, sbx_error *err)
{
    static const char *const names[] = {"GPU memory", "memory", "disk"};
    const int64_t asked[] = {need->vram, need->memory, need->disk};
    bool giga;
    size_t i;
    int rc;

    for (i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
        if (asked[i] == 0 || asked[i] >= LEAST_ROOM)
            continue;
        giga = asked[i] < 1024;
        rc = sbi_fail(err, SBX_ERR_INVALID,
                      "a need of %lld bytes of %s: 1 MiB is the least",
                      (long long)asked[i], names[i]);
        return sbi_fix(err, rc, NULL, "%lld%c, which is %lld bytes", (long long)asked[i],
                       giga ? 'G' : 'M', (long long)(asked[i] << (giga ? 30 : 20)));
    }
    return SBX_OK;
}

static int read_need(struct deciding *deciding, const sbx_pick_need *theirs,
                     sbx_error *err)
{
    sbx_pick_need *need = &deciding->need;
    int rc = sbi_opts_read(need, sizeof(*need), theirs, err);

    if (rc < 0)
        return rc;
    if (need->gpus < 0 || need->vram < 0 || need->cpus < 0 || need->memory < 0 ||
        need->disk < 0 || need->max_age_s < 0)
        return sbi_fail(err, SBX_ERR_INVALID, "a need below 0");
    if (need->gpus > SBI_PICK_MOST_GPUS || need->cpus > 1 << 20)
        return sbi_fail(err, SBX_ERR_INVALID, "a need that no host could meet");
    if (need->gpus == 0 && (need->vram > 0 || need->gpu_model != NULL))
        need->gpus = 1;
    if (need->max_age_s == 0)
        need->max_age_s = DEFAULT_AGE_S;
    rc = check_room(need, err);
    return rc < 0 ? rc : read_model(deciding, err);
}

int sbx_pick(const sbx_pick_candidate *const *candidates, size_t count,
             const sbx_pick_need *theirs, sbx_pick_result **out, sbx_error *err)
{
    SBI_CLEANUP(sbi_pick_result_clear) struct sbi_pick_result *result = NULL;
    SBI_CLEANUP(deciding_clear) struct deciding deciding = {.err = err};
    sbx_pick_candidate candidate;
    size_t i;
    int rc;

    rc = read_need(&deciding, theirs, err);
    if (rc == SBX_OK)
        rc = sbi_pick_result_new(count, &result, err);
    deciding.now_s = (int64_t)time(NULL);
    for (i = 0; i < count && rc == SBX_OK; i++) {
        rc = sbi_opts_read(&candidate, sizeof(candidate), candidates[i], err);
        if (rc == SBX_OK)
            rc = sbi_pick_result_row(result, i, candidate.place, &deciding.row, err);
        if (rc == SBX_OK) {
            decide(&deciding, &candidate);
            rc = deciding.rc;
        }
    }
    if (rc < 0)
        return sbi_wrap(err, rc, "pick a place");
    sbi_pick_result_finish(result);
    *out = &SBI_STEAL(result)->public;
    return SBX_OK;
}
