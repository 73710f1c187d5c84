/* picking.h - what `pick` and `run` share: what a job needs, and the choice among places.
 */
#ifndef CLI_PICKING_H
#define CLI_PICKING_H

#include "probing.h"

struct picking_values {
    int64_t gpus;
    int64_t vram;
    const char *gpu_model;
    int64_t cpus;
    int64_t memory;
    int64_t disk;
    struct words tags;
    struct words without;
    int64_t scheduled;
    int64_t timeout_ms;
};

/* The rows of options, where `struct values` has a picking_values `member`. */
/* clang-format off */
#define PICKING_AT(member, field)                                                        \
    offsetof(struct values, member) + offsetof(struct picking_values, field)
#define PICKING_OPTIONS(member)                                                          \
    {'g', "gpus", "N", OPT_INT, PICKING_AT(member, gpus),                                \
     "GPUs that nobody uses", NULL, 1, 1024, NULL},                                      \
    {0, "vram", "BYTES", OPT_BYTES, PICKING_AT(member, vram),                            \
     "Free memory of each of these GPUs; K, M or G may follow", NULL, 0, 0, NULL},       \
    {0, "gpu-model", "RE", OPT_TEXT, PICKING_AT(member, gpu_model),                      \
     "Only GPUs whose name matches this extended regular expression",                    \
     opt_check_filled, 0, 0, NULL},                                                      \
    {'c', "cpus", "N", OPT_INT, PICKING_AT(member, cpus),                                \
     "CPUs that are idle", NULL, 1, 1 << 20, NULL},                                      \
    {'m', "memory", "BYTES", OPT_BYTES, PICKING_AT(member, memory),                         \
     "Memory that is available", NULL, 0, 0, NULL},                                      \
    {0, "disk", "BYTES", OPT_BYTES, PICKING_AT(member, disk),                            \
     "Room in the working folder", NULL, 0, 0, NULL},                                    \
    {0, "tag", "T", OPT_LIST, PICKING_AT(member, tags),                                  \
     "Only hosts that carry this tag. May be repeated", opt_check_filled, 0, 0, NULL},   \
    {0, "not", "PLACE", OPT_LIST, PICKING_AT(member, without),                           \
     "Never this one. May be repeated", opt_check_filled, 0, 0, NULL},                   \
    {0, "scheduled", NULL, OPT_FLAG, PICKING_AT(member, scheduled),                      \
     "Also nodes that Slurm or another scheduler hands out", NULL, 0, 0, NULL}
/* clang-format on */

/* What was asked, and what came of it. */
struct picking {
    struct places places;
    struct probing probing;
    sbx_pick_result *result;
};

#define AUTO_PICKING CLEANUP(picking_clear) struct picking

/*
 * Names the places (of words and tags; without any: all known hosts), refuses bad needs
 * before anything is asked, and opens the pool.
 */
int picking_prepare(struct picking *picking, struct app *app,
                    const struct picking_values *values, const struct words *words,
                    sbx_error *err);

/* The places alone: of words and tags; without any, all known hosts. */
int picking_name_places(struct places *places, struct app *app,
                        const struct picking_values *values, const struct words *words,
                        sbx_error *err);

/* The need as the library takes it; borrowed from the values. */
sbx_pick_need picking_need(const struct picking_values *values);

/* Probes and chooses; again where it was done before. */
int picking_choose(struct picking *picking, struct app *app,
                   const struct picking_values *values, sbx_error *err);

const struct probed *picking_probed(const struct picking *picking, const char *place);

/* Each place, its numbers, and why it is not taken. */
void picking_explain(const struct picking *picking);

void picking_clear(struct picking *picking);

#endif
