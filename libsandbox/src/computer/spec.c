#include "computer/spec.h"

#include "base/computer.h"
#include "base/str.h"

#include <string.h>

#define DEFAULT_IMAGE "debian:stable-slim"
#define DEFAULT_MEMORY ((int64_t)4 << 30)
#define DEFAULT_PIDS 2048
#define LEAST_MEMORY ((int64_t)6 << 20) /* docker's own */
#define MOST_ITEMS 256
#define LONGEST 65536
#define DIGITS "0123456789"

typedef bool (*valid_fn)(const char *text);

static bool is_printable(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;

    while (*at > ' ' && *at != 0x7F)
        at++;
    return *at == '\0' && at > (const unsigned char *)text && text[0] != '-' &&
           strlen(text) <= 512;
}

static bool is_decimal(const char *text)
{
    size_t whole = strspn(text, DIGITS);
    const char *at = text + whole;

    if (*at == '.')
        at += 1 + strspn(at + 1, DIGITS);
    return *at == '\0' && whole > 0 && strlen(text) < 12 &&
           strspn(text, "0.") != strlen(text);
}

static bool is_variable(const char *text)
{
    size_t length = strcspn(text, "=");

    return length > 0 && text[length] == '=' && text[0] != '-' &&
           strcspn(text, " \t\n") >= length && strlen(text) <= LONGEST &&
           strncmp(text, SBI_COMPUTER_MARK, length) != 0;
}

/* "/there:/inside[:ro]"; a name where a path belongs would be a volume of the engine's.
 */
static bool is_mount(const char *text)
{
    const char *inside = strchr(text, ':'), *mode;

    if (text[0] != '/' || inside == NULL || inside[1] != '/' || strlen(text) > 4096 ||
        strpbrk(text, ",\n") != NULL)
        return false;
    mode = strchr(inside + 1, ':');
    return mode == NULL || strcmp(mode, ":ro") == 0 || strcmp(mode, ":rw") == 0;
}

static bool is_port(const char *text)
{
    const char *last = strrchr(text, ':');

    return last != NULL && last > text && last[1] != '\0' && strlen(text) < 128 &&
           strspn(text, DIGITS "abcdef.:[]") == strlen(text) &&
           strspn(last + 1, DIGITS) == strlen(last + 1);
}

static bool is_any(const char *text)
{
    return text[0] != '\0' && strlen(text) <= 256 && strchr(text, '\n') == NULL;
}

#define AT(member) offsetof(sbx_computer_opts, member)

static const struct {
    const char *key;
    size_t offset;
    valid_fn valid;
    const char *word; /* of the engine's command line; NULL: in a way of its own */
    const char *due;
} texts[] = {
    {"image", AT(image), is_printable, NULL, "an image"},
    {"shell", AT(shell), is_any, NULL, "a shell and its words"},
    {"user", AT(user), is_printable, "--user", "NAME, UID or UID:GID"},
    {"network", AT(network), is_printable, "--network", "a network"},
    {"cpus", AT(cpus), is_decimal, "--cpus", "a number such as 1.5"},
    {"gpus", AT(gpus), is_printable, NULL, "'all', a count, or UUIDs"},
};

static const struct {
    const char *key;
    size_t offset;
    valid_fn valid;
    const char *word;
    const char *due;
} lists[] = {
    {"env", AT(env), is_variable, "--env", "NAME=value"},
    {"mounts", AT(mounts), is_mount, "--volume", "/there:/inside, or with ':ro' behind"},
    {"ports", AT(ports), is_port, "--publish", "[ADDRESS:]THERE:INSIDE"},
};

#define TEXTS (sizeof(texts) / sizeof(texts[0]))
#define LISTS (sizeof(lists) / sizeof(lists[0]))

static const char *text_of(const sbx_computer_opts *opts, size_t i)
{
    return *(const char *const *)(const void *)((const char *)opts + texts[i].offset);
}

static const char *const *list_of(const sbx_computer_opts *opts, size_t i)
{
    static const char *const none[1];
    const char *const *list =
        *(const char *const *const *)(const void *)((const char *)opts + lists[i].offset);

    return list == NULL ? none : list;
}

