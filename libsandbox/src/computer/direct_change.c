/*
 * direct_change.c - what is done by the API with a computer that is there.
 *
 * Of this machine's alone: what of a computer was renewed is noted in a file beside the
 * engine, and elsewhere that takes a command of its own, which may as well do the rest.
 */
#include "computer/direct.h"

#include "base/computer.h"
#include "base/path.h"
#include "computer/record.h"
#include "computer/script.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HOLD_LIMIT 4096

static const struct way {
    const char *verb;
    const char *from; /* the state that it has to be in; NULL: any */
    const char *method;
    const char *tail; /* of the path, behind the container */
    bool owner;       /* alone */
    bool ends;        /* nothing is there then */
} ways[] = {
    {"show", NULL, NULL, NULL, false, false},
    {"rm", NULL, "DELETE", "?force=1&v=1", true, true},
    {"restart", "running", "POST", "/restart?t=1", true, false},
    {"pause", "running", "POST", "/pause", true, false},
    {"resume", "paused", "POST", "/unpause", true, false},
};

static const struct way *way_of(const char *verb)
{
    size_t i;

    for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
        if (strcmp(ways[i].verb, verb) == 0)
            return &ways[i];
    return NULL;
}

static const char *text_at(const cJSON *json, const char *group, const char *key)
{
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(
        cJSON_GetObjectItemCaseSensitive(json, group), key));

    return text == NULL ? "" : text;
}

static const char *label_of(const cJSON *json, const char *key)
{
    return text_at(cJSON_GetObjectItemCaseSensitive(json, "Config"), "Labels", key);
}

/* Of the notes that the script keeps. */
static char *note_path(const char *name, const char *kind)
{
    SBI_AUTO_STR tail = {0};
    char *path = NULL;

    sbi_str_addf(&tail, "computers/%s.%s", name, kind);
    if (tail.status < 0 || strchr(name, '/') != NULL)
        return NULL;
    (void)sbi_path_user(SBI_PATH_STATE, tail.data, &path, NULL);
    return path;
}

static bool is_being_reset(const char *container)
{
    SBI_AUTOFREE char *path = note_path(container, "reset");

    return path == NULL || access(path, F_OK) == 0;
}

static void tell_hold(struct sbi_direct *direct, const char *instance)
{
    SBI_AUTOFREE char *path = note_path(instance, "hold"), *text = NULL;
    size_t length = 0;

    if (path != NULL && sbi_path_read(path, HOLD_LIMIT, &text, &length, NULL) == SBX_OK)
        sbi_str_addf(&direct->text, "hold %s %.*s\n", instance,
                     (int)strcspn(text, "\r\n"), text);
}

static void forget_hold(const char *instance)
{
    SBI_AUTOFREE char *path = note_path(instance, "hold");

    if (path != NULL)
        (void)unlink(path);
}

/* One that cannot be asked has lacked nothing that we know of. */
static void tell_lack(struct sbi_direct *direct, const char *id, const char *instance)
{
    static const char *const asks[] = {"/bin/sh", "-c", SBI_COMPUTER_LACK};
    SBI_AUTO_JSON body = cJSON_CreateObject();
    SBI_AUTO_JSON made = NULL;
    SBI_AUTO_JSON started = cJSON_CreateObject();
    char path[160], exec[SBI_DIRECT_ID];

    (void)cJSON_AddTrueToObject(body, "AttachStdout");
    (void)cJSON_AddItemToObject(body, "Cmd", cJSON_CreateStringArray(asks, 3));
    (void)cJSON_AddFalseToObject(started, "Detach");
    (void)snprintf(path, sizeof(path), "/containers/%s/exec", id);
    if (sbi_direct_ask(direct, "POST", path, body, 0) != 201 ||
        sbi_json_parse(direct->answer->body, direct->answer->body_length, &made, NULL) <
            0 ||
        !sbi_direct_id(made, exec))
        return;
    (void)snprintf(path, sizeof(path), "/exec/%s/start", exec);
    if (sbi_direct_ask(direct, "POST", path, started, SBX_ENGINE_OUTPUT) == 200 &&
        sbi_record_number(direct->answer->body) > 0)
        sbi_str_addf(&direct->text, "lack %s\n", instance);
}

static bool may(const struct sbi_direct *direct, const struct way *way,
                const cJSON *found)
{
    return label_of(found, "sbx.instance")[0] != '\0' &&
           (!way->owner ||
            strcmp(label_of(found, "sbx.owner"), direct->opts->owner) == 0) &&
           (way->from == NULL ||
            strcmp(text_at(found, "State", "Status"), way->from) == 0);
}

static bool carry_out(struct sbi_direct *direct, const struct way *way, const char *id)
{
    char path[160];

    if (way->method == NULL)
        return true;
    (void)snprintf(path, sizeof(path), "/containers/%s%s", id, way->tail);
    return sbi_direct_ask(direct, way->method, path, NULL, 0) / 100 == 2;
}

static void tell(struct sbi_direct *direct, const cJSON *found, const char *id,
                 bool looks)
{
    const char *instance = label_of(found, "sbx.instance");
    const char *status = text_at(found, "State", "Status");

    sbi_direct_tell(direct, found, status);
    tell_hold(direct, instance);
    if (looks && strcmp(status, "running") == 0)
        tell_lack(direct, id, instance);
}

bool sbi_direct_change(struct sbi_direct *direct, const char *name, const char *verb)
{
    const struct way *way = way_of(verb);
    char container[128], id[SBI_DIRECT_ID];
    SBI_AUTO_JSON found = NULL;
    SBI_AUTO_JSON changed = NULL;

    (void)snprintf(container, sizeof(container), SBI_COMPUTER_PREFIX "%s", name);
    if (way == NULL || !sbi_direct_is_local(direct) || is_being_reset(container) ||
        !sbi_direct_open(direct))
        return false;
    found = sbi_direct_inspect(direct, container);
    if (!may(direct, way, found) || !sbi_direct_id(found, id) ||
        !carry_out(direct, way, id))
        return false;
    if (way->ends)
        forget_hold(label_of(found, "sbx.instance"));
    if (way->ends)
        return true;
    changed = way->method == NULL ? NULL : sbi_direct_inspect(direct, id);
    tell(direct, changed == NULL ? found : changed, id, way->method == NULL);
    return direct->text.status == SBX_OK;
}
