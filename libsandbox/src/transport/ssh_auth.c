/*
 * ssh_auth.c - logging in: which ways are tried, in which order.
 *
 * A way is a row of a table. A server that wants more than one proof says "partial",
 * and the table begins anew with what it still asks for.
 */
#include "transport/ssh_auth.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/strv.h"

#include <stdio.h>
#include <string.h>

#define MOST_PROOFS 6
#define TRIED_LIMIT 180

/*
 * The order of ways is ours where ssh_config has no PreferredAuthentications: a
 * password that we have is one round trip, the same by questions is two.
 */
#define PREFERRED "publickey,password,keyboard-interactive"

static const struct {
    const char *name; /* as ssh_config has it */
    unsigned method;
    sbi_way_fn try;
} ways[] = {
    {"publickey", SSH_AUTH_METHOD_PUBLICKEY, sbi_auth_with_named_keys},
    {"publickey", SSH_AUTH_METHOD_PUBLICKEY, sbi_auth_with_agent},
    {"publickey", SSH_AUTH_METHOD_PUBLICKEY, sbi_auth_with_default_keys},
    {"password", SSH_AUTH_METHOD_PASSWORD, sbi_auth_with_password},
    {"keyboard-interactive", SSH_AUTH_METHOD_INTERACTIVE, sbi_auth_with_keyboard},
};

void sbi_auth_note(struct sbi_login *login, const char *what, const char *which)
{
    struct sbi_str note = {0};

    sbi_str_addf(&note, "%s%s%s%s%s", login->tried.length > 0 ? ", " : "", what,
                 which[0] == '\0' ? "" : " '", which, which[0] == '\0' ? "" : "'");
    if (login->tried.length + note.length <= TRIED_LIMIT && note.data != NULL)
        sbi_str_add(&login->tried, note.data);
    else
        login->more_tried = true;
    sbi_str_clear(&note);
}

/* libssh denies an agent without keys by itself: the server has not spoken then. */
static void hear_methods(struct sbi_login *login)
{
    unsigned methods =
        (unsigned)sbi_libssh.ssh_userauth_list(login->shake->session, NULL);

    if (methods == 0)
        return;
    login->allowed = methods;
    login->heard = true;
}

static int explain_hang_up(struct sbi_login *login, sbx_error *err)
{
    (void)sbi_fail(err, SBX_ERR_AUTH, "log in as '%s': the server hung up (%s): %s",
                   login->shake->target->options->user,
                   login->tried.data == NULL ? "nothing was tried" : login->tried.data,
                   sbi_ssh_reason(login->shake->session));
    (void)sbi_fix(err, SBX_ERR_AUTH, "auth",
                  "too many keys tried, or it throttles: name the right key as key_file "
                  "of '%s'",
                  login->shake->target->place);
    return SBI_AUTH_BROKEN;
}

int sbi_auth_settle(struct sbi_login *login, int rc, sbx_error *err)
{
    ssh_session session = login->shake->session;

    login->attempted = true;
    switch (rc) {
    case SSH_AUTH_SUCCESS:
        return SBI_AUTH_ACCEPTED;
    case SSH_AUTH_PARTIAL:
        hear_methods(login);
        return SBI_AUTH_PARTIAL;
    case SSH_AUTH_DENIED:
        if (strstr(sbi_ssh_reason(session), "is not allowed to be used") != NULL)
            login->troubles |= SBI_TROUBLE_ALGORITHM_OFF;
        else
            hear_methods(login);
        return SBI_AUTH_DENIED;
    default:
        return sbi_libssh.ssh_is_connected(session) ? SBI_AUTH_DENIED
                                                    : explain_hang_up(login, err);
    }
}

/* libssh says "again" for ever on a connection that the server has closed. */
bool sbi_auth_wait(struct sbi_login *login, sbx_error *err)
{
    if (!sbi_libssh.ssh_is_connected(login->shake->session)) {
        (void)explain_hang_up(login, err);
        return false;
    }
    return sbi_handshake_wait(login->shake, "log in", err) == SBX_OK;
}

bool sbi_auth_takes(const struct sbi_login *login, unsigned method)
{
    return (login->allowed & method) != 0;
}

