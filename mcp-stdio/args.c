/* args.c - arguments of tools, checked by the rows that their schemas come from. */
#include "fault.h"
#include "nearest.h"
#include "shown.h"
#include "tool.h"

#include <math.h>
#include <string.h>

static const struct tool_param *param_named(const struct tool *tool, const char *name)
{
    const struct tool_param *param;

    for (param = tool->params; param->name != NULL; param++)
        if (strcmp(param->name, name) == 0)
            return param;
    return NULL;
}

static bool has_word(const char *words, const char *word, size_t length)
{
    while (*words != '\0') {
        size_t one = strcspn(words, " ");

        if (one == length && memcmp(words, word, one) == 0)
            return true;
        words += one + (words[one] == ' ');
    }
    return false;
}

bool args_needs(const struct tool *tool, const char *name)
{
    return tool->needs != NULL && has_word(tool->needs, name, strlen(name));
}

static int unknown(const struct tool *tool, const char *name, sbx_error *err)
{
    AUTO_WORDS known = {0};
    const struct tool_param *param;
    const char *near;
    int rc;

    for (param = tool->params; param->name != NULL; param++)
        words_add(&known, param->name);
    near = nearest_word(&known, name);
    rc = fault(err, SBX_ERR_INVALID, "%s has no argument '%.60s'", tool->name, name);
    if (near != NULL)
        return fault_fix(err, rc, "'%s'", near);
    return fault_fix(err, rc, "leave it out, and look at the tool's schema");
}

static bool is_list(const tree *value)
{
    const tree *item;

    if (!cJSON_IsArray(value))
        return false;
    cJSON_ArrayForEach(item, value)
    {
        if (!cJSON_IsString(item))
            return false;
    }
    return true;
}

static bool is_whole(const tree *value)
{
    return cJSON_IsNumber(value) && fabs(value->valuedouble) <= 9007199254740992.0 &&
           floor(value->valuedouble) == value->valuedouble;
}

static bool has_type(int type, const tree *value)
{
    switch (type) {
    case TOOL_TEXT:
        return cJSON_IsString(value);
    case TOOL_INT:
        return is_whole(value);
    case TOOL_NUMBER:
        return cJSON_IsNumber(value) && isfinite(value->valuedouble);
    case TOOL_BOOL:
        return cJSON_IsBool(value);
    default:
        return is_list(value);
    }
}

static int check_one(const struct tool *tool, const struct tool_param *param,
                     const tree *value, sbx_error *err)
{
    static const char *const names[] = {"",         "a string",      "a whole number",
                                        "a number", "true or false", "a list of strings"};

    if (!has_type(param->type, value))
        return fault_fix(err,
                         fault(err, SBX_ERR_INVALID, "%s: '%s' is not %s", tool->name,
                               param->name, names[param->type]),
                         "'%s': %.100s", param->name, param->about);
    if (param->most != 0 && (value->valuedouble < (double)param->least ||
                             value->valuedouble > (double)param->most))
        return fault_fix(err,
                         fault(err, SBX_ERR_INVALID, "%s: '%s' is %.15g", tool->name,
                               param->name, value->valuedouble),
                         "a number from %lld to %lld", (long long)param->least,
                         (long long)param->most);
    if (param->words != NULL &&
        !has_word(param->words, value->valuestring, strlen(value->valuestring)))
        return fault_fix(err,
                         fault(err, SBX_ERR_INVALID, "%s: '%s' is '%.60s'", tool->name,
                               param->name, value->valuestring),
                         "one of: %s", param->words);
    return SBX_OK;
}

static int check_needed(const struct tool *tool, const tree *args, sbx_error *err)
{
    const struct tool_param *param;

    for (param = tool->params; param->name != NULL; param++)
        if (args_needs(tool, param->name) && tree_at(args, param->name) == NULL)
            return fault_fix(err,
                             fault(err, SBX_ERR_INVALID, "%s: '%s' is missing",
                                   tool->name, param->name),
                             "'%s': %.100s", param->name, param->about);
    return SBX_OK;
}

int args_check(const struct tool *tool, const tree *args, sbx_error *err)
{
    const tree *value;
    int rc = SBX_OK;

    cJSON_ArrayForEach(value, args)
    {
        const struct tool_param *param = param_named(tool, value->string);

        if (param == NULL)
            return unknown(tool, value->string, err);
        rc = check_one(tool, param, value, err);
        if (rc < 0)
            return rc;
    }
    return check_needed(tool, args, err);
}

const char *args_text(const tree *args, const char *name)
{
    return tree_text(args, name);
}

int64_t args_int(const tree *args, const char *name, int64_t otherwise)
{
    const tree *value = tree_at(args, name);

    return value == NULL ? otherwise : (int64_t)value->valuedouble;
}

double args_number(const tree *args, const char *name)
{
    const tree *value = tree_at(args, name);

    return value == NULL ? 0 : value->valuedouble;
}

bool args_bool(const tree *args, const char *name)
{
    return cJSON_IsTrue(tree_at(args, name));
}

size_t args_characters(const tree *args)
{
    int64_t wanted = args_int(args, "max_output_chars", SHOWN_DEFAULT);

    return wanted < 200 ? 200 : wanted > SHOWN_MOST ? SHOWN_MOST : (size_t)wanted;
}

void args_words(const tree *args, const char *name, struct words *words)
{
    const tree *item;

    cJSON_ArrayForEach(item, tree_at(args, name))
    {
        words_add(words, item->valuestring);
    }
}
