/* cmd_host.c - `host`: the places that are known; ls, show and rm of them. */
#include "cmd.h"
#include "flat_json.h"
#include "places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 6 };

/* A table's cells, borrowed from the hosts but for addresses and tags. */
struct table {
    const char *(*rows)[COLUMNS];
    size_t count;
};

static const char *source_name(int source)
{
    static const char *const names[] = {
        [SBX_HOST_BUILTIN] = "built-in",
        [SBX_HOST_LIST] = "list",
        [SBX_HOST_ENVIRONMENT] = "environment",
        [SBX_HOST_SSH_CONFIG] = "ssh_config",
        [SBX_HOST_NAME] = "name",
    };

    if (source < SBX_HOST_BUILTIN || source > SBX_HOST_NAME)
        return "-";
    return names[source];
}

static char *joined_tags(const sbx_host *host)
{
    struct text tags = {0};
    size_t i;

    for (i = 0; host->tags[i] != NULL; i++)
        text_addf(&tags, "%s%s", i > 0 ? "," : "", host->tags[i]);
    if (i == 0)
        text_add(&tags, "-");
    return tags.data;
}

static const char *or_dash(const char *text)
{
    return text == NULL || text[0] == '\0' ? "-" : text;
}

/* With the port, where it is not SSH's own. */
static char *address_of(const sbx_host *host)
{
    struct text text = {0};

    if (host->on != NULL) {
        text_addf(&text, "on %s", host->on);
        return text.data;
    }
    text_add(&text, or_dash(host->address));
    if (host->address != NULL && host->port != 0 && host->port != 22)
        text_addf(&text, strchr(host->address, ':') == NULL ? ":%lld" : " port %lld",
                  (long long)host->port);
    return text.data;
}

static void fill_row(const char **row, const sbx_host *host)
{
    row[0] = host->name;
    row[1] = sbx_host_kind_name(host->kind);
    row[2] = address_of(host);
    row[3] = or_dash(host->user);
    row[4] = joined_tags(host);
    row[5] = source_name(host->source);
}

static void print_table(const struct table *table)
{
    size_t width[COLUMNS] = {0};
    size_t row;
    int column;

    for (row = 0; row < table->count; row++)
        for (column = 0; column < COLUMNS; column++)
            if (strlen(table->rows[row][column]) > width[column])
                width[column] = strlen(table->rows[row][column]);
    for (row = 0; row < table->count; row++)
        for (column = 0; column < COLUMNS; column++)
            (void)printf("%-*s%s", column == COLUMNS - 1 ? 0 : (int)width[column] + 2,
                         table->rows[row][column], column == COLUMNS - 1 ? "\n" : "");
}

/* A host whose settings cannot be resolved is told of, and shown as it is known. */
static const sbx_host *resolved(struct app *app, size_t index)
{
    const sbx_host *known = sbx_hosts_at(app->hosts, index);
    const sbx_host *full = known;
    sbx_error err = {0};

    if (sbx_hosts_get(app->hosts, known->name, &full, &err) < 0)
        out_error(&err);
    return full;
}

static void print_list(struct app *app)
{
    static const char *const head[] = {"NAME", "KIND", "ADDRESS",
                                       "USER", "TAGS", "SOURCE"};
    size_t count = sbx_hosts_count(app->hosts);
    struct table table = {.rows = own_zeroed(count + 1, sizeof(table.rows[0])),
                          .count = count + 1};
    size_t i;

    memcpy(table.rows[0], head, sizeof(head));
    for (i = 0; i < count; i++)
        fill_row(table.rows[i + 1], resolved(app, i));
    print_table(&table);
    for (i = 1; i <= count; i++) {
        free((void *)(uintptr_t)table.rows[i][2]);
        free((void *)(uintptr_t)table.rows[i][4]);
    }
    free(table.rows);
}

static int run_ls(struct app *app, const void *values, const struct words *operands)
{
    sbx_error err = {0};
    size_t i;

    (void)values;
    (void)operands;
    if (app_open_hosts(app, &err) < 0)
        return app_failed(app, &err);
    if (!app->json)
        print_list(app);
    for (i = 0; app->json && i < sbx_hosts_count(app->hosts); i++)
        out_json(sbx_host_json(app->hosts, resolved(app, i)));
    return 0;
}

static int run_show(struct app *app, const void *values, const struct words *operands)
{
    AUTO_TEXT lines = {0};
    const sbx_host *host;
    sbx_error err = {0};
    char *json;
    int rc = app_open_hosts(app, &err);

    (void)values;
    if (rc == SBX_OK)
        rc = sbx_hosts_get(app->hosts, operands->items[0], &host, &err);
    if (rc < 0)
        return app_failed(app, &err);
    json = sbx_host_json(app->hosts, host);
    if (app->json) {
        out_json(json);
        return 0;
    }
    if (json != NULL)
        flat_json(json, &lines);
    sbx_free(json);
    if (lines.data != NULL)
        (void)fputs(lines.data, stdout);
    return 0;
}

static int run_rm(struct app *app, const void *values, const struct words *operands)
{
    AUTO_TEXT path = {0};
    sbx_error err = {0};
    int rc = app_list_file(app, &path, &err);

    (void)values;
    if (rc == SBX_OK)
        rc = sbx_hosts_file_remove(path.data, operands->items[0], &err);
    return rc < 0 ? app_failed(app, &err) : 0;
}

const struct cmd cmd_host_ls = {
    .name = "host ls",
    .usage = "[OPTION]...",
    .help = "List the places that are known by name",
    .about = "SOURCE is where a place was read: the list (hosts.json), the environment, "
             "or ssh_config. Any other word that ssh would take works as a place too.",
    .examples = "host ls\nhost ls --json | jq -r .name",
    .options = cmd_no_options,
    .most = 0,
    .operand = NULL,
    .run = run_ls,
};

const struct cmd cmd_host_show = {
    .name = "host show",
    .usage = "[OPTION]... PLACE",
    .help = "Show what a connection to a place would use",
    .about =
        "The keys are those of `ssh -G`; a time of 0 stands for our default, 15 seconds. "
        "Of a secret only its name is shown.",
    .examples = "host show gpu1\nhost show gpu1 --json",
    .options = cmd_no_options,
    .least = 1,
    .most = 1,
    .operand = "PLACE",
    .completes = "place",
    .run = run_show,
};

const struct cmd cmd_host_rm = {
    .name = "host rm",
    .usage = "[OPTION]... NAME",
    .help = "Take an entry out of the list of hosts",
    .examples = "host rm gpu1\nhost rm gpu1 --config ./hosts.json",
    .options = cmd_no_options,
    .least = 1,
    .most = 1,
    .operand = "NAME",
    .completes = "entry",
    .run = run_rm,
};

static const struct cmd *const commands[] = {
    &cmd_host_ls, &cmd_host_show, &cmd_host_add, &cmd_host_rm, &cmd_host_check, NULL,
};

const struct cmd cmd_host = {
    .name = "host",
    .usage = "COMMAND ...",
    .help = "List, show, add, remove and check places",
    .examples = "host ls\nhost add gpu1 --host 192.0.2.10 --user ubuntu --tag lab\n"
                "host check gpu1",
    .options = cmd_no_options,
    .commands = commands,
};
