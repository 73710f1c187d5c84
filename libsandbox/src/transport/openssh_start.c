#include "transport/openssh_start.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/str.h"
#include "base/strv.h"
#include "transport/local_fresh.h"
#include "transport/local_spawn.h"
#include "transport/ssh_way.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define LAST 2048
#define GUARD 3 /* its number in the child */
#define NOT_FOUND 127

/*
 * A guard beside it ends it when this process is gone, however that went. What a shell
 * has ignored its program ignores, too: Ctrl-C is for whoever runs commands over it.
 */
static const char script[] = "trap '' INT QUIT\n"
                             "(read -r x <&3 || kill \"$$\") >/dev/null 2>&1 &\n"
                             "exec \"$@\" 3<&-\n";

static const char *policy_word(int policy)
{
    static const char *const words[] = {[SBI_STRICT_YES] = "yes",
                                        [SBI_STRICT_ASK] = "ask",
                                        [SBI_STRICT_ACCEPT_NEW] = "accept-new",
                                        [SBI_STRICT_NO] = "no"};

    return words[policy];
}

static void add_setting(char ***argv, const char *name, const char *value, int *rc,
                        sbx_error *err)
{
    SBI_AUTO_STR text = {0};

    if (*rc < 0)
        return;
    sbi_str_addf(&text, "-o%s=%s", name, value);
    *rc = text.status < 0 ? sbi_fail(err, text.status, "out of memory")
                          : sbi_strv_add(argv, text.data, err);
}

static void add_seconds(char ***argv, const char *name, int64_t ms, int *rc,
                        sbx_error *err)
{
    SBI_AUTO_STR text = {0};

    sbi_str_addf(&text, "%lld", (long long)(ms + 999) / 1000);
    if (text.status == SBX_OK)
        add_setting(argv, name, text.data, rc, err);
    else
        *rc = sbi_fail(err, text.status, "out of memory");
}

static void add_words(char ***argv, const char *const *words, int *rc, sbx_error *err)
{
    for (; *rc == SBX_OK && *words != NULL; words++)
        *rc = sbi_strv_add(argv, *words, err);
}

/* What the line is made of comes ahead of what ssh_config says of it: the first wins. */
static void add_settings(const struct sbi_ssh_target *target, const char *path,
                         char ***argv, int *rc, sbx_error *err)
{
    const struct sbi_ssh_options *options = target->options;
    const struct {
        const char *name;
        const char *value;
    } rows[] = {
        {"ControlMaster", "yes"},
        {"ControlPath", path},
        {"ControlPersist", "no"},
        {"ClearAllForwardings", "yes"},
        {"ForwardAgent", "no"},
        {"ForwardX11", "no"},
        {"ForkAfterAuthentication", "no"},
        {"PermitLocalCommand", "no"},
        {"RemoteCommand", "none"},
        {"RequestTTY", "no"},
        {"ServerAliveCountMax", "2"},
        {"BatchMode", target->prompt == NULL ? "yes" : "no"},
        {"StrictHostKeyChecking", policy_word(options->strict_host_key)},
        {"User", options->user},
    };
    size_t i;

    for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        add_setting(argv, rows[i].name, rows[i].value, rc, err);
}

static int make_argv(const struct sbi_ssh_target *target, const char *path,
                     int64_t keepalive_ms, int64_t deadline, char ***out, sbx_error *err)
{
    const char *const shell[] = {"/bin/sh", "-c", script, "sbx", "ssh", "-N", NULL};
    const char *const config[] = {"-F", target->ssh_config, NULL};
    const char *const key[] = {"-i", target->key_file, NULL};
    const char *const host[] = {"--", target->options->original_host, NULL};
    SBI_AUTO_STRV argv = NULL;
    SBI_AUTO_STR port = {0};
    int rc = SBX_OK;

    add_words(&argv, shell, &rc, err);
    if (target->ssh_config != NULL)
        add_words(&argv, config, &rc, err);
    if (target->key_file != NULL)
        add_words(&argv, key, &rc, err);
    sbi_str_addf(&port, "%d", target->options->port);
    if (rc == SBX_OK && port.status < 0)
        rc = sbi_fail(err, port.status, "out of memory");
    add_setting(&argv, "Port", port.data, &rc, err);
    add_settings(target, path, &argv, &rc, err);
    add_seconds(&argv, "ServerAliveInterval", keepalive_ms > 0 ? keepalive_ms : 0, &rc,
                err);
    if (sbi_left_ms(deadline) > 0)
        add_seconds(&argv, "ConnectTimeout", sbi_left_ms(deadline), &rc, err);
    add_words(&argv, host, &rc, err);
    if (rc == SBX_OK)
        *out = SBI_STEAL(argv);
    return rc;
}

