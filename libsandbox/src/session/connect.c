/* connect.c - opens a line to a session's place, over whoever has one already. */
#include "session/connect.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "session/kept.h"
#include "session/session_state.h"
#include "transport/engine.h"
#include "transport/local.h"
#include "transport/mux.h"
#include "transport/openssh.h"
#include "transport/prefix.h"
#include "transport/ssh.h"

#include <string.h>
#include <unistd.h>

#define FURTHER_IDLE_MS 60000

/* A master that somebody else opened was not asked to lend it. */
static bool lends_agent(const struct sbi_ssh_target *target)
{
    return target->lend_agent || target->options->forward_agent;
}

static bool borrow_from(sbx_session *session, const char *path, bool keeper,
                        int64_t deadline, sbx_cancel *cancel, struct sbi_line **out)
{
    const char *name = keeper ? "keeper" : "master";
    sbx_error why = {0};

    if (path == NULL || lends_agent(session->target) || access(path, F_OK) < 0)
        return false;
    if (sbi_mux_open(path, keeper, deadline, cancel, out, &why) == SBX_OK) {
        sbi_log(SBX_LOG_INFO, "%s: over the %s at '%s'", session->place, name, path);
        return true;
    }
    sbi_log(SBX_LOG_INFO, "%s: no %s: %s", session->place, name, why.text);
    return false;
}

/*
 * From the person's own master, if one answers where ssh_config says, else from a keeper:
 * what they were asked for, as a one-time code, is not asked for again.
 */
static bool borrow_line(sbx_session *session, int64_t deadline, sbx_cancel *cancel,
                        struct sbi_line **out)
{
    const char *wanted = getenv("SBX_KEEPER");
    SBI_AUTOFREE char *path = NULL;

    if (borrow_from(session, session->target->options->control_path, false, deadline,
                    cancel, out))
        return true;
    if ((session->flags & SBX_SESSION_NO_KEEPER) != 0 ||
        (wanted != NULL && strcmp(wanted, "off") == 0))
        return false;
    return sbi_kept_path(session->target, false, &path, NULL) == SBX_OK &&
           borrow_from(session, path, true, deadline, cancel, out);
}

/*
 * The first engine that answers there for this container. Whatever is not as it should be
 * is left to the engine's command line, which has words for it.
 */
static bool enter_by_engine(sbx_session *session, struct sbi_line *below,
                            int64_t deadline, sbx_cancel *cancel, struct sbi_line **out)
{
    const struct sbi_host_engine *engine = &session->prefix.engine;
    struct sbi_engine_way way = {
        .container = engine->container, .mark = engine->mark, .enter = engine->enter};
    char *const *path = engine->sockets;
    sbx_error why = {0};

    for (; path != NULL && *path != NULL; path++) {
        way.socket = *path;
        if (sbi_engine_open(below, &way, deadline, cancel, out, &why) == SBX_OK) {
            sbi_log(SBX_LOG_INFO, "%s: by the engine at '%s'", session->place, *path);
            return true;
        }
        sbi_log(SBX_LOG_INFO, "%s: not so: %s", session->place, why.text);
    }
    return false;
}

/* Takes below, also where it fails. */
static int enter(sbx_session *session, struct sbi_line *below, int64_t deadline,
                 sbx_cancel *cancel, struct sbi_line **out, sbx_error *err)
{
    if (session->prefix.words == NULL) {
        *out = below;
        return SBX_OK;
    }
    if (enter_by_engine(session, below, deadline, cancel, out))
        return SBX_OK;
    return sbi_prefix_open(below, session->prefix.words, session->prefix.terminal, out,
                           err);
}

int sbi_session_connect(sbx_session *session, bool further, bool direct, int64_t deadline,
                        sbx_cancel *cancel, struct sbi_line **out, sbx_error *err)
{
    struct sbi_ssh_care care = session->care;
    struct sbi_line *line = NULL;
    int rc;

    if (further && (care.idle_ms <= 0 || care.idle_ms > FURTHER_IDLE_MS))
        care.idle_ms = FURTHER_IDLE_MS;

    if (session->target == NULL)
        rc = sbi_local_open(&line, err);
    else if (!direct && (session->flags & SBX_SESSION_OWN) == 0 &&
             borrow_line(session, deadline, cancel, &line))
        rc = SBX_OK;
    else if (session->target->openssh)
        rc = sbi_openssh_open(session->target, &care, deadline, cancel, &line, err);
    else
        rc = sbi_ssh_open(session->target, &care, deadline, cancel, &line, err);
    if (rc == SBX_OK)
        rc = enter(session, line, deadline, cancel, &line, err);
    if (rc == SBX_OK)
        *out = line;
    else if (session->target != NULL)
        (void)sbi_wrap(err, rc, "connect to '%s'", session->target->place);
    return rc < 0 ? sbi_explain(err, rc) : rc;
}
