/* tool_place.c - tools that tell of places and choose among them. */
#include "fault.h"
#include "fleet.h"
#include "survey.h"
#include "tool.h"

#include <stdlib.h>
#include <string.h>

static void add_host(struct fleet *fleet, tree *list, const sbx_host *host,
                     const sbx_host *selected)
{
    tree *one = tree_add_object(list, NULL);
    AUTOFREE char *why = NULL;
    tree *tags;
    size_t i;

    tree_add_text(one, "name", host->name);
    tree_add_text(one, "kind", sbx_host_kind_name(host->kind));
    tree_add_text(one, "state", fleet_state(fleet, host, &why));
    tree_add_text(one, "why", why);
    tree_add_text(one, "address", host->address);
    tree_add_bool(one, "selected", host == selected);
    tags = tree_add_array(one, "tags");
    for (i = 0; host->tags[i] != NULL; i++)
        tree_add_text(tags, NULL, host->tags[i]);
}

static int run_list(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    struct fleet *fleet = call->server->fleet;
    AUTOFREE const sbx_host **all = NULL;
    AUTO_WORDS tags = {0};
    size_t count = 0;
    size_t i;
    tree *list;
    int rc;

    args_words(args, "tags", &tags);
    rc = fleet_all(fleet, &tags, &all, &count, err);
    if (rc < 0)
        return rc;
    list = tree_add_array(out, "sandboxes");
    if (args_bool(args, "check_resources"))
        survey_add(call, all, count, list);
    for (i = 0; !args_bool(args, "check_resources") && i < count; i++)
        add_host(fleet, list, all[i], fleet_selected(fleet));
    return SBX_OK;
}

static int run_select(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    const sbx_host *host = NULL;
    int rc = fleet_named(call->server->fleet, args_text(args, "sandbox"), &host, err);

    if (rc < 0)
        return rc;
    tree_add_text(out, "sandbox", host->name);
    if ((call->era->has & ERA_STATELESS) != 0) {
        tree_add_text(out, "note",
                      "nothing is remembered between your requests: pass "
                      "this name as 'sandbox' in each call");
        return SBX_OK;
    }
    fleet_select(call->server->fleet, host);
    return SBX_OK;
}

static int run_active(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    const sbx_host *host = NULL;
    AUTOFREE char *why = NULL;
    int rc = fleet_place(call, args, &host, err);

    if (rc < 0)
        return rc;
    tree_add_text(out, "sandbox", host->name);
    tree_add_text(out, "state", fleet_state(call->server->fleet, host, &why));
    tree_add_text(out, "note", why);
    return SBX_OK;
}

static const struct tool_param list_params[] = {
    {"check_resources", TOOL_BOOL, 0, 0, NULL,
     "Ask each for load, GPUs, idle_score; takes seconds"},
    {"tags", TOOL_LIST, 0, 0, NULL, "Only with one of these"},
    TOOL_END,
};

static const struct tool_param list_fields[] = {
    {"sandboxes", TOOL_OBJECTS, 0, 0, NULL, NULL},
    TOOL_END,
};

static const struct tool_param select_params[] = {
    {"sandbox", TOOL_TEXT, 0, 0, NULL, "A name of list_sandboxes"},
    TOOL_END,
};

static const struct tool_param no_params[] = {TOOL_END};

static const struct tool_param place_fields[] = {
    {"sandbox", TOOL_TEXT, 0, 0, NULL, NULL},
    {"?state", TOOL_TEXT, 0, 0, NULL, NULL},
    {"?note", TOOL_TEXT, 0, 0, NULL, NULL},
    TOOL_END,
};

const struct tool tool_list_sandboxes = {
    .name = "list_sandboxes",
    .group = "places",
    .flags = TOOL_READS | TOOL_REPEATS | TOOL_OUTSIDE | TOOL_QUICK,
    .params = list_params,
    .fields = list_fields,
    .about = "List the remote machines you can use.",
    .slow = "check_resources",
    .run = run_list,
};

const struct tool tool_select_sandbox = {
    .name = "select_sandbox",
    .group = "places",
    .flags = TOOL_READS | TOOL_REPEATS | TOOL_QUICK,
    .needs = "sandbox",
    .params = select_params,
    .fields = place_fields,
    .about = "Make a sandbox the default of later calls.",
    .run = run_select,
};

const struct tool tool_get_active_sandbox = {
    .name = "get_active_sandbox",
    .group = "places",
    .flags = TOOL_READS | TOOL_REPEATS | TOOL_QUICK,
    .params = no_params,
    .fields = place_fields,
    .about = "Tell the default sandbox, and whether it was reached.",
    .run = run_active,
};
