/*
 * ssh_host_key.c - is the host who it was? Asked before anything secret is sent.
 *
 * A pinned key of our own list decides alone. Otherwise known_hosts decides, and
 * the policy says what becomes of a host that no line names. Nothing here trusts
 * a changed key.
 */
#include "transport/ssh_handshake.h"

#include "base/cleanup.h"
#include "base/digest.h"
#include "base/log.h"
#include "base/str.h"
#include "transport/known_hosts.h"
#include "transport/ssh_algorithms.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

struct key {
    char type[64];
    unsigned char *blob; /* wire form */
    size_t length;
    char *fingerprint;
};

static void key_clear(struct key *key)
{
    free(key->blob);
    free(key->fingerprint);
}

static void known_clear(struct sbi_known_match *match)
{
    sbi_known_match_clear(match);
}

/* The wire form begins with the type's name, its length ahead in four bytes. */
static bool read_type(struct key *key)
{
    size_t length;

    if (key->length < 4)
        return false;
    length = ((size_t)key->blob[0] << 24) | ((size_t)key->blob[1] << 16) |
             ((size_t)key->blob[2] << 8) | key->blob[3];
    if (length >= sizeof(key->type) || length > key->length - 4)
        return false;
    memcpy(key->type, key->blob + 4, length);
    key->type[length] = '\0';
    return true;
}

/* base64 is the only form in which libssh hands a key out. */
static int read_key(ssh_session session, struct key *out, sbx_error *err)
{
    char *text = NULL;
    ssh_key key = NULL;
    int rc;

    if (sbi_libssh.ssh_get_server_publickey(session, &key) != SSH_OK)
        return sbi_fail(err, SBX_ERR_HOST_KEY, "read the host key: %s",
                        sbi_ssh_reason(session));
    rc = sbi_libssh.ssh_pki_export_pubkey_base64(key, &text);
    sbi_libssh.ssh_key_free(key);
    if (rc != SSH_OK)
        return sbi_fail(err, SBX_ERR_HOST_KEY, "read the host key: %s",
                        sbi_ssh_reason(session));
    rc = sbi_base64_decode(text, strlen(text), &out->blob, &out->length, err);
    sbi_libssh.ssh_string_free_char(text);
    if (rc < 0)
        return rc;
    if (!read_type(out))
        return sbi_fail(err, SBX_ERR_HOST_KEY, "read the host key: malformed");
    return sbi_key_fingerprint(out->blob, out->length, &out->fingerprint, err);
}

/* The pin is "TYPE BASE64 [comment]" or "SHA256:...". */
static bool pin_fits(const char *pin, const struct key *key, sbx_error *err)
{
    SBI_AUTOFREE char *text = NULL;
    const char *blob = strchr(pin, ' ');
    size_t length;

    if (strncmp(pin, "SHA256:", 7) == 0)
        return strcmp(pin, key->fingerprint) == 0;
    if (blob == NULL || sbi_base64_encode(key->blob, key->length, &text, err) < 0)
        return false;
    blob += strspn(blob, " ");
    length = strcspn(blob, " ");
    return strlen(text) == length && memcmp(text, blob, length) == 0;
}

static int check_pin(struct sbi_handshake *shake, const struct key *key, sbx_error *err)
{
    const struct sbi_ssh_target *target = shake->target;

    if (pin_fits(target->host_key, key, err))
        return SBX_OK;
    (void)sbi_fail(err, SBX_ERR_HOST_KEY,
                   "host key of '%s': it shows %s %s, which is not the pinned one",
                   target->place, key->type, key->fingerprint);
    return sbi_fix(err, SBX_ERR_HOST_KEY, "host-key",
                   "if the machine was set up anew, set host_key of '%s' to '%s'",
                   target->place, key->fingerprint);
}

static const char *known_name(const struct sbi_ssh_options *options)
{
    return options->host_key_alias != NULL ? options->host_key_alias : options->hostname;
}

/* An alias stands in known_hosts without a port. */
static int known_port(const struct sbi_ssh_options *options)
{
    return options->host_key_alias != NULL ? 22 : options->port;
}

static int known_files(const struct sbi_ssh_options *options, char ***out, sbx_error *err)
{
    SBI_AUTO_STRV files = NULL;
    char **file;
    int rc;

    rc = sbi_strv_copy((const char *const *)options->user_known_hosts, &files, err);
    for (file = options->global_known_hosts; rc == SBX_OK && file && *file; file++)
        rc = sbi_strv_add(&files, *file, err);
    if (rc == SBX_OK)
        *out = SBI_STEAL(files);
    return rc;
}

