/*
 * ssh_auth.c - logging in: which ways are tried, in which order.
 *
 * A way is a row of a table. A key of ours is used at once, without asking the
 * server first whether it would take it: that saves a round trip for the right key.
 * A server that wants more than one proof says "partial", and the table begins anew
 * with what it still asks for. A password it refused is never sent twice.
 */
#include "transport/ssh_handshake.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/path.h"
#include "base/str.h"
#include "transport/secret.h"

#include <libssh/callbacks.h>
#include <stdio.h>
#include <string.h>

#define MOST_PROOFS 4
#define SECRET_SIZE 1024

enum verdict {
    DENIED = 0,
    ACCEPTED = 1,
    PARTIAL = 2,
    BROKEN = -1 /* err says how: time-out, cancel, the line is gone */
};

struct login {
    struct sbi_handshake *shake;
    unsigned allowed; /* SSH_AUTH_METHOD_ bits; all until the server has said */
    bool heard;       /* the server has said what it takes */
    bool password_used;
    struct sbi_str tried; /* for the error text */
};

typedef int (*way_fn)(struct login *login, sbx_error *err);

static void note(struct login *login, const char *what, const char *which)
{
    sbi_str_addf(&login->tried, "%s%s%s%s%s", login->tried.length > 0 ? ", " : "", what,
                 which[0] == '\0' ? "" : " '", which, which[0] == '\0' ? "" : "'");
}

/* libssh denies an agent without keys by itself: the server has not spoken then. */
static void hear_methods(struct login *login)
{
    unsigned methods = (unsigned)ssh_userauth_list(login->shake->session, NULL);

    if (methods == 0)
        return;
    login->allowed = methods;
    login->heard = true;
}

/* libssh's word for one call, once it no longer says "again". */
static int settle(struct login *login, int rc, sbx_error *err)
{
    ssh_session session = login->shake->session;

    switch (rc) {
    case SSH_AUTH_SUCCESS:
        return ACCEPTED;
    case SSH_AUTH_PARTIAL:
        hear_methods(login);
        return PARTIAL;
    case SSH_AUTH_DENIED:
        hear_methods(login);
        return DENIED;
    default:
        if (ssh_is_connected(session))
            return DENIED;
        (void)sbi_fail(err, SBX_ERR_AUTH, "%s", sbi_ssh_reason(session));
        (void)sbi_fix(err, SBX_ERR_AUTH, "auth",
                      "the server ended the login: too many keys tried, or it throttles; "
                      "name the right key_file");
        return BROKEN;
    }
}

static int wait_again(struct login *login, sbx_error *err)
{
    return sbi_handshake_wait(login->shake, "log in", err) < 0 ? BROKEN : ACCEPTED;
}

static int send_key(struct login *login, ssh_key key, sbx_error *err)
{
    int rc;

    while ((rc = ssh_userauth_publickey(login->shake->session, NULL, key)) ==
           SSH_AUTH_AGAIN)
        if (wait_again(login, err) == BROKEN)
            return BROKEN;
    return settle(login, rc, err);
}

struct passphrase {
    const struct sbi_ssh_target *target;
    const char *path;
    bool missing;
};

static int give_passphrase(const char *prompt, char *buffer, size_t room, int echo,
                           int verify, void *userdata)
{
    struct passphrase *passphrase = userdata;
    const struct sbi_ssh_target *target = passphrase->target;
    char question[512];

    (void)prompt;
    (void)echo;
    (void)verify;
    if (target->key_passphrase != NULL) {
        if (strlen(target->key_passphrase) >= room)
            return -1;
        memcpy(buffer, target->key_passphrase, strlen(target->key_passphrase) + 1);
        return 0;
    }
    (void)snprintf(question, sizeof(question),
                   "Passphrase of key '%s': ", passphrase->path);
    if (target->prompt != NULL && !target->options->batch_mode &&
        target->prompt(question, 0, buffer, room, target->userdata) == 0)
        return 0;
    passphrase->missing = true;
    return -1;
}

static int with_key_file(struct login *login, const char *path, sbx_error *err)
{
    struct passphrase passphrase = {.target = login->shake->target, .path = path};
    ssh_key key = NULL;
    int rc, verdict;

    if (access(path, R_OK) != 0)
        return DENIED;
    rc = ssh_pki_import_privkey_file(path, NULL, give_passphrase, &passphrase, &key);
    if (rc != SSH_OK) {
        note(login,
             passphrase.missing ? "key file without its passphrase" : "unreadable key",
             path);
        return DENIED;
    }
    note(login, "key file", path);
    verdict = send_key(login, key, err);
    ssh_key_free(key);
    return verdict;
}

