#include "tool_page.h"

#include "tool.h"

#include <string.h>

static void add_params(struct text *out, const struct tool *tool)
{
    static const char *const types[] = {
        "", "text", "whole number", "number", "true or false", "list of text", "list"};
    const struct tool_param *param;

    if (tool->params->name == NULL)
        return;
    text_add(out, "| argument | type | |\n|---|---|---|\n");
    for (param = tool->params; param->name != NULL; param++) {
        text_addf(out, "| `%s`%s | %s", param->name,
                  args_needs(tool, param->name) ? " (needed)" : "", types[param->type]);
        if (param->words != NULL)
            text_addf(out, ": %s", param->words);
        text_addf(out, " | %s |\n", param->about);
    }
    text_add(out, "\n");
}

static void add_fields(struct text *out, const struct tool *tool)
{
    const struct tool_param *field;

    text_add(out, "Result: ");
    for (field = tool->fields; field->name != NULL; field++)
        text_addf(out, "%s`%s`", field == tool->fields ? "" : ", ",
                  field->name + (field->name[0] == '?'));
    text_add(out, ".\n");
}

void tool_page(struct text *out)
{
    const struct tool *const *tool;

    for (tool = tool_all; *tool != NULL; tool++) {
        text_addf(out, "%s### %s\n\n", tool == tool_all ? "" : "\n", (*tool)->name);
        tool_tell(*tool, out);
        text_addf(out, " Group `%s`%s.\n\n", (*tool)->group,
                  ((*tool)->flags & TOOL_READS) != 0 ? "; changes nothing" : "");
        add_params(out, *tool);
        add_fields(out, *tool);
    }
}
