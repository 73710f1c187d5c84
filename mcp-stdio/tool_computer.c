/* tool_computer.c - tools that list, make, change and end computers. */
#include "computers.h"
#include "fault.h"
#include "owning.h"
#include "tool.h"

#include <string.h>

typedef int (*change_fn)(sbx_session *session, const char *name,
                         const sbx_computer_opts *opts, sbx_computer **out,
                         sbx_error *err);

static void add_state(const struct computers *computers, tree *out)
{
    computers_add(computers, out);
    tree_add_text(out, "state", sbx_computer_state_name(computers->computer->state));
    tree_add_text(out, "image", computers->computer->image);
}

static int run_release(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    AUTO_COMPUTERS computers = {0};
    bool ends = false;
    int rc = computers_open(&computers, call, args, err);

    if (rc == SBX_OK)
        rc = computers_find(&computers, true, err);
    if (rc == SBX_OK) {
        ends = !computers.computer->permanent;
        rc = ends ? computers_remove(&computers, err) : SBX_OK;
    }
    if (rc < 0)
        return rc;
    tree_add_text(out, "computer_id", computers.computer->name);
    tree_add_bool(out, "released", true);
    tree_add_bool(out, "removed", ends);
    return SBX_OK;
}

static void add_one(struct call *call, tree *list, const sbx_computer *computer)
{
    AUTOFREE char *handle = owning_handle_of(call, computer->owner);
    tree *one = tree_add_object(list, NULL);

    tree_add_text(one, "computer_id", computer->name);
    tree_add_text(one, "sandbox", computer->address);
    tree_add_text(one, "state", sbx_computer_state_name(computer->state));
    tree_add_text(one, "image", computer->image);
    tree_add_bool(one, "temporary", !computer->permanent);
    tree_add_bool(one, "yours", handle != NULL);
    if (!owning_is_agents(computer->owner))
        tree_add_text(one, "owner", computer->owner);
    if (computer->memory >= 0)
        tree_add_int(one, "memory_mb", computer->memory >> 20);
    tree_add_text(one, "cpus", computer->cpus[0] == '\0' ? NULL : computer->cpus);
}

static int run_list(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    AUTO_COMPUTERS computers = {0};
    sbx_computer_list *list = NULL;
    tree *all;
    size_t i;
    int rc = computers_open(&computers, call, args, err);

    if (rc == SBX_OK) {
        const sbx_computer_opts opts = computers_opts(&computers);

        rc = sbx_computer_all(computers.session, &opts, &list, err);
    }
    if (rc < 0)
        return rc;
    all = tree_add_array(out, "computers");
    for (i = 0; i < list->count; i++)
        add_one(call, all, list->items[i]);
    sbx_computer_list_free(list);
    return SBX_OK;
}

static int run_create(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    AUTO_COMPUTERS computers = {0};
    int rc = computers_open(&computers, call, args, err);

    if (rc == SBX_OK)
        rc = computers_make(&computers, true, err);
    if (rc < 0)
        return rc;
    add_state(&computers, out);
    tree_add_bool(out, "made", computers.computer->made);
    return SBX_OK;
}

static int change(struct call *call, const tree *args, change_fn fn, tree *out,
                  sbx_error *err)
{
    AUTO_COMPUTERS computers = {0};
    sbx_computer *computer = NULL;
    int rc = computers_open(&computers, call, args, err);

    if (rc == SBX_OK)
        rc = computers_find(&computers, true, err);
    if (rc == SBX_OK) {
        const sbx_computer_opts opts = computers_opts(&computers);

        rc = fn(computers.session, computers.computer->name, &opts, &computer, err);
    }
    if (rc < 0)
        return rc;
    computers_take(&computers, computer, true);
    add_state(&computers, out);
    return SBX_OK;
}

static int run_restart(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    return change(call, args, sbx_computer_restart, out, err);
}

static int run_reset(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    return change(call, args, sbx_computer_reset, out, err);
}

static int run_delete(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    AUTO_COMPUTERS computers = {0};
    int rc = computers_open(&computers, call, args, err);

    if (rc == SBX_OK)
        rc = computers_find(&computers, true, err);
    if (rc == SBX_OK)
        rc = computers_remove(&computers, err);
    if (rc < 0)
        return rc;
    tree_add_text(out, "computer_id", computers.computer->name);
    tree_add_bool(out, "removed", true);
    return SBX_OK;
}

static const struct tool_param one_params[] = {COMPUTERS_ID, COMPUTERS_PLACE,
                                               COMPUTERS_HANDLE, TOOL_END};
static const struct tool_param list_params[] = {COMPUTERS_PLACE, COMPUTERS_HANDLE,
                                                TOOL_END};
static const struct tool_param create_params[] = {
    COMPUTERS_ID, COMPUTERS_NEW, COMPUTERS_PLACE, COMPUTERS_HANDLE, TOOL_END};

static const struct tool_param released_fields[] = {
    {"computer_id", TOOL_TEXT, 0, 0, NULL, NULL},
    {"released", TOOL_BOOL, 0, 0, NULL, NULL},
    {"removed", TOOL_BOOL, 0, 0, NULL, NULL},
    TOOL_END};
static const struct tool_param list_fields[] = {
    {"computers", TOOL_OBJECTS, 0, 0, NULL, NULL}, TOOL_END};
static const struct tool_param state_fields[] = {COMPUTERS_FIELDS,
                                                 {"state", TOOL_TEXT, 0, 0, NULL, NULL},
                                                 {"image", TOOL_TEXT, 0, 0, NULL, NULL},
                                                 {"?made", TOOL_BOOL, 0, 0, NULL, NULL},
                                                 TOOL_END};
static const struct tool_param removed_fields[] = {
    {"computer_id", TOOL_TEXT, 0, 0, NULL, NULL},
    {"removed", TOOL_BOOL, 0, 0, NULL, NULL},
    TOOL_END};

enum {
    MAKES = TOOL_COMPUTERS | TOOL_OUTSIDE | TOOL_REPEATS,
    CHANGES = MAKES | TOOL_DESTROYS | TOOL_LIFECYCLE
};

#define COMPUTER_TOOL(symbol, ...) TOOL_ROW(symbol, "computers", __VA_ARGS__)

COMPUTER_TOOL(tool_computer_release, "computer_release", MAKES | TOOL_DESTROYS,
              "computer_id", one_params, released_fields, run_release,
              "Be done with a computer: a temporary one is removed, another stays.");
COMPUTER_TOOL(tool_computer_list, "computer_list",
              TOOL_COMPUTERS | TOOL_LIFECYCLE | TOOL_OUTSIDE | TOOL_REPEATS | TOOL_READS,
              NULL, list_params, list_fields, run_list,
              "List the computers of a machine, and which are yours.");
COMPUTER_TOOL(tool_computer_create, "computer_create", MAKES | TOOL_LIFECYCLE, NULL,
              create_params, state_fields, run_create,
              "Make a computer, or take the one of that computer_id as it is.");
COMPUTER_TOOL(tool_computer_restart, "computer_restart", CHANGES, "computer_id",
              one_params, state_fields, run_restart,
              "End all that runs in a computer, and start it again; files stay.");
COMPUTER_TOOL(tool_computer_reset, "computer_factory_reset", CHANGES, "computer_id",
              one_params, state_fields, run_reset,
              "Make a computer anew from its image: all files in it are lost.");
COMPUTER_TOOL(tool_computer_delete, "computer_delete", CHANGES, "computer_id", one_params,
              removed_fields, run_delete, "End a computer, and remove its files.");
