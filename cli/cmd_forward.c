/* cmd_forward.c - `forward`: ports here that lead over there, and the other way round. */
#include "behind.h"
#include "cmd.h"
#include "forwards.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct values {
    int64_t background;
    struct words local;
    struct words remote;
    struct words socks;
};

#define AT(member) offsetof(struct values, member)

static int check_local(const char *value, sbx_error *err)
{
    return sbx_forward_check(SBX_FORWARD_LOCAL, value, err);
}

static int check_remote(const char *value, sbx_error *err)
{
    return sbx_forward_check(SBX_FORWARD_REMOTE, value, err);
}

static int check_socks(const char *value, sbx_error *err)
{
    return sbx_forward_check(SBX_FORWARD_SOCKS, value, err);
}

static const struct opt options[] = {
    {'L', "local", "SPEC", OPT_LIST, AT(local),
     "The same as a word behind PLACE; may be repeated", check_local, 0, 0, NULL},
    {'R', "remote", "SPEC", OPT_LIST, AT(remote),
     "[BIND:]PORT:HOST:HOSTPORT: a port over there leads here; may be repeated",
     check_remote, 0, 0, NULL},
    {'D', "socks", "SPEC", OPT_LIST, AT(socks),
     "[BIND:]PORT: a SOCKS proxy here goes out over there; may be repeated", check_socks,
     0, 0, NULL},
    {'b', "background", NULL, OPT_FLAG, AT(background),
     "Return once all of them are open, and go on behind the scenes", NULL, 0, 0, NULL},
    OPT_END,
};

struct opening {
    struct app *app;
    const struct values *values;
    const struct words *operands;
};

static void print_open(const struct app *app, const sbx_forward_info *info)
{
    AUTO_TEXT line = {0};

    if (app->json) {
        out_json(sbx_forward_info_json(info));
        return;
    }
    forwards_add_shown(&line, info);
    (void)printf("%s\n", line.data);
}

static int open_one(struct forwards *forwards, const struct opening *opening, int kind,
                    const char *text, sbx_error *err)
{
    const sbx_forward_opts opts = {.size = sizeof(opts), .cancel = opening->app->cancel};
    sbx_forward_info *info = NULL;
    int rc;

    rc = sbx_forward_open(opening->app->pool, opening->operands->items[0], kind, text,
                          &opts, &forwards->items[forwards->count], err);
    if (rc < 0)
        return rc;
    rc = sbx_forward_look(forwards->items[forwards->count++], &info, err);
    if (rc == SBX_OK)
        print_open(opening->app, info);
    sbx_forward_info_free(info);
    return rc;
}

static int open_list(struct forwards *forwards, const struct opening *opening, int kind,
                     const struct words *list, size_t from, sbx_error *err)
{
    int rc = SBX_OK;
    size_t i;

    for (i = from; rc == SBX_OK && i < list->count; i++)
        rc = open_one(forwards, opening, kind, list->items[i], err);
    return rc;
}

static int open_all(struct forwards *forwards, const struct opening *opening,
                    sbx_error *err)
{
    const struct values *values = opening->values;
    int rc;

    forwards->items = own_zeroed(opening->operands->count + values->local.count +
                                     values->remote.count + values->socks.count,
                                 sizeof(sbx_forward *));
    rc = open_list(forwards, opening, SBX_FORWARD_LOCAL, opening->operands, 1, err);
    if (rc == SBX_OK)
        rc = open_list(forwards, opening, SBX_FORWARD_LOCAL, &values->local, 0, err);
    if (rc == SBX_OK)
        rc = open_list(forwards, opening, SBX_FORWARD_SOCKS, &values->socks, 0, err);
    if (rc == SBX_OK)
        rc = open_list(forwards, opening, SBX_FORWARD_REMOTE, &values->remote, 0, err);
    if (rc == SBX_OK)
        rc = forwards_listen(forwards, err);
    return rc;
}

static int work(int *word, void *userdata)
{
    const struct opening *opening = userdata;
    struct app *app = opening->app;
    CLEANUP(forwards_clear) struct forwards forwards = {.listener = -1};
    sbx_error err = {0};
    int rc;

    app->steady = true;
    app->own = opening->values->remote.count > 0;
    rc = app_open_pool(app, &err);
    if (rc == SBX_OK)
        rc = open_all(&forwards, opening, &err);
    if (rc < 0)
        return sbx_cancel_fired(app->cancel) ? 130 : app_failed(app, &err);
    (void)fflush(stdout);
    behind_go(word);
    forwards_serve(&forwards, app->cancel);
    return 0;
}

