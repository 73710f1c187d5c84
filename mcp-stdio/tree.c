#include "tree.h"

#include "text.h"

#include <string.h>

tree *tree_parse(struct raw text)
{
    const char *end = NULL;
    tree *value = cJSON_ParseWithLengthOpts(text.at, text.length, &end, 0);

    if (value == NULL)
        return NULL;
    if (raw_trim((struct raw){end, text.length - (size_t)(end - text.at)}).length == 0)
        return value;
    cJSON_Delete(value);
    return NULL;
}

char *tree_print(const tree *value)
{
    char *text = cJSON_PrintUnformatted(value);

    return text != NULL ? text : own_copy("null", 4);
}

tree *tree_object(void)
{
    return cJSON_CreateObject();
}

static tree *put(tree *parent, const char *name, tree *value)
{
    if (name == NULL ? cJSON_AddItemToArray(parent, value)
                     : cJSON_AddItemToObject(parent, name, value))
        return value;
    cJSON_Delete(value);
    return NULL;
}

void tree_put(tree *parent, const char *name, tree *value)
{
    (void)put(parent, name, value);
}

/* What a place calls a file may be any bytes: what is no UTF-8 becomes U+FFFD. */
static char *repaired(const char *text)
{
    AUTO_TEXT out = {0};
    size_t left = strlen(text);
    char *taken;

    text_add(&out, "");
    while (left > 0) {
        size_t step = raw_character(text, left);

        text_add_bytes(&out, step > 0 ? text : "\xEF\xBF\xBD", step > 0 ? step : 3);
        text += step > 0 ? step : 1;
        left -= step > 0 ? step : 1;
    }
    taken = out.data;
    out = (struct text){0};
    return taken;
}

tree *tree_add_object(tree *parent, const char *name)
{
    return put(parent, name, cJSON_CreateObject());
}

tree *tree_add_array(tree *parent, const char *name)
{
    return put(parent, name, cJSON_CreateArray());
}

void tree_add_text(tree *parent, const char *name, const char *text)
{
    AUTOFREE char *good = text == NULL ? NULL : repaired(text);

    if (good != NULL)
        tree_put(parent, name, cJSON_CreateString(good));
}

void tree_add_int(tree *parent, const char *name, int64_t number)
{
    tree_put(parent, name, cJSON_CreateNumber((double)number));
}

void tree_add_number(tree *parent, const char *name, double number)
{
    tree_put(parent, name, cJSON_CreateNumber(number));
}

void tree_add_bool(tree *parent, const char *name, bool value)
{
    tree_put(parent, name, cJSON_CreateBool(value));
}

const tree *tree_at(const tree *object, const char *name)
{
    return cJSON_IsObject(object) ? cJSON_GetObjectItemCaseSensitive(object, name) : NULL;
}

const char *tree_text(const tree *object, const char *name)
{
    return cJSON_GetStringValue(tree_at(object, name));
}

void tree_clear(tree **value)
{
    cJSON_Delete(*value);
    *value = NULL;
}
