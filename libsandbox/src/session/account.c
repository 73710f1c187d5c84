/* account.c - a table of what is said where no command may run. */
#include "session/account.h"

#include <stdio.h>
#include <string.h>

#define CHECK "login-shell"

/*
 * What servers and shells say, and what it means: the first row that fits is told. Advice
 * takes the place's name for its one %s.
 */
static const struct {
    const char *words;
    const char *meaning;
    const char *advice;
} rows[] = {
    {"sftp connections only", "the account is for sftp alone",
     "take another account, or take ForceCommand internal-sftp off that of '%s' in "
     "sshd_config"},
    {"is currently not available", "the account has no login shell",
     "over there, as root: usermod -s /bin/sh with the user of '%s'"},
    {": restricted", "the account's shell is a restricted one",
     "over there, as root: usermod -s /bin/bash with the user of '%s'"},
    {"has expired", "the account's password has expired",
     "log in by `ssh %s` in a terminal, and set a new one"},
    {"assword change required", "the account's password has expired",
     "log in by `ssh %s` in a terminal, and set a new one"},
    {"unrecognized command", "the account is for git alone",
     "take another account for '%s'"},
    {"sbx: no header", "a start-up file of its login shell reads standard input",
     "over there, in ~/.bashrc or its like for '%s': let it read only if [ -t 0 ]"},
    {"annot fork", "the account can start no more processes",
     "over there, see what runs as the user of '%s', and how many may: ulimit -u"},
    {"fork: ", "the account can start no more processes",
     "over there, see what runs as the user of '%s', and how many may: ulimit -u"},
    {"sh: No such file or directory", "there is no shell where the account lives",
     "put a shell into the ChrootDirectory of '%s', or take another account"},
};

/* The first line that has something in it, of the stream of errors first. */
static void first_words(const struct sbi_account_words *words, char *out, size_t room)
{
    const struct sbi_str *said;
    size_t start, length;
    int stream;

    out[0] = '\0';
    for (stream = 1; stream >= 0 && out[0] == '\0'; stream--) {
        said = words->said[stream];
        if (said->data == NULL)
            continue;
        start = strspn(said->data, " \t\r\n");
        length = strcspn(said->data + start, "\r\n");
        (void)snprintf(out, room, "%.*s", (int)(length < room ? length : room - 1),
                       said->data + start);
    }
}

static bool says(const struct sbi_account_words *words, const char *what)
{
    int stream;

    for (stream = 0; stream < 2; stream++)
        if (words->said[stream]->data != NULL &&
            strstr(words->said[stream]->data, what) != NULL)
            return true;
    return false;
}

/* A forced command ends well, as a rule: what was asked for was not what it did. */
static int explain_other(const char *place, const struct sbi_account_words *words,
                         const char *said, sbx_error *err)
{
    bool quiet = said[0] == '\0';

    if (words->exit_code == 0) {
        (void)sbi_fail(
            err, SBX_ERR_REMOTE,
            "start a command on '%s': the server ran one of its own instead%s%s%s", place,
            quiet ? "" : ", which says '", said, quiet ? "" : "'");
        return sbi_fix(
            err, SBX_ERR_REMOTE, CHECK,
            "ForceCommand in sshd_config, or command= before the key: it has to "
            "run SSH_ORIGINAL_COMMAND");
    }
    (void)sbi_fail(
        err, SBX_ERR_REMOTE,
        "start a command on '%s': the login shell ended with %d and ran nothing%s%s%s",
        place, words->exit_code, quiet ? "" : ", saying '", said, quiet ? "" : "'");
    return sbi_fix(err, SBX_ERR_REMOTE, CHECK,
                   "see what `ssh %s true` prints; the account needs a shell that runs "
                   "/bin/sh",
                   place);
}

