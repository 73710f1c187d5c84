/* session.c - a session's life: what it is made of, its opening and its end. */
#include "session/session.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/opts.h"
#include "session/facts.h"
#include "session/host_route.h"
#include "session/keep.h"
#include "session/kept.h"
#include "session/session_state.h"

#include <string.h>

#define DEFAULT_CONNECT_MS 15000
#define DEFAULT_KEEPALIVE_MS 15000
#define KNOWN_FLAGS (SBX_SESSION_FORWARD_AGENT | SBX_SESSION_OWN | SBX_SESSION_NO_KEEPER)

const struct sbi_host_defaults *sbi_session_defaults(const sbx_session *session)
{
    return &session->defaults;
}

const struct sbi_host_prefix *sbi_session_prefix(const sbx_session *session)
{
    return session->prefix.words == NULL ? NULL : &session->prefix;
}

static int64_t first_set(int64_t a, int64_t b, int64_t c)
{
    return a ? a : b ? b : c;
}

/* The way there: that of the place which all prefixes stand on. */
static int find_way(sbx_session *session, sbx_hosts *hosts, const sbx_host *host,
                    sbx_error *err)
{
    const sbx_host *base = NULL;
    int rc = sbi_host_prefix(hosts, host, &session->prefix, &base, err);

    if (rc == SBX_OK && base->kind == SBX_HOST_SSH)
        rc = sbi_host_target(hosts, base, &session->target, err);
    if (rc == SBX_OK && session->target != NULL)
        rc = sbi_host_route(hosts, session->target, err);
    return rc;
}

static int ask(const char *question, int echo, char *answer, size_t room, void *userdata)
{
    sbx_session *session = userdata;

    atomic_store(&session->asked, true);
    return session->prompt(question, echo, answer, room, session->userdata);
}

