/* cmd_computer.c - `computer create`, and the group of all that makes and ends them. */
#include "cmd.h"
#include "computing.h"
#include "ledger_note.h"
#include "own.h"
#include "places.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct values {
    struct computing_values common;
    const char *name;
    const char *image;
    const char *shell;
    const char *user;
    const char *network;
    const char *cpus;
    const char *gpus;
    struct words env;
    struct words mounts;
    struct words ports;
    int64_t permanent;
    int64_t no_network;
    int64_t read_only;
    int64_t memory;
    int64_t pids;
    int64_t ttl_ms;
    int64_t pid;
};

#define AT(member) offsetof(struct values, member)

static const struct opt options[] = {
    {'n', "name", "NAME", OPT_TEXT, AT(name),
     "1 to 63 of a to z, 0 to 9 and '-'; a new one is found by default", opt_check_filled,
     0, 0, NULL},
    {'i', "image", "IMAGE", OPT_TEXT, AT(image),
     "It begins as this; debian:stable-slim by default", opt_check_filled, 0, 0, NULL},
    {'p', "permanent", NULL, OPT_FLAG, AT(permanent),
     "It stays until it is removed, or its time is over", NULL, 0, 0, NULL},
    {0, "pid", "PID", OPT_INT, AT(pid),
     "A process of this machine that a temporary one ends with; at a terminal the shell "
     "there by default, elsewhere none",
     NULL, 1, INT32_MAX, NULL},
    {0, "ttl", "SECONDS", OPT_SECONDS, AT(ttl_ms),
     "Its time; a day by default, with --permanent without end", NULL, 0, 0, NULL},
    {'c', "cpus", "N", OPT_TEXT, AT(cpus), "So many CPUs at most: 1.5", opt_check_filled,
     0, 0, NULL},
    {'m', "memory", "BYTES", OPT_BYTES, AT(memory),
     "So much memory at most, default 4G; K, M or G may follow", NULL, 0, 0, NULL},
    {0, "pids", "N", OPT_INT, AT(pids), "So many processes at most, default 2048", NULL,
     1, INT32_MAX, NULL},
    {0, "network", "NAME", OPT_TEXT, AT(network), "A network of the engine's",
     opt_check_filled, 0, 0, NULL},
    {0, "no-network", NULL, OPT_FLAG, AT(no_network), "None but its own loopback", NULL,
     0, 0, NULL},
    {'e', "env", "NAME=VALUE", OPT_LIST, AT(env), "Set a variable in it; may be repeated",
     opt_check_variable, 0, 0, NULL},
    {0, "mount", "THERE:INSIDE", OPT_LIST, AT(mounts),
     "Show a folder of the place in it, ':ro' behind: to read; may be repeated",
     opt_check_filled, 0, 0, NULL},
    {0, "port", "THERE:INSIDE", OPT_LIST, AT(ports),
     "A port of the place's loopback leads to one of it; may be repeated",
     opt_check_filled, 0, 0, NULL},
    {'g', "gpus", "WHICH", OPT_TEXT, AT(gpus), "'all', how many, or UUIDs",
     opt_check_filled, 0, 0, NULL},
    {'u', "user", "USER", OPT_TEXT, AT(user), "Commands run as this one",
     opt_check_filled, 0, 0, NULL},
    {0, "shell", "SHELL", OPT_TEXT, AT(shell), "Commands are for this shell",
     opt_check_filled, 0, 0, NULL},
    {0, "read-only", NULL, OPT_FLAG, AT(read_only),
     "Only /tmp, /run and mounts can be written", NULL, 0, 0, NULL},
    COMPUTING_ENGINE(common),
    COMPUTING_OWNER(common),
    OPT_END,
};

static void show_progress(const char *line, void *userdata)
{
    (void)userdata;
    out_note("%s", line);
}

/* Named by --name, or behind the place's slash. */
static int find_name(const struct values *given, const struct words *operands,
                     struct computing_address *out, sbx_error *err)
{
    const char *word = operands->count > 0 ? operands->items[0] : "local";
    int rc;

    if (strchr(word, '/') == NULL) {
        *out = (struct computing_address){own_copy(word, strlen(word)), given->name};
        return SBX_OK;
    }
    rc = computing_address_read(word, out, err);
    if (rc == SBX_OK && given->name != NULL)
        rc = fault(err, SBX_ERR_INVALID, "two names: '%s', and '%s'", out->name,
                   given->name);
    return rc;
}

