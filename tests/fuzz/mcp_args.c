/* mcp_args.c - any JSON as a tool's arguments, checked by its rows and then read. */
#include "tool.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct tool_param params[] = {
    {"text", TOOL_TEXT, 0, 0, NULL, "Any"},
    {"word", TOOL_TEXT, 0, 0, "one two", "One of them"},
    {"count", TOOL_INT, -5, 100, NULL, "How many"},
    {"share", TOOL_NUMBER, 0, 1, NULL, "How much"},
    {"flag", TOOL_BOOL, 0, 0, NULL, "Whether"},
    {"list", TOOL_LIST, 0, 0, NULL, "Which"},
    TOOL_END,
};

static const struct tool tool = {
    .name = "fuzzed", .group = "exec", .needs = "text", .params = params};

static void read_all(const tree *args)
{
    AUTO_WORDS list = {0};
    int64_t count = args_int(args, "count", 7);
    double share = args_number(args, "share");

    if (args_text(args, "text") == NULL || count < -5 || count > 100 || !(share >= 0) ||
        !(share <= 1))
        abort();
    args_words(args, "list", &list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    AUTO_TREE args = tree_parse((struct raw){(const char *)data, size});
    sbx_error err = {0};

    if (!cJSON_IsObject(args))
        return 0;
    if (args_check(&tool, args, &err) == SBX_OK)
        read_all(args);
    else if (err.code != SBX_ERR_INVALID || err.text[0] == '\0')
        abort();
    return 0;
}
