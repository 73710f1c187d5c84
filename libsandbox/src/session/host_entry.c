/*
 * host_entry.c - the table of an entry's keys: a row names the key, its JSON type
 * and how its value is checked and kept. All else follows from the rows.
 */
#include "session/host_entry.h"

#include "base/digest.h"
#include "base/nearest.h"
#include "session/host_value.h"
#include "transport/ssh_config.h"
#include "transport/ssh_proxy.h"
#include "transport/ssh_way.h"

#include <stdio.h>
#include <string.h>

typedef const char *(*store_fn)(const cJSON *value, void *field);

#define FIELD(member) offsetof(struct sbi_host_entry, member)

static const struct row {
    const char *key;
    int type; /* of cJSON */
    size_t offset;
    store_fn store;
    bool secret;
    bool any; /* for a place behind a prefix too, which no SSH server is asked for */
} rows[] = {
    {"name", cJSON_String, FIELD(name), sbi_host_value_name, false, true},
    {"host", cJSON_String, FIELD(host), sbi_host_value_host, false, false},
    {"port", cJSON_Number, FIELD(port), sbi_host_value_port, false, false},
    {"user", cJSON_String, FIELD(user), sbi_host_value_user, false, false},
    {"password", cJSON_String, FIELD(password), sbi_host_value_text, true, false},
    {"password_command", cJSON_String, FIELD(password_command), sbi_host_value_text,
     false, false},
    {"password_file", cJSON_String, FIELD(password_file), sbi_host_value_line, false,
     false},
    {"key_file", cJSON_String, FIELD(key_file), sbi_host_value_line, false, false},
    {"key_passphrase", cJSON_String, FIELD(key_passphrase), sbi_host_value_text, true,
     false},
    {"host_key", cJSON_String, FIELD(host_key), sbi_host_value_host_key, false, false},
    {"host_key_policy", cJSON_String, FIELD(host_key_policy), sbi_host_value_policy,
     false, false},
    {"jump", cJSON_String, FIELD(jump), sbi_host_value_jump, false, false},
    {"transport", cJSON_String, FIELD(transport), sbi_host_value_transport, false, false},
    {"tags", cJSON_Array, FIELD(tags), sbi_host_value_tags, false, true},
    {"env", cJSON_Object, FIELD(env), sbi_host_value_env, false, true},
    {"cwd", cJSON_String, FIELD(cwd), sbi_host_value_line, false, true},
    {"shell", cJSON_String, FIELD(shell), sbi_host_value_line, false, true},
    {"on", cJSON_String, FIELD(on), sbi_host_value_place, false, true},
    {"prefix", cJSON_Array, FIELD(prefix), sbi_host_value_words, false, true},
    {"prefix_pty", cJSON_Array, FIELD(prefix_pty), sbi_host_value_words, false, true},
    {"keeper", cJSON_True, FIELD(keeper), sbi_host_value_flag, false, false},
    {"connect_timeout", cJSON_Number, FIELD(connect_timeout_ms), sbi_host_value_seconds,
     false, false},
    {"keepalive", cJSON_Number, FIELD(keepalive_ms), sbi_host_value_seconds, false,
     false},
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
    case cJSON_True:
        return "true or false";
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
    if ((value->type & 0xFF) != row->type &&
        !(row->type == cJSON_True && cJSON_IsFalse(value)))
        return sbi_fail(err, SBX_ERR_CONFIG, "key '%s' is not %s", row->key,
                        type_name(row->type));

    fault = row->store(value, (char *)entry + row->offset);
    if (fault == sbi_host_value_no_memory)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "key '%s': out of memory", row->key);
    if (fault != NULL)
        return sbi_fail(err, SBX_ERR_CONFIG, "key '%s' %s", row->key, fault);
    return SBX_OK;
}

static int fail_beside_prefix(const struct row *row, sbx_error *err)
{
    int rc =
        sbi_fail(err, SBX_ERR_CONFIG, "key '%s' is of no use beside 'prefix'", row->key);

    return sbi_fix(err, rc, NULL, "it belongs to the place that 'on' names");
}

/* What is said of a way by SSH would be passed over in silence. */
static int check_prefix(struct sbi_host_entry *entry, const bool *seen, sbx_error *err)
{
    size_t i;

    if (entry->prefix == NULL && (entry->on != NULL || entry->prefix_pty != NULL))
        return sbi_fail(err, SBX_ERR_CONFIG, "key '%s' is of no use without 'prefix'",
                        entry->on != NULL ? "on" : "prefix_pty");
    for (i = 0; entry->prefix != NULL && i < ROWS; i++)
        if (seen[i] && !rows[i].any)
            return fail_beside_prefix(&rows[i], err);
    if (entry->prefix != NULL && entry->on == NULL)
        entry->on = strdup("local");
    if (entry->prefix != NULL && entry->on == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "key 'on': out of memory");
    return SBX_OK;
}

/* ssh asks for its secrets by itself, and goes its way by its own files. */
static int check_openssh(const struct sbi_host_entry *entry, const bool *seen,
                         sbx_error *err)
{
    static const char *const keys[] = {"password",      "password_command",
                                       "password_file", "key_passphrase",
                                       "host_key",      "jump"};
    size_t i;
    int rc;

    for (i = 0;
         entry->transport == SBI_TRANSPORT_OPENSSH && i < sizeof(keys) / sizeof(keys[0]);
         i++) {
        if (!seen[row_of(keys[i]) - rows])
            continue;
        rc = sbi_fail(err, SBX_ERR_CONFIG,
                      "key '%s' is of no use beside transport 'openssh'", keys[i]);
        return sbi_fix(err, rc, NULL,
                       "take it out: ssh asks by itself, and reads ssh_config and "
                       "known_hosts");
    }
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
    if (rc == SBX_OK)
        rc = check_prefix(entry, seen, err);
    if (rc == SBX_OK)
        rc = check_openssh(entry, seen, err);
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
    } else if (row->type == cJSON_String && row->store != sbi_host_value_policy &&
               row->store != sbi_host_value_transport) {
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
