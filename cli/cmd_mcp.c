/* cmd_mcp.c - `mcp`: the MCP server, and what tells a client of it. */
#include "cmd.h"
#include "config.h"
#include "reaper.h"
#include "serve.h"
#include "tool_page.h"
#include "transfer.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct values {
    struct serve_opts serve;
    const char *auth_sock;
    int64_t write;
    int64_t computers;
};

#define AT(field) offsetof(struct values, field)
#define COMPUTER(field) AT(serve.computers.field)
#define FOLLOWS(name, argument, kind, field, help, check, words)                         \
    {                                                                                    \
        0, name, argument, kind, COMPUTER(field), help, check, 0, 0, words               \
    }

static int check_engine(const char *value, sbx_error *err)
{
    if (strcmp(value, "docker") == 0 || strcmp(value, "podman") == 0)
        return SBX_OK;
    return fault(err, SBX_ERR_INVALID, "not docker or podman");
}

static const struct opt options[] = {
    {0, "sandbox", "PLACE", OPT_TEXT, AT(serve.sandbox),
     "Where a call goes that names no sandbox", opt_check_filled, 0, 0, "place"},
    {0, "tools", "GROUPS", OPT_TEXT, AT(serve.groups),
     "Offer these only: places, exec, jobs, files, sync, computers, watch, with commas "
     "between",
     opt_check_filled, 0, 0, NULL},
    {0, "read-only", NULL, OPT_FLAG, AT(serve.read_only),
     "Offer no tool that changes anything", NULL, 0, 0, NULL},
    {0, "root", "DIR", OPT_LIST, AT(serve.roots),
     "Files here may come from and go to this folder too; may be repeated", NULL, 0, 0,
     "dir"},
    {0, "local", NULL, OPT_FLAG, AT(serve.local), "Offer this machine as a sandbox too",
     NULL, 0, 0, NULL},
    {0, "any-host", NULL, OPT_FLAG, AT(serve.any_host),
     "Take any name that ssh would, not only hosts that are known", NULL, 0, 0, NULL},
    {0, "no-mask", NULL, OPT_FLAG, AT(serve.no_mask),
     "Show tokens and keys that are found in output", NULL, 0, 0, NULL},
    {0, "auth-sock", "PATH", OPT_TEXT, AT(auth_sock),
     "Socket of the ssh-agent, which many clients do not pass on", opt_check_filled, 0, 0,
     "file"},
    {0, "computers", NULL, OPT_FLAG, AT(computers),
     "Offer to make computers and to run commands in them; so does each option below",
     NULL, 0, 0, NULL},
    FOLLOWS("engine", "NAME", OPT_TEXT, engine, "docker or podman; what is there, else",
            check_engine, "docker podman"),
    FOLLOWS("backend", "NAME", OPT_TEXT, engine, "The same", check_engine,
            "docker podman"),
    FOLLOWS("docker-host", "URL", OPT_TEXT, docker_host,
            "Where this machine's docker is; a host's is in its entry", opt_check_filled,
            NULL),
    FOLLOWS("image", "IMAGE", OPT_TEXT, image,
            "A new one begins as this; debian:stable-slim by default", opt_check_filled,
            NULL),
    FOLLOWS("cpus", "N", OPT_TEXT, cpus, "So many CPUs at most: 1.5", opt_check_filled,
            NULL),
    FOLLOWS("cpu", "N", OPT_TEXT, cpus, "The same", opt_check_filled, NULL),
    FOLLOWS("memory", "BYTES", OPT_BYTES, memory,
            "So much memory at most, default 4G; K, M or G may follow", NULL, NULL),
    FOLLOWS("network", "NAME", OPT_TEXT, network, "A network of the engine's",
            opt_check_filled, NULL),
    FOLLOWS("no-network", NULL, OPT_FLAG, no_network, "None but its own loopback", NULL,
            NULL),
    FOLLOWS("shell", "SHELL", OPT_TEXT, shell,
            "Commands in it are for this shell; bash, else sh by default",
            opt_check_filled, NULL),
    FOLLOWS("timeout", "SECONDS", OPT_SECONDS, timeout_ms,
            "Of a command that does not say; 120 by default", NULL, NULL),
    {0, "output-limit", "CHARACTERS", OPT_INT, COMPUTER(output_limit),
     "So much of its output is shown; 20000 by default", NULL, 200, 100000, NULL},
    FOLLOWS("tool-instruction-override", "TEXT", OPT_TEXT, about,
            "Stands for what terminal_execute tells of itself", opt_check_filled, NULL),
    FOLLOWS("extended-tool-instruction", "TEXT", OPT_TEXT, more,
            "Stands behind what terminal_execute tells of itself", opt_check_filled,
            NULL),
    {0, "write", NULL, OPT_FLAG, AT(write),
     "With config: write the block to the client's file", NULL, 0, 0, NULL},
    OPT_END,
};

/* What calls this program again as it was called, but for what is only said once. */
static void add_self(const struct app *app, struct words *self)
{
    if (!app->only_command)
        words_add(self, "mcp");
    if (app->ssh_config != NULL) {
        words_add(self, "-F");
        words_add(self, app->ssh_config);
    }
    if (app->list_file != NULL) {
        words_add(self, "--config");
        words_add(self, app->list_file);
    }
}

