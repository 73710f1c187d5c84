/* cmd_computer_life.c - `computer`: list, show, change and end what was made. */
#include "cmd.h"
#include "computing.h"
#include "ledger_note.h"
#include "parallel.h"
#include "places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct values {
    struct computing_values common;
    int64_t ttl_ms;
};

#define COMMON COMPUTING_ENGINE(common), COMPUTING_OWNER(common)

static const struct opt common_options[] = {COMMON, OPT_END};

static const struct opt renew_options[] = {
    {0, "ttl", "SECONDS", OPT_SECONDS, offsetof(struct values, ttl_ms),
     "Its time from now; a day by default", NULL, 0, 0, NULL},
    COMMON,
    OPT_END,
};

typedef int (*change_fn)(sbx_session *session, const char *name,
                         const sbx_computer_opts *opts, sbx_computer **out,
                         sbx_error *err);
typedef int (*list_fn)(sbx_session *session, const sbx_computer_opts *opts,
                       sbx_computer_list **out, sbx_error *err);

/* One of the computers that a command is for. */
struct changed {
    struct computing_address address;
    sbx_computer *computer; /* NULL: there is an error, or it is removed */
    int rc;
    sbx_error error;
};

/* One of the places that a command is for. */
struct listed {
    const char *place;
    sbx_computer_list *list;
    sbx_error error;
};

struct round {
    struct app *app;
    const struct values *given;
    struct changed *changed;
    struct listed *listed;
    change_fn change;
    list_fn list;
};

static void show_progress(const char *line, void *userdata)
{
    (void)userdata;
    out_note("%s", line);
}

static void change_one(size_t index, void *userdata)
{
    struct round *round = userdata;
    struct changed *changed = &round->changed[index];
    sbx_computer_opts opts = computing_opts(round->app, &round->given->common);
    sbx_session *session = NULL;

    opts.ttl_s = (round->given->ttl_ms + 999) / 1000;
    opts.progress = show_progress;
    if (changed->rc == SBX_OK)
        changed->rc =
            places_open(round->app, changed->address.place, &session, &changed->error);
    if (changed->rc == SBX_OK)
        changed->rc = round->change(session, changed->address.name, &opts,
                                    &changed->computer, &changed->error);
    sbx_session_free(session);
}

/* The worst status of all. */
static int tell_changed(struct round *round, size_t count, const char *kind)
{
    int status = 0;
    size_t i;

    for (i = 0; i < count; i++) {
        struct changed *changed = &round->changed[i];

        if (changed->rc < 0)
            status = app_failed(round->app, &changed->error);
        else if (kind != NULL)
            ledger_note(kind, changed->address.place, changed->address.name, NULL);
        if (changed->computer != NULL)
            computing_print(round->app, changed->computer);
        sbx_computer_free(changed->computer);
        computing_address_clear(&changed->address);
    }
    free(round->changed);
    return status;
}

/* Side by side; all words are read before anything happens. */
static int change_all(struct app *app, const struct values *given,
                      const struct words *operands, change_fn change, const char *kind)
{
    struct round round = {.app = app, .given = given, .change = change};
    sbx_error err = {0};
    size_t i;
    int rc = app_open_pool(app, &err);

    round.changed = own_zeroed(operands->count, sizeof(round.changed[0]));
    for (i = 0; rc == SBX_OK && i < operands->count; i++)
        rc = computing_address_read(operands->items[i], &round.changed[i].address, &err);
    if (rc < 0) {
        (void)tell_changed(&round, 0, NULL);
        return app_failed(app, &err);
    }
    parallel_run(operands->count, change_one, &round);
    return tell_changed(&round, operands->count, kind);
}

static int remove_one(sbx_session *session, const char *name,
                      const sbx_computer_opts *opts, sbx_computer **out, sbx_error *err)
{
    (void)out;
    return sbx_computer_remove(session, name, opts, err);
}

static int run_show(struct app *app, const void *values, const struct words *operands)
{
    return change_all(app, values, operands, sbx_computer_show, NULL);
}

static int run_restart(struct app *app, const void *values, const struct words *operands)
{
    return change_all(app, values, operands, sbx_computer_restart, "computer.restart");
}

static int run_pause(struct app *app, const void *values, const struct words *operands)
{
    return change_all(app, values, operands, sbx_computer_pause, "computer.pause");
}

static int run_resume(struct app *app, const void *values, const struct words *operands)
{
    return change_all(app, values, operands, sbx_computer_resume, "computer.resume");
}

static int run_reset(struct app *app, const void *values, const struct words *operands)
{
    return change_all(app, values, operands, sbx_computer_reset, "computer.reset");
}

static int run_renew(struct app *app, const void *values, const struct words *operands)
{
    return change_all(app, values, operands, sbx_computer_renew, "computer.renew");
}

static int run_rm(struct app *app, const void *values, const struct words *operands)
{
    return change_all(app, values, operands, remove_one, "computer.rm");
}

static int run_snapshot(struct app *app, const void *values, const struct words *operands)
{
    const struct values *given = values;
    AUTO_COMPUTING_ADDRESS address = {0};
    sbx_computer_opts opts;
    sbx_session *session = NULL;
    sbx_error err = {0};
    int rc = computing_address_read(operands->items[0], &address, &err);

    if (rc == SBX_OK)
        rc = places_open(app, address.place, &session, &err);
    opts = computing_opts(app, &given->common);
    if (rc == SBX_OK)
        rc =
            sbx_computer_snapshot(session, address.name, operands->items[1], &opts, &err);
    sbx_session_free(session);
    if (rc == SBX_OK)
        ledger_note("computer.snapshot", address.place, address.name, NULL);
    return rc < 0 ? app_failed(app, &err) : 0;
}

