/*
 * host_entry.c - the table of an entry's keys: a row names the key, its JSON type
 * and how its value is checked and kept. All else follows from the rows.
 */
#include "session/host_entry.h"

#include "base/digest.h"
#include "base/nearest.h"
#include "session/host_word.h"
#include "transport/ssh_config.h"
#include "transport/ssh_proxy.h"
#include "transport/ssh_way.h"

#include <stdio.h>
#include <string.h>

#define HOP_LIMIT 1000
#define ENV_LIMIT 1000
#define TAG_LIMIT 100
#define SECONDS_LIMIT 1000000.0

/* A fault is a static text; this one is told apart by its address. */
static const char no_memory[] = "out of memory";

typedef const char *(*store_fn)(const cJSON *value, void *field);

static const char *store_text(const cJSON *value, void *field)
{
    char *copy;

    if (value->valuestring[0] == '\0')
        return "is empty";
    copy = strdup(value->valuestring);
    if (copy == NULL)
        return no_memory;
    *(char **)field = copy;
    return NULL;
}

static const char *store_plain_host(const cJSON *value, void *field)
{
    const char *fault = sbi_host_word_fault(value->valuestring);

    if (fault == NULL && strchr(value->valuestring, '@') != NULL)
        fault = "has an '@': the user has a key of its own";
    return fault != NULL ? fault : store_text(value, field);
}

static const char *store_name(const cJSON *value, void *field)
{
    if (strcmp(value->valuestring, "local") == 0)
        return "'local' is this machine";
    return store_plain_host(value, field);
}

static const char *store_user(const cJSON *value, void *field)
{
    const char *fault = sbi_host_word_user_fault(value->valuestring);

    return fault != NULL ? fault : store_text(value, field);
}

/* A command line is the user's own and runs here; a path or a pinned key is one line. */
static const char *store_line(const cJSON *value, void *field)
{
    const char *at;

    for (at = value->valuestring; *at != '\0'; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            return "has a control character";
    return store_text(value, field);
}

/* "SHA256:..." or "TYPE AAAA...", for every key begins with the length of a short word.
 */
static const char *store_host_key(const cJSON *value, void *field)
{
    const char *text = value->valuestring;
    const char *blob = text + strcspn(text, " ");
    bool is_fingerprint = strncmp(text, "SHA256:", 7) == 0 && *blob == '\0';

    blob += strspn(blob, " ");
    if (!is_fingerprint && strncmp(blob, "AAAA", 4) != 0)
        return "is neither 'ssh-ed25519 AAAA...' nor 'SHA256:...'";
    return store_line(value, field);
}

/* A machine's name or address, or "unix:/path", a socket on this machine. */
static const char *store_host(const cJSON *value, void *field)
{
    return sbi_ssh_socket_path(value->valuestring) != NULL
               ? store_line(value, field)
               : store_plain_host(value, field);
}

/* Only the first may be a proxy: the others are reached through an SSH server. */
static const char *hop_fault(const char *hop, bool first)
{
    struct sbi_proxy proxy;
    const char *fault;

    if (!first || !sbi_proxy_is(hop))
        return sbi_host_word_fault(hop);
    fault = sbi_proxy_parse(hop, &proxy);
    explicit_bzero(&proxy, sizeof(proxy));
    return fault;
}

static const char *store_jump(const cJSON *value, void *field)
{
    const char *at = value->valuestring;
    char hop[HOP_LIMIT + 1];
    size_t length;
    const char *fault;

    for (;; at++) {
        length = strcspn(at, ",");
        if (length > HOP_LIMIT)
            return "is too long";
        memcpy(hop, at, length);
        hop[length] = '\0';
        fault = hop_fault(hop, at == value->valuestring);
        if (fault != NULL)
            return length == 0 ? "has an empty hop" : fault;
        at += length;
        if (*at == '\0')
            return store_text(value, field);
    }
}

static const char *store_port(const cJSON *value, void *field)
{
    double port = value->valuedouble;

    if (!(port >= 1 && port <= 65535) || port != (double)(int)port)
        return "is no port (1 to 65535)";
    *(int64_t *)field = (int64_t)port;
    return NULL;
}

/* Written so that NaN is refused too. */
static const char *store_seconds(const cJSON *value, void *field)
{
    if (!(value->valuedouble >= 0.001 && value->valuedouble <= SECONDS_LIMIT))
        return "is no time in seconds (0.001 to 1000000)";
    *(int64_t *)field = (int64_t)(value->valuedouble * 1000 + 0.5);
    return NULL;
}

static const char *store_policy(const cJSON *value, void *field)
{
    static const struct {
        const char *word;
        int policy;
    } policies[] = {{"strict", SBI_STRICT_YES},
                    {"accept-new", SBI_STRICT_ACCEPT_NEW},
                    {"ask", SBI_STRICT_ASK}};
    size_t i;

    for (i = 0; i < sizeof(policies) / sizeof(policies[0]); i++)
        if (strcmp(policies[i].word, value->valuestring) == 0) {
            *(int64_t *)field = policies[i].policy;
            return NULL;
        }
    return "is none of 'strict', 'accept-new', 'ask'";
}

static const char *store_tags(const cJSON *value, void *field)
{
    const cJSON *tag;

    if (cJSON_GetArraySize(value) > TAG_LIMIT)
        return "has over 100 tags";
    cJSON_ArrayForEach(tag, value)
    {
        if (!cJSON_IsString(tag) || sbi_host_word_fault(tag->valuestring) != NULL)
            return "has a tag that is no plain word";
        if (sbi_strv_add(field, tag->valuestring, NULL) < 0)
            return no_memory;
    }
    return NULL;
}

static bool is_variable_name(const char *name)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";

    return name[0] != '\0' && (name[0] < '0' || name[0] > '9') &&
           name[strspn(name, letters)] == '\0';
}

