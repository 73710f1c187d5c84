#include "config.h"

#include "fault.h"
#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SERVER "sandbox"

enum form { FORM_COMMAND = 1, FORM_JSON, FORM_TOML };

static const struct client {
    const char *name;
    int form;
    const char *key;   /* JSON: what holds the servers */
    bool typed;        /* JSON: a server says that it is on standard input */
    const char *file;  /* `~/` is the home; else below the working folder */
    const char *where; /* the same for a person */
} clients[] = {
    {"claude-code", FORM_COMMAND, "mcpServers", false, ".mcp.json",
     "run this, or write it to .mcp.json of the project"},
    {"claude-desktop", FORM_JSON, "mcpServers", false,
     "~/.config/Claude/claude_desktop_config.json",
     "claude_desktop_config.json (Settings, Developer, Edit Config)"},
    {"codex", FORM_TOML, NULL, false, "~/.codex/config.toml", "~/.codex/config.toml"},
    {"gemini", FORM_JSON, "mcpServers", false, "~/.gemini/settings.json",
     "~/.gemini/settings.json, or .gemini/settings.json of the project"},
    {"cursor", FORM_JSON, "mcpServers", false, "~/.cursor/mcp.json",
     "~/.cursor/mcp.json, or .cursor/mcp.json of the project"},
    {"vscode", FORM_JSON, "servers", true, ".vscode/mcp.json",
     ".vscode/mcp.json of the project"},
};

static const struct client *client_named(const char *name, sbx_error *err)
{
    size_t i;

    for (i = 0; i < sizeof(clients) / sizeof(clients[0]); i++)
        if (strcmp(clients[i].name, name) == 0)
            return &clients[i];
    (void)fault_fix(err, fault(err, SBX_ERR_NOT_FOUND, "unknown client '%s'", name),
                    "claude-code, claude-desktop, codex, gemini, cursor, vscode");
    return NULL;
}

/* The agent's socket, which most clients do not pass on. */
static const char *agent(void)
{
    const char *socket = getenv("SSH_AUTH_SOCK");

    return socket == NULL || socket[0] == '\0' ? NULL : socket;
}

static tree *server_entry(const struct client *client, const char *const *command)
{
    tree *entry = tree_object();
    tree *list;
    size_t i;

    if (client->typed)
        tree_add_text(entry, "type", "stdio");
    tree_add_text(entry, "command", command[0]);
    list = tree_add_array(entry, "args");
    for (i = 1; command[i] != NULL; i++)
        tree_add_text(list, NULL, command[i]);
    if (agent() != NULL)
        tree_add_text(tree_add_object(entry, "env"), "SSH_AUTH_SOCK", agent());
    return entry;
}

static void add_json(const struct client *client, const char *const *command,
                     struct text *out)
{
    AUTO_TREE block = tree_object();
    char *text;

    tree_put(tree_add_object(block, client->key), SERVER, server_entry(client, command));
    text = cJSON_Print(block);
    text_addf(out, "%s\n", text == NULL ? "" : text);
    free(text);
}

/* A basic string of TOML takes the escapes of JSON. */
static void add_toml(const char *const *command, struct text *out)
{
    size_t i;

    text_add(out, "[mcp_servers." SERVER "]\ncommand = ");
    text_add_json(out, command[0]);
    text_add(out, "\nargs = [");
    for (i = 1; command[i] != NULL; i++) {
        text_add(out, i > 1 ? ", " : "");
        text_add_json(out, command[i]);
    }
    text_add(out, "]\n");
    if (agent() == NULL)
        return;
    text_add(out, "env = { SSH_AUTH_SOCK = ");
    text_add_json(out, agent());
    text_add(out, " }\n");
}

/* In single quotes, for a shell that a person types it to. */
static void add_quoted(struct text *out, const char *word)
{
    text_add(out, "'");
    for (; *word != '\0'; word++)
        if (*word == '\'')
            text_add(out, "'\\''");
        else
            text_add_bytes(out, word, 1);
    text_add(out, "'");
}

static void add_command(const char *const *command, struct text *out)
{
    AUTO_TEXT variable = {0};
    size_t i;

    text_add(out, "claude mcp add --scope user " SERVER);
    if (agent() != NULL) {
        text_addf(&variable, "SSH_AUTH_SOCK=%s", agent());
        text_add(out, " -e ");
        add_quoted(out, variable.data);
    }
    text_add(out, " --");
    for (i = 0; command[i] != NULL; i++) {
        text_add(out, " ");
        add_quoted(out, command[i]);
    }
    text_add(out, "\n");
}

