/* complete.c - names of sandboxes, outputs and jobs, while a person types them. */
#include "fleet.h"
#include "methods.h"
#include "recent.h"
#include "rpc.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 100 };

static void add_hosts(struct fleet *fleet, const char *typed, struct words *found)
{
    const struct words no_tags = {0};
    AUTOFREE const sbx_host **all = NULL;
    size_t count = 0;
    sbx_error err;
    size_t i;

    (void)fleet_all(fleet, &no_tags, &all, &count, &err);
    for (i = 0; i < count; i++)
        if (strncmp(all[i]->name, typed, strlen(typed)) == 0)
            words_add(found, all[i]->name);
}

static void add_values(tree *completion, const struct words *found)
{
    tree *values = tree_add_array(completion, "values");
    size_t i;

    for (i = 0; i < found->count && i < MOST; i++)
        tree_add_text(values, NULL, found->items[i]);
    tree_add_int(completion, "total", (int64_t)found->count);
    tree_add_bool(completion, "hasMore", found->count > MOST);
}

tree *method_complete(struct call *call, struct rpc_fault *fault)
{
    const tree *argument = tree_at(call->params, "argument");
    const char *name = tree_text(argument, "name");
    const char *typed = tree_text(argument, "value");
    const char *kind = tree_text(tree_at(call->params, "ref"), "type");
    struct recent known[RECENT_MOST];
    AUTO_WORDS found = {0};
    size_t count;
    size_t i;
    tree *result;

    if (name == NULL || typed == NULL || kind == NULL)
        return rpc_fail(fault, RPC_PARAMS,
                        "completion/complete: 'ref.type', 'argument.name' or "
                        "'argument.value' is missing");
    if (strcmp(name, "sandbox") == 0)
        add_hosts(call->server->fleet, typed, &found);
    count = strcmp(name, "output_id") == 0 ? recent_list(RECENT_OUTPUT, known)
            : strcmp(name, "job_id") == 0  ? recent_list(RECENT_JOB, known)
                                           : 0;
    for (i = 0; i < count; i++)
        if (strncmp(known[i].id, typed, strlen(typed)) == 0)
            words_add(&found, known[i].id);
    result = tree_object();
    add_values(tree_add_object(result, "completion"), &found);
    return result;
}
