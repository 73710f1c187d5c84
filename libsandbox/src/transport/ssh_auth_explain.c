/* ssh_auth_explain.c - why a log-in failed, in words that help. */
#include "transport/ssh_auth.h"

#include <stdio.h>

#define BY_PASSWORD (SSH_AUTH_METHOD_PASSWORD | SSH_AUTH_METHOD_INTERACTIVE)

static void name_methods(unsigned allowed, char *names, size_t room)
{
    (void)snprintf(names, room, "%s%s%s%s%s",
                   (allowed & SSH_AUTH_METHOD_PUBLICKEY) ? " publickey" : "",
                   (allowed & SSH_AUTH_METHOD_PASSWORD) ? " password" : "",
                   (allowed & SSH_AUTH_METHOD_INTERACTIVE) ? " keyboard-interactive" : "",
                   (allowed & SSH_AUTH_METHOD_GSSAPI_MIC) ? " gssapi-with-mic" : "",
                   (allowed & SSH_AUTH_METHOD_HOSTBASED) ? " hostbased" : "");
}

/*
 * The first that fits is given. A row fits where its trouble came up, or 0, and the
 * server takes one of its methods.
 */
static const struct {
    unsigned trouble;
    unsigned methods;
    const char *advice; /* with the place's name for %s */
} advices[] = {
    {SBI_TROUBLE_AGENT_SILENT, ~0u,
     "unlock or restart the agent, or name a key_file for '%s'"},
    {SBI_TROUBLE_PASSPHRASE_WRONG, SSH_AUTH_METHOD_PUBLICKEY,
     "set the right key_passphrase for '%s', or give the key to the agent by `ssh-add`"},
    {SBI_TROUBLE_PASSPHRASE_MISSING, SSH_AUTH_METHOD_PUBLICKEY,
     "give the key to the agent by `ssh-add`, or set key_passphrase for '%s'"},
    {SBI_TROUBLE_KEY_MISSING, SSH_AUTH_METHOD_PUBLICKEY,
     "name a key file that is there as key_file of '%s'"},
    {SBI_TROUBLE_ALGORITHM_OFF, SSH_AUTH_METHOD_PUBLICKEY,
     "allow the key's algorithm by PubkeyAcceptedAlgorithms under `Host %s` in ssh_config "
     "(old servers: +ssh-rsa)"},
    {SBI_TROUBLE_NOBODY_ANSWERS, SSH_AUTH_METHOD_INTERACTIVE,
     "run it in a terminal and answer there, or set password_command for '%s'"},
    {SBI_TROUBLE_PASSWORD_WRONG, BY_PASSWORD,
     "the password was refused: correct it in the entry of '%s'"},
    {0, BY_PASSWORD, "set key_file or password_command in the entry of '%s'"},
    {SBI_TROUBLE_KEY_REFUSED, ~0u,
     "let the key in over there (`ssh-copy-id %s`), or name the right one as key_file"},
    {0, SSH_AUTH_METHOD_PUBLICKEY,
     "name a key as key_file of '%s', or give one to the agent by `ssh-add`"},
    {0, ~0u,
     "set transport 'openssh' in the entry of '%s': only the installed ssh has these"},
};

/* The rows are the only formats, and each takes the place's name. */
static int advise(const struct sbi_login *login, sbx_error *err)
{
    const char *place = login->shake->target->place;
    char advice[200];
    size_t i = 0;
    int rest = 0;

    while ((advices[i].trouble != 0 && (login->troubles & advices[i].trouble) == 0) ||
           (login->allowed & advices[i].methods) == 0) {
        if (i + 1 == sizeof(advices) / sizeof(advices[0]))
            break;
        i++;
    }
    while (advices[i].advice[rest] != '%')
        rest++;
    (void)snprintf(advice, sizeof(advice), "%.*s%s%s", rest, advices[i].advice, place,
                   advices[i].advice + rest + 2);
    return sbi_fix(err, SBX_ERR_AUTH, "auth", "%s", advice);
}

static const char *verdict(const struct sbi_login *login)
{
    if (login->step > 1)
        return "the server wants more than it was given";
    return login->attempted ? "nothing that was tried was accepted"
                            : "there was nothing to try";
}

int sbi_auth_explain(struct sbi_login *login, sbx_error *err)
{
    bool noted = login->tried.data != NULL;
    char names[96];

    name_methods(login->allowed, names, sizeof(names));
    (void)sbi_fail(err, SBX_ERR_AUTH, "log in as '%s': %s%s%s%s%s; the server %s:%s",
                   login->shake->target->options->user, verdict(login), noted ? " (" : "",
                   noted ? login->tried.data : "", login->more_tried ? ", and more" : "",
                   noted ? ")" : "", login->step > 1 ? "still wants" : "takes", names);
    return advise(login, err);
}
