/* cmd_pick.c - `pick`: which place to take for a job. */
#include "cmd.h"
#include "probing.h"

#include <sandbox/pick.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct values {
    int64_t gpus;
    int64_t vram;
    const char *gpu_model;
    int64_t cpus;
    int64_t memory;
    int64_t disk;
    struct words tags;
    struct words without;
    int64_t scheduled;
    int64_t explain;
    int64_t timeout_ms;
};

#define AT(member) offsetof(struct values, member)

static const struct opt options[] = {
    {'g', "gpus", "N", OPT_INT, AT(gpus), "GPUs that nobody uses", NULL, 1, 1024, NULL},
    {0, "vram", "BYTES", OPT_BYTES, AT(vram),
     "Free memory of each of these GPUs; K, M or G may follow", NULL, 0, 0, NULL},
    {0, "gpu-model", "RE", OPT_TEXT, AT(gpu_model),
     "Only GPUs whose name matches this extended regular expression", opt_check_filled, 0,
     0, NULL},
    {'c', "cpus", "N", OPT_INT, AT(cpus), "CPUs that are idle", NULL, 1, 1 << 20, NULL},
    {'m', "mem", "BYTES", OPT_BYTES, AT(memory), "Memory that is available", NULL, 0, 0,
     NULL},
    {0, "disk", "BYTES", OPT_BYTES, AT(disk), "Room in the working folder", NULL, 0, 0,
     NULL},
    {0, "tag", "T", OPT_LIST, AT(tags), "Only hosts that carry this tag. May be repeated",
     opt_check_filled, 0, 0, NULL},
    {0, "not", "PLACE", OPT_LIST, AT(without), "Never this one. May be repeated",
     opt_check_filled, 0, 0, NULL},
    {0, "scheduled", NULL, OPT_FLAG, AT(scheduled),
     "Also nodes that Slurm or another scheduler hands out", NULL, 0, 0, NULL},
    {0, "explain", NULL, OPT_FLAG, AT(explain),
     "Tell of each place its numbers, and why it is not taken", NULL, 0, 0, NULL},
    {'t', "timeout", "SECONDS", OPT_SECONDS, AT(timeout_ms),
     "Wait this long for a place at most; 8 by default", NULL, 0, 0, NULL},
    OPT_END,
};

enum { DEFAULT_LIMIT_MS = 8000 };

static int name_places(struct places *places, struct app *app, const struct values *given,
                       const struct words *operands, sbx_error *err)
{
    AUTO_PLACES without = {0};
    int rc = SBX_OK;
    size_t i;

    for (i = 0; i < operands->count && rc == SBX_OK; i++)
        rc = places_add(places, app, operands->items[i], err);
    for (i = 0; i < given->tags.count && rc == SBX_OK; i++) {
        AUTO_TEXT tag = {0};

        text_addf(&tag, "@%s", given->tags.items[i]);
        rc = places_add(places, app, tag.data, err);
    }
    if (rc == SBX_OK && operands->count == 0 && given->tags.count == 0)
        rc = places_add_all(places, app, false, err);
    for (i = 0; i < given->without.count && rc == SBX_OK; i++)
        rc = places_add(&without, app, given->without.items[i], err);
    if (rc < 0)
        return rc;
    places_leave_out(places, &without);
    if (places->names.count == 0)
        return fault(err, SBX_ERR_NOT_FOUND, "there is no place to pick from");
    return SBX_OK;
}

static const struct probed *probed_of(const struct probing *probing, const char *place)
{
    size_t i;

    for (i = 0; i < probing->count; i++)
        if (strcmp(probing->all[i].place, place) == 0)
            return &probing->all[i];
    return NULL;
}

static void add_numbers(struct text *out, const sbx_probe_report *report,
                        const sbx_pick_row *row)
{
    if (report->cpu_count != SBX_UNKNOWN && report->cpu_busy_milli != SBX_UNKNOWN)
        text_addf(out, "%.1f of %lld CPUs idle, ",
                  (double)report->cpu_count * (double)(1000 - report->cpu_busy_milli) /
                      1000,
                  (long long)report->cpu_count);
    probing_add_size(out, report->memory_available);
    text_add(out, " of ");
    probing_add_size(out, report->memory_limit);
    text_add(out, " memory, GPUs: ");
    if (!report->gpus_known)
        text_add(out, "not all known");
    else if (report->gpu_count == 0)
        text_add(out, "none");
    else
        text_addf(out, "%lld would do", (long long)row->free_gpus);
    text_addf(out, ", %lld s old\n", (long long)row->age_s);
}

static void explain_row(struct text *out, const sbx_pick_row *row,
                        const sbx_probe_report *report, bool taken, int width)
{
    size_t i;

    text_addf(out, "%-*s  %-5s  ", width, row->place,
              taken       ? "take"
              : row->fits ? "fits"
                          : "no");
    if (row->fits)
        text_addf(out, "score %.2f, ", row->score);
    if (report != NULL) {
        text_addf(out, "idle %.2f, ", row->idle_score);
        add_numbers(out, report, row);
    }
    for (i = 0; i < row->gpu_count; i++)
        text_addf(out, "%-*s         on %s\n", width, "", row->gpus[i]);
    for (i = 0; i < row->reason_count; i++)
        if (report == NULL)
            text_addf(out, "%s\n", row->reasons[i]);
        else
            text_addf(out, "%-*s         %s\n", width, "", row->reasons[i]);
}

