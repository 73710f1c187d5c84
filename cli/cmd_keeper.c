/* cmd_keeper.c - `keeper`: connections that stay open, for every program of this user. */
#include "behind.h"
#include "cmd.h"
#include "interrupt.h"
#include "prompt.h"

#include <sandbox/keeper.h>

#include <stdio.h>
#include <string.h>

struct values {
    int64_t idle_ms;
    int64_t background;
};

#define AT(member) offsetof(struct values, member)

static const struct opt run_options[] = {
    {'b', "background", NULL, OPT_FLAG, AT(background),
     "Return once the connections are open, and keep them behind the scenes", NULL, 0, 0,
     NULL},
    {0, "idle", "SECONDS", OPT_SECONDS, AT(idle_ms),
     "Let a connection go that nobody used for so long; 600 by default", NULL, 0, 0,
     NULL},
    OPT_END,
};

static void detach(void *word)
{
    behind_go(word);
}

struct keeping {
    struct app *app;
    const struct values *values;
    const struct words *places;
};

static int keep(int *word, void *userdata)
{
    const struct keeping *keeping = userdata;
    struct app *app = keeping->app;
    sbx_keeper_opts opts = {.size = sizeof(opts),
                            .idle_ms = keeping->values->idle_ms,
                            .prompt = prompt_ask,
                            .ready = detach,
                            .userdata = word,
                            .cancel = app->cancel};
    sbx_error err = {0};
    int rc = interrupt_catch(app->program, app->cancel, &err);

    if (rc == SBX_OK)
        rc = app_open_hosts(app, &err);
    if (rc == SBX_OK)
        rc = sbx_keeper_run(app->hosts, keeping->places->items, &opts, &err);
    if (rc == SBX_ERR_EXISTS)
        return (void)app_failed(app, &err), 1;
    return rc < 0 ? app_failed(app, &err) : 0;
}

static int run_run(struct app *app, const void *given, const struct words *operands)
{
    const struct values *values = given;
    struct keeping keeping = {app, values, operands};
    int nobody = -1;

    return values->background ? behind(keep, &keeping) : keep(&nobody, &keeping);
}

static void print_kept(const struct app *app, const sbx_kept *kept)
{
    AUTO_TEXT line = {0};

    if (app->json) {
        text_add(&line, "{\"name\":");
        text_add_json(&line, kept->name);
        text_addf(&line, ",\"pid\":%lld,\"socket\":", (long long)kept->pid);
        text_add_json(&line, kept->socket);
        (void)printf("%s}\n", line.data);
    } else if (kept->pid != 0) {
        (void)printf("%-24s  %-8lld  %s\n", kept->name, (long long)kept->pid,
                     kept->socket);
    } else {
        (void)printf("%-24s  %-8s  %s\n", kept->name, "dead", kept->socket);
    }
}

static int run_ls(struct app *app, const void *values, const struct words *operands)
{
    sbx_kept_list *list = NULL;
    sbx_error err = {0};
    size_t i;

    (void)values;
    (void)operands;
    if (sbx_keeper_list(&list, &err) < 0)
        return app_failed(app, &err);
    if (!app->json && list->count > 0)
        (void)printf("%-24s  %-8s  %s\n", "NAME", "PID", "SOCKET");
    for (i = 0; i < list->count; i++)
        print_kept(app, list->items[i]);
    sbx_kept_list_free(list);
    return 0;
}

/* The entry of a place's socket; *pid is 0 where nobody answers. */
static int find(struct app *app, const char *place, char **socket, int64_t *pid,
                sbx_error *err)
{
    sbx_kept_list *list = NULL;
    size_t i;
    int rc = app_open_hosts(app, err);

    *pid = 0;
    if (rc == SBX_OK)
        rc = sbx_keeper_socket(app->hosts, place, socket, err);
    if (rc == SBX_OK)
        rc = sbx_keeper_list(&list, err);
    for (i = 0; rc == SBX_OK && i < list->count; i++)
        if (strcmp(list->items[i]->socket, *socket) == 0)
            *pid = list->items[i]->pid;
    sbx_kept_list_free(list);
    return rc;
}

static int run_status(struct app *app, const void *values, const struct words *operands)
{
    const char *place = operands->items[0];
    AUTO_TEXT line = {0};
    sbx_error err = {0};
    char *socket = NULL;
    int64_t pid;

    (void)values;
    if (find(app, place, &socket, &pid, &err) < 0)
        return app_failed(app, &err);
    if (app->json) {
        text_add(&line, "{\"place\":");
        text_add_json(&line, place);
        text_addf(&line,
                  ",\"kept\":%s,\"pid\":%lld,\"socket\":", pid != 0 ? "true" : "false",
                  (long long)pid);
        text_add_json(&line, socket);
        (void)printf("%s}\n", line.data);
    } else if (pid != 0) {
        (void)printf("%s: kept by process %lld, at %s\n", place, (long long)pid, socket);
    } else {
        (void)printf("%s: not kept\n", place);
    }
    sbx_free(socket);
    return pid != 0 ? 0 : 1;
}