static int with_key_files(struct login *login, sbx_error *err)
{
    const struct sbi_ssh_target *target = login->shake->target;
    char **path = target->options->identity_files;
    int verdict = DENIED;

    if (target->key_file != NULL)
        verdict = with_key_file(login, target->key_file, err);
    for (; verdict == DENIED && path != NULL && *path != NULL; path++)
        if (target->key_file == NULL || strcmp(*path, target->key_file) != 0)
            verdict = with_key_file(login, *path, err);
    return verdict;
}

static bool has_agent(const struct sbi_ssh_options *options)
{
    if (options->identity_agent != NULL)
        return strcmp(options->identity_agent, "none") != 0;
    return getenv("SSH_AUTH_SOCK") != NULL;
}

static int with_agent(struct login *login, sbx_error *err)
{
    const struct sbi_ssh_options *options = login->shake->target->options;
    int rc;

    if (options->identities_only || !has_agent(options))
        return DENIED;
    note(login, "agent", "");
    while ((rc = ssh_userauth_agent(login->shake->session, NULL)) == SSH_AUTH_AGAIN)
        if (wait_again(login, err) == BROKEN)
            return BROKEN;
    return settle(login, rc, err);
}

/* The named key first: an agent of many keys would use up the server's patience. */
static bool files_first(const struct sbi_ssh_target *target)
{
    return target->key_file != NULL || target->options->identity_files_named;
}

static int with_named_keys(struct login *login, sbx_error *err)
{
    return files_first(login->shake->target) ? with_key_files(login, err) : DENIED;
}

static int with_default_keys(struct login *login, sbx_error *err)
{
    return files_first(login->shake->target) ? DENIED : with_key_files(login, err);
}

/* A secret of the target's, or of a person. An error is one of reading it. */
static int ask_password(struct login *login, const char *question, char *secret,
                        sbx_error *err)
{
    struct sbi_handshake *shake = login->shake;
    const struct sbi_ssh_target *target = shake->target;
    int rc;

    rc = sbi_secret_password(target, shake->deadline, shake->cancel, secret, SECRET_SIZE,
                             err);
    if (rc != SBX_ERR_NOT_FOUND)
        return rc;
    if (target->prompt == NULL || target->options->batch_mode ||
        target->prompt(question, 0, secret, SECRET_SIZE, target->userdata) != 0)
        return SBX_ERR_NOT_FOUND;
    return SBX_OK;
}

static int with_password(struct login *login, sbx_error *err)
{
    const struct sbi_ssh_options *options = login->shake->target->options;
    char secret[SECRET_SIZE], question[256];
    int rc, verdict = BROKEN;

    if (!options->password_authentication || login->password_used)
        return DENIED;
    (void)snprintf(question, sizeof(question), "Password of %s@%s: ", options->user,
                   options->hostname);
    rc = ask_password(login, question, secret, err);
    if (rc == SBX_ERR_NOT_FOUND)
        return DENIED;
    if (rc < 0)
        return BROKEN;
    login->password_used = true;
    note(login, "password", "");
    while ((rc = ssh_userauth_password(login->shake->session, NULL, secret)) ==
           SSH_AUTH_AGAIN)
        if (wait_again(login, err) == BROKEN)
            break;
    if (rc != SSH_AUTH_AGAIN)
        verdict = settle(login, rc, err);
    explicit_bzero(secret, sizeof(secret));
    return verdict;
}

/* Answers one prompt: a person sees the server's own words; else the password. */
static int answer(struct login *login, unsigned i, sbx_error *err)
{
    ssh_session session = login->shake->session;
    const struct sbi_ssh_target *target = login->shake->target;
    char secret[SECRET_SIZE] = "";
    char echo = 0;
    const char *question = ssh_userauth_kbdint_getprompt(session, i, &echo);
    int rc = SBX_ERR_NOT_FOUND;

    if (!echo && !login->password_used)
        rc = ask_password(login, question, secret, err);
    else if (target->prompt != NULL && !target->options->batch_mode &&
             target->prompt(question, echo, secret, sizeof(secret), target->userdata) ==
                 0)
        rc = SBX_OK;
    if (rc == SBX_OK) {
        login->password_used = login->password_used || !echo;
        (void)ssh_userauth_kbdint_setanswer(session, i, secret);
    }
    explicit_bzero(secret, sizeof(secret));
    return rc;
}