static int check_lists(const sbx_computer_opts *opts, sbx_error *err)
{
    const char *const *list;
    size_t i, j;

    for (i = 0; i < LISTS; i++) {
        list = list_of(opts, i);
        for (j = 0; list[j] != NULL; j++)
            if (j == MOST_ITEMS || !lists[i].valid(list[j]))
                return sbi_fail(err, SBX_ERR_INVALID, "%s '%.80s': not %s", lists[i].key,
                                list[j], lists[i].due);
    }
    return SBX_OK;
}

static int check_numbers(const sbx_computer_opts *opts, sbx_error *err)
{
    if (opts->memory < -1 || (opts->memory > 0 && opts->memory < LEAST_MEMORY))
        return sbi_fail(err, SBX_ERR_INVALID, "memory %lld: not 6 MiB or more",
                        (long long)opts->memory);
    if (opts->pids < -1)
        return sbi_fail(err, SBX_ERR_INVALID, "pids %lld: not 1 or more",
                        (long long)opts->pids);
    if ((opts->flags & SBX_COMPUTER_NO_NETWORK) != 0 && opts->network != NULL)
        return sbi_fail(err, SBX_ERR_INVALID, "network '%.80s', and none at all",
                        opts->network);
    return SBX_OK;
}

int sbi_spec_check(sbx_computer_opts *opts, sbx_error *err)
{
    size_t i;
    int rc;

    for (i = 0; i < TEXTS; i++)
        if (text_of(opts, i) != NULL && !texts[i].valid(text_of(opts, i)))
            return sbi_fail(err, SBX_ERR_INVALID, "%s '%.80s': not %s", texts[i].key,
                            text_of(opts, i), texts[i].due);
    rc = check_lists(opts, err);
    if (rc == SBX_OK)
        rc = check_numbers(opts, err);
    if (rc < 0)
        return rc;
    if (opts->image == NULL)
        opts->image = DEFAULT_IMAGE;
    if (opts->memory == 0)
        opts->memory = DEFAULT_MEMORY;
    if (opts->pids == 0)
        opts->pids = DEFAULT_PIDS;
    if ((opts->flags & SBX_COMPUTER_NO_NETWORK) != 0)
        opts->network = "none";
    return SBX_OK;
}

int sbi_spec_print(const sbx_computer_opts *opts, char **out, sbx_error *err)
{
    SBI_AUTO_JSON json = cJSON_CreateObject();
    const char *const *list;
    cJSON *array;
    size_t i;

    for (i = 0; i < TEXTS; i++)
        if (text_of(opts, i) != NULL)
            (void)cJSON_AddStringToObject(json, texts[i].key, text_of(opts, i));
    (void)cJSON_AddNumberToObject(json, "memory", (double)opts->memory);
    (void)cJSON_AddNumberToObject(json, "pids", (double)opts->pids);
    (void)cJSON_AddBoolToObject(json, "read_only",
                                (opts->flags & SBX_COMPUTER_READ_ONLY) != 0);
    for (i = 0; i < LISTS; i++) {
        list = list_of(opts, i);
        array = *list == NULL ? NULL : cJSON_AddArrayToObject(json, lists[i].key);
        for (; array != NULL && *list != NULL; list++)
            (void)cJSON_AddItemToArray(array, cJSON_CreateString(*list));
    }
    *out = sbi_json_print(json);
    return *out != NULL ? SBX_OK : sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
}

static int read_list(const cJSON *array, const char ***out, sbx_error *err)
{
    const cJSON *item;
    size_t count = 0;

    if (!cJSON_IsArray(array))
        return SBX_OK;
    *out = calloc((size_t)cJSON_GetArraySize(array) + 1, sizeof(**out));
    if (*out == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    cJSON_ArrayForEach(item, array)
    {
        if (cJSON_IsString(item))
            (*out)[count++] = item->valuestring;
    }
    return SBX_OK;
}

static int64_t number_of(const cJSON *json, const char *key)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);

    return cJSON_IsNumber(item) ? (int64_t)item->valuedouble : 0;
}

