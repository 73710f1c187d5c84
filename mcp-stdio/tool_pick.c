/* tool_pick.c - chooses a place by what the work needs, and tells why none of the others.
 */
#include "fault.h"
#include "survey.h"
#include "tool.h"

#include <sandbox/lease.h>
#include <sandbox/pick.h>

#include <stdlib.h>

static const double gib = 1024.0 * 1024 * 1024;

static sbx_pick_need need_of(const tree *args)
{
    return (sbx_pick_need){
        .size = sizeof(sbx_pick_need),
        .flags = args_bool(args, "scheduled") ? SBX_PICK_SCHEDULED : 0,
        .gpus = args_int(args, "gpus", 0),
        .vram = (int64_t)(args_number(args, "vram_gb") * gib),
        .gpu_model = args_text(args, "gpu_model"),
        .cpus = args_int(args, "cpus", 0),
        .memory = (int64_t)(args_number(args, "memory_gb") * gib),
        .disk = (int64_t)(args_number(args, "disk_gb") * gib),
    };
}

static void add_row(tree *list, const sbx_pick_row *row)
{
    tree *one = tree_add_object(list, NULL);
    tree *reasons;
    size_t i;

    tree_add_text(one, "name", row->place);
    tree_add_bool(one, "fits", row->fits);
    tree_add_number(one, "score", row->score);
    tree_add_number(one, "idle_score", row->idle_score);
    if (row->free_gpus != SBX_UNKNOWN)
        tree_add_int(one, "free_gpus", row->free_gpus);
    reasons = tree_add_array(one, "reasons");
    for (i = 0; i < row->reason_count; i++)
        tree_add_text(reasons, NULL, row->reasons[i]);
}

static void add_result(tree *out, const sbx_pick_result *result)
{
    tree *list;
    size_t i;

    tree_add_text(out, "sandbox", result->place);
    list = tree_add_array(out, "gpus");
    for (i = 0; result->place != NULL && i < result->rows[0]->gpu_count; i++)
        tree_add_text(list, NULL, result->rows[0]->gpus[i]);
    list = tree_add_array(out, "sandboxes");
    for (i = 0; i < result->row_count; i++)
        add_row(list, result->rows[i]);
    if (result->place == NULL)
        tree_add_text(out, "advice",
                      "no sandbox has all that is needed: ask for less, or "
                      "wait; 'reasons' tells what is in the way");
}

/* Holds the GPUs that were chosen, so that nobody else's pick takes them meanwhile. */
static int take_lease(struct call *call, const sbx_pick_row *row, int64_t seconds,
                      tree *out, sbx_error *err)
{
    AUTO_SESSION session = NULL;
    AUTO_WORDS gpus = {0};
    const sbx_host *host = NULL;
    sbx_lease_list *taken = NULL;
    const sbx_lease_opts opts = {.size = sizeof(opts),
                                 .purpose = "an agent, over MCP",
                                 .for_s = seconds,
                                 .cancel = call->cancel};
    size_t i;
    int rc = fleet_named(call->server->fleet, row->place, &host, err);

    for (i = 0; i < row->gpu_count; i++)
        words_add(&gpus, row->gpus[i]);
    if (rc == SBX_OK)
        rc = fleet_check_writable(host, err);
    if (rc == SBX_OK)
        rc = fleet_session(call, host, &session, err);
    if (rc == SBX_OK)
        rc = sbx_lease_take(session, gpus.items, &opts, &taken, err);
    sbx_lease_list_free(taken);
    if (rc == SBX_ERR_CONFLICT)
        return fault_fix(err, rc, "pick_sandbox again: it takes what is free now");
    if (rc == SBX_OK)
        tree_add_int(out, "leased_s", seconds);
    return rc;
}

