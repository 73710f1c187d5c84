/*
 * ssh_auth_password.c - logging in by what somebody knows: a password, answers.
 *
 * The password of the list is sent once, whichever way the server asks for it: sent
 * again it would be refused again, and may lock the account. After that a person is
 * asked, as often as ssh_config allows.
 */
#include "transport/ssh_auth.h"

#include "base/cleanup.h"
#include "transport/secret.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* The password: SBX_ERR_NOT_FOUND, without a text, where nobody knows one. */
static int find_password(struct sbi_login *login, const char *question, char *secret,
                         sbx_error *err)
{
    struct sbi_handshake *shake = login->shake;
    int rc = SBX_ERR_NOT_FOUND;

    if (!login->password_used)
        rc = sbi_secret_password(shake->target, shake->deadline, shake->cancel, secret,
                                 SBI_SECRET_SIZE, err);
    if (rc == SBX_OK)
        login->password_used = true;
    if (rc != SBX_ERR_NOT_FOUND)
        return rc;
    return sbi_auth_ask_person(login, question, false, secret, SBI_SECRET_SIZE)
               ? SBX_OK
               : SBX_ERR_NOT_FOUND;
}

static int send_password(struct sbi_login *login, const char *secret, sbx_error *err)
{
    int rc;

    while ((rc = sbi_libssh.ssh_userauth_password(login->shake->session, NULL, secret)) ==
           SSH_AUTH_AGAIN)
        if (!sbi_auth_wait(login, err))
            return SBI_AUTH_BROKEN;
    return sbi_auth_settle(login, rc, err);
}

/* Whether there is any sense in another round. */
static bool may_ask(const struct sbi_login *login)
{
    const struct sbi_ssh_target *target = login->shake->target;

    if (!login->password_used && sbi_secret_has_password(target))
        return true;
    return sbi_auth_has_person(login) &&
           login->password_rounds < target->options->password_prompts;
}

static int one_password(struct sbi_login *login, sbx_error *err)
{
    const struct sbi_ssh_options *options = login->shake->target->options;
    char secret[SBI_SECRET_SIZE], question[256];
    int rc, verdict;

    (void)snprintf(question, sizeof(question), "Password of %s@%s: ", options->user,
                   options->hostname);
    if (login->password_used || !sbi_secret_has_password(login->shake->target))
        login->password_rounds++;
    rc = find_password(login, question, secret, err);
    if (rc == SBX_ERR_NOT_FOUND)
        login->password_rounds = options->password_prompts;
    if (rc < 0)
        return rc == SBX_ERR_NOT_FOUND ? SBI_AUTH_DENIED : SBI_AUTH_BROKEN;
    sbi_auth_note(login, "password", "");
    verdict = send_password(login, secret, err);
    explicit_bzero(secret, sizeof(secret));
    if (verdict == SBI_AUTH_DENIED)
        login->troubles |= SBI_TROUBLE_PASSWORD_WRONG;
    return verdict;
}

int sbi_auth_with_password(struct sbi_login *login, sbx_error *err)
{
    int verdict = SBI_AUTH_DENIED;

    if (!login->shake->target->options->password_authentication)
        return SBI_AUTH_DENIED;
    while (verdict == SBI_AUTH_DENIED && may_ask(login) &&
           sbi_auth_takes(login, SSH_AUTH_METHOD_PASSWORD))
        verdict = one_password(login, err);
    return verdict;
}

/* A server that asks for a one-time code is not to be told the password. */
static bool wants_a_code(const char *question)
{
    static const char *const words[] = {"code",     "token",    "otp",  "factor",
                                        "one-time", "passcode", "verif"};
    size_t i;

    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcasestr(question, words[i]) != NULL)
            return true;
    return false;
}

