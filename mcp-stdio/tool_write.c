/* tool_write.c - tools that change files of a place. */
#include "fault.h"
#include "file_path.h"
#include "tool.h"

#include <sandbox/file.h>

#include <string.h>

enum { LIMIT_MS = 120000 };

static void add_written(tree *out, const sbx_file_written *written, bool edited)
{
    tree_add_text(out, "path", written->path);
    tree_add_bool(out, "created", written->created);
    tree_add_int(out, "size", written->size);
    if (edited)
        tree_add_int(out, "replaced", written->matches);
    tree_add_text(out, "sha256", written->sha256);
}

static int run_write(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    const char *content = args_text(args, "content");
    const char *mode = args_text(args, "mode");
    bool appends = mode != NULL && strcmp(mode, "append") == 0;
    const sbx_file_write_opts opts = {
        .size = sizeof(opts),
        .flags = (args_bool(args, "create_folders") ? SBX_FILE_PARENTS : 0) |
                 (mode != NULL && strcmp(mode, "new") == 0 ? SBX_FILE_NEW : 0),
        .if_sha256 = args_text(args, "if_sha256"),
        .timeout_ms = LIMIT_MS,
        .cancel = call->cancel};
    AUTO_FILE_PATH path = {0};
    AUTO_SESSION session = NULL;
    sbx_file_written *written = NULL;
    int rc = file_path_open(call, args, true, &path, &session, err);

    if (rc == SBX_OK && appends)
        rc = sbx_file_append(session, path.path, content, strlen(content), &opts,
                             &written, err);
    else if (rc == SBX_OK)
        rc = sbx_file_write(session, path.path, content, strlen(content), &opts, &written,
                            err);
    if (rc < 0)
        return rc;
    add_written(out, written, false);
    sbx_file_written_free(written);
    return SBX_OK;
}

static int run_edit(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    const char *old_text = args_text(args, "old_text");
    const char *new_text = args_text(args, "new_text");
    const sbx_file_edit_opts opts = {.size = sizeof(opts),
                                     .flags = args_bool(args, "all") ? SBX_FILE_ALL : 0,
                                     .if_sha256 = args_text(args, "if_sha256"),
                                     .timeout_ms = LIMIT_MS,
                                     .cancel = call->cancel};
    AUTO_FILE_PATH path = {0};
    AUTO_SESSION session = NULL;
    sbx_file_written *written = NULL;
    int rc = file_path_open(call, args, true, &path, &session, err);

    if (rc == SBX_OK)
        rc = sbx_file_edit(session, path.path, old_text, strlen(old_text), new_text,
                           strlen(new_text), &opts, &written, err);
    if (rc == SBX_ERR_CONFLICT && err->fix[0] == '\0')
        return fault_fix(err, rc,
                         "read_file, then use text that stands there exactly "
                         "once, or 'all'");
    if (rc < 0)
        return rc;
    add_written(out, written, true);
    sbx_file_written_free(written);
    return SBX_OK;
}

#define IF_SHA256                                                                        \
    {                                                                                    \
        "if_sha256", TOOL_TEXT, 0, 0, NULL, "Refuse if changed since"                    \
    }

static const struct tool_param write_params[] = {
    {"path", TOOL_TEXT, 0, 0, NULL, "Path there"},
    {"content", TOOL_TEXT, 0, 0, NULL, "All of it"},
    TOOL_SANDBOX,
    {"mode", TOOL_TEXT, 0, 0, "replace append new", "Default replace"},
    {"create_folders", TOOL_BOOL, 0, 0, NULL, "Make its folders"},
    IF_SHA256,
    TOOL_END,
};

static const struct tool_param edit_params[] = {
    {"path", TOOL_TEXT, 0, 0, NULL, "Path there"},
    {"old_text", TOOL_TEXT, 0, 0, NULL, "Exact; must be there once"},
    {"new_text", TOOL_TEXT, 0, 0, NULL, "Instead of it"},
    TOOL_SANDBOX,
    {"all", TOOL_BOOL, 0, 0, NULL, "Every match"},
    IF_SHA256,
    TOOL_END,
};

static const struct tool_param fields[] = {
    {"path", TOOL_TEXT, 0, 0, NULL, NULL},    {"created", TOOL_BOOL, 0, 0, NULL, NULL},
    {"size", TOOL_INT, 0, 0, NULL, NULL},     {"?replaced", TOOL_INT, 0, 0, NULL, NULL},
    {"?sha256", TOOL_TEXT, 0, 0, NULL, NULL}, TOOL_END,
};

const struct tool tool_write_file = {
    .name = "write_file",
    .group = "files",
    .flags = TOOL_DESTROYS | TOOL_OUTSIDE,
    .needs = "path content",
    .params = write_params,
    .fields = fields,
    .about = "Write a file, replaced at once: old or new, never half.",
    .run = run_write,
};

const struct tool tool_edit_file = {
    .name = "edit_file",
    .group = "files",
    .flags = TOOL_DESTROYS | TOOL_OUTSIDE,
    .needs = "path old_text new_text",
    .params = edit_params,
    .fields = fields,
    .about = "Replace exact text in a file.",
    .run = run_edit,
};