bool sbi_auth_has_person(const struct sbi_login *login)
{
    const struct sbi_ssh_target *target = login->shake->target;

    return target->prompt != NULL && !target->options->batch_mode;
}

/* The time that a person takes to answer is not the server's. */
bool sbi_auth_ask_person(const struct sbi_login *login, const char *question, bool echo,
                         char *answer, size_t room)
{
    const struct sbi_ssh_target *target = login->shake->target;
    int64_t asked_at = sbi_now_ms();
    int rc;

    if (!sbi_auth_has_person(login))
        return false;
    rc = target->prompt(question, echo, answer, room, target->userdata);
    if (login->shake->deadline != SBI_NEVER)
        login->shake->deadline += sbi_now_ms() - asked_at;
    answer[room - 1] = '\0';
    return rc == 0;
}

bool sbi_auth_is_new(struct sbi_login *login, const char *key_base64)
{
    if (sbi_strv_contains((const char *const *)login->spent, key_base64) ||
        sbi_strv_contains((const char *const *)login->offered, key_base64))
        return false;
    return sbi_strv_add(&login->offered, key_base64, NULL) == SBX_OK;
}

/* Without a key to try first, the server has not said yet what it takes. */
static int ask_methods(struct sbi_login *login, sbx_error *err)
{
    bool attempted = login->attempted;
    int rc;

    login->heard = true;
    while ((rc = sbi_libssh.ssh_userauth_none(login->shake->session, NULL)) ==
           SSH_AUTH_AGAIN)
        if (!sbi_auth_wait(login, err))
            return SBI_AUTH_BROKEN;
    rc = sbi_auth_settle(login, rc, err);
    login->attempted = attempted;
    return rc;
}

static bool switched_off(const struct sbi_login *login, unsigned method)
{
    return method == SSH_AUTH_METHOD_PUBLICKEY &&
           !login->shake->target->options->pubkey_authentication;
}

static int try_method(struct sbi_login *login, const char *name, size_t length,
                      sbx_error *err)
{
    int verdict = SBI_AUTH_DENIED;
    size_t i;

    for (i = 0; i < sizeof(ways) / sizeof(ways[0]) && verdict == SBI_AUTH_DENIED; i++) {
        if (strncmp(ways[i].name, name, length) != 0 || ways[i].name[length] != '\0' ||
            switched_off(login, ways[i].method))
            continue;
        if (!login->heard && ways[i].method != SSH_AUTH_METHOD_PUBLICKEY)
            verdict = ask_methods(login, err);
        if (verdict == SBI_AUTH_DENIED && sbi_auth_takes(login, ways[i].method))
            verdict = ways[i].try(login, err);
    }
    return verdict;
}

static int try_ways(struct sbi_login *login, sbx_error *err)
{
    const char *list = login->shake->target->options->preferred_authentications;
    int verdict = SBI_AUTH_DENIED;
    size_t length;

    if (list == NULL)
        list = PREFERRED;
    while (*list != '\0' && verdict == SBI_AUTH_DENIED) {
        length = strcspn(list, ",");
        verdict = try_method(login, list, length, err);
        list += length + (list[length] == ',');
    }
    if (verdict == SBI_AUTH_DENIED && !login->heard)
        verdict = ask_methods(login, err);
    return verdict;
}

static void login_clear(struct sbi_login *login)
{
    sbi_auth_agent_clear(login);
    sbi_str_clear(&login->tried);
    sbi_strv_clear(&login->offered);
    sbi_strv_clear(&login->spent);
}

int sbi_ssh_authenticate(struct sbi_handshake *shake, sbx_error *err)
{
    SBI_CLEANUP(login_clear)
    struct sbi_login login = {.shake = shake, .allowed = ~0u};
    int verdict = SBI_AUTH_PARTIAL;
    sbx_error ours;

    if (err == NULL)
        err = &ours;
    while (verdict == SBI_AUTH_PARTIAL && login.step++ < MOST_PROOFS) {
        sbi_strv_clear(&login.offered);
        verdict = try_ways(&login, err);
    }
    if (verdict == SBI_AUTH_ACCEPTED)
        return SBX_OK;
    return verdict == SBI_AUTH_BROKEN ? err->code : sbi_auth_explain(&login, err);
}