/* Both above GUARD. */
struct childs {
    int guard;
    int said;
};

static int wire(posix_spawn_file_actions_t *actions, const void *ends)
{
    const struct childs *childs = ends;
    int rc = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);

    if (rc == 0)
        rc = posix_spawn_file_actions_addopen(actions, 1, "/dev/null", O_WRONLY, 0);
    if (rc == 0)
        rc = posix_spawn_file_actions_adddup2(actions, childs->said, 2);
    if (rc == 0)
        rc = posix_spawn_file_actions_adddup2(actions, childs->guard, GUARD);
    if (rc == 0)
        rc = posix_spawn_file_actions_addclosefrom_np(actions, GUARD + 1);
    return rc;
}

/* In our own session, where the terminal is. */
static int start(char **argv, struct sbi_openssh_child *out, sbx_error *err)
{
    struct sbi_fresh fresh = {.argv = argv, .wire = wire};
    SBI_AUTOCLOSE int childs = -1;
    SBI_AUTOCLOSE int guard = -1;
    SBI_AUTOCLOSE int said = -1;
    int rc = sbi_local_pipe(&out->guard, &childs, true, err);

    if (rc < 0)
        return rc;
    out->said = memfd_create("ssh", MFD_CLOEXEC);
    guard = fcntl(childs, F_DUPFD_CLOEXEC, GUARD + 1);
    said = out->said < 0 ? -1 : fcntl(out->said, F_DUPFD_CLOEXEC, GUARD + 1);
    if (guard < 0 || said < 0 || fcntl(said, F_SETFL, O_APPEND) < 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "start ssh");
    fresh.ends = &(struct childs){guard, said};
    errno = sbi_local_fresh(&fresh, &out->pid);
    return errno == 0 ? SBX_OK : sbi_fail_errno(err, SBX_ERR_IO, "start '/bin/sh'");
}

int sbi_openssh_start(const struct sbi_ssh_target *target, const char *path,
                      int64_t keepalive_ms, int64_t deadline,
                      struct sbi_openssh_child *out, sbx_error *err)
{
    SBI_AUTO_STRV argv = NULL;
    int rc;

    if (sbi_ssh_socket_path(target->options->hostname) != NULL)
        return sbi_fail(err, SBX_ERR_CONFIG,
                        "'%s' is a socket, to which transport 'openssh' cannot connect",
                        target->options->hostname);
    rc = make_argv(target, path, keepalive_ms, deadline, &argv, err);
    return rc < 0 ? rc : start(argv, out, err);
}

/* The last line that has something in it. */
static void last_words(int said, char *out, size_t room)
{
    char text[LAST + 1];
    off_t size = lseek(said, 0, SEEK_END);
    ssize_t got = pread(said, text, LAST, size > LAST ? size - LAST : 0);
    const char *line = text;
    size_t length;

    text[got > 0 ? got : 0] = '\0';
    (void)snprintf(out, room, "nothing");
    for (; *line != '\0'; line += length, line += strspn(line, "\r\n")) {
        length = strcspn(line, "\r\n");
        if (length > 0)
            (void)snprintf(out, room, "%.*s", (int)length, line);
    }
}

static const struct {
    const char *words;
    int code;
    const char *check;
} meanings[] = {
    {"Permission denied", SBX_ERR_AUTH, "auth"},
    {"oo many authentication failures", SBX_ERR_AUTH, "auth"},
    {"Host key verification failed", SBX_ERR_HOST_KEY, "host-key"},
    {"Could not resolve", SBX_ERR_CONNECT, "address"},
    {"Unable to negotiate", SBX_ERR_CONNECT, "kex"},
    {"Bad configuration", SBX_ERR_CONFIG, "config"},
    {"", SBX_ERR_CONNECT, "port"},
};

int sbi_openssh_explain(const struct sbi_openssh_child *child,
                        const struct sbi_ssh_target *target, const siginfo_t *end,
                        sbx_error *err)
{
    char said[200];
    size_t i = 0;

    last_words(child->said, said, sizeof(said));
    if (end->si_code == CLD_EXITED && end->si_status == NOT_FOUND) {
        (void)sbi_fail(err, SBX_ERR_UNSUPPORTED, "no ssh is installed here");
        return sbi_fix(err, SBX_ERR_UNSUPPORTED, "route",
                       "install OpenSSH's client, or take transport 'openssh' off '%s'",
                       target->place);
    }
    while (strstr(said, meanings[i].words) == NULL)
        i++;
    (void)sbi_fail(err, meanings[i].code, "ssh says '%s'", said);
    return sbi_fix(err, meanings[i].code, meanings[i].check, "see what `ssh -v %s` says",
                   target->options->original_host);
}
