/* cmd_lease.c - `lease`: who has taken which GPU; take, give up, tidy. */
#include "cmd.h"
#include "gpu_number.h"
#include "ledger_note.h"
#include "parallel.h"
#include "places.h"

#include <sandbox/lease.h>
#include <sandbox/pick.h>
#include <sandbox/probe.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct values {
    int64_t count;
    int64_t vram;
    int64_t pid;
    int64_t for_ms;
    const char *purpose;
    int64_t all;
};

#define AT(member) offsetof(struct values, member)

static const struct opt take_options[] = {
    {'g', "gpus", "N", OPT_INT, AT(count), "How many; 1, or all that are named", NULL, 1,
     64, NULL},
    {0, "vram", "BYTES", OPT_BYTES, AT(vram),
     "Free memory of each, where none is named; K, M or G may follow", NULL, 0, 0, NULL},
    {'t', "for", "SECONDS", OPT_SECONDS, AT(for_ms),
     "How long; an hour by default, with --pid without end", NULL, 0, 0, NULL},
    {'p', "pid", "PID", OPT_INT, AT(pid), "A process over there: the lease ends with it",
     NULL, 1, INT32_MAX, NULL},
    {0, "purpose", "TEXT", OPT_TEXT, AT(purpose), "What others read of it",
     opt_check_filled, 0, 0, NULL},
    OPT_END,
};

static const struct opt free_options[] = {
    {'a', "all", NULL, OPT_FLAG, AT(all), "All that are yours there", NULL, 0, 0, NULL},
    OPT_END,
};

struct asked {
    const char *place;
    sbx_lease_list *list;
    sbx_error error;
};

typedef int (*lease_fn)(sbx_session *session, const sbx_lease_opts *opts,
                        sbx_lease_list **out, sbx_error *err);

struct round {
    struct app *app;
    struct asked *asked;
    lease_fn fn;
};

static void add_left(struct text *line, const sbx_lease *lease)
{
    if (lease->expires_at_s == 0)
        text_addf(line, "while %lld runs", (long long)lease->pid);
    else
        text_add_age(line, lease->expires_at_s - (int64_t)time(NULL) > 0
                               ? lease->expires_at_s - (int64_t)time(NULL)
                               : 0);
}

static void print_lease(const struct app *app, const char *place, const sbx_lease *lease)
{
    AUTO_TEXT line = {0};

    if (app->json) {
        out_json(sbx_lease_json(place, lease));
        return;
    }
    text_addf(&line, "%s  %s  %s  %s  ", place, lease->gpu, lease->user,
              sbx_lease_state_name(lease->state));
    if (lease->state == SBX_LEASE_LIVE)
        add_left(&line, lease);
    if (lease->purpose[0] != '\0') {
        text_add(&line, "  ");
        text_add_shown(&line, lease->purpose);
    }
    (void)printf("%s\n", line.data);
}

static void print_list(const struct app *app, const sbx_lease_list *list)
{
    size_t i;

    for (i = 0; i < list->count; i++)
        print_lease(app, list->place, &list->items[i]);
}

static void ask_one(size_t index, void *userdata)
{
    struct round *round = userdata;
    struct asked *asked = &round->asked[index];
    const sbx_lease_opts opts = {.size = sizeof(opts), .cancel = round->app->cancel};
    sbx_session *session = NULL;

    if (places_open(round->app, asked->place, &session, &asked->error) == SBX_OK)
        (void)round->fn(session, &opts, &asked->list, &asked->error);
    sbx_session_free(session);
}

/* Asks places side by side; a dead one delays no other, and is told of. */
static int ask_places(struct app *app, const struct words *operands, lease_fn fn)
{
    AUTO_PLACES places = {0};
    struct round round = {.app = app, .fn = fn};
    sbx_error err = {0};
    int status = 0;
    size_t i;

    if (places_prepare(&places, app, operands, operands->count == 0, false, &err) < 0)
        return app_failed(app, &err);
    round.asked = own_zeroed(places.names.count, sizeof(round.asked[0]));
    for (i = 0; i < places.names.count; i++)
        round.asked[i].place = places.names.items[i];
    parallel_run(places.names.count, ask_one, &round);
    for (i = 0; i < places.names.count; i++) {
        if (round.asked[i].list == NULL)
            status = app_failed(app, &round.asked[i].error);
        else
            print_list(app, round.asked[i].list);
        sbx_lease_list_free(round.asked[i].list);
    }
    free(round.asked);
    return status;
}

