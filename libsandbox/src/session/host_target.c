/* host_target.c - lays an entry of the list over what ssh_config says of its host. */
#include "session/host_target.h"

#include "base/path.h"
#include "session/host_value.h"
#include "transport/ssh_way.h"

#include <stdio.h>
#include <string.h>

static void clear_target(struct sbi_ssh_target **target)
{
    sbi_ssh_target_free(*target);
}

static int copy(const char *from, char **to, sbx_error *err)
{
    if (from == NULL)
        return SBX_OK;
    *to = strdup(from);
    return *to != NULL ? SBX_OK : sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
}

/* A path of the list, where ~/ is this user's home. */
static int copy_path(const char *from, char **to, sbx_error *err)
{
    SBI_AUTOFREE char *home = NULL;
    int rc;

    if (from == NULL || strncmp(from, "~/", 2) != 0)
        return copy(from, to, err);
    rc = sbi_path_home(&home, err);
    if (rc < 0)
        return rc;
    if (asprintf(to, "%s%s", home, from + 1) < 0) {
        *to = NULL;
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    }
    return SBX_OK;
}

static int copy_login(const struct sbi_host_entry *entry, const char *user,
                      struct sbi_ssh_target *target, sbx_error *err)
{
    bool his = user == NULL || (entry->user != NULL && strcmp(entry->user, user) == 0);
    int rc = copy_path(entry->key_file, &target->key_file, err);

    if (rc == SBX_OK)
        rc = copy(entry->key_passphrase, &target->key_passphrase, err);
    if (rc == SBX_OK)
        rc = copy(entry->host_key, &target->host_key, err);
    if (rc == SBX_OK && his)
        rc = copy(entry->password, &target->password, err);
    if (rc == SBX_OK && his)
        rc = copy(entry->password_command, &target->password_command, err);
    if (rc == SBX_OK && his)
        rc = copy_path(entry->password_file, &target->password_file, err);
    return rc;
}

/* A master came there as ssh_config says, and saw whatever key it found there. */
static void leave_master(const struct sbi_host_entry *entry,
                         struct sbi_ssh_options *options)
{
    if (entry->host_key != NULL)
        free(SBI_STEAL(options->control_path));
}

/* ssh takes the first said of ProxyJump and ProxyCommand, and the list speaks first. */
static int set_jump(const char *jump, struct sbi_ssh_options *options, sbx_error *err)
{
    if (jump == NULL)
        return SBX_OK;
    free(SBI_STEAL(options->proxy_command));
    free(SBI_STEAL(options->proxy_jump));
    free(SBI_STEAL(options->control_path));
    return strcmp(jump, "none") == 0 ? SBX_OK : copy(jump, &options->proxy_jump, err);
}

/* A socket has no name that known_hosts could have: it is known by the entry's. */
static int set_socket(const struct sbi_host_entry *entry, struct sbi_ssh_options *options,
                      sbx_error *err)
{
    int rc;

    free(SBI_STEAL(options->proxy_command));
    free(SBI_STEAL(options->proxy_jump));
    free(SBI_STEAL(options->hostname));
    free(SBI_STEAL(options->control_path));
    rc = copy(entry->host, &options->hostname, err);
    if (rc == SBX_OK && options->host_key_alias == NULL)
        rc = copy(entry->name, &options->host_key_alias, err);
    return rc;
}

static int overlay(const struct sbi_host_entry *entry, const char *place,
                   const char *user, struct sbi_ssh_target *target, sbx_error *err)
{
    int rc = copy(place, &target->place, err);

    if (rc == SBX_OK)
        rc = copy(entry->file, &target->hosts_file, err);
    if (rc == SBX_OK)
        rc = copy_login(entry, user, target, err);
    if (rc == SBX_OK)
        rc = set_jump(entry->jump, target->options, err);
    leave_master(entry, target->options);
    if (entry->host_key_policy != 0)
        target->options->strict_host_key = (int)entry->host_key_policy;
    target->connect_timeout_ms = entry->connect_timeout_ms;
    if (target->connect_timeout_ms == 0)
        target->connect_timeout_ms = target->options->connect_timeout_s * INT64_C(1000);
    target->keepalive_ms = entry->keepalive_ms;
    if (target->keepalive_ms == 0)
        target->keepalive_ms = target->options->alive_interval_s * INT64_C(1000);
    return rc;
}

int sbi_host_target_make(const struct sbi_host_entry *entry, const char *place,
                         const char *user, struct sbi_ssh_config *ssh_config,
                         struct sbi_ssh_target **out, sbx_error *err)
{
    bool is_socket = sbi_ssh_socket_path(entry->host) != NULL;
    const struct sbi_ssh_asked asked = {.host = is_socket ? entry->name : entry->host,
                                        .user = user != NULL ? user : entry->user,
                                        .port = (int)entry->port};
    SBI_CLEANUP(clear_target) struct sbi_ssh_target *target = calloc(1, sizeof(*target));
    int rc;

    if (target == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "host '%s': out of memory", place);
    target->openssh = entry->transport == SBI_TRANSPORT_OPENSSH;
    target->keeper = entry->keeper != 0;
    target->unlisted = entry->source == SBX_HOST_LIST && entry->file == NULL;
    rc = copy(sbi_ssh_config_user_file(ssh_config), &target->ssh_config, err);
    if (rc == SBX_OK)
        rc = sbi_ssh_config_resolve(ssh_config, &asked, &target->options, err);
    if (rc == SBX_OK && is_socket)
        rc = set_socket(entry, target->options, err);
    if (rc == SBX_OK)
        rc = overlay(entry, place, user, target, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "host '%s'", place);
    *out = SBI_STEAL(target);
    return SBX_OK;
}
