/* ssh_login.c - from a connected socket to a session that is logged in. */
#include "transport/ssh_handshake.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/wait.h"
#include "transport/ssh_algorithms.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>

const char *sbi_ssh_reason(ssh_session session)
{
    const char *reason = sbi_libssh.ssh_get_error(session);

    return reason == NULL || reason[0] == '\0' ? "the server closed the connection"
                                               : reason;
}

/*
 * Quick ACKs are asked for before every wait, since the kernel takes them back:
 * sshd's Nagle holds its next message until our ACK, which would come 40 ms late.
 */
int sbi_handshake_wait(struct sbi_handshake *shake, const char *doing, sbx_error *err)
{
    const int on = 1;
    int flags = sbi_libssh.ssh_get_poll_flags(shake->session);
    short events = (short)(POLLIN | ((flags & SSH_WRITE_PENDING) ? POLLOUT : 0));
    struct pollfd fd = {shake->fd, events, 0};
    int rc;

    (void)setsockopt(shake->fd, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof(on));
    rc = sbi_wait_any(&fd, 1, shake->deadline, shake->cancel);
    if (rc == SBX_OK && sbi_left_ms(shake->deadline) == 0)
        rc = SBX_ERR_TIMEOUT; /* a server that talks without end */
    if (rc == SBX_ERR_CANCELLED)
        return sbi_fail(err, rc, "%s: cancelled", doing);
    if (rc == SBX_ERR_TIMEOUT) {
        (void)sbi_fail(err, rc, "%s: no answer in time", doing);
        return sbi_fix(err, rc, "banner",
                       "the port answers, the SSH server behind it does not: check its "
                       "load, or raise connect_timeout");
    }
    return rc;
}

static int refused_option(ssh_session session, const char *what, sbx_error *err)
{
    return sbi_fail(err, SBX_ERR_CONFIG, "set %s: %s", what, sbi_ssh_reason(session));
}

static int set_list(ssh_session session, const char *name, enum ssh_options_e option,
                    const char *said, const char *defaults, sbx_error *err)
{
    SBI_AUTOFREE char *list = NULL;
    int rc = sbi_ssh_algorithms(said, defaults, &list, err);

    if (rc < 0)
        return sbi_wrap(err, rc, "set %s", name);
    return sbi_libssh.ssh_options_set(session, option, list) < 0
               ? refused_option(session, name, err)
               : SBX_OK;
}

static int set_algorithms(ssh_session session, const struct sbi_ssh_options *options,
                          sbx_error *err)
{
    const struct {
        const char *name;
        enum ssh_options_e option;
        const char *said, *defaults;
    } lists[] = {
        {"Ciphers", SSH_OPTIONS_CIPHERS_C_S, options->ciphers, SBI_DEFAULT_CIPHERS},
        {"Ciphers", SSH_OPTIONS_CIPHERS_S_C, options->ciphers, SBI_DEFAULT_CIPHERS},
        {"MACs", SSH_OPTIONS_HMAC_C_S, options->macs, SBI_DEFAULT_MACS},
        {"MACs", SSH_OPTIONS_HMAC_S_C, options->macs, SBI_DEFAULT_MACS},
        {"KexAlgorithms", SSH_OPTIONS_KEY_EXCHANGE, options->kex_algorithms,
         SBI_DEFAULT_KEX},
        {"PubkeyAcceptedAlgorithms", SSH_OPTIONS_PUBLICKEY_ACCEPTED_TYPES,
         options->pubkey_algorithms, SBI_DEFAULT_PUBKEY},
        {"HostKeyAlgorithms", SSH_OPTIONS_HOSTKEYS, options->host_key_algorithms,
         SBI_DEFAULT_HOST_KEYS},
    };
    size_t i;
    int rc = SBX_OK;

    for (i = 0; i < sizeof(lists) / sizeof(lists[0]) && rc == SBX_OK; i++)
        rc = set_list(session, lists[i].name, lists[i].option, lists[i].said,
                      lists[i].defaults, err);
    return rc;
}

/*
 * libssh need not know the host's name: we connect, and we look at the host key. It
 * would refuse names that others take, and read a user out of them.
 */
static int set_options(struct sbi_handshake *shake, sbx_error *err)
{
    const struct sbi_ssh_options *options = shake->target->options;
    ssh_session session = shake->session;
    bool config = false;
    unsigned port = (unsigned)options->port;

    if (sbi_libssh.ssh_options_set(session, SSH_OPTIONS_PROCESS_CONFIG, &config) < 0 ||
        sbi_libssh.ssh_options_set(session, SSH_OPTIONS_HOST, "host") < 0 ||
        sbi_libssh.ssh_options_set(session, SSH_OPTIONS_PORT, &port) < 0 ||
        sbi_libssh.ssh_options_set(session, SSH_OPTIONS_USER, options->user) < 0 ||
        sbi_libssh.ssh_options_set(session, SSH_OPTIONS_FD, &shake->fd) < 0)
        return refused_option(session, "the address", err);
    if (options->identity_agent != NULL && strcmp(options->identity_agent, "none") != 0 &&
        sbi_libssh.ssh_options_set(session, SSH_OPTIONS_IDENTITY_AGENT,
                                   options->identity_agent) < 0)
        return refused_option(session, "IdentityAgent", err);
    if (options->compression &&
        sbi_libssh.ssh_options_set(session, SSH_OPTIONS_COMPRESSION, "yes") < 0)
        return refused_option(session, "Compression", err);
    return set_algorithms(session, options, err);
}