static int run_ls(struct app *app, const void *values, const struct words *operands)
{
    (void)values;
    return ask_places(app, operands, sbx_lease_all);
}

static int run_gc(struct app *app, const void *values, const struct words *operands)
{
    (void)values;
    return ask_places(app, operands, sbx_lease_collect);
}

/* The GPUs of a place that nobody uses, the tightest first: as many as pick finds. */
static int free_gpus(struct app *app, sbx_session *session, const struct values *given,
                     struct words *gpus, sbx_pick_result **result, sbx_error *err)
{
    const sbx_probe_opts opts = {.size = sizeof(opts), .cancel = app->cancel};
    const sbx_pick_need need = {.size = sizeof(need),
                                .flags = SBX_PICK_SCHEDULED,
                                .gpus = given->count > 0 ? given->count : 1,
                                .vram = given->vram};
    const char *place = sbx_session_place(session);
    sbx_pick_candidate candidate = {.size = sizeof(candidate), .place = place};
    const sbx_pick_candidate *list[] = {&candidate};
    sbx_probe_report *report = NULL;
    size_t i;
    int rc = sbx_probe(session, &opts, &report, err);

    candidate.report = report;
    if (rc == SBX_OK)
        rc = sbx_pick(list, 1, &need, result, err);
    if (rc == SBX_OK && (*result)->place == NULL)
        rc = fault(err, SBX_ERR_CONFLICT, "take GPUs of '%s': %s", place,
                   (*result)->rows[0]->reason_count > 0 ? (*result)->rows[0]->reasons[0]
                                                        : "none is free");
    for (i = 0; rc == SBX_OK && i < (*result)->rows[0]->gpu_count; i++)
        words_add(gpus, (*result)->rows[0]->gpus[i]);
    sbx_probe_report_free(report);
    return rc;
}

/* That it is somebody else's is the answer no, and not a fault: status 1. */
static int told(struct app *app, const char *kind, int rc, const sbx_error *err,
                sbx_lease_list *list)
{
    size_t i;

    if (rc == SBX_OK)
        print_list(app, list);
    for (i = 0; rc == SBX_OK && i < list->count; i++)
        ledger_note(kind, list->place, list->items[i].gpu, NULL);
    sbx_lease_list_free(list);
    if (rc == SBX_OK)
        return 0;
    return rc == SBX_ERR_CONFLICT ? (app_failed(app, err), 1) : app_failed(app, err);
}

static int run_take(struct app *app, const void *values, const struct words *operands)
{
    const struct values *given = values;
    sbx_lease_opts opts = {.size = sizeof(opts),
                           .count = given->count,
                           .purpose = given->purpose,
                           .pid = given->pid,
                           .for_s = (given->for_ms + 999) / 1000};
    sbx_probe_report *report = NULL;
    sbx_pick_result *picked = NULL;
    sbx_lease_list *list = NULL;
    sbx_session *session = NULL;
    AUTO_WORDS gpus = {0};
    sbx_error err = {0};
    size_t i;
    int rc = places_open(app, operands->items[0], &session, &err);

    opts.cancel = app->cancel;
    for (i = 1; i < operands->count; i++)
        words_add(&gpus, operands->items[i]);
    if (rc == SBX_OK && gpus.count == 0)
        rc = free_gpus(app, session, given, &gpus, &picked, &err);
    if (rc == SBX_OK)
        rc = gpu_numbers_resolve(app, session, &gpus, &report, &err);
    if (rc == SBX_OK)
        rc = sbx_lease_take(session, gpus.items, &opts, &list, &err);
    sbx_session_free(session);
    sbx_pick_result_free(picked);
    sbx_probe_report_free(report);
    return told(app, "lease.take", rc, &err, list);
}