static int run_forget(struct app *app, const void *values, const struct words *operands)
{
    sbx_error err = {0};
    char *socket = NULL;
    int rc = app_open_hosts(app, &err);
    size_t i;

    (void)values;
    for (i = 0; rc == SBX_OK && i < operands->count; i++) {
        rc = sbx_keeper_socket(app->hosts, operands->items[i], &socket, &err);
        if (rc == SBX_OK)
            rc = sbx_keeper_let_go(socket, &err);
        sbx_free(socket);
        socket = NULL;
    }
    if (rc == SBX_ERR_NOT_FOUND) {
        out_note("%s: not kept", operands->items[i - 1]);
        return 1;
    }
    return rc < 0 ? app_failed(app, &err) : 0;
}

static int run_stop(struct app *app, const void *values, const struct words *operands)
{
    sbx_kept_list *list = NULL;
    sbx_error err = {0};
    int rc = sbx_keeper_list(&list, &err);
    size_t i;

    (void)values;
    (void)operands;
    for (i = 0; rc == SBX_OK && i < list->count; i++) {
        rc = sbx_keeper_let_go(list->items[i]->socket, &err);
        if (rc == SBX_ERR_NOT_FOUND)
            rc = SBX_OK; /* it went by itself */
    }
    sbx_kept_list_free(list);
    return rc < 0 ? app_failed(app, &err) : 0;
}

static const struct cmd cmd_keeper_run = {
    .name = "keeper run",
    .usage = "[OPTION]... PLACE...",
    .help = "Connect to places, and keep the connections open",
    .about =
        "What a login asks for is asked here, once. Until Ctrl-C, `keeper stop`, or ten "
        "minutes without use, each sbx of yours goes over these connections, and so "
        "can ssh -S. The status is 1 where a place is kept already.",
    .examples = "keeper run gpu1\nkeeper run -b --idle 28800 login.cluster",
    .options = run_options,
    .values_size = sizeof(struct values),
    .least = 1,
    .most = CMD_ANY_NUMBER,
    .operand = "PLACE",
    .completes = "place",
    .run = run_run,
};

static const struct cmd cmd_keeper_ls = {
    .name = "keeper ls",
    .usage = "",
    .help = "List the connections that are kept",
    .examples = "keeper ls\nkeeper ls --json",
    .options = cmd_no_options,
    .values_size = sizeof(struct values),
    .run = run_ls,
};

static const struct cmd cmd_keeper_status = {
    .name = "keeper status",
    .usage = "PLACE",
    .help = "Tell whether a place's connection is kept, and where its socket is",
    .about = "The status is 0 where it is, else 1.",
    .examples = "keeper status gpu1\nkeeper status gpu1 --json",
    .options = cmd_no_options,
    .values_size = sizeof(struct values),
    .least = 1,
    .most = 1,
    .operand = "PLACE",
    .completes = "place",
    .run = run_status,
};

static const struct cmd cmd_keeper_forget = {
    .name = "keeper forget",
    .usage = "PLACE...",
    .help = "Let the connections of places go",
    .about =
        "What still runs over one goes on until its keeper ends. The status is 1 where "
        "a place was not kept.",
    .examples = "keeper forget gpu1",
    .options = cmd_no_options,
    .values_size = sizeof(struct values),
    .least = 1,
    .most = CMD_ANY_NUMBER,
    .operand = "PLACE",
    .completes = "place",
    .run = run_forget,
};

static const struct cmd cmd_keeper_stop = {
    .name = "keeper stop",
    .usage = "",
    .help = "Let all connections go, and end the keepers",
    .about = "What still runs over them is lost.",
    .examples = "keeper stop",
    .options = cmd_no_options,
    .values_size = sizeof(struct values),
    .run = run_stop,
};

static const struct cmd *const commands[] = {
    &cmd_keeper_run,    &cmd_keeper_ls,   &cmd_keeper_status,
    &cmd_keeper_forget, &cmd_keeper_stop, NULL,
};

const struct cmd cmd_keeper = {
    .name = "keeper",
    .usage = "COMMAND ...",
    .help = "Keep connections open for every sbx, and for ssh -S",
    .about =
        "A login costs a second and perhaps a one-time code; over a connection that is "
        "there a command costs one round trip. sbx finds a keeper by itself; "
        "--no-keeper and SBX_KEEPER=off keep it away.",
    .examples = "keeper run -b gpu1\nkeeper ls\nkeeper stop",
    .options = cmd_no_options,
    .commands = commands,
};