/* libssh passes over words ahead of a banner, and knows nothing of them afterwards. */
static void overhear(struct sbi_handshake *shake)
{
    struct sbi_greeting *greeting = &shake->greeting;
    ssize_t got;
    size_t i;

    if (greeting->words[0] != '\0' ||
        sbi_libssh.ssh_get_serverbanner(shake->session) != NULL)
        return;
    got = recv(shake->fd, greeting->words, sizeof(greeting->words) - 1,
               MSG_PEEK | MSG_DONTWAIT);
    greeting->words[got > 0 ? got : 0] = '\0';
    if (strncmp(greeting->words, "SSH-", 4) == 0)
        greeting->words[0] = '\0';
    greeting->words[strcspn(greeting->words, "\r\n")] = '\0';
    for (i = 0; greeting->words[i] != '\0'; i++)
        if (greeting->words[i] < 0x20 || greeting->words[i] >= 0x7f)
            greeting->words[i] = '?';
}

static void hear(int priority, const char *function, const char *words, void *userdata)
{
    struct sbi_handshake *shake = userdata;
    const char *kex = strstr(words, "kex error");

    (void)priority;
    (void)function;
    if (shake != NULL && kex != NULL)
        (void)snprintf(shake->disagreement, sizeof(shake->disagreement), "%s", kex);
}

/*
 * Where no algorithm suits both sides, libssh closes the socket, and where it has a
 * message to send yet it then tells of the closed socket, by an errno of something else.
 * Its log, which each thread has of its own, has told the cause. (Who hears that can be
 * changed, not taken away: where nobody did, hear() stays, and heeds nothing.)
 */
static int connect_heard(struct sbi_handshake *shake)
{
    ssh_logging_callback callback = sbi_libssh.ssh_get_log_callback();
    void *userdata = sbi_libssh.ssh_get_log_userdata();
    int level = sbi_libssh.ssh_get_log_level();
    int rc;

    (void)sbi_libssh.ssh_set_log_callback(hear);
    (void)sbi_libssh.ssh_set_log_userdata(shake);
    (void)sbi_libssh.ssh_set_log_level(SSH_LOG_WARN);
    rc = sbi_libssh.ssh_connect(shake->session);
    (void)sbi_libssh.ssh_set_log_level(level);
    (void)sbi_libssh.ssh_set_log_userdata(userdata);
    if (callback != NULL)
        (void)sbi_libssh.ssh_set_log_callback(callback);
    return rc;
}

static const char *why_no_keys(const struct sbi_handshake *shake)
{
    return shake->disagreement[0] != '\0' ? shake->disagreement
                                          : sbi_ssh_reason(shake->session);
}

/* libssh puts the socket back to blocking once it is connected. */
static int exchange_keys(struct sbi_handshake *shake, sbx_error *err)
{
    int rc;

    while ((rc = connect_heard(shake)) == SSH_AGAIN) {
        rc = sbi_handshake_wait(shake, "exchange keys", err);
        if (rc < 0)
            return rc;
        overhear(shake);
    }
    shake->greeting.missing = sbi_libssh.ssh_get_serverbanner(shake->session) == NULL;
    if (rc != SSH_OK)
        return sbi_fix(
            err, sbi_fail(err, SBX_ERR_CONNECT, "exchange keys: %s", why_no_keys(shake)),
            "kex", "`ssh -v %s` shows what the server offers", shake->target->place);
    if (fcntl(shake->fd, F_SETFL, O_NONBLOCK) < 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "make the socket non-blocking");
    return SBX_OK;
}

static int shake_hands(struct sbi_handshake *shake, sbx_error *err)
{
    int rc;

    sbi_libssh.ssh_set_blocking(shake->session, 0);
    rc = set_options(shake, err);
    if (rc == SBX_OK)
        rc = sbi_ssh_prefer_known_types(shake, err);
    if (rc == SBX_OK)
        rc = exchange_keys(shake, err);
    if (rc == SBX_OK)
        rc = sbi_ssh_check_host_key(shake, err);
    if (rc == SBX_OK)
        rc = sbi_ssh_authenticate(shake, err);
    return rc;
}

/*
 * Whether libssh closes the socket depends on how far it came, and closing twice could
 * close another's: it is closed here if its number still stands for the same socket.
 */
void sbi_ssh_session_end(ssh_session session, int fd, bool goodbye)
{
    struct stat before, after;
    bool known = fstat(fd, &before) == 0;

    if (goodbye)
        sbi_libssh.ssh_disconnect(session);
    else
        (void)shutdown(fd, SHUT_RDWR);
    sbi_libssh.ssh_free(session);
    if (known && fstat(fd, &after) == 0 && after.st_dev == before.st_dev &&
        after.st_ino == before.st_ino)
        (void)close(fd);
}

int sbi_ssh_login(const struct sbi_ssh_target *target, int fd, int64_t deadline,
                  sbx_cancel *cancel, struct sbi_greeting *greeting, ssh_session *out,
                  sbx_error *err)
{
    struct sbi_handshake shake = {
        .target = target, .deadline = deadline, .cancel = cancel, .fd = fd};
    int rc;

    shake.session = sbi_libssh.ssh_new();
    if (shake.session == NULL) {
        (void)close(fd);
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    }
    rc = shake_hands(&shake, err);
    *greeting = shake.greeting;
    if (rc < 0) {
        sbi_ssh_session_end(shake.session, fd, false);
        return rc;
    }
    *out = shake.session;
    return SBX_OK;
}
