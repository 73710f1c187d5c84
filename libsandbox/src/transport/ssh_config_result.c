/* ssh_config_result.c - turns what was said into what holds: tokens, "none", defaults. */
#include "transport/ssh_config_result.h"
#include "base/str.h"

#include <string.h>
#include <strings.h>

static const char *const default_keys[] = {
    "~/.ssh/id_rsa",        "~/.ssh/id_ecdsa", "~/.ssh/id_ecdsa_sk", "~/.ssh/id_ed25519",
    "~/.ssh/id_ed25519_sk", "~/.ssh/id_xmss",  "~/.ssh/id_dsa",      NULL};
static const char *const default_user_hosts[] = {"~/.ssh/known_hosts",
                                                 "~/.ssh/known_hosts2", NULL};
static const char *const default_global_hosts[] = {"/etc/ssh/ssh_known_hosts",
                                                   "/etc/ssh/ssh_known_hosts2", NULL};

struct finish {
    struct sbi_ssh_reading *reading;
    struct sbi_ssh_tokens tokens;
};

void sbi_ssh_config_defaults(struct sbi_ssh_said *said)
{
    struct sbi_ssh_options *options = &said->options;

    said->canonical_max_dots = 1;
    said->canonical_fallback = 1;
    options->port = 22;
    options->strict_host_key = SBI_STRICT_ASK;
    options->password_prompts = 3;
    options->password_authentication = true;
    options->kbd_interactive_authentication = true;
    options->pubkey_authentication = true;
    options->connection_attempts = 1;
    options->alive_count_max = 3;
    options->tcp_keepalive = true;
}

static bool is_none(const char *text)
{
    return text != NULL && strcasecmp(text, "none") == 0;
}

static void drop_none(char **text)
{
    if (is_none(*text)) {
        free(*text);
        *text = NULL;
    }
}

static int expand_in_place(char **text, const struct sbi_ssh_token *tokens, bool env,
                           sbx_error *err)
{
    char *expanded;
    int rc;

    if (*text == NULL)
        return SBX_OK;
    rc = sbi_ssh_config_expand(*text, tokens, env, &expanded, err);
    if (rc == SBX_OK) {
        free(*text);
        *text = expanded;
    }
    return rc;
}

static int expand_path(const struct finish *finish, char **path, sbx_error *err)
{
    char *whole;
    int rc;

    if (*path == NULL)
        return SBX_OK;
    rc = sbi_ssh_config_tilde(finish->reading->self, *path, &whole, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "expand '%s'", *path);
    free(*path);
    *path = whole;
    return expand_in_place(path, finish->tokens.list, true, err);
}

static void drop_nones(char **list)
{
    char **kept = list;

    for (; list != NULL && *list != NULL; list++)
        if (is_none(*list))
            free(*list);
        else
            *kept++ = *list;
    if (kept != NULL)
        *kept = NULL;
}

static int expand_paths(const struct finish *finish, char **list, sbx_error *err)
{
    int rc = SBX_OK;

    drop_nones(list);
    for (; list != NULL && *list != NULL && rc == SBX_OK; list++)
        rc = expand_path(finish, list, err);
    return rc;
}

/*
 * "SSH_AUTH_SOCK" is what holds anyway; "$NAME" names another variable, and no
 * agent where that is not set.
 */
