/*
 * host_json.c - prints the options of a connection under the keys of `ssh -G`, by a
 * table. Values of environment variables may be secrets, so only their names show.
 */
#include "session/host_json.h"

#include "base/json.h"
#include "session/host_value.h"
#include "transport/ssh_proxy.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

typedef void (*print_fn)(cJSON *object, const char *key, const void *field);

static void print_text(cJSON *object, const char *key, const void *field)
{
    const char *text = *(char *const *)field;

    if (text != NULL)
        sbi_json_add_text(object, key, text);
}

static void print_number(cJSON *object, const char *key, const void *field)
{
    (void)cJSON_AddNumberToObject(object, key, *(const int *)field);
}

static void print_flag(cJSON *object, const char *key, const void *field)
{
    (void)cJSON_AddBoolToObject(object, key, *(const bool *)field);
}

static void print_list(cJSON *object, const char *key, const void *field)
{
    char *const *word = *(char *const *const *)field;
    cJSON *array = cJSON_AddArrayToObject(object, key);

    for (; word != NULL && *word != NULL; word++)
        (void)cJSON_AddItemToArray(array, cJSON_CreateString(*word));
}

static void print_variables(cJSON *object, const char *key, const void *field)
{
    char *const *pair = *(char *const *const *)field;
    cJSON *array = cJSON_AddArrayToObject(object, key);

    for (; pair != NULL && *pair != NULL; pair++)
        (void)cJSON_AddItemToArray(array,
                                   sbi_json_bytes(*pair, strcspn(*pair, "="), true));
}

static void print_strict(cJSON *object, const char *key, const void *field)
{
    static const char *const words[] = {
        [SBI_STRICT_YES] = "yes",
        [SBI_STRICT_ASK] = "ask",
        [SBI_STRICT_ACCEPT_NEW] = "accept-new",
        [SBI_STRICT_NO] = "no",
    };
    int strict = *(const int *)field;

    if (strict >= SBI_STRICT_YES && strict <= SBI_STRICT_NO)
        sbi_json_add_text(object, key, words[strict]);
}

static void print_family(cJSON *object, const char *key, const void *field)
{
    int family = *(const int *)field;

    sbi_json_add_text(object, key,
                      family == AF_INET    ? "inet"
                      : family == AF_INET6 ? "inet6"
                                           : "any");
}

/* The password of a proxy is not shown. */
static void print_hops(cJSON *object, const char *key, const void *field)
{
    const char *hops = *(char *const *)field;
    SBI_AUTOFREE char *masked = hops == NULL ? NULL : sbi_proxy_masked(hops);

    if (masked != NULL)
        sbi_json_add_text(object, key, masked);
}

#define FIELD(member) offsetof(struct sbi_ssh_options, member)

/* identityfile and connecttimeout, to which the list adds, are printed apart. */
static const struct {
    const char *key; /* as `ssh -G` writes it */
    size_t offset;
    print_fn print;
} rows[] = {
    {"hostname", FIELD(hostname), print_text},
    {"user", FIELD(user), print_text},
    {"port", FIELD(port), print_number},
    {"hostkeyalias", FIELD(host_key_alias), print_text},
    {"certificatefile", FIELD(certificate_files), print_list},
    {"identitiesonly", FIELD(identities_only), print_flag},
    {"identityagent", FIELD(identity_agent), print_text},
    {"forwardagent", FIELD(forward_agent), print_flag},
    {"forwardagentpath", FIELD(forward_agent_path), print_text},
    {"proxyjump", FIELD(proxy_jump), print_hops},
    {"proxycommand", FIELD(proxy_command), print_text},
    {"userknownhostsfile", FIELD(user_known_hosts), print_list},
    {"globalknownhostsfile", FIELD(global_known_hosts), print_list},
    {"stricthostkeychecking", FIELD(strict_host_key), print_strict},
    {"hashknownhosts", FIELD(hash_known_hosts), print_flag},
    {"updatehostkeys", FIELD(update_host_keys), print_flag},
    {"hostkeyalgorithms", FIELD(host_key_algorithms), print_text},
    {"kexalgorithms", FIELD(kex_algorithms), print_text},
    {"ciphers", FIELD(ciphers), print_text},
    {"macs", FIELD(macs), print_text},
    {"pubkeyacceptedalgorithms", FIELD(pubkey_algorithms), print_text},
    {"preferredauthentications", FIELD(preferred_authentications), print_text},
    {"numberofpasswordprompts", FIELD(password_prompts), print_number},
    {"passwordauthentication", FIELD(password_authentication), print_flag},
    {"kbdinteractiveauthentication", FIELD(kbd_interactive_authentication), print_flag},
    {"pubkeyauthentication", FIELD(pubkey_authentication), print_flag},
    {"batchmode", FIELD(batch_mode), print_flag},
    {"connectionattempts", FIELD(connection_attempts), print_number},
    {"serveralivecountmax", FIELD(alive_count_max), print_number},
    {"addressfamily", FIELD(address_family), print_family},
    {"bindaddress", FIELD(bind_address), print_text},
    {"tcpkeepalive", FIELD(tcp_keepalive), print_flag},
    {"compression", FIELD(compression), print_flag},
    {"sendenv", FIELD(send_env), print_list},
    {"setenv", FIELD(set_env), print_variables},
    {"controlpath", FIELD(control_path), print_text},
    {"rekeylimit", FIELD(rekey_limit), print_text},
    {"tag", FIELD(tag), print_text},
    {"warnings", FIELD(warnings), print_list},
};