static int refuse_known(const struct sbi_ssh_target *target, const struct key *key,
                        const struct sbi_known_match *match, sbx_error *err)
{
    const char *file = match->file == NULL ? "known_hosts" : match->file;
    long long line = (long long)match->line;

    switch (match->known) {
    case SBI_KNOWN_REVOKED:
        (void)sbi_fail(err, SBX_ERR_HOST_KEY,
                       "host key of '%s': %s %s is marked revoked at '%s' line %lld",
                       target->place, key->type, key->fingerprint, file, line);
        return sbi_fix(err, SBX_ERR_HOST_KEY, "host-key",
                       "do not log in there; ask who runs the machine");
    case SBI_KNOWN_CA:
        (void)sbi_fail(err, SBX_ERR_HOST_KEY,
                       "host key of '%s': '%s' line %lld asks for a host certificate, "
                       "which cannot be verified here",
                       target->place, file, line);
        return sbi_fix(err, SBX_ERR_HOST_KEY, "host-key",
                       "pin it: host_key '%s' in the entry of '%s', or set transport "
                       "'openssh' there",
                       key->fingerprint, target->place);
    default:
        (void)sbi_fail(err, SBX_ERR_HOST_KEY,
                       "host key of '%s' %s: it shows %s %s, but '%s' line %lld says %s",
                       target->place,
                       match->known == SBI_KNOWN_OTHER ? "is of another type than before"
                                                       : "HAS CHANGED",
                       key->type, key->fingerprint, file, line,
                       match->fingerprint == NULL ? "another" : match->fingerprint);
        return sbi_fix(
            err, SBX_ERR_HOST_KEY, "host-key",
            target->options->port == 22 || target->options->host_key_alias != NULL
                ? "if the machine was set up anew: ssh-keygen -f '%s' -R '%s'"
                : "if the machine was set up anew: ssh-keygen -f '%s' -R '[%s]:%d'",
            file, known_name(target->options), target->options->port);
    }
}

static int remember(const struct sbi_ssh_options *options, const struct key *key,
                    sbx_error *err)
{
    const char *file =
        options->user_known_hosts == NULL ? NULL : options->user_known_hosts[0];

    if (file == NULL)
        return SBX_OK;
    return sbi_known_hosts_add(file, known_name(options), known_port(options), key->type,
                               key->blob, key->length, options->hash_known_hosts, err);
}

/* NULL where somebody says yes, else why the key is not let in. */
static const char *person_refuses(const struct sbi_ssh_target *target,
                                  const struct key *key)
{
    char question[256], answer[16] = "";

    if (target->prompt == NULL || target->options->batch_mode)
        return "there is nobody to ask";
    (void)snprintf(question, sizeof(question),
                   "'%s' is not known yet. Its %s key is %s. Go on (yes/no)? ",
                   target->place, key->type, key->fingerprint);
    if (target->prompt(question, 1, answer, sizeof(answer), target->userdata) != 0)
        return "there is nobody to ask";
    return strcasecmp(answer, "yes") == 0 ? NULL : "the answer was not 'yes'";
}

/* A name that no line has. A folder we may not write to is no reason to refuse. */
static int meet(struct sbi_handshake *shake, const struct key *key, sbx_error *err)
{
    const struct sbi_ssh_target *target = shake->target;
    int policy = target->options->strict_host_key;
    const char *refused = NULL;
    sbx_error why = {0};

    if (policy == SBI_STRICT_ASK)
        refused = person_refuses(target, key);
    else if (policy != SBI_STRICT_ACCEPT_NEW && policy != SBI_STRICT_NO)
        refused = "StrictHostKeyChecking does not let it in";
    if (refused == NULL) {
        if (remember(target->options, key, &why) < 0)
            sbi_log(SBX_LOG_WARN, "%s", why.text);
        return SBX_OK;
    }
    (void)sbi_fail(err, SBX_ERR_HOST_KEY, "host key of '%s': %s %s is not known, and %s",
                   target->place, key->type, key->fingerprint, refused);
    return sbi_fix(err, SBX_ERR_HOST_KEY, "host-key",
                   "log in once by `ssh %s`, or set host_key_policy to accept-new",
                   target->place);
}

/* As ssh has it: a line without a port will do for another port, if its key is right. */
static bool is_known_by_plain_name(const struct sbi_ssh_options *options, char **files,
                                   const struct key *key)
{
    SBI_CLEANUP(known_clear) struct sbi_known_match match = {0};

    return known_port(options) != 22 &&
           sbi_known_hosts_check((const char *const *)files, known_name(options), 22,
                                 key->type, key->blob, key->length, &match,
                                 NULL) == SBX_OK &&
           match.known == SBI_KNOWN_OK;
}

