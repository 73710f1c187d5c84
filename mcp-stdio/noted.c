#include "noted.h"

#include "fleet.h"
#include "guard.h"
#include "out.h"

#include <sandbox/ledger.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_VALUE = 500, LONGEST_DETAIL = 60000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sbx_ledger *ledger;
static bool told;

static void shorten(tree *value)
{
    tree *item;
    size_t end = LONGEST_VALUE;

    cJSON_ArrayForEach(item, value)
    {
        shorten(item);
    }
    if (!cJSON_IsString(value) || strlen(value->valuestring) <= LONGEST_VALUE)
        return;
    while (end > 0 && (value->valuestring[end] & 0xC0) == 0x80)
        end--;
    memcpy(value->valuestring + end - 3, "...", 4);
}

/* {"arguments","ok","error"}, for free(3). */
static char *detail_of(const struct call *call, const tree *args, const char *why)
{
    AUTO_TREE detail = tree_object();
    tree *copy = args == NULL ? tree_object() : cJSON_Duplicate(args, 1);
    char *text;

    shorten(copy);
    if (tree_at(copy, "sandbox_handle") != NULL)
        cJSON_ReplaceItemInObjectCaseSensitive(copy, "sandbox_handle",
                                               cJSON_CreateString("..."));
    guard_mask_tree(call->server->guard, copy);
    tree_put(detail, "arguments", copy);
    tree_add_bool(detail, "ok", why == NULL);
    tree_add_text(detail, "error", why);
    text = tree_print(detail);
    if (strlen(text) <= LONGEST_DETAIL)
        return text;
    free(text);
    cJSON_DeleteItemFromObjectCaseSensitive(detail, "arguments");
    tree_add_bool(detail, "left_out", true);
    return tree_print(detail);
}

static int add(const sbx_ledger_entry *entry, sbx_error *err)
{
    int rc = ledger != NULL ? SBX_OK : sbx_ledger_open(NULL, &ledger, err);

    return rc == SBX_OK ? sbx_ledger_add(ledger, entry, NULL, err) : rc;
}

static const char *place_of(const struct call *call, const tree *args)
{
    const sbx_host *selected = fleet_selected(call->server->fleet);
    const char *named = tree_text(args, "sandbox");

    if (named != NULL)
        return named;
    return selected == NULL ? NULL : selected->name;
}

void noted_call(const struct call *call, const struct tool *tool, const tree *args,
                const char *why)
{
    sbx_ledger_entry entry = {
        .size = sizeof(entry), .kind = "tool", .subject = tool->name};
    AUTOFREE char *detail = NULL;
    sbx_error err = {0};

    if ((tool->flags & TOOL_READS) != 0)
        return;
    detail = detail_of(call, args, why);
    entry.detail = detail;
    entry.place = place_of(call, args);
    (void)pthread_mutex_lock(&lock);
    if (add(&entry, &err) < 0 && !told) {
        told = true;
        out_note("calls are not noted: %s", err.text);
    }
    (void)pthread_mutex_unlock(&lock);
}