/* The list's time where it has one, else that of ssh_config. */
static void print_seconds(cJSON *object, const char *key, int64_t list_ms, int config_s)
{
    double seconds = list_ms != 0 ? (double)list_ms / 1000 : config_s;

    (void)cJSON_AddNumberToObject(object, key, seconds);
}

static void print_options(cJSON *object, const struct sbi_ssh_target *target)
{
    const struct sbi_ssh_options *options = target->options;
    cJSON *files;
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        rows[i].print(object, rows[i].key, (const char *)options + rows[i].offset);

    print_list(object, "identityfile", &options->identity_files);
    files = cJSON_GetObjectItemCaseSensitive(object, "identityfile");
    if (target->key_file != NULL)
        (void)cJSON_InsertItemInArray(files, 0, cJSON_CreateString(target->key_file));
    print_text(object, "hostkey", &target->host_key);
    print_seconds(object, "connecttimeout", target->connect_timeout_ms,
                  options->connect_timeout_s);
    print_seconds(object, "serveraliveinterval", target->keepalive_ms,
                  options->alive_interval_s);
}

/* target is NULL for this machine, which has none. */
static void print_secrets(cJSON *object, const struct sbi_ssh_target *target)
{
    static const struct {
        const char *key;
        size_t offset;
    } secrets[] = {
        {"password", offsetof(struct sbi_ssh_target, password)},
        {"password_command", offsetof(struct sbi_ssh_target, password_command)},
        {"password_file", offsetof(struct sbi_ssh_target, password_file)},
        {"key_passphrase", offsetof(struct sbi_ssh_target, key_passphrase)},
    };
    cJSON *array = cJSON_AddArrayToObject(object, "secrets");
    const void *value;
    size_t i;

    for (i = 0; target != NULL && i < sizeof(secrets) / sizeof(secrets[0]); i++) {
        value = (const char *)target + secrets[i].offset;
        if (*(char *const *)value != NULL)
            (void)cJSON_AddItemToArray(array, cJSON_CreateString(secrets[i].key));
    }
}

static const char *source_word(int source)
{
    static const char *const words[] = {
        [SBX_HOST_BUILTIN] = "builtin",
        [SBX_HOST_LIST] = "list",
        [SBX_HOST_ENVIRONMENT] = "environment",
        [SBX_HOST_SSH_CONFIG] = "ssh_config",
        [SBX_HOST_NAME] = "name",
    };

    return words[source];
}

/* What commands begin with there. */
static void print_defaults(cJSON *object, const struct sbi_host_entry *stated)
{
    if (stated->prefix != NULL) {
        sbi_json_add_text(object, "on", stated->on);
        print_list(object, "prefix", &stated->prefix);
    }
    if (stated->prefix_pty != NULL)
        print_list(object, "prefix_pty", &stated->prefix_pty);
    if (stated->keeper != 0)
        (void)cJSON_AddBoolToObject(object, "keeper", true);
    if (stated->transport == SBI_TRANSPORT_OPENSSH)
        sbi_json_add_text(object, "transport", "openssh");
    sbi_json_add_text(object, "cwd", stated->cwd);
    sbi_json_add_text(object, "shell", stated->shell);
    print_variables(object, "env", &stated->env);
}

char *sbi_host_json(const sbx_host *host, const struct sbi_host_entry *stated,
                    const struct sbi_ssh_target *target, const char *fault)
{
    SBI_AUTO_JSON object = cJSON_CreateObject();

    sbi_json_add_text(object, "name", host->name);
    sbi_json_add_text(object, "kind", sbx_host_kind_name(host->kind));
    sbi_json_add_text(object, "source", source_word(host->source));
    print_list(object, "tags", &host->tags);
    print_secrets(object, target);
    if (target != NULL)
        print_options(object, target);
    if (stated != NULL)
        print_defaults(object, stated);
    if (fault != NULL)
        sbi_json_add_text(object, "error", fault);
    return sbi_json_print(object);
}
