#include "watch/settings.h"

#include <string.h>

#define MOST_TEXT ((size_t)4096)
#define MOST_WORDS 100

/* The texts, by their key. */
static const struct {
    const char *key;
    size_t offset;
    const char *name;
} texts[] = {
    {"webhook", offsetof(sbx_watch_opts, webhook), "webhook"},
    {"webhook_secret", offsetof(sbx_watch_opts, webhook_secret), "file of the secret"},
    {"webhook_ca", offsetof(sbx_watch_opts, webhook_ca), "file of certificates"},
    {"wake", offsetof(sbx_watch_opts, wake), "agent to wake"},
    {"folder", offsetof(sbx_watch_opts, folder), "folder of events"},
};
#define TEXTS (sizeof(texts) / sizeof(texts[0]))

static const char **text_at(sbx_watch_opts *opts, size_t i)
{
    return (const char **)((char *)opts + texts[i].offset);
}

static const char *text_of(const sbx_watch_opts *opts, size_t i)
{
    return *(const char *const *)((const char *)opts + texts[i].offset);
}

static int check_text(const char *name, const char *text, sbx_error *err)
{
    if (text == NULL)
        return SBX_OK;
    if (text[0] == '\0')
        return sbi_fail(err, SBX_ERR_INVALID, "%s: it is empty", name);
    if (strlen(text) > MOST_TEXT)
        return sbi_fail(err, SBX_ERR_LIMIT, "%s: it is longer than %zu bytes", name,
                        MOST_TEXT);
    if (!sbi_json_is_text(text, strlen(text)))
        return sbi_fail(err, SBX_ERR_INVALID, "%s: it is not UTF-8", name);
    return SBX_OK;
}

static int check_path(const char *name, const char *path, sbx_error *err)
{
    int rc = check_text(name, path, err);

    if (rc == SBX_OK && path != NULL && path[0] != '/')
        rc = sbi_fail(err, SBX_ERR_INVALID, "%s '%s': no absolute path", name, path);
    return rc;
}

static int check_webhook(const sbx_watch_opts *opts, sbx_error *err)
{
    const char *url = opts->webhook;
    const char *at;

    if (url == NULL)
        return opts->webhook_secret == NULL && opts->webhook_ca == NULL
                   ? SBX_OK
                   : sbi_fail(err, SBX_ERR_INVALID, "%s given, and no webhook",
                              opts->webhook_secret != NULL ? "a secret is"
                                                           : "certificates are");
    if (strncmp(url, "https://", 8) != 0 && strncmp(url, "http://", 7) != 0)
        return sbi_fail(err, SBX_ERR_INVALID,
                        "webhook '%.200s': it begins with neither https:// nor http://",
                        url);
    for (at = url; *at != '\0'; at++)
        if ((unsigned char)*at <= ' ' || *at == 127)
            return sbi_fail(err, SBX_ERR_INVALID,
                            "webhook: a blank or a control character is in it");
    return SBX_OK;
}

static int check_command(const char *const *command, sbx_error *err)
{
    size_t i;
    int rc = SBX_OK;

    if (command == NULL)
        return SBX_OK;
    if (command[0] == NULL)
        return sbi_fail(err, SBX_ERR_INVALID, "event command: it has no words");
    for (i = 0; command[i] != NULL && rc == SBX_OK; i++)
        rc = i == MOST_WORDS ? sbi_fail(err, SBX_ERR_LIMIT,
                                        "event command: over %d words", MOST_WORDS)
             : command[i][0] == '\0' && i > 0
                 ? SBX_OK
                 : check_text("event command", command[i], err);
    return rc;
}