static int run_config(struct app *app, const struct values *given, const char *client)
{
    AUTO_WORDS command = {0};
    AUTO_TEXT out = {0};
    AUTO_TEXT path = {0};
    char exe[PATH_MAX];
    const char *where = "";
    sbx_error err = {0};
    ssize_t length = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
    int rc;

    if (length < 0)
        return app_failed(app,
                          (fault_errno(&err, SBX_ERR_IO, "find this program"), &err));
    exe[length] = '\0';
    words_add(&command, exe);
    add_self(app, &command);
    if (given->write)
        rc = config_write(client, command.items, &path, &err);
    else
        rc = config_block(client, command.items, &out, &where, &err);
    if (rc < 0)
        return app_failed(app, &err);
    if (given->write) {
        out_note("written to %s", path.data);
        return 0;
    }
    out_note("%s:", where);
    (void)fputs(out.data, stdout);
    return 0;
}

/* Whoever says what computers are to be like wants them. */
static bool asks_for_computers(const struct values *given)
{
    const struct serve_computers *asked = &given->serve.computers;
    const void *const words[] = {asked->engine, asked->docker_host, asked->image,
                                 asked->cpus,   asked->network,     asked->shell,
                                 asked->about,  asked->more};
    size_t i;

    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (words[i] != NULL)
            return true;
    if (given->serve.groups != NULL && strstr(given->serve.groups, "computers") != NULL)
        return true;
    return given->computers > 0 || asked->no_network > 0 || asked->memory > 0 ||
           asked->timeout_ms > 0 || asked->output_limit > 0;
}

static int check_computers(struct app *app, const struct serve_computers *asked)
{
    if (asked->network != NULL && asked->no_network > 0)
        return app_misused(app, "--network and --no-network");
    if (asked->timeout_ms > 3600000 ||
        (asked->timeout_ms > 0 && asked->timeout_ms < 1000))
        return app_misused(app, "--timeout: not from 1 to 3600");
    if (asked->docker_host != NULL)
        (void)setenv("DOCKER_HOST", asked->docker_host, 1);
    return 0;
}

static int run_server(struct app *app, const struct values *given, const char *transfer,
                      bool reaps)
{
    AUTO_WORDS self = {0};
    struct serve_opts opts = given->serve;
    int status = check_computers(app, &opts.computers);

    if (status != 0)
        return status;
    opts.computers.offered = asks_for_computers(given);

    words_add(&self, app->program);
    add_self(app, &self);
    opts.self = self.items;
    opts.ssh_config = app->ssh_config;
    opts.list_file = app->list_file;
    if (given->auth_sock != NULL)
        (void)setenv("SSH_AUTH_SOCK", given->auth_sock, 1);
    if (reaps)
        return reaper_run(&opts);
    return transfer != NULL ? transfer_run(&opts, transfer) : serve(&opts);
}

static int run_mcp(struct app *app, const void *values, const struct words *operands)
{
    const struct values *given = values;
    const char *word = operands->count > 0 ? operands->items[0] : "";
    AUTO_TEXT page = {0};

    if (operands->count == 0)
        return run_server(app, given, NULL, false);
    if (strcmp(word, "reap") == 0 && operands->count == 1)
        return run_server(app, given, NULL, true);
    if (strcmp(word, "config") == 0 && operands->count == 2)
        return run_config(app, given, operands->items[1]);
    if (strcmp(word, "config") == 0)
        return app_misused(app, "no CLIENT given");
    if (strcmp(word, "transfer") == 0 && operands->count == 2)
        return run_server(app, given, operands->items[1], false);
    if (strcmp(word, "tools") != 0 || operands->count != 1)
        return app_misused(app, "unknown word '%s'", word);
    tool_page(&page);
    (void)fputs(page.data, stdout);
    return 0;
}

const struct cmd cmd_mcp = {
    .name = "mcp",
    .usage = "[OPTION]... [config CLIENT|tools]",
    .help = "Serve the sandboxes to an agent, over MCP",
    .about =
        "Speaks the Model Context Protocol on standard input and output until the client "
        "goes away: a client starts it, not a person. `config CLIENT` prints what makes "
        "claude-code, claude-desktop, codex, gemini, cursor or vscode start it; `tools` "
        "prints the tools as a client sees them.\n"
        "Files here are used below the folder it is started in, unless that is / or the "
        "home, and below each --root. This machine is no sandbox without --local.\n"
        "With --computers an agent gets machines of its own, in containers on the place "
        "of --sandbox, else on this machine: sbx computer tells of them. They are its "
        "alone, and the temporary ones end with the server.",
    .examples = "mcp config claude-code\nmcp --sandbox gpu1 --root ~/data\nmcp tools",
    .options = options,
    .values_size = sizeof(struct values),
    .most = 2,
    .operand = "WORD",
    .completes = "config tools|claude-code claude-desktop codex gemini cursor vscode",
    .run = run_mcp,
};