static int run_free(struct app *app, const void *values, const struct words *operands)
{
    const struct values *given = values;
    sbx_lease_opts opts = {.size = sizeof(opts)};
    bool named = operands->count > 1;
    sbx_probe_report *report = NULL;
    sbx_lease_list *list = NULL;
    sbx_session *session = NULL;
    AUTO_WORDS gpus = {0};
    sbx_error err = {0};
    size_t i;
    int rc;

    if (named == (given->all != 0))
        return app_misused(app,
                           named ? "'--all' with GPUs named" : "no GPU, and no '--all'");
    rc = places_open(app, operands->items[0], &session, &err);
    opts.cancel = app->cancel;
    for (i = 1; i < operands->count; i++)
        words_add(&gpus, operands->items[i]);
    if (rc == SBX_OK)
        rc = gpu_numbers_resolve(app, session, &gpus, &report, &err);
    if (rc == SBX_OK)
        rc = sbx_lease_release(session, gpus.items, &opts, &list, &err);
    sbx_session_free(session);
    sbx_probe_report_free(report);
    return told(app, "lease.free", rc, &err, list);
}

const struct cmd cmd_lease_ls = {
    .name = "lease ls",
    .usage = "[PLACE]...",
    .help = "List the leases of places",
    .about =
        "Of the places named, else of all hosts that are known: the GPU, whose it is, "
        "whether it is live (or gone: its process ended; reboot; expired), how long "
        "yet, and what for.",
    .examples = "lease ls\nlease ls gpu1 gpu2 --json",
    .options = cmd_no_options,
    .most = CMD_ANY_NUMBER,
    .operand = "PLACE",
    .completes = "places",
    .run = run_ls,
};

const struct cmd cmd_lease_take = {
    .name = "lease take",
    .usage = "[OPTION]... PLACE [GPU]...",
    .help = "Take GPUs of a place",
    .about =
        "Takes the GPUs named, by UUID or by number as top shows it, in that order, or so "
        "many that nobody uses. All that are "
        "asked for are taken, or none; then the status is 1, and it is told who has them.\n"
        "A lease ends with its process, with a reboot, or when its time is over. It is a "
        "note that other users of sbx heed, and keeps no program off a GPU.",
    .examples = "lease take gpu1 --for 7200 --purpose 'debugging'\n"
                "lease take gpu1 -g 2 --vram 20G\n"
                "lease take gpu1 --pid 4711 GPU-5c1b...",
    .options = take_options,
    .values_size = sizeof(struct values),
    .least = 1,
    .most = CMD_ANY_NUMBER,
    .operand = "PLACE",
    .completes = "places",
    .run = run_take,
};

const struct cmd cmd_lease_free = {
    .name = "lease free",
    .usage = "[OPTION]... PLACE [GPU]...",
    .help = "Give up leases of yours",
    .examples = "lease free gpu1 --all",
    .options = free_options,
    .values_size = sizeof(struct values),
    .least = 1,
    .most = CMD_ANY_NUMBER,
    .operand = "PLACE",
    .completes = "places",
    .run = run_free,
};

const struct cmd cmd_lease_gc = {
    .name = "lease gc",
    .usage = "[PLACE]...",
    .help = "Remove dead leases of yours; for root everybody's",
    .examples = "lease gc",
    .options = cmd_no_options,
    .most = CMD_ANY_NUMBER,
    .operand = "PLACE",
    .completes = "places",
    .run = run_gc,
};

static const struct cmd *const commands[] = {&cmd_lease_ls, &cmd_lease_take,
                                             &cmd_lease_free, &cmd_lease_gc, NULL};

const struct cmd cmd_lease = {
    .name = "lease",
    .usage = "COMMAND ...",
    .help = "Tell who has taken which GPU, take some, give them up",
    .examples = "lease ls gpu1\nlease take gpu1 --for 7200 --purpose 'debugging'\n"
                "lease free gpu1 --all",
    .options = cmd_no_options,
    .commands = commands,
};
