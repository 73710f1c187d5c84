/*
 * ssh_auth_key.c - logging in by keys: of files, of the agent, with certificates.
 *
 * A named key comes before all others, since a server counts each that it is shown
 * and hangs up after a few. A private half that lies open is used at once, without
 * asking the server first whether it would take it: that saves a round trip for the
 * right key. Where it is locked, or not there, the agent signs if it has the key;
 * only then is a passphrase asked for, and only for a key that the server takes.
 */
#include "transport/ssh_auth.h"

#include "base/cleanup.h"
#include "base/digest.h"
#include "transport/ssh_auth_identity.h"

#include <stdio.h>
#include <string.h>

#define SBI_AUTO_KEY SBI_CLEANUP(sbi_key_clear) ssh_key

/* A key that the server took as one of several proofs is none for the next. */
static int spend(struct sbi_login *login, const char *base64, int verdict, sbx_error *err)
{
    if (verdict == SBI_AUTH_DENIED)
        login->troubles |= SBI_TROUBLE_KEY_REFUSED;
    if (verdict != SBI_AUTH_PARTIAL || sbi_strv_add(&login->spent, base64, err) == SBX_OK)
        return verdict;
    return SBI_AUTH_BROKEN;
}

static int send_key(struct sbi_login *login, ssh_key key, sbx_error *err)
{
    int rc;

    while ((rc = sbi_libssh.ssh_userauth_publickey(login->shake->session, NULL, key)) ==
           SSH_AUTH_AGAIN)
        if (!sbi_auth_wait(login, err))
            return SBI_AUTH_BROKEN;
    return sbi_auth_settle(login, rc, err);
}

/* Would the server take it? */
static int show_key(struct sbi_login *login, ssh_key known, sbx_error *err)
{
    int rc;

    while ((rc = sbi_libssh.ssh_userauth_try_publickey(login->shake->session, NULL,
                                                       known)) == SSH_AUTH_AGAIN)
        if (!sbi_auth_wait(login, err))
            return SBI_AUTH_BROKEN;
    return sbi_auth_settle(login, rc, err);
}

static const struct sbi_agent_key *find_in_agent(struct sbi_login *login,
                                                 const char *base64)
{
    const struct sbi_agent *agent = base64 == NULL ? NULL : sbi_auth_agent(login);
    size_t i;

    for (i = 0; agent != NULL && i < agent->count; i++) {
        SBI_AUTOFREE char *text = NULL;

        if (sbi_base64_encode(agent->keys[i].blob, agent->keys[i].length, &text, NULL) ==
                SBX_OK &&
            strcmp(text, base64) == 0)
            return &agent->keys[i];
    }
    return NULL;
}

static bool unlock_by_person(struct sbi_login *login, struct sbi_identity *identity)
{
    char secret[SBI_SECRET_SIZE], question[512];
    bool open = false;
    int left = login->shake->target->options->password_prompts;

    (void)snprintf(question, sizeof(question),
                   "Passphrase of key '%s': ", identity->path);
    while (!open && left-- > 0 &&
           sbi_auth_ask_person(login, question, false, secret, sizeof(secret))) {
        open = sbi_identity_unlock(identity, secret);
        explicit_bzero(secret, sizeof(secret));
        if (!open)
            login->troubles |= SBI_TROUBLE_PASSPHRASE_WRONG;
    }
    return open;
}

/* By the passphrase of the list, then by one that a person gives. */
static bool unlock(struct sbi_login *login, struct sbi_identity *identity)
{
    const char *passphrase = login->shake->target->key_passphrase;

    if (identity->hopeless)
        return false;
    if (passphrase != NULL && sbi_identity_unlock(identity, passphrase))
        return true;
    if (passphrase != NULL)
        login->troubles |= SBI_TROUBLE_PASSPHRASE_WRONG;
    if (unlock_by_person(login, identity))
        return true;
    if ((login->troubles & SBI_TROUBLE_PASSPHRASE_WRONG) == 0)
        login->troubles |= SBI_TROUBLE_PASSPHRASE_MISSING;
    sbi_auth_note(login,
                  passphrase != NULL ? "key with a wrong passphrase"
                                     : "key without its passphrase",
                  identity->path);
    identity->hopeless = true;
    return false;
}