static void explain(const sbx_pick_result *result, const struct probing *probing)
{
    AUTO_TEXT out = {0};
    size_t width = 0;
    size_t i;

    for (i = 0; i < result->row_count; i++)
        if (strlen(result->rows[i]->place) > width)
            width = strlen(result->rows[i]->place);
    for (i = 0; i < result->row_count; i++)
        explain_row(&out, result->rows[i],
                    probed_of(probing, result->rows[i]->place)->report,
                    i == 0 && result->place != NULL, (int)width);
    (void)fputs(out.data, stdout);
}

static int tell(const struct app *app, const struct values *given,
                const sbx_pick_result *result, const struct probing *probing)
{
    sbx_error err = {0};

    if (app->json)
        out_json(sbx_pick_json(result));
    else if (given->explain)
        explain(result, probing);
    else if (result->place != NULL)
        (void)printf("%s\n", result->place);
    if (result->place != NULL)
        return 0;
    (void)fflush(stdout);
    (void)fault(&err, SBX_ERR_NOT_FOUND, "none of %zu places has what is needed",
                result->row_count);
    if (!given->explain && !app->json)
        (void)fault_fix(&err, err.code, "%s pick --explain ...", app->program);
    out_error(&err);
    return 1;
}

static int decide(struct app *app, const struct values *given,
                  const struct probing *probing)
{
    const sbx_pick_need need = {.size = sizeof(need),
                                .flags = given->scheduled ? SBX_PICK_SCHEDULED : 0,
                                .gpus = given->gpus,
                                .vram = given->vram,
                                .gpu_model = given->gpu_model,
                                .cpus = given->cpus,
                                .memory = given->memory,
                                .disk = given->disk};
    AUTOFREE sbx_pick_candidate *all = own_zeroed(probing->count, sizeof(all[0]));
    AUTOFREE const sbx_pick_candidate **list =
        own_zeroed(probing->count, sizeof(list[0]));
    sbx_pick_result *result = NULL;
    sbx_error err = {0};
    size_t i;
    int status;

    for (i = 0; i < probing->count; i++) {
        all[i] = (sbx_pick_candidate){.size = sizeof(all[0]),
                                      .place = probing->all[i].place,
                                      .report = probing->all[i].report,
                                      .error = &probing->all[i].error};
        list[i] = &all[i];
    }
    if (sbx_pick(list, probing->count, &need, &result, &err) < 0)
        return app_failed(app, &err);
    status = tell(app, given, result, probing);
    sbx_pick_result_free(result);
    return status;
}

static int run_pick(struct app *app, const void *values, const struct words *operands)
{
    const struct values *given = values;
    const sbx_pick_need probe_need = {.size = sizeof(probe_need),
                                      .gpu_model = given->gpu_model};
    const struct probing_opts opts = {
        .limit_ms = given->timeout_ms > 0 ? given->timeout_ms : DEFAULT_LIMIT_MS};
    AUTO_PLACES places = {0};
    AUTO_PROBING probing = {0};
    sbx_pick_result *nothing = NULL;
    sbx_error err = {0};
    int rc;

    rc = sbx_pick(NULL, 0, &probe_need, &nothing, &err);
    sbx_pick_result_free(nothing);
    if (rc == SBX_OK)
        rc = name_places(&places, app, given, operands, &err);
    if (rc == SBX_OK)
        rc = app_open_pool(app, &err);
    if (rc < 0)
        return app_failed(app, &err);
    probing_run(&probing, app, &places, &opts);
    return sbx_cancel_fired(app->cancel) ? 130 : decide(app, given, &probing);
}

const struct cmd cmd_pick = {
    .name = "pick",
    .usage = "[OPTION]... [PLACE]...",
    .help = "Choose a place that has what a job needs",
    .about =
        "Probes the places named, those of the tags, or else all hosts that are known, and "
        "prints the name of the one to take: it has all that is needed, and is the tightest "
        "fit, so that large GPUs stay free for those who need them. The status is 1 when "
        "none has.\n"
        "What is not known counts as not there. A GPU is in use when a process that "
        "computes holds 256 MiB of it, or when a tenth of its memory, and over 1 GiB, is "
        "held by anybody.",
    .examples = "pick --gpus 1 --vram 20G\npick --cpus 16 --mem 64G --tag lab --explain\n"
                "exec \"$(sbx pick --gpu-model 'H[12]00' --not gpu3)\" nvidia-smi",
    .options = options,
    .values_size = sizeof(struct values),
    .most = CMD_ANY_NUMBER,
    .operand = "PLACE",
    .completes = "places",
    .run = run_pick,
};