/* The command that leads to the place failed: no such container, no such program. */
static int explain_prefix(const char *place, const struct sbi_account_words *words,
                          const char *said, sbx_error *err)
{
    bool quiet = said[0] == '\0';

    if (says(words, "sbx: no terminal")) {
        (void)sbi_fail(err, SBX_ERR_UNSUPPORTED, "'%s' gives it no terminal",
                       words->prefix);
        return sbi_fix(err, SBX_ERR_UNSUPPORTED, NULL,
                       "set prefix_pty of '%s' in the list: the words that bring a "
                       "terminal along, as `docker exec -it` does",
                       place);
    }
    (void)sbi_fail(err, SBX_ERR_REMOTE,
                   "start a command on '%s': '%s' on '%s' ended with %d and ran nothing"
                   "%s%s%s",
                   place, words->prefix, words->on, words->exit_code,
                   quiet ? "" : ", saying '", said, quiet ? "" : "'");
    return sbi_fix(err, SBX_ERR_REMOTE, NULL, "see what `sbx exec %s -- %s true` prints",
                   words->on, words->prefix);
}

/*
 * What engines say of a container that cannot be entered, and what it means. What mends
 * it: a verb of `sbx computer` for it, or a sentence.
 */
static const struct {
    const char *words;
    int code;
    const char *meaning;
    const char *verb;
    const char *advice;
} inside[] = {
    {"sbx: no engine", SBX_ERR_UNSUPPORTED, "neither docker nor podman is there", NULL,
     "install one of them there, or set PATH in its entry of the list"},
    {"sbx: not a computer", SBX_ERR_CONFLICT,
     "the container of that name is none of ours", NULL, "take another name"},
    {"o such container", SBX_ERR_NOT_FOUND, "there is no such computer", "create", NULL},
    {"o container with name", SBX_ERR_NOT_FOUND, "there is no such computer", "create",
     NULL},
    {"is paused", SBX_ERR_CONFLICT, "it is paused", "resume", NULL},
    {"is not running", SBX_ERR_CONFLICT, "it does not run", "restart", NULL},
    {"state improper", SBX_ERR_CONFLICT, "it does not run", "restart", NULL},
    {"o such file or directory", SBX_ERR_UNSUPPORTED, "its image has no /bin/sh", NULL,
     "make it from an image that has one"},
};

static int explain_computer(const char *place, const struct sbi_account_words *words,
                            const char *said, sbx_error *err)
{
    size_t i;
    int rc;

    for (i = 0; i < sizeof(inside) / sizeof(inside[0]); i++) {
        if (!says(words, inside[i].words))
            continue;
        rc = sbi_fail(err, inside[i].code, "start a command on '%s': %s", place,
                      inside[i].meaning);
        return inside[i].verb == NULL
                   ? sbi_fix(err, rc, NULL, "%s", inside[i].advice)
                   : sbi_fix(err, rc, NULL, "sbx computer %s %s", inside[i].verb, place);
    }
    return sbi_fail(err, SBX_ERR_REMOTE,
                    "start a command on '%s': the engine on '%s' ended with %d, saying "
                    "'%s'",
                    place, words->on, words->exit_code, said);
}

/* The rows are the only formats, and each takes the place's name. */
static int advise(const char *place, const char *advice, sbx_error *err)
{
    int until = (int)(strstr(advice, "%s") - advice);

    return sbi_fix(err, SBX_ERR_REMOTE, CHECK, "%.*s%s%s", until, advice, place,
                   advice + until + 2);
}

int sbi_account_explain(const char *place, const struct sbi_account_words *words,
                        sbx_error *err)
{
    char said[112];
    size_t i;

    first_words(words, said, sizeof(said));
    if (words->computer)
        return explain_computer(place, words, said, err);
    if (words->prefix != NULL)
        return explain_prefix(place, words, said, err);
    for (i = 0; i < sizeof(rows) / sizeof(rows[0]) && words->exit_code != 0; i++)
        if (says(words, rows[i].words)) {
            (void)sbi_fail(err, SBX_ERR_REMOTE,
                           "start a command on '%s': %s; it says '%s'", place,
                           rows[i].meaning, said);
            return advise(place, rows[i].advice, err);
        }
    return explain_other(place, words, said, err);
}
