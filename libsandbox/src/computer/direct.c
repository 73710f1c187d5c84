#include "computer/direct.h"

#include "base/log.h"

#include <stdio.h>
#include <string.h>

#define PATIENCE_MS 30000 /* more than one request is worth: the script waits longer */

bool sbi_direct_open(struct sbi_direct *direct)
{
    const sbx_engine_opts opts = {.size = sizeof(opts),
                                  .engine = direct->opts->engine,
                                  .cancel = direct->opts->cancel};

    sbx_error why = {0};

    if (sbx_engine_open(direct->session, &opts, &direct->engine, &why) == SBX_OK)
        return true;
    sbi_log(SBX_LOG_INFO, "%s: not by an API: %s", sbx_session_place(direct->session),
            why.text);
    return false;
}

static void note_refusal(struct sbi_direct *direct)
{
    SBI_AUTO_JSON json = NULL;
    const char *words;

    if (sbi_json_parse(direct->answer->body, direct->answer->body_length, &json, NULL) <
        0)
        return;
    words = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "message"));
    if (words != NULL)
        (void)snprintf(direct->why, sizeof(direct->why), "%s", words);
}

int sbi_direct_ask(struct sbi_direct *direct, const char *method, const char *path,
                   const cJSON *body, uint64_t flags)
{
    SBI_AUTOFREE char *text = body == NULL ? NULL : sbi_json_print(body);
    const int64_t most = direct->opts->timeout_ms;
    const sbx_engine_opts opts = {.size = sizeof(opts),
                                  .body = text,
                                  .flags = flags,
                                  .timeout_ms =
                                      most > 0 && most < PATIENCE_MS ? most : PATIENCE_MS,
                                  .cancel = direct->opts->cancel};

    sbx_engine_answer_free(SBI_STEAL(direct->answer));
    sbi_log(SBX_LOG_INFO, "%s: the API of %s: %s %s", sbx_session_place(direct->session),
            sbx_engine_name(direct->engine), method, path);
    if ((body != NULL && text == NULL) ||
        sbx_engine_ask(direct->engine, method, path, &opts, &direct->answer, NULL) < 0)
        return 0;
    if (direct->answer->date_s > 0)
        direct->now = direct->answer->date_s;
    if (direct->answer->status >= 400)
        note_refusal(direct);
    return direct->answer->status;
}

cJSON *sbi_direct_inspect(struct sbi_direct *direct, const char *which)
{
    char path[160];
    cJSON *json = NULL;

    (void)snprintf(path, sizeof(path), "/containers/%s/json", which);
    if (sbi_direct_ask(direct, "GET", path, NULL, 0) == 200)
        (void)sbi_json_parse(direct->answer->body, direct->answer->body_length, &json,
                             NULL);
    return json;
}

bool sbi_direct_id(const cJSON *json, char out[SBI_DIRECT_ID])
{
    const char *id = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, "Id"));

    if (id == NULL || id[0] == '\0' || strlen(id) >= SBI_DIRECT_ID ||
        strspn(id, "0123456789abcdef") != strlen(id))
        return false;
    (void)snprintf(out, SBI_DIRECT_ID, "%s", id);
    return true;
}

void sbi_direct_tell(struct sbi_direct *direct, const cJSON *inspected,
                     const char *status)
{
    const cJSON *config = cJSON_GetObjectItemCaseSensitive(inspected, "Config");
    const cJSON *state = cJSON_GetObjectItemCaseSensitive(inspected, "State");
    SBI_AUTO_JSON line = cJSON_CreateObject();
    SBI_AUTOFREE char *text = NULL;

    sbi_json_add_text(line, "engine", sbx_engine_name(direct->engine));
    sbi_json_add_text(
        line, "container",
        cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(inspected, "Name")));
    (void)cJSON_AddItemReferenceToObject(
        line, "labels", cJSON_GetObjectItemCaseSensitive(config, "Labels"));
    sbi_json_add_text(line, "status", status);
    (void)cJSON_AddBoolToObject(
        line, "oom", cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(state, "OOMKilled")));
    text = sbi_json_print(line);
    sbi_str_addf(&direct->text, "%s\nnow %lld\n", text == NULL ? "" : text,
                 (long long)direct->now);
}

bool sbi_direct_is_local(const struct sbi_direct *direct)
{
    return strcmp(sbx_session_place(direct->session), "local") == 0;
}

void sbi_direct_clear(struct sbi_direct *direct)
{
    sbi_str_clear(&direct->text);
    sbx_engine_answer_free(direct->answer);
    sbx_engine_free(direct->engine);
    *direct = (struct sbi_direct){.session = direct->session, .opts = direct->opts};
}
