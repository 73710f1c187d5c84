/* host_env.c - turns variables into the JSON of an entry, which one reader then reads. */
#include "session/host_env.h"

#include <sandbox/host.h>

#include <string.h>

static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value == NULL || value[0] == '\0' ? NULL : value;
}

/* A text that is no number becomes 0, which is no port. */
static void add_number(cJSON *object, const char *key, const char *value)
{
    char *end;
    long number = strtol(value, &end, 10);

    (void)cJSON_AddNumberToObject(object, key, *end == '\0' ? (double)number : 0);
}

static cJSON *entry_of_variables(void)
{
    static const struct {
        const char *variable, *otherwise, *key;
        bool number;
    } rows[] = {
        {"REMOTE_NAME", "REMOTE_HOST", "name", false},
        {"REMOTE_HOST", NULL, "host", false},
        {"REMOTE_PORT", NULL, "port", true},
        {"REMOTE_USER", NULL, "user", false},
        {"REMOTE_PASSWORD", NULL, "password", false},
        {"REMOTE_KEY_FILE", NULL, "key_file", false},
        {"REMOTE_KEY_PASSPHRASE", NULL, "key_passphrase", false},
    };
    cJSON *object = cJSON_CreateObject();
    const char *value;
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        value = variable(rows[i].variable);
        if (value == NULL && rows[i].otherwise != NULL)
            value = variable(rows[i].otherwise);
        if (value == NULL)
            continue;
        if (rows[i].number)
            add_number(object, rows[i].key, value);
        else
            sbi_json_add_text(object, rows[i].key, value);
    }
    return object;
}

static int load_one(struct sbi_host_list *out, sbx_error *err)
{
    SBI_AUTO_JSON object = entry_of_variables();
    SBI_AUTO_HOST_LIST list = {0};
    struct sbi_host_entry *entry = NULL;
    int rc = sbi_host_entry_parse(object, &entry, err);

    if (rc < 0)
        return sbi_wrap(err, rc, "host of REMOTE_HOST");
    entry->source = SBX_HOST_ENVIRONMENT;
    rc = sbi_host_list_append(&list, entry, err);
    if (rc < 0)
        return rc;
    *out = list;
    list = (struct sbi_host_list){0};
    return SBX_OK;
}

int sbi_host_env_load(struct sbi_host_list *out, sbx_error *err)
{
    const char *text = variable("REMOTE_SANDBOX_LIST");
    int rc;

    if (text != NULL) {
        rc =
            sbi_host_list_parse(text, strlen(text), SBX_HOST_ENVIRONMENT, NULL, out, err);
        return rc < 0 ? sbi_wrap(err, rc, "host list in REMOTE_SANDBOX_LIST") : SBX_OK;
    }
    if (variable("REMOTE_HOST") != NULL)
        return load_one(out, err);
    *out = (struct sbi_host_list){0};
    return SBX_OK;
}