static int run_forward(struct app *app, const void *given, const struct words *operands)
{
    const struct values *values = given;
    struct opening opening = {app, values, operands};
    sbx_error err = {0};
    int nobody = -1;
    size_t i;

    for (i = 1; i < operands->count; i++)
        if (check_local(operands->items[i], &err) < 0)
            return app_failed(app, &err);
    if (operands->count == 1 && values->local.count == 0 && values->remote.count == 0 &&
        values->socks.count == 0)
        return app_misused(app, "nothing to forward given: PORT:HOST:HOSTPORT, -R or -D");
    return values->background ? behind(work, &opening) : work(&nobody, &opening);
}

static void print_told(const struct forwards_told *told, void *userdata)
{
    const struct app *app = userdata;

    if (app->json)
        (void)printf("{\"pid\":%lld,%s\n", (long long)told->pid, told->json + 1);
    else
        (void)printf("%-8lld  %s\n", (long long)told->pid, told->shown);
}

static int run_ls(struct app *app, const void *values, const struct words *operands)
{
    sbx_error err = {0};

    (void)values;
    (void)operands;
    return forwards_each(print_told, app, &err) < 0 ? app_failed(app, &err) : 0;
}

/* The processes that are to end: each once. */
struct chosen {
    const struct words *wanted; /* none: all */
    bool *found;                /* by them */
    int64_t *pids;
    size_t count;
};

static void choose(const struct forwards_told *told, void *userdata)
{
    struct chosen *chosen = userdata;
    bool wanted = chosen->wanted->count == 0;
    char pid[24];
    size_t i;

    (void)snprintf(pid, sizeof(pid), "%lld", (long long)told->pid);
    for (i = 0; i < chosen->wanted->count; i++) {
        const char *word = chosen->wanted->items[i];

        if (strcmp(word, told->place) != 0 && strcmp(word, told->listens) != 0 &&
            strcmp(word, pid) != 0)
            continue;
        wanted = chosen->found[i] = true;
    }
    for (i = 0; i < chosen->count; i++)
        wanted = wanted && chosen->pids[i] != told->pid;
    if (!wanted)
        return;
    chosen->pids = own_grown(chosen->pids, chosen->count + 1, sizeof(*chosen->pids));
    chosen->pids[chosen->count++] = told->pid;
}

static int run_stop(struct app *app, const void *values, const struct words *operands)
{
    AUTOFREE bool *found = own_zeroed(operands->count + 1, sizeof(*found));
    struct chosen chosen = {.wanted = operands, .found = found};
    sbx_error err = {0};
    int rc, status = 0;
    size_t i;

    (void)values;
    rc = forwards_each(choose, &chosen, &err);
    for (i = 0; rc == SBX_OK && i < chosen.count; i++)
        rc = forwards_stop(chosen.pids[i], &err);
    free(chosen.pids);
    for (i = 0; rc == SBX_OK && i < operands->count; i++)
        if (!found[i]) {
            out_note("%s: no forward of that", operands->items[i]);
            status = 1;
        }
    return rc < 0 ? app_failed(app, &err) : status;
}

static const struct cmd cmd_forward_ls = {
    .name = "forward ls",
    .usage = "",
    .help = "List the forwards of this user, and how they stand",
    .examples = "forward ls\nforward ls --json",
    .options = cmd_no_options,
    .values_size = sizeof(struct values),
    .run = run_ls,
};

static const struct cmd cmd_forward_stop = {
    .name = "forward stop",
    .usage = "[PLACE|PID|LISTENS]...",
    .help = "End forwards, by place, process or what is listened on; without a word all",
    .about =
        "A process ends with all of its forwards. The status is 1 where there is none "
        "by a word.",
    .examples = "forward stop\nforward stop gpu1\nforward stop 127.0.0.1:8888",
    .options = cmd_no_options,
    .values_size = sizeof(struct values),
    .most = CMD_ANY_NUMBER,
    .operand = "PLACE",
    .completes = "place",
    .run = run_stop,
};

static const struct cmd *const commands[] = {&cmd_forward_ls, &cmd_forward_stop, NULL};

const struct cmd cmd_forward = {
    .name = "forward",
    .usage = "[OPTION]... PLACE [[BIND:]PORT:HOST:HOSTPORT]...",
    .help = "Carry connections through a place, until Ctrl-C",
    .about =
        "A port here leads to what PLACE can reach: HOST is a name as it is known there, "
        "and localhost is PLACE itself. The path of a socket may stand for BIND:PORT, for "
        "HOST:HOSTPORT, or both. Without BIND this machine alone can connect; * is all.\n"
        "A port that is taken is refused at once. While the connection to PLACE is down "
        "what comes waits for the next, for 15 seconds.",
    .examples = "forward gpu1 8888:localhost:8888\n"
                "forward -b gpu1 5432:db.internal:5432 -D 1080\n"
                "forward gpu1 -R 9000:localhost:9000\nforward ls\nforward stop gpu1",
    .options = options,
    .values_size = sizeof(struct values),
    .least = 1,
    .most = CMD_ANY_NUMBER,
    .operand = "PLACE",
    .completes = "place",
    .commands = commands,
    .run = run_forward,
};
