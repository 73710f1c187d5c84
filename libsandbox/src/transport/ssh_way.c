#include "transport/ssh_way.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/wait.h"
#include "transport/await.h"
#include "transport/dial.h"
#include "transport/local_spawn.h"
#include "transport/ssh_proxy.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#define HANG_UP_MS 500
#define LOOK_MS 5

const char *sbi_ssh_socket_path(const char *hostname)
{
    return strncmp(hostname, "unix:/", 6) == 0 ? hostname + 5 : NULL;
}

static int to_socket(const char *path, int *out, sbx_error *err)
{
    int rc = sbi_dial_socket(path, out, err);

    return rc != SBX_ERR_CONNECT
               ? rc
               : sbi_fix(err, rc, "address",
                         "check that an SSH server listens on that socket");
}

static int straight(const struct sbi_ssh_options *options, int64_t deadline,
                    sbx_cancel *cancel, int *fd, sbx_error *err)
{
    const struct sbi_dial dial = {.host = options->hostname,
                                  .port = options->port,
                                  .family = options->address_family,
                                  .bind_address = options->bind_address,
                                  .keepalive = options->tcp_keepalive};

    if (sbi_ssh_socket_path(options->hostname) != NULL)
        return to_socket(sbi_ssh_socket_path(options->hostname), fd, err);
    return sbi_dial(&dial, deadline, cancel, fd, err);
}

static int through_proxy(const struct sbi_ssh_target *target, int64_t deadline,
                         sbx_cancel *cancel, int *out, sbx_error *err)
{
    const struct sbi_ssh_options *options = target->options;
    SBI_AUTOCLOSE int fd = -1;
    struct sbi_proxy proxy;
    struct sbi_dial dial;
    const char *fault;
    int rc;

    fault = sbi_proxy_parse(target->proxy, &proxy);
    if (fault != NULL)
        return sbi_fail(err, SBX_ERR_CONFIG, "the proxy of '%s' %s", target->place,
                        fault);
    dial = (struct sbi_dial){.host = proxy.host,
                             .port = proxy.port,
                             .family = options->address_family,
                             .bind_address = options->bind_address,
                             .keepalive = options->tcp_keepalive};
    rc = sbi_dial(&dial, deadline, cancel, &fd, err);
    if (rc == SBX_OK)
        rc = sbi_proxy_connect(fd, &proxy, options->hostname, options->port, deadline,
                               cancel, err);
    explicit_bzero(proxy.password, sizeof(proxy.password));
    if (rc < 0)
        return sbi_wrap(err, rc, "reach '%s' port %d through the proxy '%s' port %d",
                        options->hostname, options->port, proxy.host, proxy.port);
    *out = fd;
    fd = -1;
    return SBX_OK;
}

static int make_pair(int pair[2], sbx_error *err)
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "make a pair of sockets");
    return SBX_OK;
}

static int through_line(struct sbi_ssh_way *way, const struct sbi_ssh_options *options,
                        int64_t deadline, sbx_cancel *cancel, int *fd, sbx_error *err)
{
    const struct sbi_process_spec spec = {.connect_host = options->hostname,
                                          .connect_port = options->port};
    struct sbi_process *process = NULL;
    int pair[2];
    int rc;

    rc = sbi_line_start(way->hop, &spec, &process, err);
    if (rc < 0)
        return rc;
    rc = sbi_await_connection(process, deadline, cancel, err);
    if (rc == SBX_OK)
        rc = make_pair(pair, err);
    if (rc < 0) {
        sbi_process_free(process);
        return rc;
    }
    rc = sbi_relay_start(process, pair[1], &way->relay, err);
    if (rc < 0)
        (void)close(pair[0]);
    else
        *fd = pair[0];
    return rc;
}

static int explain_hop(const struct sbi_ssh_target *target, int rc, sbx_error *err)
{
    const char *hop = target->jump->place;
    bool forbidden = rc == SBX_ERR_UNSUPPORTED;

    if (forbidden)
        rc = SBX_ERR_CONNECT;
    (void)sbi_wrap(err, rc, "reach '%s' port %d through '%s'", target->options->hostname,
                   target->options->port, hop);
    if (forbidden)
        return sbi_fix(err, rc, "jump",
                       "AllowTcpForwarding yes, and a PermitOpen that names it, in the "
                       "sshd_config of '%s'",
                       hop);
    return sbi_fix(err, rc, "jump",
                   "check that '%s' reaches it, and lets connections through", hop);
}

