#include "transport/ssh_auth_identity.h"

#include "base/cleanup.h"
#include "base/digest.h"
#include "transport/ssh_agent.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void sbi_key_clear(ssh_key *key)
{
    sbi_libssh.ssh_key_free(*key);
    *key = NULL;
}

/* A pipe would have us wait for whoever writes to it. */
static bool is_readable_file(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, R_OK) == 0;
}

char *sbi_key_base64(ssh_key key)
{
    char *text = NULL, *copy = NULL;

    if (sbi_libssh.ssh_pki_export_pubkey_base64(key, &text) == SSH_OK) {
        copy = strdup(text);
        sbi_libssh.ssh_string_free_char(text);
    }
    return copy;
}

static int note_need(const char *prompt, char *buffer, size_t room, int echo, int verify,
                     void *userdata)
{
    (void)prompt;
    (void)buffer;
    (void)room;
    (void)echo;
    (void)verify;
    *(bool *)userdata = true;
    return -1;
}

static ssh_key read_public(const char *path)
{
    ssh_key key = NULL;

    if (is_readable_file(path) &&
        sbi_libssh.ssh_pki_import_pubkey_file(path, &key) == SSH_OK)
        return key;
    return NULL;
}

/* The public half stands in PATH.pub, in the open part of PATH, or PATH is it. */
static ssh_key find_public(const char *path)
{
    SBI_AUTOFREE char *beside = NULL;
    ssh_key key = NULL;

    if (asprintf(&beside, "%s.pub", path) < 0) {
        beside = NULL;
        return NULL;
    }
    key = read_public(beside);
    return key != NULL ? key : read_public(path);
}

bool sbi_identity_read(const char *path, struct sbi_identity *out)
{
    bool there = is_readable_file(path);

    out->path = path;
    if (there)
        (void)sbi_libssh.ssh_pki_import_privkey_file(path, NULL, note_need, &out->locked,
                                                     &out->secret);
    if (out->secret != NULL)
        (void)sbi_libssh.ssh_pki_export_privkey_to_pubkey(out->secret, &out->known);
    else
        out->known = find_public(path);
    if (out->known != NULL)
        out->base64 = sbi_key_base64(out->known);
    out->unreadable = there && !out->locked && out->base64 == NULL;
    return out->locked || out->base64 != NULL;
}

bool sbi_identity_unlock(struct sbi_identity *identity, const char *passphrase)
{
    if (sbi_libssh.ssh_pki_import_privkey_file(identity->path, passphrase, NULL, NULL,
                                               &identity->secret) != SSH_OK) {
        identity->secret = NULL;
        return false;
    }
    if (identity->known == NULL && sbi_libssh.ssh_pki_export_privkey_to_pubkey(
                                       identity->secret, &identity->known) == SSH_OK)
        identity->base64 = sbi_key_base64(identity->known);
    return true;
}

void sbi_identity_clear(struct sbi_identity *identity)
{
    sbi_key_clear(&identity->secret);
    sbi_key_clear(&identity->known);
    free(identity->base64);
    *identity = (struct sbi_identity){0};
}

/*
 * A certificate's wire form has its type, a nonce, and then what stands behind the
 * type in its key's. libssh calls the two unlike, since their types are.
 */
static bool is_certificate_of(const char *certificate, size_t left, const char *key,
                              size_t key_left)
{
    const char *skipped;
    size_t length;

    return sbi_wire_take_string(&key, &key_left, &skipped, &length) &&
           sbi_wire_take_string(&certificate, &left, &skipped, &length) &&
           sbi_wire_take_string(&certificate, &left, &skipped, &length) && key_left > 0 &&
           key_left < left && memcmp(certificate, key, key_left) == 0;
}

static bool fits(ssh_key certificate, ssh_key known)
{
    SBI_AUTOFREE char *certificate_text = sbi_key_base64(certificate);
    SBI_AUTOFREE char *known_text = sbi_key_base64(known);
    SBI_AUTOFREE unsigned char *certificate_blob = NULL;
    SBI_AUTOFREE unsigned char *known_blob = NULL;
    size_t length, known_length;

    return certificate_text != NULL && known_text != NULL &&
           sbi_base64_decode(certificate_text, strlen(certificate_text),
                             &certificate_blob, &length, NULL) == SBX_OK &&
           sbi_base64_decode(known_text, strlen(known_text), &known_blob, &known_length,
                             NULL) == SBX_OK &&
           is_certificate_of((const char *)certificate_blob, length,
                             (const char *)known_blob, known_length);
}

ssh_key sbi_certificate_read(const char *path, ssh_key known)
{
    ssh_key certificate = NULL;

    if (known == NULL || !is_readable_file(path) ||
        sbi_libssh.ssh_pki_import_cert_file(path, &certificate) != SSH_OK)
        return NULL;
    if (!fits(certificate, known))
        sbi_key_clear(&certificate);
    return certificate;
}

ssh_key sbi_key_of_blob(const void *blob, size_t length)
{
    SBI_AUTOFREE char *text = NULL;
    const unsigned char *head = blob;
    enum ssh_keytypes_e type;
    char name[64];
    ssh_key key = NULL;
    size_t size;

    if (length < 4 || head[0] != 0 || head[1] != 0 || head[2] != 0)
        return NULL;
    size = head[3];
    if (size >= sizeof(name) || size > length - 4)
        return NULL;
    memcpy(name, head + 4, size);
    name[size] = '\0';
    type = sbi_libssh.ssh_key_type_from_name(name);
    if (type == SSH_KEYTYPE_UNKNOWN || sbi_base64_encode(blob, length, &text, NULL) < 0)
        return NULL;
    if (strstr(name, "-cert-v0") != NULL)
        (void)sbi_libssh.ssh_pki_import_cert_base64(text, type, &key);
    else
        (void)sbi_libssh.ssh_pki_import_pubkey_base64(text, type, &key);
    return key;
}