/*
 * At a terminal the leader of its session: the shell there, which outlives what wraps
 * this program. Elsewhere the leader is nobody's who waits for the computer: an agent's
 * tool and `ssh HOST sbx ...` begin a session for every command.
 */
static int64_t default_holder(void)
{
    AUTOCLOSE int terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    pid_t leader = getsid(0);

    return terminal < 0 || leader <= 0 || leader == getpid() ? -1 : (int64_t)leader;
}

static sbx_computer_opts wanted(struct app *app, const struct values *given)
{
    sbx_computer_opts opts = computing_opts(app, &given->common);

    opts.flags = (given->permanent ? SBX_COMPUTER_PERMANENT : 0) |
                 (given->no_network ? SBX_COMPUTER_NO_NETWORK : 0) |
                 (given->read_only ? SBX_COMPUTER_READ_ONLY : 0);
    opts.image = given->image;
    opts.shell = given->shell;
    opts.user = given->user;
    opts.network = given->network;
    opts.cpus = given->cpus;
    opts.gpus = given->gpus;
    opts.env = given->env.items;
    opts.mounts = given->mounts.items;
    opts.ports = given->ports.items;
    opts.memory = given->memory;
    opts.pids = given->pids;
    opts.ttl_s = (given->ttl_ms + 999) / 1000;
    opts.holder = given->pid > 0 ? given->pid : default_holder();
    opts.progress = show_progress;
    return opts;
}

static int run_create(struct app *app, const void *values, const struct words *operands)
{
    const struct values *given = values;
    AUTO_COMPUTING_ADDRESS address = {0};
    sbx_computer *computer = NULL;
    sbx_session *session = NULL;
    sbx_computer_opts opts;
    sbx_error err = {0};
    int rc = find_name(given, operands, &address, &err);

    if (rc == SBX_OK)
        rc = places_open(app, address.place, &session, &err);
    if (rc == SBX_OK) {
        opts = wanted(app, given);
        rc = sbx_computer_create(session, address.name, &opts, &computer, &err);
    }
    sbx_session_free(session);
    if (rc < 0)
        return app_failed(app, &err);
    if (app->json)
        computing_print(app, computer);
    else
        (void)printf("%s\n", computer->address);
    if (computer->made)
        ledger_note("computer.create", computer->place, computer->name, NULL);
    else if (!app->json)
        out_note("%s was there", computer->address);
    sbx_computer_free(computer);
    return 0;
}

const struct cmd cmd_computer_create = {
    .name = "computer create",
    .usage = "[OPTION]... [PLACE|PLACE/NAME]",
    .help = "Make one and start it",
    .about =
        "Its address, PLACE/NAME, is printed; it is a place for all other commands. One "
        "of that name which is yours is the answer, started where it did not run. An "
        "image that is not there is pulled.\n"
        "It is temporary: it ends with the session it is made in, as a terminal, a log-in "
        "or a service is one, or when its time is over. computer gc removes what has "
        "outlived its end.\n"
        "It has an init process and few capabilities, and no program in it gains new "
        "privileges.",
    .examples = "computer create --name box\n"
                "computer create gpu1 --name train -i pytorch/pytorch --gpus 1 -m 32G\n"
                "computer create -p --no-network --mount /data:/data:ro local/web",
    .options = options,
    .values_size = sizeof(struct values),
    .least = 0,
    .most = 1,
    .operand = "PLACE",
    .completes = "place",
    .run = run_create,
};

static const struct cmd *const commands[] = {
    &cmd_computer_create,   &cmd_computer_ls,
    &cmd_computer_show,     &cmd_computer_exec,
    &cmd_computer_shell,    &cmd_computer_restart,
    &cmd_computer_pause,    &cmd_computer_resume,
    &cmd_computer_reset,    &cmd_computer_renew,
    &cmd_computer_snapshot, &cmd_computer_rm,
    &cmd_computer_gc,       NULL};

const struct cmd cmd_computer = {
    .name = "computer",
    .usage = "COMMAND ...",
    .help = "Make machines in containers, and end them",
    .examples = "computer create --name box\ncomputer exec local/box uname -a\n"
                "computer rm local/box",
    .options = cmd_no_options,
    .commands = commands,
};