/* A lease is a file over there: where nothing may be changed, none is taken. */
static int hold(struct call *call, const tree *args, const sbx_pick_result *result,
                tree *out, sbx_error *err)
{
    int64_t seconds = args_int(args, "lease_s", 0);

    if (seconds <= 0 || result->place == NULL || result->rows[0]->gpu_count == 0)
        return SBX_OK;
    if (call->server->opts->read_only)
        return fault_fix(
            err, fault(err, SBX_ERR_INVALID, "pick_sandbox: this server changes nothing"),
            "leave lease_s out");
    return take_lease(call, result->rows[0], seconds, out, err);
}

static int pick(struct call *call, const tree *args, const struct survey *all,
                size_t count, tree *out, sbx_error *err)
{
    AUTOFREE sbx_pick_candidate *candidates = own_zeroed(count, sizeof(*candidates));
    AUTOFREE const sbx_pick_candidate **list = own_zeroed(count, sizeof(*list));
    const sbx_pick_need need = need_of(args);
    sbx_pick_result *result = NULL;
    size_t i;
    int rc;

    for (i = 0; i < count; i++) {
        candidates[i] = (sbx_pick_candidate){.size = sizeof(candidates[i]),
                                             .place = all[i].host->name,
                                             .report = all[i].report,
                                             .error = &all[i].error};
        list[i] = &candidates[i];
    }
    rc = sbx_pick(list, count, &need, &result, err);
    if (rc == SBX_OK)
        add_result(out, result);
    if (rc == SBX_OK)
        rc = hold(call, args, result, out, err);
    sbx_pick_result_free(result);
    return rc;
}

static int run_pick(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    const sbx_pick_need need = need_of(args);
    AUTOFREE const sbx_host **hosts = NULL;
    AUTO_WORDS tags = {0};
    sbx_pick_result *nothing = NULL;
    struct survey *all;
    size_t count = 0;
    int rc = sbx_pick(NULL, 0, &need, &nothing, err); /* a bad need is told at once */

    sbx_pick_result_free(nothing);
    args_words(args, "tags", &tags);
    if (rc == SBX_OK)
        rc = fleet_all(call->server->fleet, &tags, &hosts, &count, err);
    if (rc < 0)
        return rc;
    all = survey_run(call, hosts, count);
    rc = pick(call, args, all, count, out, err);
    survey_free(all, count);
    return rc;
}

static const struct tool_param params[] = {
    {"gpus", TOOL_INT, 0, 0, NULL, "Free GPUs on one host"},
    {"vram_gb", TOOL_NUMBER, 0, 0, NULL, "Free on each GPU, GiB"},
    {"gpu_model", TOOL_TEXT, 0, 0, NULL, "Regular expression"},
    {"cpus", TOOL_INT, 0, 0, NULL, "Idle CPUs"},
    {"memory_gb", TOOL_NUMBER, 0, 0, NULL, "GiB"},
    {"disk_gb", TOOL_NUMBER, 0, 0, NULL, "GiB"},
    {"tags", TOOL_LIST, 0, 0, NULL, "Only with one of these"},
    {"lease_s", TOOL_INT, 0, 0, NULL, "Hold its GPUs so long"},
    {"scheduled", TOOL_BOOL, 0, 0, NULL, "Slurm nodes too"},
    TOOL_END,
};

static const struct tool_param fields[] = {
    {"?sandbox", TOOL_TEXT, 0, 0, NULL, NULL},
    {"gpus", TOOL_LIST, 0, 0, NULL, NULL},
    {"sandboxes", TOOL_OBJECTS, 0, 0, NULL, NULL},
    {"?leased_s", TOOL_INT, 0, 0, NULL, NULL},
    {"?advice", TOOL_TEXT, 0, 0, NULL, NULL},
    TOOL_END,
};

const struct tool tool_pick_sandbox = {
    .name = "pick_sandbox",
    .group = "places",
    .flags = TOOL_READS | TOOL_REPEATS | TOOL_OUTSIDE,
    .params = params,
    .fields = fields,
    .about = "Choose a sandbox by need, with reasons.",
    .run = run_pick,
};
