/* reach.c - connections from a place to somewhere else, as a question. */
#include "session/session.h"

#include "base/clock.h"
#include "transport/await.h"

#define DEFAULT_MS 10000

static int ask(sbx_session *session, const struct sbi_process_spec *spec,
               int64_t timeout_ms, sbx_cancel *cancel, sbx_error *err)
{
    int64_t deadline = sbi_deadline(timeout_ms == 0 ? DEFAULT_MS : timeout_ms);
    struct sbi_started started = {0};
    int rc;

    rc = sbi_session_start(session, spec, deadline, cancel, &started, err);
    if (rc < 0)
        return rc;
    rc = sbi_await_connection(started.process, deadline, cancel, err);
    (void)sbi_session_leave(session, &started, false);
    return rc;
}

int sbx_session_reach(sbx_session *session, const char *host, int64_t port,
                      int64_t timeout_ms, sbx_cancel *cancel, sbx_error *err)
{
    struct sbi_process_spec spec = {.connect_host = host, .connect_port = (int)port};
    const char *place;
    int rc;

    if (session == NULL || host == NULL || host[0] == '\0' || port < 1 || port > 65535 ||
        timeout_ms < 0)
        return sbi_fail(
            err, SBX_ERR_INVALID,
            "reach a port from a place: it takes a session, a host, a port from "
            "1 to 65535, and no negative time-out");
    place = sbx_session_place(session);
    if (sbi_session_prefix(session) != NULL)
        return sbi_fail(
            err, SBX_ERR_UNSUPPORTED,
            "reach '%s' port %lld from '%s': no server stands behind a prefix", host,
            (long long)port, place);
    if (sbi_session_is_local(session))
        return sbi_fail(
            err, SBX_ERR_UNSUPPORTED,
            "reach '%s' port %lld from '%s': this machine has no server to ask", host,
            (long long)port, place);
    rc = ask(session, &spec, timeout_ms, cancel, err);
    if (rc == SBX_ERR_UNSUPPORTED)
        (void)sbi_fix(
            err, rc, "tcp-forwarding",
            "AllowTcpForwarding yes, and a PermitOpen that names the target, in "
            "its sshd_config");
    return rc < 0 ? sbi_wrap(err, rc, "reach '%s' port %lld from '%s'", host,
                             (long long)port, place)
                  : rc;
}