/* The server's name and instruction stand ahead of its first question. */
static void put_question(ssh_session session, unsigned i, const char *prompt, char *text,
                         size_t room)
{
    const char *name = i == 0 ? sbi_libssh.ssh_userauth_kbdint_getname(session) : NULL;
    const char *more =
        i == 0 ? sbi_libssh.ssh_userauth_kbdint_getinstruction(session) : NULL;
    char *at;

    (void)snprintf(text, room, "%s%s%s%s%s", name == NULL ? "" : name,
                   name == NULL || name[0] == '\0' ? "" : "\n", more == NULL ? "" : more,
                   more == NULL || more[0] == '\0' ? "" : "\n", prompt);
    for (at = text; *at != '\0'; at++)
        if (((unsigned char)*at < 0x20 || *at == 0x7f) && *at != '\n')
            *at = ' ';
}

static int answer(struct sbi_login *login, unsigned i, sbx_error *err)
{
    ssh_session session = login->shake->session;
    char secret[SBI_SECRET_SIZE] = "", question[1024];
    char echo = 0;
    const char *prompt = sbi_libssh.ssh_userauth_kbdint_getprompt(session, i, &echo);
    int rc = SBX_ERR_NOT_FOUND;

    put_question(session, i, prompt == NULL ? "" : prompt, question, sizeof(question));
    if (!echo && !wants_a_code(question))
        rc = find_password(login, question, secret, err);
    else if (sbi_auth_ask_person(login, question, echo != 0, secret, sizeof(secret)))
        rc = SBX_OK;
    if (rc == SBX_OK && sbi_libssh.ssh_userauth_kbdint_setanswer(session, i, secret) < 0)
        rc = sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    explicit_bzero(secret, sizeof(secret));
    if (rc == SBX_ERR_NOT_FOUND) {
        login->troubles |= SBI_TROUBLE_NOBODY_ANSWERS;
        sbi_auth_note(login, "keyboard-interactive, nobody to answer", question);
    }
    return rc;
}

static int answer_all(struct sbi_login *login, sbx_error *err)
{
    int count = sbi_libssh.ssh_userauth_kbdint_getnprompts(login->shake->session);
    int i, rc = SBX_OK;

    for (i = 0; i < count && rc == SBX_OK; i++)
        rc = answer(login, (unsigned)i, err);
    return rc;
}

/*
 * One conversation. libssh cannot leave one half-way: after a question that nobody
 * answers there is no other.
 */
static int one_conversation(struct sbi_login *login, sbx_error *err)
{
    int rc;

    for (;;) {
        rc = sbi_libssh.ssh_userauth_kbdint(login->shake->session, NULL, NULL);
        if (rc == SSH_AUTH_AGAIN) {
            if (!sbi_auth_wait(login, err))
                return SBI_AUTH_BROKEN;
        } else if (rc != SSH_AUTH_INFO) {
            return sbi_auth_settle(login, rc, err);
        } else {
            rc = answer_all(login, err);
            login->keyboard_over = rc < 0;
            if (rc < 0)
                return rc == SBX_ERR_NOT_FOUND ? SBI_AUTH_DENIED : SBI_AUTH_BROKEN;
        }
    }
}

/* A server may let in whom it asks nothing, so the first does without anybody. */
int sbi_auth_with_keyboard(struct sbi_login *login, sbx_error *err)
{
    const struct sbi_ssh_target *target = login->shake->target;
    int verdict = SBI_AUTH_DENIED, rounds = 0;

    if (!target->options->kbd_interactive_authentication ||
        (target->options->batch_mode && !sbi_secret_has_password(target)))
        return SBI_AUTH_DENIED;
    while (verdict == SBI_AUTH_DENIED && !login->keyboard_over &&
           (rounds == 0 || may_ask(login)) &&
           sbi_auth_takes(login, SSH_AUTH_METHOD_INTERACTIVE)) {
        sbi_auth_note(login, "keyboard-interactive", "");
        if (rounds++ > 0)
            login->password_rounds++;
        verdict = one_conversation(login, err);
    }
    if (verdict == SBI_AUTH_DENIED && login->password_used)
        login->troubles |= SBI_TROUBLE_PASSWORD_WRONG;
    return verdict;
}