int sbi_spec_read(const cJSON *json, sbx_computer_opts *out,
                  struct sbi_spec_lists *lists_out, sbx_error *err)
{
    const char ***const to[LISTS] = {&lists_out->env, &lists_out->mounts,
                                     &lists_out->ports};
    int rc = SBX_OK;
    size_t i;

    for (i = 0; i < TEXTS; i++)
        *(const char **)(void *)((char *)out + texts[i].offset) =
            cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(json, texts[i].key));
    for (i = 0; rc == SBX_OK && i < LISTS; i++)
        rc = read_list(cJSON_GetObjectItemCaseSensitive(json, lists[i].key), to[i], err);
    out->env = lists_out->env;
    out->mounts = lists_out->mounts;
    out->ports = lists_out->ports;
    out->memory = number_of(json, "memory");
    out->pids = number_of(json, "pids");
    if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "read_only")))
        out->flags |= SBX_COMPUTER_READ_ONLY;
    return rc;
}

void sbi_spec_lists_clear(struct sbi_spec_lists *cleared)
{
    free(cleared->env);
    free(cleared->mounts);
    free(cleared->ports);
    *cleared = (struct sbi_spec_lists){0};
}

static int add_pair(const char *word, const char *value, char ***list, sbx_error *err)
{
    int rc = sbi_strv_add(list, word, err);

    return rc < 0 ? rc : sbi_strv_add(list, value, err);
}

static int add_number(const char *word, int64_t number, char ***list, sbx_error *err)
{
    SBI_AUTO_STR text = {0};
    int rc;

    if (number < 0)
        return SBX_OK;
    sbi_str_addf(&text, "%lld", (long long)number);
    rc = text.status;
    return rc < 0 ? sbi_fail(err, rc, "out of memory")
                  : add_pair(word, text.data, list, err);
}

/* Without an address a port is for that machine alone. */
static int add_item(size_t row, const char *item, char ***list, sbx_error *err)
{
    SBI_AUTO_STR text = {0};

    if (lists[row].valid == is_port && strchr(item, ':') == strrchr(item, ':'))
        sbi_str_add(&text, "127.0.0.1:");
    sbi_str_add(&text, item);
    return text.status < 0 ? sbi_fail(err, text.status, "out of memory")
                           : add_pair(lists[row].word, text.data, list, err);
}

static int add_shell(const char *shell, char ***list, sbx_error *err)
{
    SBI_AUTO_STR text = {0};

    if (shell == NULL)
        return SBX_OK;
    sbi_str_addf(&text, "%s=%s", SBI_COMPUTER_SHELL, shell);
    return text.status < 0 ? sbi_fail(err, text.status, "out of memory")
                           : add_pair("--env", text.data, list, err);
}

static int add_read_only(char ***list, sbx_error *err)
{
    int rc = sbi_strv_add(list, "--read-only", err);

    if (rc == SBX_OK)
        rc = add_pair("--tmpfs", "/tmp:mode=1777", list, err);
    return rc < 0 ? rc : add_pair("--tmpfs", "/run", list, err);
}

int sbi_spec_words(const sbx_computer_opts *opts, char ***list, sbx_error *err)
{
    const char *const *items;
    int rc = add_number("--memory", opts->memory, list, err);
    size_t i;

    if (rc == SBX_OK)
        rc = add_number("--pids-limit", opts->pids, list, err);
    for (i = 0; rc == SBX_OK && i < TEXTS; i++)
        if (texts[i].word != NULL && text_of(opts, i) != NULL)
            rc = add_pair(texts[i].word, text_of(opts, i), list, err);
    for (i = 0; rc == SBX_OK && i < LISTS; i++)
        for (items = list_of(opts, i); rc == SBX_OK && *items != NULL; items++)
            rc = add_item(i, *items, list, err);
    if (rc == SBX_OK)
        rc = add_shell(opts->shell, list, err);
    if (rc == SBX_OK && (opts->flags & SBX_COMPUTER_READ_ONLY) != 0)
        rc = add_read_only(list, err);
    return rc;
}

const char *sbi_spec_as(const sbx_computer_opts *opts)
{
    return opts->user == NULL && opts->mounts != NULL && *opts->mounts != NULL ? "caller"
                                                                               : "";
}