static int describe(sbx_session *session, sbx_hosts *hosts, const char *place,
                    const sbx_session_opts *opts, sbx_error *err)
{
    struct sbi_ssh_target *target;
    const sbx_host *host;
    int rc;

    rc = sbx_hosts_get(hosts, place, &host, err);
    if (rc < 0)
        return rc;
    session->place = strdup(host->name);
    if (session->place == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    session->kind = host->kind;
    rc = find_way(session, hosts, host, err);
    if (rc == SBX_OK)
        rc = sbi_host_defaults(hosts, host, &session->defaults, err);
    if (rc < 0)
        return rc;

    if (session->target != NULL)
        session->target->lend_agent = (opts->flags & SBX_SESSION_FORWARD_AGENT) != 0;
    for (target = session->target; target != NULL; target = target->jump) {
        target->prompt = opts->prompt == NULL ? NULL : ask;
        target->userdata = session;
    }
    session->connect_ms =
        first_set(opts->connect_timeout_ms,
                  session->target == NULL ? 0 : session->target->connect_timeout_ms,
                  DEFAULT_CONNECT_MS);
    session->care.keepalive_ms = first_set(
        opts->keepalive_ms, session->target == NULL ? 0 : session->target->keepalive_ms,
        DEFAULT_KEEPALIVE_MS);
    session->care.idle_ms = opts->idle_ms;
    session->flags = opts->flags;
    session->prompt = opts->prompt;
    session->userdata = opts->userdata;
    return SBX_OK;
}

void sbi_session_stop_asking(sbx_session *session)
{
    struct sbi_ssh_target *target;

    for (target = session->target; target != NULL; target = target->jump)
        target->prompt = NULL;
}

static void clear_target(struct sbi_ssh_target **target)
{
    sbi_ssh_target_free(*target);
}

int sbi_session_socket(sbx_hosts *hosts, const sbx_host *host, char **out, sbx_error *err)
{
    SBI_CLEANUP(clear_target) struct sbi_ssh_target *target = NULL;
    int rc = sbi_host_target(hosts, host, &target, err);

    if (rc == SBX_OK)
        rc = sbi_host_route(hosts, target, err);
    return rc < 0 ? rc : sbi_kept_path(target, true, out, err);
}

static void session_clear(sbx_session **session)
{
    sbx_session_free(*session);
}

/* A word that stands nowhere, and that no resolver knows, is likely mistyped. */
static void suggest(sbx_hosts *hosts, const char *place, sbx_error *err)
{
    const char *nearest = sbx_hosts_nearest(hosts, place);
    const sbx_host *host;

    if (err == NULL || strcmp(err->check, "address") != 0 || nearest == NULL ||
        sbx_hosts_get(hosts, place, &host, NULL) < 0 || host->source != SBX_HOST_NAME)
        return;
    err->fix[0] = '\0';
    (void)sbi_fix(err, err->code, NULL,
                  "did you mean '%s'? `sbx host ls` lists the hosts that are known",
                  nearest);
}

int sbx_session_open(sbx_hosts *hosts, const char *place, const sbx_session_opts *opts,
                     sbx_session **out, sbx_error *err)
{
    SBI_CLEANUP(session_clear) sbx_session *session = NULL;
    sbx_session_opts ours;
    int rc;

    rc = sbi_opts_read(&ours, sizeof(ours), opts, err);
    if (rc < 0)
        return rc;
    if (hosts == NULL || place == NULL)
        return sbi_fail(err, SBX_ERR_INVALID, "open a session: no place named");
    if (ours.connect_timeout_ms < 0)
        return sbi_fail(err, SBX_ERR_INVALID,
                        "open a session to '%s': a negative connect_timeout_ms", place);
    if ((ours.flags & ~(uint64_t)KNOWN_FLAGS) != 0)
        return sbi_fail(err, SBX_ERR_INVALID, "open a session to '%s': an unknown flag",
                        place);

    session = calloc(1, sizeof(*session));
    if (session == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "open a session: out of memory");
    atomic_init(&session->holders, 1);
    (void)pthread_mutex_init(&session->lock, NULL);
    rc = describe(session, hosts, place, &ours, err);
    if (rc < 0)
        return sbi_explain(err, sbi_wrap(err, rc, "open a session to '%s'", place));

    (void)pthread_mutex_lock(&session->lock);
    rc = sbi_session_add_line(session, sbi_deadline(session->connect_ms), ours.cancel,
                              err);
    (void)pthread_mutex_unlock(&session->lock);
    if (rc < 0) {
        suggest(hosts, place, err);
        return rc;
    }
    sbi_keep_start(session, ours.keeper_program);
    *out = SBI_STEAL(session);
    return SBX_OK;
}

sbx_session *sbx_session_hold(sbx_session *session)
{
    atomic_fetch_add(&session->holders, 1);
    return session;
}

bool sbi_session_is_local(const sbx_session *session)
{
    return session->kind == SBX_HOST_LOCAL;
}

bool sbi_session_is_shared(const sbx_session *session)
{
    return atomic_load(&session->holders) > 1;
}

int sbx_session_check(sbx_session *session, int64_t timeout_ms, sbx_error *err)
{
    struct sbi_slot *slot;
    int rc;

    if (timeout_ms < 0)
        return sbi_fail(err, SBX_ERR_INVALID, "check '%s': a negative time-out",
                        session->place);

    (void)pthread_mutex_lock(&session->lock);
    slot = sbi_session_live_slot(session);
    if (slot != NULL)
        slot->busy++;
    (void)pthread_mutex_unlock(&session->lock);
    if (slot == NULL)
        return sbi_fail(err, SBX_ERR_DISCONNECTED, "check '%s': the connection is gone",
                        session->place);

    rc = sbi_line_ping(slot->line, sbi_deadline(timeout_ms == 0 ? 10000 : timeout_ms),
                       NULL, err);
    (void)sbi_session_leave(session, &(struct sbi_started){.slot = slot}, false);
    return rc < 0 ? sbi_explain(err, sbi_wrap(err, rc, "check '%s'", session->place))
                  : rc;
}

char *sbx_session_facts_json(sbx_session *session)
{
    struct sbi_session_facts facts = {.place = session->place, .kind = session->kind};
    struct sbi_slot *slot;

    (void)pthread_mutex_lock(&session->lock);
    for (slot = session->slots; slot < session->slots + SBI_MOST_LINES; slot++)
        facts.connections += slot->line != NULL && sbi_line_alive(slot->line);
    facts.line = session->facts;
    (void)pthread_mutex_unlock(&session->lock);
    return sbi_facts_json(&facts);
}

const char *sbx_session_place(const sbx_session *session)
{
    return session->place;
}

void sbx_session_free(sbx_session *session)
{
    struct sbi_slot *slot;

    if (session == NULL || atomic_fetch_sub(&session->holders, 1) > 1)
        return;
    slot = sbi_session_free_slot(session);
    if (slot != NULL && sbi_line_facts(slot->line)->via[0] == '\0')
        sbi_parting_say(&session->partings, slot->line);
    for (slot = session->slots; slot < session->slots + SBI_MOST_LINES; slot++) {
        sbi_process_free(slot->ready);
        sbi_warden_part(&slot->warden);
        sbi_line_free(slot->line);
    }
    sbi_ssh_target_free(session->target);
    sbi_host_prefix_clear(&session->prefix);
    sbi_host_defaults_clear(&session->defaults);
    (void)pthread_mutex_destroy(&session->lock);
    free(session->place);
    free(session);
}