static void list_one(size_t index, void *userdata)
{
    struct round *round = userdata;
    struct listed *listed = &round->listed[index];
    sbx_computer_opts opts = computing_opts(round->app, &round->given->common);
    sbx_session *session = NULL;

    if (places_open(round->app, listed->place, &session, &listed->error) == SBX_OK)
        (void)round->list(session, &opts, &listed->list, &listed->error);
    sbx_session_free(session);
}

/* Asks places side by side; a dead one delays no other, and is told of. */
static int list_all(struct app *app, const struct values *given,
                    const struct words *operands, list_fn list)
{
    AUTO_PLACES places = {0};
    struct round round = {.app = app, .given = given, .list = list};
    sbx_error err = {0};
    int status = 0, rc = SBX_OK;
    size_t i, j;

    if (operands->count == 0)
        rc = places_add(&places, app, "local", &err);
    if (rc == SBX_OK)
        rc = places_prepare(&places, app, operands, false, false, &err);
    if (rc < 0)
        return app_failed(app, &err);
    round.listed = own_zeroed(places.names.count, sizeof(round.listed[0]));
    for (i = 0; i < places.names.count; i++)
        round.listed[i].place = places.names.items[i];
    parallel_run(places.names.count, list_one, &round);
    for (i = 0; i < places.names.count; i++) {
        sbx_computer_list *found = round.listed[i].list;

        if (found == NULL)
            status = app_failed(app, &round.listed[i].error);
        for (j = 0; found != NULL && j < found->count; j++)
            computing_print(app, found->items[j]);
        sbx_computer_list_free(found);
    }
    free(round.listed);
    return status;
}

static int run_ls(struct app *app, const void *values, const struct words *operands)
{
    return list_all(app, values, operands, sbx_computer_all);
}

static int run_gc(struct app *app, const void *values, const struct words *operands)
{
    return list_all(app, values, operands, sbx_computer_collect);
}

#define ROW(WORD, RUN)                                                                   \
    .name = "computer " WORD, .options = common_options,                                 \
    .values_size = sizeof(struct values), .most = CMD_ANY_NUMBER, .run = RUN
#define NAMED .usage = "[OPTION]... PLACE/NAME...", .least = 1, .operand = "PLACE/NAME"
#define PLACED                                                                           \
    .usage = "[OPTION]... [PLACE]...", .operand = "PLACE", .completes = "places"

const struct cmd cmd_computer_ls = {
    ROW("ls", run_ls),
    PLACED,
    .help = "List the computers of places",
    .about = "Of the places named, else of this machine: everybody's, with what each was "
             "made from, whose it is, and how long it has yet.",
    .examples = "computer ls\ncomputer ls gpu1 --json",
};

const struct cmd cmd_computer_show = {
    ROW("show", run_show),
    NAMED,
    .help = "Show one; with --json all that it was made with",
    .examples = "computer show local/box --json",
};

const struct cmd cmd_computer_restart = {
    ROW("restart", run_restart),
    NAMED,
    .help = "End all that runs in it, and start it again",
    .examples = "computer restart local/box",
};

const struct cmd cmd_computer_pause = {
    ROW("pause", run_pause),
    NAMED,
    .help = "Let all that runs in it stand still",
    .examples = "computer pause local/box",
};

const struct cmd cmd_computer_resume = {
    ROW("resume", run_resume),
    NAMED,
    .help = "Let it go on",
    .examples = "computer resume local/box",
};

const struct cmd cmd_computer_reset = {
    ROW("reset", run_reset),
    NAMED,
    .help = "Make it anew, from its own image and settings",
    .about = "The new one is made before the old one is removed: where that fails, the "
             "old one is there with its files. What runs in it ends.",
    .examples = "computer reset gpu1/train",
};

const struct cmd cmd_computer_renew = {
    .name = "computer renew",
    .usage = "[OPTION]... PLACE/NAME...",
    .help = "Give it time from now",
    .examples = "computer renew --ttl 7200 local/box",
    .options = renew_options,
    .values_size = sizeof(struct values),
    .least = 1,
    .most = CMD_ANY_NUMBER,
    .operand = "PLACE/NAME",
    .run = run_renew,
};

const struct cmd cmd_computer_snapshot = {
    .name = "computer snapshot",
    .usage = "[OPTION]... PLACE/NAME IMAGE",
    .help = "Keep its files as an image of that place",
    .about = "Mounts are not kept. IMAGE can be given to computer create there.",
    .examples = "computer snapshot local/box mine:1",
    .options = common_options,
    .values_size = sizeof(struct values),
    .least = 2,
    .most = 2,
    .operand = "PLACE/NAME",
    .second = "IMAGE",
    .run = run_snapshot,
};

const struct cmd cmd_computer_rm = {
    ROW("rm", run_rm),
    NAMED,
    .help = "End it, and remove its files",
    .examples = "computer rm local/box gpu1/train",
};

const struct cmd cmd_computer_gc = {
    ROW("gc", run_gc),
    PLACED,
    .help = "Remove those that have outlived their end",
    .about =
        "On the places named, else on this machine: yours whose time is over, and those "
        "that were held by a process of this machine which is gone. They are printed.",
    .examples = "computer gc\ncomputer gc gpu1",
};
