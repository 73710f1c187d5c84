/* cmd_pick.c - `pick`: which place to take for a job. */
#include "cmd.h"
#include "picking.h"

#include <stdio.h>

struct values {
    struct picking_values need;
    int64_t explain;
};

static const struct opt options[] = {
    PICKING_OPTIONS(need),
    {0, "explain", NULL, OPT_FLAG, offsetof(struct values, explain),
     "Tell of each place its numbers, and why it is not taken", NULL, 0, 0, NULL},
    {'t', "timeout", "SECONDS", OPT_SECONDS, PICKING_AT(need, timeout_ms),
     "Wait this long for a place at most; 8 by default", NULL, 0, 0, NULL},
    OPT_END,
};

static int tell(const struct app *app, const struct values *given,
                const struct picking *picking)
{
    const sbx_pick_result *result = picking->result;
    sbx_error err = {0};

    if (app->json)
        out_json(sbx_pick_json(result));
    else if (given->explain)
        picking_explain(picking);
    else if (result->place != NULL)
        (void)printf("%s\n", result->place);
    if (result->place != NULL)
        return 0;
    (void)fflush(stdout);
    (void)fault(&err, SBX_ERR_NOT_FOUND, "none of %zu places has what is needed",
                result->row_count);
    if (!given->explain && !app->json)
        (void)fault_fix(&err, err.code, SBX_PROGRAM_NAME " pick --explain ...");
    out_error(&err);
    return 1;
}

static int run_pick(struct app *app, const void *values, const struct words *operands)
{
    const struct values *given = values;
    AUTO_PICKING picking = {0};
    sbx_error err = {0};
    int rc = picking_prepare(&picking, app, &given->need, operands, &err);

    if (rc == SBX_OK)
        rc = picking_choose(&picking, app, &given->need, &err);
    if (rc == SBX_ERR_CANCELLED)
        return 130;
    return rc < 0 ? app_failed(app, &err) : tell(app, given, &picking);
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
    .examples =
        "pick --gpus 1 --vram 20G\npick --cpus 16 --memory 64G --tag lab --explain\n"
        "exec \"$(sbx pick --gpu-model 'H[12]00' --not gpu3)\" nvidia-smi",
    .options = options,
    .values_size = sizeof(struct values),
    .most = CMD_ANY_NUMBER,
    .operand = "PLACE",
    .completes = "places",
    .run = run_pick,
};
