#include "transport/ssh_way.h"

#include "base/cleanup.h"
#include "base/wait.h"
#include "transport/dial.h"
#include "transport/local_spawn.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>

static int straight(const struct sbi_ssh_options *options, int64_t deadline,
                    sbx_cancel *cancel, int *fd, sbx_error *err)
{
    const struct sbi_dial dial = {.host = options->hostname,
                                  .port = options->port,
                                  .family = options->address_family,
                                  .bind_address = options->bind_address,
                                  .keepalive = options->tcp_keepalive};

    return sbi_dial(&dial, deadline, cancel, fd, err);
}

static int make_pair(int pair[2], sbx_error *err)
{
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "make a pair of sockets");
    return SBX_OK;
}

/* Until the hop has opened the connection, or said why not. */
static int await_connection(struct sbi_process *process, int64_t deadline,
                            sbx_cancel *cancel, sbx_error *err)
{
    struct pollfd fds[4];
    struct sbi_end end;
    int rc = SBX_OK;

    while (rc == SBX_OK) {
        if (sbi_process_end(process, &end)) {
            if (err != NULL)
                *err = end.error;
            return end.error.code;
        }
        if (end.sent)
            return SBX_OK;
        rc =
            sbi_wait_any(fds, sbi_process_poll(process, false, fds, 4), deadline, cancel);
    }
    return sbi_fail(err, rc, "open a connection from there: %s",
                    rc == SBX_ERR_CANCELLED ? "cancelled" : "no answer in time");
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
    rc = await_connection(process, deadline, cancel, err);
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

static int through_hop(const struct sbi_ssh_target *target, int64_t deadline,
                       sbx_cancel *cancel, struct sbi_ssh_way *way, int *fd,
                       sbx_error *err)
{
    const char *hop = target->jump->place;
    int rc;

    rc = through_line(way, target->options, deadline, cancel, fd, err);
    if (rc < 0)
        return sbi_fix(err,
                       sbi_wrap(err, rc, "reach '%s' port %d through '%s'",
                                target->options->hostname, target->options->port, hop),
                       "jump", "check that '%s' reaches it, and lets connections through",
                       hop);
    return SBX_OK;
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
    if (target->options->proxy_command != NULL)
        return through_command(target->options->proxy_command, way, fd, err);
    return straight(target->options, deadline, cancel, fd, err);
}

void sbi_ssh_way_close(struct sbi_ssh_way *way)
{
    sbi_relay_free(way->relay);
    sbi_line_free(way->hop);
    if (way->proxy > 0) {
        (void)kill(-way->proxy, SIGHUP);
        sbi_local_bury(way->proxy);
    }
    *way = (struct sbi_ssh_way){0};
}