int sbi_settings_check(const sbx_watch_opts *opts, sbx_error *err)
{
    int rc = SBX_OK;
    size_t i;

    if (opts->flags & ~(uint64_t)SBX_WATCH_NOTIFY)
        return sbi_fail(err, SBX_ERR_INVALID, "an unknown flag is set");
    if (opts->progress < 0 || opts->progress > 100)
        return sbi_fail(err, SBX_ERR_INVALID, "progress: not from 1 to 100 percent");
    if (opts->interval_ms < 0 || (opts->interval_ms > 0 && opts->interval_ms < 100))
        return sbi_fail(err, SBX_ERR_INVALID, "interval: below a tenth of a second");
    for (i = 0; i < TEXTS && rc == SBX_OK; i++)
        rc = check_text(texts[i].name, text_of(opts, i), err);
    if (rc == SBX_OK)
        rc = check_webhook(opts, err);
    if (rc == SBX_OK)
        rc = check_path("file of the secret", opts->webhook_secret, err);
    if (rc == SBX_OK)
        rc = check_path("file of certificates", opts->webhook_ca, err);
    if (rc == SBX_OK)
        rc = check_path("folder of events", opts->folder, err);
    if (rc == SBX_OK && opts->ssh_config != NULL && strcmp(opts->ssh_config, "none") != 0)
        rc = check_path("ssh_config", opts->ssh_config, err);
    if (rc == SBX_OK)
        rc = check_path("list of hosts", opts->list_file, err);
    return rc == SBX_OK ? check_command(opts->command, err) : rc;
}

int sbi_settings_write(const sbx_watch_opts *opts, char **out, sbx_error *err)
{
    SBI_AUTO_JSON json = cJSON_CreateObject();
    cJSON *words;
    char *text;
    size_t i;

    if (opts->flags & SBX_WATCH_NOTIFY)
        (void)cJSON_AddTrueToObject(json, "notify");
    for (i = 0; i < TEXTS; i++)
        if (text_of(opts, i) != NULL)
            sbi_json_add_text(json, texts[i].key, text_of(opts, i));
    if (opts->command != NULL) {
        words = cJSON_AddArrayToObject(json, "command");
        for (i = 0; opts->command[i] != NULL; i++)
            (void)cJSON_AddItemToArray(words, cJSON_CreateString(opts->command[i]));
    }
    if (opts->progress > 0)
        (void)cJSON_AddNumberToObject(json, "progress", (double)opts->progress);
    text = sbi_json_print(json);
    if (text == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "add a watch: out of memory");
    *out = text;
    return SBX_OK;
}

static int read_command(struct sbi_settings *settings, sbx_error *err)
{
    const cJSON *words = cJSON_GetObjectItemCaseSensitive(settings->json, "command");
    const cJSON *word;
    size_t count = 0;

    if (words == NULL)
        return SBX_OK;
    settings->command =
        calloc((size_t)cJSON_GetArraySize(words) + 1, sizeof(*settings->command));
    if (settings->command == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "read a watch: out of memory");
    cJSON_ArrayForEach(word, words)
    {
        if (!cJSON_IsString(word))
            return sbi_fail(err, SBX_ERR_CONFIG, "its settings are damaged");
        settings->command[count++] = word->valuestring;
    }
    settings->opts.command = settings->command;
    return SBX_OK;
}

int sbi_settings_read(const char *text, struct sbi_settings *out, sbx_error *err)
{
    SBI_AUTO_SETTINGS settings = {.opts = {.size = sizeof(settings.opts)}};
    const cJSON *item;
    size_t i;
    int rc;

    if (sbi_json_parse(text, strlen(text), &settings.json, NULL) < 0 ||
        !cJSON_IsObject(settings.json))
        return sbi_fail(err, SBX_ERR_CONFIG, "its settings are damaged");
    for (i = 0; i < TEXTS; i++) {
        item = cJSON_GetObjectItemCaseSensitive(settings.json, texts[i].key);
        *text_at(&settings.opts, i) = cJSON_GetStringValue(item);
    }
    if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(settings.json, "notify")))
        settings.opts.flags |= SBX_WATCH_NOTIFY;
    item = cJSON_GetObjectItemCaseSensitive(settings.json, "progress");
    if (cJSON_IsNumber(item))
        settings.opts.progress = item->valueint;
    rc = read_command(&settings, err);
    if (rc == SBX_OK)
        rc = sbi_settings_check(&settings.opts, err);
    if (rc < 0)
        return rc;
    *out = settings;
    settings = (struct sbi_settings){0};
    return SBX_OK;
}

void sbi_settings_clear(struct sbi_settings *settings)
{
    sbi_json_clear(&settings->json);
    free(settings->command);
    *settings = (struct sbi_settings){0};
}
