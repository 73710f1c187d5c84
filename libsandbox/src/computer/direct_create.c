/*
 * direct_create.c - makes a computer by the API.
 *
 * That it has a shell is told by its first line. One without a network is made with none
 * at all rather than with the engine's network `none`, which gives it the same, a
 * loopback of its own, at more than the price of all the rest: docker starts itself anew
 * for that. What it lacks then is a table of hosts, which its main process writes where
 * it is root's; where it is not, it is made the other way.
 *
 * A name between whose two halves a reset was cut off is the script's to heal.
 */
#include "computer/direct.h"

#include "base/computer.h"
#include "base/path.h"
#include "computer/record.h"
#include "computer/script.h"
#include "computer/spec.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LOOK_S 60

/* Who is at home in a container. */
static bool is_root(const char *user)
{
    return user == NULL || user[0] == '\0' || strcmp(user, "0") == 0 ||
           strcmp(user, "root") == 0 || strncmp(user, "0:", 2) == 0 ||
           strncmp(user, "root:", 5) == 0;
}

/* What depends on more than the API tells: devices by the engine's kind, accounts. */
static bool may_be_direct(const struct sbi_direct *direct)
{
    const sbx_computer_opts *opts = direct->opts;

    return opts->gpus == NULL && (sbi_spec_as(opts)[0] == '\0' ||
                                  (sbi_direct_is_local(direct) && getuid() == 0));
}

static bool needs_no_network(const struct sbi_direct *direct)
{
    const sbx_computer_opts *opts = direct->opts;

    return opts->network != NULL && strcmp(opts->network, "none") == 0 &&
           (opts->flags & SBX_COMPUTER_READ_ONLY) == 0 && is_root(opts->user) &&
           strcmp(sbx_engine_name(direct->engine), "docker") == 0;
}

static bool add_time(const struct sbi_direct *direct, const struct sbi_order *order,
                     cJSON *labels)
{
    const char *ttl = order->ttl;
    long long expires =
        ttl[0] == '@' ? sbi_record_number(ttl + 1) : sbi_record_number(ttl);
    char created[24], ends[24];

    if (expires > 0 && ttl[0] != '@')
        expires += direct->now;
    (void)snprintf(created, sizeof(created), "%lld", (long long)direct->now);
    (void)snprintf(ends, sizeof(ends), "%lld", expires);
    return cJSON_AddStringToObject(labels, "sbx.created", created) != NULL &&
           cJSON_AddStringToObject(labels, "sbx.expires", ends) != NULL;
}

/* False where nothing was made. */
static bool create(struct sbi_direct *direct, const struct sbi_order *order,
                   char *const *words, bool bare, char id[SBI_DIRECT_ID])
{
    SBI_AUTO_JSON body = NULL;
    SBI_AUTO_JSON said = NULL;
    cJSON *main;
    char path[128];

    if (sbi_order_body(words, &body, NULL) < 0)
        return false;
    main = cJSON_AddArrayToObject(body, "Cmd");
    if (main == NULL || !cJSON_AddItemToArray(main, cJSON_CreateString("-c")) ||
        !cJSON_AddItemToArray(main, cJSON_CreateString(SBI_COMPUTER_MAIN)) ||
        cJSON_AddStringToObject(body, "Image", order->opts->image) == NULL ||
        (bare && cJSON_AddTrueToObject(body, "NetworkDisabled") == NULL) ||
        !add_time(direct, order, cJSON_GetObjectItemCaseSensitive(body, "Labels")))
        return false;
    (void)snprintf(path, sizeof(path),
                   "/containers/create?name=" SBI_COMPUTER_PREFIX "%s", order->name);
    return sbi_direct_ask(direct, "POST", path, body, 0) == 201 &&
           sbi_json_parse(direct->answer->body, direct->answer->body_length, &said,
                          NULL) == SBX_OK &&
           sbi_direct_id(said, id);
}

/* Its life is ours alone: whoever cancelled the call wants it gone as well. */
static void discard(struct sbi_direct *direct, const char *id)
{
    sbx_computer_opts calm = *direct->opts;
    struct sbi_direct other = {.session = direct->session, .opts = &calm};
    char path[128];

    calm.cancel = NULL;
    (void)snprintf(path, sizeof(path), "/containers/%s?force=1&v=1", id);
    if (sbi_direct_open(&other))
        (void)sbi_direct_ask(&other, "DELETE", path, NULL, 0);
    sbi_direct_clear(&other);
}