static int check_known(struct sbi_handshake *shake, const struct key *key, sbx_error *err)
{
    const struct sbi_ssh_options *options = shake->target->options;
    SBI_CLEANUP(known_clear) struct sbi_known_match match = {0};
    SBI_AUTO_STRV files = NULL;
    int rc;

    rc = known_files(options, &files, err);
    if (rc == SBX_OK)
        rc = sbi_known_hosts_check((const char *const *)files, known_name(options),
                                   known_port(options), key->type, key->blob, key->length,
                                   &match, err);
    if (rc < 0)
        return rc;
    if (match.known == SBI_KNOWN_OK ||
        (match.known == SBI_KNOWN_NOT && is_known_by_plain_name(options, files, key)))
        return SBX_OK;
    if (match.known == SBI_KNOWN_NOT)
        return meet(shake, key, err);
    return refuse_known(shake->target, key, &match, err);
}

int sbi_ssh_check_host_key(struct sbi_handshake *shake, sbx_error *err)
{
    SBI_CLEANUP(key_clear) struct key key = {0};
    int rc;

    rc = read_key(shake->session, &key, err);
    if (rc < 0)
        return rc;
    return shake->target->host_key != NULL ? check_pin(shake, &key, err)
                                           : check_known(shake, &key, err);
}

/* An RSA key signs by several algorithms, which are asked for by their own names. */
static const char *algorithms_of(const char *type)
{
    return strcmp(type, "ssh-rsa") == 0 ? "rsa-sha2-512,rsa-sha2-256" : type;
}

static int known_types(const struct sbi_ssh_options *options, char ***out, sbx_error *err)
{
    SBI_AUTO_STRV files = NULL;
    int rc;

    rc = known_files(options, &files, err);
    if (rc == SBX_OK)
        rc = sbi_known_hosts_types((const char *const *)files, known_name(options),
                                   known_port(options), out, err);
    if (rc == SBX_OK && *out == NULL && known_port(options) != 22)
        rc = sbi_known_hosts_types((const char *const *)files, known_name(options), 22,
                                   out, err);
    return rc;
}

/* A fingerprint does not say of which type its key is. */
static int pinned_type(const char *pin, char ***out, sbx_error *err)
{
    SBI_AUTOFREE char *type = strndup(pin, strcspn(pin, " "));

    if (type == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    return pin[strlen(type)] == ' ' ? sbi_strv_add(out, type, err) : SBX_OK;
}

/* As ssh has it: a list that is stated whole, or with a head, is in its own order. */
static bool is_ordered(const char *said)
{
    return said != NULL && said[0] != '+' && said[0] != '-';
}

/* Of those that may be asked for, the types that are known come first. */
static int order_types(char *const *types, const char *allowed, char **out,
                       sbx_error *err)
{
    SBI_AUTO_STR wanted = {0};
    SBI_AUTO_STR list = {0};
    SBI_AUTOFREE char *all = NULL;
    const char *rest;
    size_t length;
    int rc;

    for (; *types != NULL; types++)
        sbi_str_addf(&wanted, "%s,", algorithms_of(*types));
    sbi_str_add(&wanted, allowed);
    if (wanted.status < 0)
        return sbi_fail(err, wanted.status, "out of memory");
    rc = sbi_ssh_algorithms(wanted.data, "", &all, err);
    for (rest = all; rc == SBX_OK && *rest != '\0';
         rest += length + (rest[length] == ',')) {
        SBI_AUTOFREE char *name = NULL;

        length = strcspn(rest, ",");
        name = strndup(rest, length);
        if (name == NULL)
            return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
        if (sbi_ssh_algorithms_have(allowed, name))
            sbi_str_addf(&list, "%s%s", list.length > 0 ? "," : "", name);
    }
    return rc < 0 ? rc : sbi_str_take(&list, out, err);
}

int sbi_ssh_prefer_known_types(struct sbi_handshake *shake, sbx_error *err)
{
    const struct sbi_ssh_options *options = shake->target->options;
    SBI_AUTO_STRV types = NULL;
    SBI_AUTOFREE char *allowed = NULL;
    SBI_AUTOFREE char *list = NULL;
    int rc;

    if (is_ordered(options->host_key_algorithms))
        return SBX_OK;
    rc = shake->target->host_key != NULL
             ? pinned_type(shake->target->host_key, &types, err)
             : known_types(options, &types, err);
    if (rc < 0 || types == NULL)
        return rc;
    rc = sbi_ssh_algorithms(options->host_key_algorithms, SBI_DEFAULT_HOST_KEYS, &allowed,
                            err);
    if (rc == SBX_OK)
        rc = order_types(types, allowed, &list, err);
    if (rc == SBX_OK)
        (void)sbi_libssh.ssh_options_set(shake->session, SSH_OPTIONS_HOSTKEYS, list);
    return rc;
}
