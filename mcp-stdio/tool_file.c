/* tool_file.c - tools that look at files of a place. */
#include "file_path.h"
#include "fleet.h"
#include "shown.h"
#include "tool.h"

#include <sandbox/file.h>

enum {
    DEFAULT_ENTRIES = 500,
    MOST_ENTRIES = 5000,
    MOST_BYTES = 4 << 20,
    LIMIT_MS = 60000
};

static void add_entry(tree *list, const sbx_file_info *info)
{
    tree *one = tree_add_object(list, NULL);
    AUTO_TEXT mode = {0};

    text_addf(&mode, "%04o", info->mode);
    tree_add_text(one, "path", info->path);
    tree_add_text(one, "kind", sbx_file_kind_name(info->kind));
    if (info->kind == SBX_FILE_REGULAR)
        tree_add_int(one, "size", info->size);
    tree_add_text(one, "mode", mode.data);
    if (info->mtime_ns != INT64_MIN)
        tree_add_int(one, "mtime", info->mtime_ns / 1000000000);
    tree_add_text(one, "target", info->target);
}

static void add_listing(tree *out, const sbx_file_listing *listing)
{
    tree *list;
    size_t i;

    tree_add_text(out, "path", listing->path);
    list = tree_add_array(out, "entries");
    for (i = 0; i < listing->count; i++)
        add_entry(list, listing->items[i]);
    tree_add_bool(out, "truncated", listing->truncated);
    if (listing->incomplete)
        tree_add_text(out, "note", listing->complaints);
}

static int run_list(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    const sbx_file_list_opts opts = {
        .size = sizeof(opts),
        .flags = args_bool(args, "recursive") ? SBX_FILE_RECURSIVE : 0,
        .glob = args_text(args, "glob"),
        .limit = args_int(args, "limit", DEFAULT_ENTRIES),
        .timeout_ms = LIMIT_MS,
        .cancel = call->cancel};
    AUTO_FILE_PATH path = {0};
    AUTO_SESSION session = NULL;
    sbx_file_listing *listing = NULL;
    int rc = file_path_open(call, args, false, &path, &session, err);

    if (rc == SBX_OK)
        rc = sbx_file_list(session, path.path, &opts, &listing, err);
    if (rc < 0)
        return rc;
    add_listing(out, listing);
    sbx_file_listing_free(listing);
    return SBX_OK;
}

static int run_read(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    const sbx_file_read_opts opts = {.size = sizeof(opts),
                                     .first_line = args_int(args, "first_line", 0),
                                     .last_line = args_int(args, "last_line", 0),
                                     .max_bytes = MOST_BYTES,
                                     .timeout_ms = LIMIT_MS,
                                     .cancel = call->cancel};
    struct shown how = {.how = "first_line and last_line read them"};
    AUTO_FILE_PATH path = {0};
    AUTO_SESSION session = NULL;
    AUTO_TEXT text = {0};
    sbx_file_content *content = NULL;
    bool cut;
    int rc = file_path_open(call, args, false, &path, &session, err);

    if (rc == SBX_OK)
        rc = sbx_file_read(session, path.path, &opts, &content, err);
    if (rc < 0)
        return rc;
    how.limit = args_characters(args);
    text_add(&text, "");
    cut = shown_add(&text, content->data, content->length, &how);
    tree_add_text(out, "path", content->path);
    tree_add_text(out, "content", text.data);
    tree_add_bool(out, "truncated", cut || content->truncated);
    tree_add_int(out, "size", content->size);
    tree_add_text(out, "sha256", content->sha256);
    sbx_file_content_free(content);
    return SBX_OK;
}

#define PATH_OF_PLACE                                                                    \
    {                                                                                    \
        "path", TOOL_TEXT, 0, 0, NULL, "Path there"                                      \
    }

static const struct tool_param list_params[] = {
    PATH_OF_PLACE,
    TOOL_SANDBOX,
    {"recursive", TOOL_BOOL, 0, 0, NULL, "With all below"},
    {"glob", TOOL_TEXT, 0, 0, NULL, "Only these: *.py, src/**/*.c"},
    {"limit", TOOL_INT, 1, MOST_ENTRIES, NULL, "Entries; default 500"},
    TOOL_END,
};

static const struct tool_param list_fields[] = {
    {"path", TOOL_TEXT, 0, 0, NULL, NULL},
    {"entries", TOOL_OBJECTS, 0, 0, NULL, NULL},
    {"truncated", TOOL_BOOL, 0, 0, NULL, NULL},
    {"?note", TOOL_TEXT, 0, 0, NULL, NULL},
    TOOL_END,
};

static const struct tool_param read_params[] = {
    PATH_OF_PLACE,
    TOOL_SANDBOX,
    {"first_line", TOOL_INT, 0, 0, NULL, "From 1; -N: the last N lines"},
    {"last_line", TOOL_INT, 0, 0, NULL, "Default: the last"},
    {"max_output_chars", TOOL_INT, 0, 0, NULL, "Default 20000"},
    TOOL_END,
};

static const struct tool_param read_fields[] = {
    {"path", TOOL_TEXT, 0, 0, NULL, NULL},      {"content", TOOL_TEXT, 0, 0, NULL, NULL},
    {"truncated", TOOL_BOOL, 0, 0, NULL, NULL}, {"size", TOOL_INT, 0, 0, NULL, NULL},
    {"?sha256", TOOL_TEXT, 0, 0, NULL, NULL},   TOOL_END,
};

const struct tool tool_list_files = {
    .name = "list_files",
    .group = "files",
    .flags = TOOL_READS | TOOL_REPEATS | TOOL_OUTSIDE,
    .params = list_params,
    .fields = list_fields,
    .about = "List a folder.",
    .run = run_list,
};

const struct tool tool_read_file = {
    .name = "read_file",
    .group = "files",
    .flags = TOOL_READS | TOOL_REPEATS | TOOL_OUTSIDE,
    .needs = "path",
    .params = read_params,
    .fields = read_fields,
    .about = "Read a file, whole or by lines.",
    .run = run_read,
};
