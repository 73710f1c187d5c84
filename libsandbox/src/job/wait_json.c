/* wait_json.c - words and JSON for what was waited for. */
#include <sandbox/wait.h>

#include "base/json.h"

#include <string.h>

const char *sbx_wait_kind_name(int kind)
{
    static const char *const names[] = {"unknown", "job", "log", "file", "port", "host"};

    return names[kind < 1 || kind > SBX_WAIT_HOST ? 0 : kind];
}

static cJSON *tree_of(char *text)
{
    cJSON *tree = NULL;

    if (text != NULL)
        (void)sbi_json_parse(text, strlen(text), &tree, NULL);
    sbx_free(text);
    return tree == NULL ? cJSON_CreateNull() : tree;
}

static cJSON *answer_json(const sbx_wait_answer *answer)
{
    cJSON *json = cJSON_CreateObject();
    bool of_log = answer->kind == SBX_WAIT_LOG;

    sbi_json_add_text(json, "kind", sbx_wait_kind_name(answer->kind));
    (void)cJSON_AddBoolToObject(json, "met", answer->met);
    (void)cJSON_AddItemToObject(json, "cursor",
                                of_log ? cJSON_CreateNumber((double)answer->cursor)
                                       : cJSON_CreateNull());
    (void)cJSON_AddItemToObject(
        json, "line",
        answer->line == NULL ? cJSON_CreateNull()
                             : sbi_json_bytes(answer->line, strlen(answer->line), true));
    (void)cJSON_AddItemToObject(
        json, "job", tree_of(answer->job == NULL ? NULL : sbx_job_json(answer->job)));
    (void)cJSON_AddItemToObject(
        json, "error",
        tree_of(answer->error.code == 0 ? NULL : sbx_error_json(&answer->error)));
    return json;
}

char *sbx_waited_json(const sbx_waited *waited)
{
    SBI_AUTO_JSON json = cJSON_CreateObject();
    cJSON *list;
    size_t i;

    if (json == NULL)
        return NULL;
    sbi_json_add_text(json, "place", waited->place);
    (void)cJSON_AddBoolToObject(json, "met", waited->met);
    (void)cJSON_AddBoolToObject(json, "timed_out", waited->timed_out);
    list = cJSON_AddArrayToObject(json, "answers");
    for (i = 0; i < waited->count; i++)
        (void)cJSON_AddItemToArray(list, answer_json(waited->answers[i]));
    return sbi_json_print(json);
}