static const char *store_env(const cJSON *value, void *field)
{
    const cJSON *one;
    char *pair;
    int rc;

    if (cJSON_GetArraySize(value) > ENV_LIMIT)
        return "has over 1000 variables";
    cJSON_ArrayForEach(one, value)
    {
        if (!is_variable_name(one->string))
            return "has a name that is none of a variable";
        if (!cJSON_IsString(one))
            return "has a value that is no text";
        if (asprintf(&pair, "%s=%s", one->string, one->valuestring) < 0)
            return no_memory;
        rc = sbi_strv_add(field, pair, NULL);
        sbi_wipe(&pair);
        if (rc < 0)
            return no_memory;
    }
    return NULL;
}

#define FIELD(member) offsetof(struct sbi_host_entry, member)

static const struct row {
    const char *key;
    int type; /* of cJSON */
    size_t offset;
    store_fn store;
    bool secret;
} rows[] = {
    {"name", cJSON_String, FIELD(name), store_name, false},
    {"host", cJSON_String, FIELD(host), store_host, false},
    {"port", cJSON_Number, FIELD(port), store_port, false},
    {"user", cJSON_String, FIELD(user), store_user, false},
    {"password", cJSON_String, FIELD(password), store_text, true},
    {"password_command", cJSON_String, FIELD(password_command), store_text, false},
    {"password_file", cJSON_String, FIELD(password_file), store_line, false},
    {"key_file", cJSON_String, FIELD(key_file), store_line, false},
    {"key_passphrase", cJSON_String, FIELD(key_passphrase), store_text, true},
    {"host_key", cJSON_String, FIELD(host_key), store_host_key, false},
    {"host_key_policy", cJSON_String, FIELD(host_key_policy), store_policy, false},
    {"jump", cJSON_String, FIELD(jump), store_jump, false},
    {"tags", cJSON_Array, FIELD(tags), store_tags, false},
    {"env", cJSON_Object, FIELD(env), store_env, false},
    {"cwd", cJSON_String, FIELD(cwd), store_line, false},
    {"shell", cJSON_String, FIELD(shell), store_line, false},
    {"connect_timeout", cJSON_Number, FIELD(connect_timeout_ms), store_seconds, false},
    {"keepalive", cJSON_Number, FIELD(keepalive_ms), store_seconds, false},
};

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static const struct row *row_of(const char *key)
{
    size_t i;

    for (i = 0; i < ROWS; i++)
        if (strcmp(rows[i].key, key) == 0)
            return &rows[i];
    return NULL;
}

static int fail_unknown(const char *key, sbx_error *err)
{
    struct sbi_nearest nearest = {.word = key};
    int rc = sbi_fail(err, SBX_ERR_CONFIG, "unknown key '%.64s'", key);
    size_t i;

    for (i = 0; i < ROWS; i++)
        sbi_nearest_offer(&nearest, rows[i].key);
    if (nearest.best == NULL)
        return rc;
    return sbi_fix(err, rc, NULL, "did you mean '%s'?", nearest.best);
}