static int through_hop(const struct sbi_ssh_target *target, int64_t deadline,
                       sbx_cancel *cancel, struct sbi_ssh_way *way, int *fd,
                       sbx_error *err)
{
    int rc = through_line(way, target->options, deadline, cancel, fd, err);

    return rc < 0 ? explain_hop(target, rc, err) : SBX_OK;
}

static int through_command(const char *command, struct sbi_ssh_way *way, int *fd,
                           sbx_error *err)
{
    int pair[2];
    int rc;

    rc = make_pair(pair, err);
    if (rc < 0)
        return rc;
    rc = sbi_local_spawn_on(command, pair[1], &way->proxy, err);
    (void)close(pair[1]);
    if (rc < 0) {
        (void)close(pair[0]);
        return sbi_wrap(err, rc, "start ProxyCommand '%s'", command);
    }
    *fd = pair[0];
    return SBX_OK;
}

int sbi_ssh_way_open(const struct sbi_ssh_target *target, int64_t deadline,
                     sbx_cancel *cancel, struct sbi_ssh_way *way, int *fd, sbx_error *err)
{
    if (way->hop != NULL)
        return through_hop(target, deadline, cancel, way, fd, err);
    if (target->proxy != NULL)
        return through_proxy(target, deadline, cancel, fd, err);
    if (target->options->proxy_command != NULL)
        return through_command(target->options->proxy_command, way, fd, err);
    return straight(target->options, deadline, cancel, fd, err);
}

static int explain_command(const char *command, const siginfo_t *end, sbx_error *err)
{
    bool exited = end->si_code == CLD_EXITED;

    (void)sbi_fail(err, SBX_ERR_CONNECT, "ProxyCommand '%s' ended: %s %d", command,
                   exited ? "status" : "signal", end->si_status);
    return sbi_fix(
        err, SBX_ERR_CONNECT, "route",
        exited && end->si_status == 127
            ? "status 127: its program is not installed"
            : "run it by hand: it has to show a line that begins with SSH-2.0");
}

static int explain_silence(const char *command, sbx_error *err)
{
    (void)sbi_fail(err, SBX_ERR_TIMEOUT, "ProxyCommand '%s' runs, and no server answers",
                   command);
    return sbi_fix(err, SBX_ERR_TIMEOUT, "route",
                   "run it by hand: it has to show a line that begins with SSH-2.0");
}

/* It may close its end of the line a moment before it ends. */
static bool has_ended(pid_t pid, siginfo_t *end)
{
    int64_t deadline = sbi_deadline(HANG_UP_MS);
    struct pollfd none = {.fd = -1};

    for (;;) {
        if (waitid(P_PID, (id_t)pid, end, WEXITED | WNOHANG | WNOWAIT) != 0)
            return false;
        if (end->si_pid == pid)
            return true;
        if (sbi_left_ms(deadline) == 0)
            return false;
        (void)sbi_wait_any(&none, 1, sbi_deadline(LOOK_MS), NULL);
    }
}

/* Its end is looked at, and left for whoever buries it. */
int sbi_ssh_way_explain(const struct sbi_ssh_way *way,
                        const struct sbi_ssh_target *target, int rc, sbx_error *err)
{
    const char *command = target->options->proxy_command;
    siginfo_t end = {0};

    if (way->proxy <= 0 || (rc != SBX_ERR_CONNECT && rc != SBX_ERR_TIMEOUT))
        return rc;
    if (rc == SBX_ERR_TIMEOUT)
        return explain_silence(command, err);
    if (has_ended(way->proxy, &end))
        return explain_command(command, &end, err);
    return sbi_wrap(err, rc, "through ProxyCommand '%s'", command);
}

/* It hears that the line is gone; one that does not care is killed. */
static void end_command(pid_t pid)
{
    int64_t deadline = sbi_deadline(HANG_UP_MS);
    struct pollfd none = {.fd = -1};
    pid_t ended = 0;

    (void)kill(-pid, SIGHUP);
    while (ended == 0 && sbi_left_ms(deadline) > 0) {
        ended = waitpid(pid, NULL, WNOHANG);
        if (ended == 0)
            (void)sbi_wait_any(&none, 1, sbi_deadline(LOOK_MS), NULL);
    }
    (void)kill(-pid, SIGKILL);
    if (ended == 0)
        sbi_local_bury(pid);
}

void sbi_ssh_way_rewind(struct sbi_ssh_way *way)
{
    sbi_relay_free(way->relay);
    if (way->proxy > 0)
        end_command(way->proxy);
    *way = (struct sbi_ssh_way){.hop = way->hop};
}

void sbi_ssh_way_close(struct sbi_ssh_way *way)
{
    sbi_ssh_way_rewind(way);
    sbi_line_free(way->hop);
    *way = (struct sbi_ssh_way){0};
}
