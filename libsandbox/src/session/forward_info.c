/* forward_info.c - what is told of a forward. */
#include "session/forward_state.h"

#include "base/cleanup.h"
#include "base/json.h"
#include "session/session_state.h"

#include <stdio.h>
#include <string.h>

/* As we own it; the public part comes first. */
struct info {
    sbx_forward_info public;
    char *place;
    char *listens;
    char *target;
    char error[sizeof(((sbx_error *)NULL)->text)];
};

static const char *const kinds[] = {
    [SBX_FORWARD_LOCAL] = "local",
    [SBX_FORWARD_REMOTE] = "remote",
    [SBX_FORWARD_SOCKS] = "socks",
};

const char *sbx_forward_kind_name(int kind)
{
    return kind < SBX_FORWARD_LOCAL || kind > SBX_FORWARD_SOCKS ? "unknown" : kinds[kind];
}

static bool is_connected(struct sbx_forward *forward)
{
    bool connected;

    (void)pthread_mutex_lock(&forward->session->lock);
    connected = sbi_session_live_slot(forward->session) != NULL;
    (void)pthread_mutex_unlock(&forward->session->lock);
    return connected;
}

static void look(struct sbx_forward *forward, struct info *info)
{
    bool connected = is_connected(forward);

    (void)pthread_mutex_lock(&forward->lock);
    info->public.kind = forward->kind;
    info->public.up = forward->kind == SBX_FORWARD_REMOTE ? forward->up : connected;
    info->public.port = forward->port;
    info->public.connections = forward->guests;
    info->public.total = forward->total;
    (void)snprintf(info->error, sizeof(info->error), "%s", forward->error);
    (void)pthread_mutex_unlock(&forward->lock);
    info->public.place = info->place;
    info->public.listens = info->listens;
    info->public.target = info->target;
    info->public.error = info->error;
}

int sbx_forward_look(sbx_forward *forward, sbx_forward_info **out, sbx_error *err)
{
    struct info *info = calloc(1, sizeof(*info));

    if (info == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    info->place = strdup(forward->place);
    info->listens = strdup(forward->listens);
    info->target = forward->target == NULL ? NULL : strdup(forward->target);
    if (info->place == NULL || info->listens == NULL ||
        (forward->target != NULL && info->target == NULL)) {
        sbx_forward_info_free(&info->public);
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    }
    look(forward, info);
    *out = &info->public;
    return SBX_OK;
}

char *sbx_forward_info_json(const sbx_forward_info *info)
{
    SBI_AUTO_JSON object = cJSON_CreateObject();

    sbi_json_add_text(object, "kind", sbx_forward_kind_name(info->kind));
    sbi_json_add_text(object, "place", info->place);
    sbi_json_add_text(object, "listens", info->listens);
    sbi_json_add_text(object, "target", info->target);
    (void)cJSON_AddBoolToObject(object, "up", info->up);
    (void)cJSON_AddNumberToObject(object, "port", (double)info->port);
    (void)cJSON_AddNumberToObject(object, "connections", (double)info->connections);
    (void)cJSON_AddNumberToObject(object, "total", (double)info->total);
    sbi_json_add_text(object, "error", info->error[0] == '\0' ? NULL : info->error);
    return sbi_json_print(object);
}

void sbx_forward_info_free(sbx_forward_info *public)
{
    struct info *info = (struct info *)public;

    if (info == NULL)
        return;
    free(info->place);
    free(info->listens);
    free(info->target);
    free(info);
}
