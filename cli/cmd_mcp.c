/* cmd_mcp.c - `mcp`: the MCP server, and what tells a client of it. */
#include "cmd.h"
#include "config.h"
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
};

#define AT(field) offsetof(struct values, field)

static const struct opt options[] = {
    {0, "sandbox", "PLACE", OPT_TEXT, AT(serve.sandbox),
     "Where a call goes that names no sandbox", opt_check_filled, 0, 0, "place"},
    {0, "tools", "GROUPS", OPT_TEXT, AT(serve.groups),
     "Offer these only: places, exec, jobs, files, sync, watch, with commas between",
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

static int run_server(struct app *app, const struct values *given, const char *transfer)
{
    AUTO_WORDS self = {0};
    struct serve_opts opts = given->serve;

    words_add(&self, app->program);
    add_self(app, &self);
    opts.self = self.items;
    opts.ssh_config = app->ssh_config;
    opts.list_file = app->list_file;
    if (given->auth_sock != NULL)
        (void)setenv("SSH_AUTH_SOCK", given->auth_sock, 1);
    return transfer != NULL ? transfer_run(&opts, transfer) : serve(&opts);
}

static int run_mcp(struct app *app, const void *values, const struct words *operands)
{
    const struct values *given = values;
    const char *word = operands->count > 0 ? operands->items[0] : "";
    AUTO_TEXT page = {0};

    if (operands->count == 0)
        return run_server(app, given, NULL);
    if (strcmp(word, "config") == 0 && operands->count == 2)
        return run_config(app, given, operands->items[1]);
    if (strcmp(word, "config") == 0)
        return app_misused(app, "no CLIENT given");
    if (strcmp(word, "transfer") == 0 && operands->count == 2)
        return run_server(app, given, operands->items[1]);
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
        "home, and below each --root. This machine is no sandbox without --local.",
    .examples = "mcp config claude-code\nmcp --sandbox gpu1 --root ~/data\nmcp tools",
    .options = options,
    .values_size = sizeof(struct values),
    .most = 2,
    .operand = "WORD",
    .completes = "config tools|claude-code claude-desktop codex gemini cursor vscode",
    .run = run_mcp,
};