static int finish_agent(const struct finish *finish, char **agent, sbx_error *err)
{
    const char *value;
    char *copy;
    int rc = is_none(*agent) ? SBX_OK : expand_path(finish, agent, err);

    if (rc < 0 || *agent == NULL)
        return rc;
    if (strcmp(*agent, "SSH_AUTH_SOCK") == 0) {
        free(*agent);
        *agent = NULL;
        return SBX_OK;
    }
    if (**agent != '$' && !is_none(*agent))
        return SBX_OK;

    value = **agent == '$' ? getenv(*agent + 1) : NULL;
    copy = strdup(value == NULL ? "none" : value);
    if (copy == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory for '%s'", *agent);
    free(*agent);
    *agent = copy;
    return SBX_OK;
}

static const char *token_text(const struct finish *finish, char letter)
{
    const struct sbi_ssh_token *token = finish->tokens.list;

    while (token->letter != letter)
        token++;
    return token->text;
}

static int finish_proxy(const struct finish *finish, struct sbi_ssh_options *options,
                        sbx_error *err)
{
    const struct sbi_ssh_token tokens[] = {
        {'h', token_text(finish, 'h')}, {'k', token_text(finish, 'k')},
        {'n', token_text(finish, 'n')}, {'p', token_text(finish, 'p')},
        {'r', token_text(finish, 'r')}, {'\0', NULL}};
    int rc;

    drop_none(&options->proxy_jump);
    drop_none(&options->proxy_command);
    rc = expand_in_place(&options->proxy_jump, tokens, false, err);
    return rc < 0 ? rc : expand_in_place(&options->proxy_command, tokens, false, err);
}

/* Servers may teach us keys where no file was named: only the usual ones change. */
static void finish_update_host_keys(struct sbi_ssh_reading *reading)
{
    if (!reading->given[SBI_SSH_OPTION(update_host_keys)])
        reading->said.options.update_host_keys =
            reading->said.verify_host_key_dns == 0 &&
            reading->said.options.user_known_hosts == NULL;
}

static int fill_list(char ***list, const char *const *defaults, sbx_error *err)
{
    return *list == NULL ? sbi_strv_copy(defaults, list, err) : SBX_OK;
}

static int fill_lists(struct sbi_ssh_options *options, sbx_error *err)
{
    int rc;

    options->identity_files_named = options->identity_files != NULL;
    rc = fill_list(&options->identity_files, default_keys, err);
    if (rc == SBX_OK)
        rc = fill_list(&options->user_known_hosts, default_user_hosts, err);
    if (rc == SBX_OK)
        rc = fill_list(&options->global_known_hosts, default_global_hosts, err);
    return rc;
}

static int finish_lists(const struct finish *finish, struct sbi_ssh_options *options,
                        sbx_error *err)
{
    int rc = fill_lists(options, err);

    if (rc == SBX_OK)
        rc = expand_paths(finish, options->identity_files, err);
    if (rc == SBX_OK)
        rc = expand_paths(finish, options->certificate_files, err);
    if (rc == SBX_OK)
        rc = expand_paths(finish, options->user_known_hosts, err);
    drop_nones(options->global_known_hosts);
    return rc;
}

static int finish_rekey(struct sbi_ssh_reading *reading, sbx_error *err)
{
    SBI_AUTO_STR text = {0};

    if (reading->said.rekey_bytes == 0 && reading->said.rekey_seconds == 0)
        return SBX_OK;
    sbi_str_addf(&text, "%lld %d", (long long)reading->said.rekey_bytes,
                 reading->said.rekey_seconds);
    return sbi_str_take(&text, &reading->said.options.rekey_limit, err);
}

static int finish_texts(const struct finish *finish, struct sbi_ssh_options *options,
                        sbx_error *err)
{
    int rc;

    drop_none(&options->control_path);
    drop_none(&options->remote_command);
    rc = expand_path(finish, &options->control_path, err);
    if (rc == SBX_OK)
        rc = expand_in_place(&options->remote_command, finish->tokens.list, false, err);
    if (rc == SBX_OK)
        rc = finish_agent(finish, &options->identity_agent, err);
    if (rc == SBX_OK)
        rc = finish_agent(finish, &options->forward_agent_path, err);
    return rc;
}

int sbi_ssh_config_finish(struct sbi_ssh_reading *reading, sbx_error *err)
{
    struct sbi_ssh_options *options = &reading->said.options;
    struct finish finish = {.reading = reading};
    int rc;

    if (options->host_key_alias != NULL)
        sbi_ssh_config_lower(options->host_key_alias);
    finish_update_host_keys(reading);
    rc = sbi_ssh_config_tokens(reading, options->hostname, options->port, options->user,
                               options->host_key_alias == NULL ? reading->original
                                                               : options->host_key_alias,
                               &finish.tokens, err);
    if (rc == SBX_OK)
        rc = finish_lists(&finish, options, err);
    if (rc == SBX_OK)
        rc = finish_texts(&finish, options, err);
    if (rc == SBX_OK)
        rc = finish_proxy(&finish, options, err);
    return rc < 0 ? rc : finish_rekey(reading, err);
}
