/* json.c - a computer as JSON. */
#include "base/json.h"

#include <sandbox/computer.h>

#include <string.h>

static void add_filled(cJSON *json, const char *key, const char *text)
{
    sbi_json_add_text(json, key, text[0] == '\0' ? NULL : text);
}

static void add_limit(cJSON *json, const char *key, int64_t number, int64_t none)
{
    if (number == none)
        (void)cJSON_AddNullToObject(json, key);
    else
        (void)cJSON_AddNumberToObject(json, key, (double)number);
}

char *sbx_computer_json(const sbx_computer *computer)
{
    static const char *const dues[] = {
        [SBX_COMPUTER_DUE_HOLDER] = "holder", [SBX_COMPUTER_DUE_TIME] = "time"};
    SBI_AUTO_JSON json = cJSON_CreateObject();
    cJSON *settings = NULL;

    sbi_json_add_text(json, "address", computer->address);
    sbi_json_add_text(json, "place", computer->place);
    sbi_json_add_text(json, "name", computer->name);
    sbi_json_add_text(json, "state", sbx_computer_state_name(computer->state));
    sbi_json_add_text(json, "engine", computer->engine);
    sbi_json_add_text(json, "image", computer->image);
    sbi_json_add_text(json, "owner", computer->owner);
    (void)cJSON_AddBoolToObject(json, "mine", computer->mine);
    (void)cJSON_AddBoolToObject(json, "permanent", computer->permanent);
    sbi_json_add_text(json, "due", dues[computer->due]);
    (void)cJSON_AddNumberToObject(json, "created_at", (double)computer->created_at_s);
    add_limit(json, "expires_at", computer->expires_at_s, 0);
    add_filled(json, "shell", computer->shell);
    add_filled(json, "user", computer->user);
    add_filled(json, "network", computer->network);
    add_filled(json, "cpus", computer->cpus);
    add_limit(json, "memory", computer->memory, -1);
    add_limit(json, "pids", computer->pids, -1);
    (void)cJSON_AddBoolToObject(json, "out_of_memory", computer->out_of_memory);
    (void)cJSON_AddBoolToObject(json, "made", computer->made);
    sbi_json_add_text(json, "instance", computer->instance);
    if (sbi_json_parse(computer->settings, strlen(computer->settings), &settings, NULL) ==
            SBX_OK &&
        !cJSON_AddItemToObject(json, "settings", settings))
        cJSON_Delete(settings);
    return sbi_json_print(json);
}