static int answer_all(struct login *login, sbx_error *err)
{
    int count = ssh_userauth_kbdint_getnprompts(login->shake->session);
    int i, rc = SBX_OK;

    for (i = 0; i < count && rc == SBX_OK; i++)
        rc = answer(login, (unsigned)i, err);
    return rc;
}

static int with_keyboard(struct login *login, sbx_error *err)
{
    const struct sbi_ssh_target *target = login->shake->target;
    int rc;

    if (!target->options->kbd_interactive_authentication ||
        (target->prompt == NULL && !sbi_secret_has_password(target)))
        return DENIED;
    note(login, "keyboard-interactive", "");
    for (;;) {
        rc = ssh_userauth_kbdint(login->shake->session, NULL, NULL);
        if (rc == SSH_AUTH_AGAIN) {
            if (wait_again(login, err) == BROKEN)
                return BROKEN;
        } else if (rc == SSH_AUTH_INFO) {
            rc = answer_all(login, err);
            if (rc == SBX_ERR_NOT_FOUND)
                return DENIED;
            if (rc < 0)
                return BROKEN;
        } else {
            return settle(login, rc, err);
        }
    }
}

static const struct {
    unsigned method;
    way_fn try;
} ways[] = {
    {SSH_AUTH_METHOD_PUBLICKEY, with_named_keys},
    {SSH_AUTH_METHOD_PUBLICKEY, with_agent},
    {SSH_AUTH_METHOD_PUBLICKEY, with_default_keys},
    {SSH_AUTH_METHOD_PASSWORD, with_password},
    {SSH_AUTH_METHOD_INTERACTIVE, with_keyboard},
};

/* Without a key to try first, the server has not said yet what it takes. */
static int ask_methods(struct login *login, sbx_error *err)
{
    int rc;

    while ((rc = ssh_userauth_none(login->shake->session, NULL)) == SSH_AUTH_AGAIN)
        if (wait_again(login, err) == BROKEN)
            return BROKEN;
    return settle(login, rc, err);
}

static int try_ways(struct login *login, sbx_error *err)
{
    int verdict = DENIED;
    size_t i;

    for (i = 0; i < sizeof(ways) / sizeof(ways[0]) && verdict == DENIED; i++) {
        if (!login->heard && ways[i].method != SSH_AUTH_METHOD_PUBLICKEY) {
            login->heard = true;
            verdict = ask_methods(login, err);
        }
        if (verdict == DENIED && (login->allowed & ways[i].method) != 0)
            verdict = ways[i].try(login, err);
    }
    return verdict;
}

static void name_methods(unsigned allowed, char *names, size_t room)
{
    (void)snprintf(names, room, "%s%s%s%s",
                   (allowed & SSH_AUTH_METHOD_PUBLICKEY) ? " publickey" : "",
                   (allowed & SSH_AUTH_METHOD_PASSWORD) ? " password" : "",
                   (allowed & SSH_AUTH_METHOD_INTERACTIVE) ? " keyboard-interactive" : "",
                   (allowed & SSH_AUTH_METHOD_GSSAPI_MIC) ? " gssapi" : "");
}

static int explain(struct login *login, sbx_error *err)
{
    const struct sbi_ssh_target *target = login->shake->target;
    char names[96];

    name_methods(login->allowed, names, sizeof(names));
    (void)sbi_fail(err, SBX_ERR_AUTH,
                   "log in as '%s': none of what was tried was accepted (%s); the server "
                   "takes:%s",
                   target->options->user,
                   login->tried.data == NULL ? "there was nothing to try"
                                             : login->tried.data,
                   names);
    return sbi_fix(err, SBX_ERR_AUTH, "auth",
                   "if `ssh %s` works, name its key as key_file in the host's entry; a "
                   "password goes into password_command",
                   target->place);
}

int sbi_ssh_authenticate(struct sbi_handshake *shake, sbx_error *err)
{
    struct login login = {.shake = shake, .allowed = ~0u, .tried = {.limit = 200}};
    int proofs = 0, verdict = PARTIAL, rc;

    while (verdict == PARTIAL && proofs++ < MOST_PROOFS)
        verdict = try_ways(&login, err);
    rc = verdict == ACCEPTED ? SBX_OK
         : verdict == BROKEN ? (err == NULL ? SBX_ERR_AUTH : err->code)
                             : explain(&login, err);
    sbi_str_clear(&login.tried);
    return rc;
}