/* Nobody is asked for the passphrase of a key that the server does not want. */
static int unlock_if_wanted(struct sbi_login *login, struct sbi_identity *identity,
                            ssh_key shown, const char *path, sbx_error *err)
{
    int verdict = SBI_AUTH_ACCEPTED;

    if (login->shake->target->key_passphrase == NULL && shown != NULL &&
        sbi_auth_has_person(login))
        verdict = show_key(login, shown, err);
    if (verdict == SBI_AUTH_DENIED)
        sbi_auth_note(login, "key", path);
    if (verdict == SBI_AUTH_ACCEPTED && !unlock(login, identity))
        verdict = SBI_AUTH_DENIED;
    return verdict;
}

static int offer_agents(struct sbi_login *login, ssh_key shown,
                        const struct sbi_agent_key *key, sbx_error *err)
{
    SBI_AUTOFREE char *text = sbi_key_base64(shown);
    SBI_AUTOFREE unsigned char *blob = NULL;
    size_t length;

    if (text == NULL || sbi_base64_decode(text, strlen(text), &blob, &length, NULL) < 0)
        return SBI_AUTH_DENIED;
    return sbi_auth_offer_by_agent(login, blob, length, key, err);
}

/* The key with this certificate, or as it is where there is none. */
static int prove(struct sbi_login *login, struct sbi_identity *identity,
                 ssh_key certificate, const char *path, sbx_error *err)
{
    const char *what = certificate != NULL ? "certificate" : "key";
    ssh_key shown = certificate != NULL ? certificate : identity->known;
    const struct sbi_agent_key *held;
    SBI_AUTO_KEY both = NULL;
    int verdict = SBI_AUTH_ACCEPTED;

    held = identity->secret == NULL ? find_in_agent(login, identity->base64) : NULL;
    if (held != NULL) {
        sbi_auth_note(login, what, path);
        return offer_agents(login, shown, held, err);
    }
    if (identity->secret == NULL && !identity->locked) {
        sbi_auth_note(login, "public key that the agent does not have", path);
        return SBI_AUTH_DENIED;
    }
    if (identity->secret == NULL)
        verdict = unlock_if_wanted(login, identity, shown, path, err);
    if (verdict != SBI_AUTH_ACCEPTED)
        return verdict;
    sbi_auth_note(login, what, path);
    if (certificate == NULL)
        return send_key(login, identity->secret, err);
    both = sbi_libssh.ssh_key_dup(identity->secret);
    if (both == NULL ||
        sbi_libssh.ssh_pki_copy_cert_to_privkey(certificate, both) != SSH_OK)
        return SBI_AUTH_DENIED;
    return send_key(login, both, err);
}

static int prove_certificate(struct sbi_login *login, struct sbi_identity *identity,
                             const char *path, sbx_error *err)
{
    SBI_AUTO_KEY certificate = sbi_certificate_read(path, identity->known);
    SBI_AUTOFREE char *base64 = certificate == NULL ? NULL : sbi_key_base64(certificate);

    if (base64 == NULL || !sbi_auth_is_new(login, base64))
        return SBI_AUTH_DENIED;
    return spend(login, base64, prove(login, identity, certificate, path, err), err);
}

/* Those that ssh_config names, then the one beside the key. */
static int prove_certificates(struct sbi_login *login, struct sbi_identity *identity,
                              sbx_error *err)
{
    char **path = login->shake->target->options->certificate_files;
    SBI_AUTOFREE char *beside = NULL;
    int verdict = SBI_AUTH_DENIED;

    for (; path != NULL && *path != NULL && verdict == SBI_AUTH_DENIED; path++)
        verdict = prove_certificate(login, identity, *path, err);
    if (verdict != SBI_AUTH_DENIED)
        return verdict;
    if (asprintf(&beside, "%s-cert.pub", identity->path) < 0) {
        beside = NULL;
        return SBI_AUTH_DENIED;
    }
    return prove_certificate(login, identity, beside, err);
}

static int prove_plain(struct sbi_login *login, struct sbi_identity *identity,
                       sbx_error *err)
{
    const char *base64 = identity->base64 != NULL ? identity->base64 : identity->path;

    if (!sbi_auth_takes(login, SSH_AUTH_METHOD_PUBLICKEY) ||
        !sbi_auth_is_new(login, base64))
        return SBI_AUTH_DENIED;
    return spend(login, base64, prove(login, identity, NULL, identity->path, err), err);
}

