/* order_body.c - the words of an engine's command line as JSON of its API. */
#include "computer/order.h"

#include "computer/record.h"

#include <stdio.h>
#include <string.h>

#define BILLION 1000000000

/* Each returns false where it cannot be said, or there is no memory. */
typedef bool (*put_fn)(cJSON *in, const char *key, const char *value);

static cJSON *inner(cJSON *in, const char *key, cJSON *(*make)(void))
{
    cJSON *found = cJSON_GetObjectItemCaseSensitive(in, key);

    if (found == NULL && (found = make()) != NULL &&
        !cJSON_AddItemToObject(in, key, found)) {
        cJSON_Delete(found);
        found = NULL;
    }
    return found;
}

static bool put_true(cJSON *in, const char *key, const char *value)
{
    (void)value;
    return cJSON_AddTrueToObject(in, key) != NULL;
}

static bool put_text(cJSON *in, const char *key, const char *value)
{
    return cJSON_AddStringToObject(in, key, value) != NULL;
}

static bool put_number(cJSON *in, const char *key, const char *value)
{
    return cJSON_AddNumberToObject(in, key, (double)sbi_record_number(value)) != NULL;
}

/* "1.5": a thousand-millionth each, whatever the locale has for a point. */
static bool put_cpus(cJSON *in, const char *key, const char *value)
{
    int64_t whole = sbi_record_number(value) * BILLION, digit = BILLION / 10;
    const char *at = strchr(value, '.');

    for (; at != NULL && at[1] != '\0' && digit > 0; at++, digit /= 10)
        whole += (at[1] - '0') * digit;
    return cJSON_AddNumberToObject(in, key, (double)whole) != NULL;
}

static bool put_item(cJSON *in, const char *key, const char *value)
{
    cJSON *list = inner(in, key, cJSON_CreateArray);

    return list != NULL && cJSON_AddItemToArray(list, cJSON_CreateString(value));
}

static bool put_pair(cJSON *in, const char *key, const char *value, char between)
{
    cJSON *object = inner(in, key, cJSON_CreateObject);
    const char *at = strchr(value, between);
    char name[256];
    int length = (int)(at == NULL ? strlen(value) : (size_t)(at - value));

    if (object == NULL || (size_t)length >= sizeof(name))
        return false;
    (void)snprintf(name, sizeof(name), "%.*s", length, value);
    return cJSON_AddStringToObject(object, name, at == NULL ? "" : at + 1) != NULL;
}

static bool put_label(cJSON *in, const char *key, const char *value)
{
    return put_pair(in, key, value, '=');
}

static bool put_tmpfs(cJSON *in, const char *key, const char *value)
{
    return put_pair(in, key, value, ':');
}

/* "ADDRESS:THERE:INSIDE", the address of IPv6 in brackets. */
static bool put_port(cJSON *in, const char *key, const char *value)
{
    const char *inside = strrchr(value, ':'), *there = inside - 1;
    char port[32], number[32], address[128];
    cJSON *ways, *way = cJSON_CreateObject();

    while (there > value && there[-1] != ':')
        there--;
    (void)snprintf(port, sizeof(port), "%s/tcp", inside + 1);
    (void)snprintf(number, sizeof(number), "%.*s", (int)(inside - there), there);
    (void)snprintf(address, sizeof(address), "%.*s",
                   (int)(there > value ? there - value - 1 : 0), value);
    if (address[0] == '[') {
        memmove(address, address + 1, strlen(address));
        address[strcspn(address, "]")] = '\0';
    }
    ways = inner(in, key, cJSON_CreateObject);
    ways = ways == NULL ? NULL : inner(ways, port, cJSON_CreateArray);
    if (ways == NULL || cJSON_AddStringToObject(way, "HostIp", address) == NULL ||
        cJSON_AddStringToObject(way, "HostPort", number) == NULL ||
        !cJSON_AddItemToArray(ways, way)) {
        cJSON_Delete(way);
        return false;
    }
    return true;
}

#define HOST true

static const struct row {
    const char *word;
    bool host; /* in the part for the host */
    const char *key;
    put_fn put;
} rows[] = {
    {"--label", !HOST, "Labels", put_label},
    {"--env", !HOST, "Env", put_item},
    {"--cap-add", HOST, "CapAdd", put_item},
    {"--cap-drop", HOST, "CapDrop", put_item},
    {"--security-opt", HOST, "SecurityOpt", put_item},
    {"--init", HOST, "Init", put_true},
    {"--hostname", !HOST, "Hostname", put_text},
    {"--entrypoint", !HOST, "Entrypoint", put_item},
    {"--stop-timeout", !HOST, "StopTimeout", put_number},
    {"--memory", HOST, "Memory", put_number},
    {"--pids-limit", HOST, "PidsLimit", put_number},
    {"--cpus", HOST, "NanoCpus", put_cpus},
    {"--user", !HOST, "User", put_text},
    {"--network", HOST, "NetworkMode", put_text},
    {"--volume", HOST, "Binds", put_item},
    {"--publish", HOST, "PortBindings", put_port},
    {"--read-only", HOST, "ReadonlyRootfs", put_true},
    {"--tmpfs", HOST, "Tmpfs", put_tmpfs},
};

static const struct row *row_of(const char *word)
{
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if (strcmp(rows[i].word, word) == 0)
            return &rows[i];
    return NULL;
}

/* A port that leads inside is one that the container has. */
static bool expose(cJSON *body, const cJSON *host)
{
    const cJSON *port;
    cJSON *exposed = NULL;

    cJSON_ArrayForEach(port, cJSON_GetObjectItemCaseSensitive(host, "PortBindings"))
    {
        exposed = inner(body, "ExposedPorts", cJSON_CreateObject);
        if (exposed == NULL || cJSON_AddObjectToObject(exposed, port->string) == NULL)
            return false;
    }
    return true;
}

int sbi_order_body(char *const *words, cJSON **out, sbx_error *err)
{
    SBI_AUTO_JSON body = cJSON_CreateObject();
    cJSON *host = cJSON_AddObjectToObject(body, "HostConfig");
    const struct row *row;

    for (; host != NULL && words != NULL && *words != NULL; words++) {
        row = row_of(*words);
        if (row == NULL || (row->put != put_true && words[1] == NULL))
            return sbi_fail(err, SBX_ERR_UNSUPPORTED, "'%.80s' is no word of the API's",
                            *words);
        words += row->put != put_true;
        if (!row->put(row->host ? host : body, row->key, *words))
            return sbi_fail(err, SBX_ERR_UNSUPPORTED, "'%.80s' cannot be said by the API",
                            *words);
    }
    if (host == NULL || !expose(body, host))
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    *out = SBI_STEAL(body);
    return SBX_OK;
}