static bool start(struct sbi_direct *direct, const char *id)
{
    char path[160];
    int status;

    (void)snprintf(path, sizeof(path), "/containers/%s/start", id);
    status = sbi_direct_ask(direct, "POST", path, NULL, 0);
    if (status != 204)
        return false;
    (void)snprintf(path, sizeof(path), "/containers/%s/logs?stdout=1&stderr=1&follow=1",
                   id);
    return sbi_direct_ask(direct, "GET", path, NULL,
                          SBX_ENGINE_OUTPUT | SBX_ENGINE_FIRST_LINE) == 200 &&
           strncmp(direct->answer->body, SBI_COMPUTER_READY,
                   strlen(SBI_COMPUTER_READY)) == 0;
}

/* The image may have another user than the one that was not asked for. */
static bool bring_up(struct sbi_direct *direct, const struct sbi_order *order,
                     char *const *words, bool bare, bool *again)
{
    char id[SBI_DIRECT_ID];
    SBI_AUTO_JSON made = NULL;
    const cJSON *user;

    if (!create(direct, order, words, bare, id))
        return false;
    made = sbi_direct_inspect(direct, id);
    user = cJSON_GetObjectItemCaseSensitive(
        cJSON_GetObjectItemCaseSensitive(made, "Config"), "User");
    *again = bare && made != NULL && !is_root(cJSON_GetStringValue(user));
    if (made != NULL && !*again && start(direct, id)) {
        sbi_direct_tell(direct, made, "running");
        return true;
    }
    discard(direct, id);
    return false;
}

/* Whether it is a minute ago that this account looked at that place, and notes it. */
static bool is_time_to_look(const struct sbi_direct *direct)
{
    const char *place = sbx_session_place(direct->session);
    SBI_AUTOFREE char *path = NULL, *data = NULL;
    SBI_AUTO_STR tail = {0};
    char text[24];
    size_t length = 0;
    int64_t then;

    sbi_str_addf(&tail, "computers/looked%s%s", sbi_direct_is_local(direct) ? "" : "@",
                 sbi_direct_is_local(direct) ? "" : place);
    if (tail.status < 0 || strchr(place, '/') != NULL ||
        sbi_path_user(SBI_PATH_STATE, tail.data, &path, NULL) < 0)
        return false;
    then = sbi_path_read(path, sizeof(text) - 1, &data, &length, NULL) < 0
               ? 0
               : sbi_record_number(data);
    if (direct->now >= then && direct->now - then < LOOK_S)
        return false;
    (void)snprintf(text, sizeof(text), "%lld\n", (long long)direct->now);
    (void)sbi_path_make_parents(path, NULL);
    (void)sbi_path_write(path, text, strlen(text), 0600, NULL);
    return true;
}

static void tell_others(struct sbi_direct *direct)
{
    static const char path[] =
        "/containers/json?all=1&filters=%7B%22label%22%3A%5B%22sbx.computer%22%5D%7D";
    const cJSON *one;
    SBI_AUTO_JSON list = NULL;

    if (sbi_direct_ask(direct, "GET", path, NULL, 0) != 200 ||
        sbi_json_parse(direct->answer->body, direct->answer->body_length, &list, NULL) <
            0)
        return;
    cJSON_ArrayForEach(one, list)
    {
        const cJSON *names = cJSON_GetObjectItemCaseSensitive(one, "Names");
        const char *name = cJSON_GetStringValue(cJSON_GetArrayItem(names, 0));
        const char *state =
            cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(one, "State"));
        SBI_AUTO_JSON as = cJSON_CreateObject();
        cJSON *config = cJSON_AddObjectToObject(as, "Config");

        sbi_json_add_text(as, "Name", name);
        (void)cJSON_AddItemReferenceToObject(
            config, "Labels", cJSON_GetObjectItemCaseSensitive(one, "Labels"));
        sbi_direct_tell(direct, as, state == NULL ? "" : state);
    }
}

bool sbi_direct_create(struct sbi_direct *direct, const struct sbi_order *order,
                       char *const *words)
{
    char old[128];
    bool again = false;

    if (!may_be_direct(direct) || !sbi_direct_open(direct))
        return false;
    (void)snprintf(old, sizeof(old), "/containers/" SBI_COMPUTER_PREFIX "%s.old/json",
                   order->name);
    if (sbi_direct_ask(direct, "GET", old, NULL, 0) != 404 || direct->now == 0)
        return false;
    direct->why[0] = '\0';
    if (!bring_up(direct, order, words, needs_no_network(direct), &again) &&
        (!again || !bring_up(direct, order, words, false, &again)))
        return false;
    if (is_time_to_look(direct))
        tell_others(direct);
    return direct->text.status == SBX_OK;
}