static int with_file(struct sbi_login *login, const char *path, bool named,
                     sbx_error *err)
{
    SBI_CLEANUP(sbi_identity_clear) struct sbi_identity identity = {0};
    int verdict;

    if (!sbi_auth_takes(login, SSH_AUTH_METHOD_PUBLICKEY))
        return SBI_AUTH_DENIED;
    if (!sbi_identity_read(path, &identity)) {
        if (identity.unreadable)
            sbi_auth_note(login, "file that holds no key", path);
        else if (named)
            sbi_auth_note(login, "key file that is not there", path);
        if (named)
            login->troubles |= SBI_TROUBLE_KEY_MISSING;
        return SBI_AUTH_DENIED;
    }
    verdict = prove_certificates(login, &identity, err);
    return verdict != SBI_AUTH_DENIED ? verdict : prove_plain(login, &identity, err);
}

static int with_files(struct sbi_login *login, sbx_error *err)
{
    const struct sbi_ssh_target *target = login->shake->target;
    char **path = target->options->identity_files;
    int verdict = SBI_AUTH_DENIED;

    if (target->key_file != NULL)
        verdict = with_file(login, target->key_file, true, err);
    for (; verdict == SBI_AUTH_DENIED && path != NULL && *path != NULL; path++)
        if (target->key_file == NULL || strcmp(*path, target->key_file) != 0)
            verdict = with_file(login, *path, target->options->identity_files_named, err);
    return verdict;
}

static bool files_first(const struct sbi_ssh_target *target)
{
    return target->key_file != NULL || target->options->identity_files_named;
}

int sbi_auth_with_named_keys(struct sbi_login *login, sbx_error *err)
{
    return files_first(login->shake->target) ? with_files(login, err) : SBI_AUTH_DENIED;
}

int sbi_auth_with_default_keys(struct sbi_login *login, sbx_error *err)
{
    return files_first(login->shake->target) ? SBI_AUTH_DENIED : with_files(login, err);
}

/* The certificates that ssh_config names may be for a key that only the agent has. */
static int agents_certificates(struct sbi_login *login, ssh_key known,
                               const struct sbi_agent_key *key, sbx_error *err)
{
    char **path = login->shake->target->options->certificate_files;
    int verdict = SBI_AUTH_DENIED;

    for (; path != NULL && *path != NULL && verdict == SBI_AUTH_DENIED; path++) {
        SBI_AUTO_KEY certificate = sbi_certificate_read(*path, known);
        SBI_AUTOFREE char *base64 = NULL;

        if (certificate != NULL)
            base64 = sbi_key_base64(certificate);
        if (base64 == NULL || !sbi_auth_is_new(login, base64))
            continue;
        sbi_auth_note(login, "certificate", *path);
        verdict = spend(login, base64, offer_agents(login, certificate, key, err), err);
    }
    return verdict;
}

static int with_agents_key(struct sbi_login *login, const struct sbi_agent_key *key,
                           sbx_error *err)
{
    SBI_AUTO_KEY known = sbi_key_of_blob(key->blob, key->length);
    SBI_AUTOFREE char *base64 = NULL;
    int verdict;

    if (known == NULL || sbi_base64_encode(key->blob, key->length, &base64, NULL) < 0)
        return SBI_AUTH_DENIED;
    verdict = agents_certificates(login, known, key, err);
    if (verdict != SBI_AUTH_DENIED || !sbi_auth_is_new(login, base64))
        return verdict;
    sbi_auth_note(login, "agent's key", key->comment);
    verdict = sbi_auth_offer_by_agent(login, key->blob, key->length, key, err);
    return spend(login, base64, verdict, err);
}

int sbi_auth_with_agent(struct sbi_login *login, sbx_error *err)
{
    const struct sbi_agent *agent = NULL;
    int verdict = SBI_AUTH_DENIED;
    size_t i;

    if (!login->shake->target->options->identities_only)
        agent = sbi_auth_agent(login);
    for (i = 0; agent != NULL && i < agent->count && verdict == SBI_AUTH_DENIED &&
                sbi_auth_takes(login, SSH_AUTH_METHOD_PUBLICKEY);
         i++)
        verdict = with_agents_key(login, &agent->keys[i], err);
    return verdict;
}
