/* picking.c - the places that a choice is among, probed, and what is told of them. */
#include "picking.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_LIMIT_MS = 8000 };

int picking_name_places(struct places *places, struct app *app,
                        const struct picking_values *given, const struct words *operands,
                        sbx_error *err)
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
        return fault_fix(
            err, fault(err, SBX_ERR_NOT_FOUND, "there is no place to pick from"),
            SBX_PROGRAM_NAME " host add NAME --host ADDRESS, or name places");
    return SBX_OK;
}

int picking_prepare(struct picking *picking, struct app *app,
                    const struct picking_values *values, const struct words *words,
                    sbx_error *err)
{
    const sbx_pick_need model = {.size = sizeof(model), .gpu_model = values->gpu_model};
    sbx_pick_result *nothing = NULL;
    int rc = sbx_pick(NULL, 0, &model, &nothing, err);

    sbx_pick_result_free(nothing);
    if (rc == SBX_OK)
        rc = picking_name_places(&picking->places, app, values, words, err);
    if (rc == SBX_OK)
        rc = app_open_pool(app, err);
    return rc;
}

sbx_pick_need picking_need(const struct picking_values *given)
{
    return (sbx_pick_need){.size = sizeof(sbx_pick_need),
                           .flags = given->scheduled ? SBX_PICK_SCHEDULED : 0,
                           .gpus = given->gpus,
                           .vram = given->vram,
                           .gpu_model = given->gpu_model,
                           .cpus = given->cpus,
                           .memory = given->memory,
                           .disk = given->disk};
}

static int decide(struct picking *picking, const struct picking_values *given,
                  sbx_error *err)
{
    const sbx_pick_need need = picking_need(given);
    const sbx_pick_told *told = picking->probing.told;

    return sbx_pick(told->items, told->count, &need, &picking->result, err);
}

int picking_choose(struct picking *picking, struct app *app,
                   const struct picking_values *values, sbx_error *err)
{
    const struct probing_opts opts = {
        .limit_ms = values->timeout_ms > 0 ? values->timeout_ms : DEFAULT_LIMIT_MS};
    int rc;

    sbx_pick_result_free(picking->result);
    picking->result = NULL;
    probing_clear(&picking->probing);
    picking->probing = (struct probing){0};
    rc = probing_run(&picking->probing, app, &picking->places, &opts, err);
    if (rc == SBX_OK && sbx_cancel_fired(app->cancel))
        rc = fault(err, SBX_ERR_CANCELLED, "choose a place: cancelled");
    return rc < 0 ? rc : decide(picking, values, err);
}

const struct probed *picking_probed(const struct picking *picking, const char *place)
{
    const struct probing *probing = &picking->probing;
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

void picking_explain(const struct picking *picking)
{
    const sbx_pick_result *result = picking->result;
    AUTO_TEXT out = {0};
    size_t width = 0;
    size_t i;

    for (i = 0; i < result->row_count; i++)
        if (strlen(result->rows[i]->place) > width)
            width = strlen(result->rows[i]->place);
    for (i = 0; i < result->row_count; i++)
        explain_row(&out, result->rows[i],
                    picking_probed(picking, result->rows[i]->place)->report,
                    i == 0 && result->place != NULL, (int)width);
    (void)fputs(out.data, stdout);
}

void picking_clear(struct picking *picking)
{
    sbx_pick_result_free(picking->result);
    probing_clear(&picking->probing);
    places_clear(&picking->places);
    *picking = (struct picking){0};
}
