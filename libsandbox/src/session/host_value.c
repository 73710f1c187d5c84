#include "session/host_value.h"

#include "base/digest.h"
#include "base/strv.h"
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
#define PREFIX_LIMIT 100

const char sbi_host_value_no_memory[] = "out of memory";

const char *sbi_host_value_text(const cJSON *value, void *field)
{
    char *copy;

    if (value->valuestring[0] == '\0')
        return "is empty";
    copy = strdup(value->valuestring);
    if (copy == NULL)
        return sbi_host_value_no_memory;
    *(char **)field = copy;
    return NULL;
}

static const char *store_plain_host(const cJSON *value, void *field)
{
    const char *fault = sbi_host_word_fault(value->valuestring);

    if (fault == NULL && strchr(value->valuestring, '@') != NULL)
        fault = "has an '@': the user has a key of its own";
    return fault != NULL ? fault : sbi_host_value_text(value, field);
}

const char *sbi_host_value_name(const cJSON *value, void *field)
{
    if (strcmp(value->valuestring, "local") == 0)
        return "'local' is this machine";
    return store_plain_host(value, field);
}

const char *sbi_host_value_user(const cJSON *value, void *field)
{
    const char *fault = sbi_host_word_user_fault(value->valuestring);

    return fault != NULL ? fault : sbi_host_value_text(value, field);
}

/* A command line is the user's own and runs here; a path or a pinned key is one line. */
const char *sbi_host_value_line(const cJSON *value, void *field)
{
    const char *at;

    for (at = value->valuestring; *at != '\0'; at++)
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            return "has a control character";
    return sbi_host_value_text(value, field);
}

/* "SHA256:..." or "TYPE AAAA...", for every key begins with the length of a short word.
 */
const char *sbi_host_value_host_key(const cJSON *value, void *field)
{
    const char *text = value->valuestring;
    const char *blob = text + strcspn(text, " ");
    bool is_fingerprint = strncmp(text, "SHA256:", 7) == 0 && *blob == '\0';

    blob += strspn(blob, " ");
    if (!is_fingerprint && strncmp(blob, "AAAA", 4) != 0)
        return "is neither 'ssh-ed25519 AAAA...' nor 'SHA256:...'";
    return sbi_host_value_line(value, field);
}

/* A machine's name or address, or "unix:/path", a socket on this machine. */
const char *sbi_host_value_host(const cJSON *value, void *field)
{
    return sbi_ssh_socket_path(value->valuestring) != NULL
               ? sbi_host_value_line(value, field)
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

const char *sbi_host_value_jump(const cJSON *value, void *field)
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
            return sbi_host_value_text(value, field);
    }
}

const char *sbi_host_value_port(const cJSON *value, void *field)
{
    double port = value->valuedouble;

    if (!(port >= 1 && port <= 65535) || port != (double)(int)port)
        return "is no port (1 to 65535)";
    *(int64_t *)field = (int64_t)port;
    return NULL;
}

/* Written so that NaN is refused too. */
const char *sbi_host_value_seconds(const cJSON *value, void *field)
{
    if (!(value->valuedouble >= 0.001 && value->valuedouble <= SECONDS_LIMIT))
        return "is no time in seconds (0.001 to 1000000)";
    *(int64_t *)field = (int64_t)(value->valuedouble * 1000 + 0.5);
    return NULL;
}

const char *sbi_host_value_policy(const cJSON *value, void *field)
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

const char *sbi_host_value_flag(const cJSON *value, void *field)
{
    *(int64_t *)field = cJSON_IsTrue(value) ? 1 : 0;
    return NULL;
}

const char *sbi_host_value_transport(const cJSON *value, void *field)
{
    bool openssh = strcmp(value->valuestring, "openssh") == 0;

    if (!openssh && strcmp(value->valuestring, "libssh") != 0)
        return "is none of 'libssh', 'openssh'";
    *(int64_t *)field = openssh ? SBI_TRANSPORT_OPENSSH : SBI_TRANSPORT_LIBSSH;
    return NULL;
}

const char *sbi_host_value_tags(const cJSON *value, void *field)
{
    const cJSON *tag;

    if (cJSON_GetArraySize(value) > TAG_LIMIT)
        return "has over 100 tags";
    cJSON_ArrayForEach(tag, value)
    {
        if (!cJSON_IsString(tag) || sbi_host_word_fault(tag->valuestring) != NULL)
            return "has a tag that is no plain word";
        if (sbi_strv_add(field, tag->valuestring, NULL) < 0)
            return sbi_host_value_no_memory;
    }
    return NULL;
}

/* The words of a command, each as it stands. */
const char *sbi_host_value_words(const cJSON *value, void *field)
{
    const cJSON *word;

    if (cJSON_GetArraySize(value) == 0)
        return "is empty";
    if (cJSON_GetArraySize(value) > PREFIX_LIMIT)
        return "has over 100 words";
    cJSON_ArrayForEach(word, value)
    {
        if (!cJSON_IsString(word))
            return "has a word that is no text";
        if (sbi_strv_add(field, word->valuestring, NULL) < 0)
            return sbi_host_value_no_memory;
    }
    return cJSON_GetArrayItem(value, 0)->valuestring[0] == '\0' ? "begins with no command"
                                                                : NULL;
}

const char *sbi_host_value_place(const cJSON *value, void *field)
{
    const char *fault = sbi_host_word_fault(value->valuestring);

    return fault != NULL ? fault : sbi_host_value_text(value, field);
}

static bool is_variable_name(const char *name)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";

    return name[0] != '\0' && (name[0] < '0' || name[0] > '9') &&
           name[strspn(name, letters)] == '\0';
}

const char *sbi_host_value_env(const cJSON *value, void *field)
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
            return sbi_host_value_no_memory;
        rc = sbi_strv_add(field, pair, NULL);
        sbi_wipe(&pair);
        if (rc < 0)
            return sbi_host_value_no_memory;
    }
    return NULL;
}
