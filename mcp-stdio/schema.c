/* schema.c - a tool's row as the JSON Schema that clients are told. */
#include "tool.h"

#include <string.h>

static const char *const type_names[] = {"",        "string", "integer", "number",
                                         "boolean", "array",  "array"};

static void add_words(tree *schema, const char *words)
{
    tree *list;

    if (words == NULL)
        return;
    list = tree_add_array(schema, "enum");
    while (*words != '\0') {
        size_t length = strcspn(words, " ");
        AUTOFREE char *word = own_copy(words, length);

        tree_add_text(list, NULL, word);
        words += length + (words[length] == ' ');
    }
}

static void add_type(tree *schema, const struct tool_param *param)
{
    tree_add_text(schema, "type", type_names[param->type]);
    if (param->type == TOOL_LIST)
        tree_add_text(tree_add_object(schema, "items"), "type", "string");
    if (param->type == TOOL_OBJECTS)
        tree_add_text(tree_add_object(schema, "items"), "type", "object");
}

tree *tool_input_schema(const struct tool *tool)
{
    tree *schema = tree_object();
    tree *properties;
    const struct tool_param *param;
    AUTO_TREE needed = cJSON_CreateArray();

    tree_add_text(schema, "type", "object");
    properties = tree_add_object(schema, "properties");
    for (param = tool->params; param->name != NULL; param++) {
        tree *one = tree_add_object(properties, param->name);

        add_type(one, param);
        add_words(one, param->words);
        if (param->most != 0) {
            tree_add_int(one, "minimum", param->least);
            tree_add_int(one, "maximum", param->most);
        }
        tree_add_text(one, "description", param->about);
        if (args_needs(tool, param->name))
            tree_add_text(needed, NULL, param->name);
    }
    if (cJSON_GetArraySize(needed) > 0) {
        tree_put(schema, "required", needed);
        needed = NULL;
    }
    tree_add_bool(schema, "additionalProperties", false);
    return schema;
}

/* What is always there: a model reads the rest where it comes up. */
tree *tool_output_schema(const struct tool *tool)
{
    tree *schema = tree_object();
    tree *properties;
    const struct tool_param *field;

    tree_add_text(schema, "type", "object");
    properties = tree_add_object(schema, "properties");
    for (field = tool->fields; field->name != NULL; field++)
        if (field->name[0] != '?')
            add_type(tree_add_object(properties, field->name), field);
    return schema;
}

tree *tool_annotations(const struct tool *tool)
{
    static const struct {
        const char *name;
        uint64_t flag;
    } hints[] = {{"readOnlyHint", TOOL_READS},
                 {"destructiveHint", TOOL_DESTROYS},
                 {"idempotentHint", TOOL_REPEATS},
                 {"openWorldHint", TOOL_OUTSIDE}};
    tree *annotations = tree_object();
    size_t i;

    for (i = 0; i < sizeof(hints) / sizeof(hints[0]); i++)
        tree_add_bool(annotations, hints[i].name, (tool->flags & hints[i].flag) != 0);
    return annotations;
}