int config_block(const char *client, const char *const *command, struct text *out,
                 const char **where, sbx_error *err)
{
    const struct client *row = client_named(client, err);

    if (row == NULL)
        return err->code;
    *where = row->where;
    if (row->form == FORM_COMMAND)
        add_command(command, out);
    else if (row->form == FORM_TOML)
        add_toml(command, out);
    else
        add_json(row, command, out);
    return SBX_OK;
}

static int path_of(const struct client *client, struct text *path, sbx_error *err)
{
    const char *home = getenv("HOME");

    if (client->file[0] != '~') {
        text_add(path, client->file);
        return SBX_OK;
    }
    if (home == NULL || home[0] != '/')
        return fault(err, SBX_ERR_CONFIG, "HOME is not set");
    text_addf(path, "%s%s", home, client->file + 1);
    return SBX_OK;
}

static int read_old(const char *path, struct text *out, sbx_error *err)
{
    AUTOCLOSE int fd = open(path, O_RDONLY | O_CLOEXEC);
    char piece[4096];
    ssize_t n;

    text_add(out, "");
    if (fd < 0 && errno == ENOENT)
        return SBX_OK;
    if (fd < 0)
        return fault_errno(err, SBX_ERR_IO, "read '%s'", path);
    while ((n = read(fd, piece, sizeof(piece))) > 0 && out->length < 4 << 20)
        text_add_bytes(out, piece, (size_t)n);
    return n == 0 ? SBX_OK : fault_errno(err, SBX_ERR_IO, "read '%s'", path);
}

/* The file is the old one or the new one; a link to it stays a link. */
static int write_new(const char *path, const char *bytes, sbx_error *err)
{
    AUTOFREE char *real = realpath(path, NULL);
    AUTO_TEXT beside = {0};
    const char *slash = strrchr(path, '/');
    FILE *file;
    int failed;

    if (slash != NULL && slash != path) {
        AUTOFREE char *folder = own_copy(path, (size_t)(slash - path));

        if (mkdir(folder, 0755) < 0 && errno != EEXIST)
            return fault_errno(err, SBX_ERR_IO, "make folder '%s'", folder);
    }
    if (real != NULL)
        path = real;
    text_addf(&beside, "%s.new", path);
    file = fopen(beside.data, "we");
    if (file == NULL)
        return fault_errno(err, SBX_ERR_IO, "write '%s'", beside.data);
    failed = fputs(bytes, file) == EOF;
    failed = fclose(file) != 0 || failed;
    if (failed || rename(beside.data, path) < 0)
        return fault_errno(err, SBX_ERR_IO, "write '%s'", path);
    return SBX_OK;
}

static int merge_json(const struct client *client, const char *const *command,
                      const char *path, struct text *text, sbx_error *err)
{
    AUTO_TREE whole = text->length == 0
                          ? tree_object()
                          : tree_parse((struct raw){text->data, text->length});
    tree *servers;
    char *bytes;
    int rc;

    if (!cJSON_IsObject(whole))
        return fault_fix(err, fault(err, SBX_ERR_CONFIG, "'%s' is not plain JSON", path),
                         "put the block there by hand: leave --write out to see it");
    servers = cJSON_GetObjectItemCaseSensitive(whole, client->key);
    if (servers == NULL)
        servers = tree_add_object(whole, client->key);
    cJSON_DeleteItemFromObjectCaseSensitive(servers, SERVER);
    tree_put(servers, SERVER, server_entry(client, command));
    bytes = cJSON_Print(whole);
    text->length = 0;
    text_addf(text, "%s\n", bytes == NULL ? "" : bytes);
    free(bytes);
    rc = write_new(path, text->data, err);
    return rc;
}

int config_write(const char *client, const char *const *command, struct text *path,
                 sbx_error *err)
{
    const struct client *row = client_named(client, err);
    AUTO_TEXT text = {0};
    int rc;

    if (row == NULL)
        return err->code;
    rc = path_of(row, path, err);
    if (rc == SBX_OK)
        rc = read_old(path->data, &text, err);
    if (rc < 0)
        return rc;
    if (row->form != FORM_TOML)
        return merge_json(row, command, path->data, &text, err);
    if (strstr(text.data, "[mcp_servers." SERVER "]") != NULL)
        return fault_fix(err,
                         fault(err, SBX_ERR_EXISTS,
                               "'%s' has a server '" SERVER "' already", path->data),
                         "change it there by hand: leave --write out to see the block");
    text_add(&text, text.length > 0 ? "\n" : "");
    add_toml(command, &text);
    return write_new(path->data, text.data, err);
}
