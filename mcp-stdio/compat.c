#include "compat.h"

#include "tool.h"

#include <stdlib.h>
#include <string.h>

/* Its defaults are given where a call leaves them out. */
static const struct compat table[] = {
    {"exec_bash", "exec_bash", "sandbox_name=sandbox", "{\"timeout_s\":120}", NULL},
    {"select_sandbox", "select_sandbox", "sandbox_name=sandbox", "{}", NULL},
    {"exec_bash_background", "start_job", "sandbox_name=sandbox session_name=job_id",
     "{}", "start_job under its older name."},
    {"check_background_task", "check_job",
     "sandbox_name=sandbox tmux_session=job_id last_n_lines=lines log_file=-",
     "{\"lines\":50}", "check_job under its older name."},
    {"list_remote_files", "list_files",
     "sandbox_name=sandbox remote_path=path max_entries=limit", "{\"limit\":200}",
     "list_files under its older name."},
    {"read_remote_file", "read_file",
     "sandbox_name=sandbox remote_path=path max_bytes=max_output_chars",
     "{\"max_output_chars\":100000}", "read_file under its older name."},
    {"sync_local_to_remote", "sync",
     "sandbox_name=sandbox local_path=local remote_path=remote delete_extras=delete "
     "excludes=exclude exclude_file=exclude_file",
     "{\"direction\":\"push\",\"local\":\".\",\"remote\":\".\"}",
     "sync with direction push, under its older name."},
    {"sync_remote_to_local", "sync",
     "sandbox_name=sandbox local_path=local remote_path=remote excludes=exclude "
     "exclude_file=exclude_file",
     "{\"direction\":\"pull\",\"local\":\"./remote_mirror\",\"remote\":\".\"}",
     "sync with direction pull, under its older name."},
    {"check_file_transfer_task", "check_transfer", "task_id=transfer_id", "{}",
     "check_transfer under its older name."},
    {"cancel_file_transfer_task", "cancel_transfer", "task_id=transfer_id", "{}",
     "cancel_transfer under its older name."},
    {"watch_background_task", "watch_background_task",
     "sandbox_name=sandbox tmux_session=job_id session_name=job_id", "{}", NULL},
    {"exec_bash_background_watch", "exec_bash_background_watch",
     "sandbox_name=sandbox tmux_session=job_id session_name=job_id", "{}", NULL},
};

const struct compat *compat_named(const char *name)
{
    size_t i;

    for (i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    return NULL;
}

bool compat_applies(const char *name, const tree *args)
{
    const struct compat *compat = compat_named(name);

    return compat != NULL &&
           (compat->about != NULL || tree_at(args, "sandbox_name") != NULL);
}

/* The new name of an argument, for free(3). */
static char *renamed(const char *renames, const char *name)
{
    size_t length = strlen(name);

    while (*renames != '\0') {
        size_t word = strcspn(renames, " ");

        if (word > length && strncmp(renames, name, length) == 0 &&
            renames[length] == '=')
            return own_copy(renames + length + 1, word - length - 1);
        renames += word + (renames[word] == ' ');
    }
    return own_copy(name, length);
}

/* It took "" and null for an argument that was left out. */
static bool is_left_out(const char *name, const tree *value)
{
    return strcmp(name, "-") == 0 || cJSON_IsNull(value) ||
           (cJSON_IsString(value) && value->valuestring[0] == '\0');
}

static void add_renamed(tree *out, const char *renames, const tree *args)
{
    const tree *value;

    cJSON_ArrayForEach(value, args)
    {
        AUTOFREE char *name = renamed(renames, value->string);

        if (!is_left_out(name, value))
            tree_put(out, name, cJSON_Duplicate(value, true));
    }
}

tree *compat_translate(const char *name, const tree *args)
{
    const struct compat *compat = compat_named(name);
    tree *added = tree_parse((struct raw){compat->added, strlen(compat->added)});
    tree *out = tree_object();
    const tree *value;

    add_renamed(out, compat->renames, args);
    cJSON_ArrayForEach(value, added)
    {
        if (tree_at(out, value->string) == NULL)
            tree_put(out, value->string, cJSON_Duplicate(value, true));
    }
    tree_clear(&added);
    return out;
}

static bool is_asked_for(void)
{
    const char *asked = getenv("SBX_MCP_COMPAT");

    return asked != NULL && strcmp(asked, "1") == 0;
}

/* An argument's older name, for a schema. For free(3). */
static char *older(const char *renames, const char *name)
{
    size_t length = strlen(name);

    while (*renames != '\0') {
        size_t word = strcspn(renames, " ");

        if (word > length && renames[word - length - 1] == '=' &&
            strncmp(renames + word - length, name, length) == 0)
            return own_copy(renames, word - length - 1);
        renames += word + (renames[word] == ' ');
    }
    return NULL;
}

static tree *schema_of(const struct compat *compat, const struct tool *tool)
{
    tree *schema = tool_input_schema(tool);
    tree *properties = cJSON_DetachItemFromObjectCaseSensitive(schema, "properties");
    tree *out = tree_object();
    tree *kept;
    const tree *one;

    tree_add_text(out, "type", "object");
    kept = tree_add_object(out, "properties");
    cJSON_ArrayForEach(one, properties)
    {
        AUTOFREE char *name = older(compat->renames, one->string);

        if (name != NULL)
            tree_put(kept, name, cJSON_Duplicate(one, true));
    }
    tree_clear(&properties);
    tree_clear(&schema);
    return out;
}

void compat_add_listed(const struct call *call, tree *list)
{
    size_t i;
    const struct tool *const *tool;

    for (i = 0; is_asked_for() && i < sizeof(table) / sizeof(table[0]); i++)
        for (tool = tool_all; *tool != NULL; tool++) {
            tree *one;

            if (table[i].about == NULL || strcmp((*tool)->name, table[i].tool) != 0 ||
                !tool_is_listed(*tool))
                continue;
            one = tree_add_object(list, NULL);
            tree_add_text(one, "name", table[i].name);
            tree_add_text(one, "description", table[i].about);
            tree_put(one, "inputSchema", schema_of(&table[i], *tool));
            if ((call->era->has & ERA_ANNOTATIONS) != 0)
                tree_put(one, "annotations", tool_annotations(*tool));
        }
}