static const char *type_name(int type)
{
    switch (type) {
    case cJSON_String:
        return "a text";
    case cJSON_Number:
        return "a number";
    case cJSON_Array:
        return "an array";
    default:
        return "an object";
    }
}

static int store_value(struct sbi_host_entry *entry, const cJSON *value, bool *seen,
                       sbx_error *err)
{
    const struct row *row = row_of(value->string);
    const char *fault;

    if (row == NULL)
        return fail_unknown(value->string, err);
    if (seen[row - rows])
        return sbi_fail(err, SBX_ERR_CONFIG, "key '%s' stands there twice", row->key);
    seen[row - rows] = true;
    if ((value->type & 0xFF) != row->type)
        return sbi_fail(err, SBX_ERR_CONFIG, "key '%s' is not %s", row->key,
                        type_name(row->type));

    fault = row->store(value, (char *)entry + row->offset);
    if (fault == no_memory)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "key '%s': out of memory", row->key);
    if (fault != NULL)
        return sbi_fail(err, SBX_ERR_CONFIG, "key '%s' %s", row->key, fault);
    return SBX_OK;
}

static int complete(struct sbi_host_entry *entry, sbx_error *err)
{
    if (entry->name == NULL)
        return sbi_fail(err, SBX_ERR_CONFIG, "no key 'name'");
    if (entry->host == NULL)
        entry->host = strdup(entry->name);
    if (entry->host == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "key 'host': out of memory");
    return SBX_OK;
}

int sbi_host_entry_parse(const cJSON *object, struct sbi_host_entry **out, sbx_error *err)
{
    struct sbi_host_entry *entry;
    bool seen[ROWS] = {false};
    const cJSON *value;
    int rc = SBX_OK;

    if (!cJSON_IsObject(object))
        return sbi_fail(err, SBX_ERR_CONFIG, "not an object");
    entry = calloc(1, sizeof(*entry));
    if (entry == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");

    for (value = object->child; value != NULL && rc == SBX_OK; value = value->next)
        rc = store_value(entry, value, seen, err);
    if (rc == SBX_OK)
        rc = complete(entry, err);
    if (rc < 0) {
        sbi_host_entry_free(entry);
        return rc;
    }
    *out = entry;
    return SBX_OK;
}

int sbi_host_entry_new(const char *name, const char *host, int source,
                       struct sbi_host_entry **out, sbx_error *err)
{
    struct sbi_host_entry *entry = calloc(1, sizeof(*entry));

    if (entry != NULL) {
        entry->name = strdup(name);
        entry->host = strdup(host);
        entry->source = source;
    }
    if (entry == NULL || entry->name == NULL || entry->host == NULL) {
        sbi_host_entry_free(entry);
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "host '%s': out of memory", name);
    }
    *out = entry;
    return SBX_OK;
}

static bool is_set(const struct sbi_host_entry *entry, const struct row *row)
{
    return *(char *const *)(const void *)((const char *)entry + row->offset) != NULL;
}

bool sbi_host_entry_is_secret(const struct sbi_host_entry *entry)
{
    size_t i;

    for (i = 0; i < ROWS; i++)
        if (rows[i].secret && is_set(entry, &rows[i]))
            return true;
    return entry->jump != NULL && sbi_proxy_has_password(entry->jump);
}

/* The fields that are texts, or lists of them, by type: wiping is for all alike. */
static void free_field(struct sbi_host_entry *entry, const struct row *row)
{
    void *field = (char *)entry + row->offset;
    char **word;

    if (row->type == cJSON_Array || row->type == cJSON_Object) {
        for (word = *(char ***)field; word != NULL && *word != NULL; word++)
            explicit_bzero(*word, strlen(*word));
        sbi_strv_clear(field);
    } else if (row->type == cJSON_String && row->store != store_policy) {
        sbi_wipe(field);
    }
}

void sbi_host_entry_free(struct sbi_host_entry *entry)
{
    size_t i;

    if (entry == NULL)
        return;
    for (i = 0; i < ROWS; i++)
        free_field(entry, &rows[i]);
    free(entry->file);
    free(entry);
}
