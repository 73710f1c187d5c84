#include "fleet.h"

#include "computers.h"
#include "fault.h"
#include "owning.h"
#include "tool.h"

#include <sandbox/pool.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What was seen of a place when it was asked last. */
struct seen {
    struct seen *next;
    const sbx_host *host;
    bool reached;
    char why[320];
};

struct fleet {
    const struct serve_opts *opts;
    pthread_mutex_t lock;
    sbx_hosts *hosts;
    sbx_pool *pool;
    const sbx_host *selected;
    struct seen *seen;
};

struct fleet *fleet_new(const struct serve_opts *opts)
{
    struct fleet *fleet = own_zeroed(1, sizeof(*fleet));

    fleet->opts = opts;
    (void)pthread_mutex_init(&fleet->lock, NULL);
    return fleet;
}

static int load_locked(struct fleet *fleet, sbx_error *err)
{
    const sbx_hosts_opts opts = {.size = sizeof(opts),
                                 .list_file = fleet->opts->list_file,
                                 .ssh_config = fleet->opts->ssh_config};
    const sbx_session_opts session_opts = {.size = sizeof(session_opts)};
    int rc = SBX_OK;

    if (fleet->hosts == NULL)
        rc = sbx_hosts_load(&opts, &fleet->hosts, err);
    if (rc == SBX_OK && fleet->pool == NULL)
        rc = sbx_pool_new(fleet->hosts, &session_opts, &fleet->pool, err);
    return rc;
}

int fleet_hosts(struct fleet *fleet, sbx_hosts **out, sbx_error *err)
{
    int rc;

    (void)pthread_mutex_lock(&fleet->lock);
    rc = load_locked(fleet, err);
    if (rc == SBX_OK)
        *out = fleet->hosts;
    (void)pthread_mutex_unlock(&fleet->lock);
    return rc;
}

bool fleet_offers(const struct fleet *fleet, const sbx_host *host)
{
    return host->kind != SBX_HOST_LOCAL || fleet->opts->local;
}

static bool has_tag(const sbx_host *host, const struct words *tags)
{
    size_t i;

    for (i = 0; host->tags[i] != NULL; i++)
        if (words_have(tags, host->tags[i]))
            return true;
    return tags->count == 0;
}

static int no_tag(const struct words *tags, sbx_error *err)
{
    if (tags->count > 0)
        return fault_fix(err,
                         fault(err, SBX_ERR_NOT_FOUND,
                               "no sandbox carries the tag '%.60s'", tags->items[0]),
                         "list_sandboxes shows the tags there are");
    return fault_fix(err, fault(err, SBX_ERR_NOT_FOUND, "no sandbox is configured"),
                     "the user adds hosts to ~/.ssh/config, or runs: sbx host add NAME "
                     "--host ADDRESS --user USER");
}

int fleet_all(struct fleet *fleet, const struct words *tags, const sbx_host ***out,
              size_t *count, sbx_error *err)
{
    sbx_hosts *hosts = NULL;
    const sbx_host **list;
    size_t found = 0;
    size_t i;
    int rc = fleet_hosts(fleet, &hosts, err);

    if (rc < 0)
        return rc;
    list = own_zeroed(sbx_hosts_count(hosts) + 1, sizeof(*list));
    for (i = 0; i < sbx_hosts_count(hosts); i++) {
        const sbx_host *host = sbx_hosts_at(hosts, i);

        if (fleet_offers(fleet, host) && has_tag(host, tags))
            list[found++] = host;
    }
    if (found == 0) {
        free(list);
        return no_tag(tags, err);
    }
    *out = list;
    *count = found;
    return SBX_OK;
}

static int unknown(sbx_hosts *hosts, const char *name, sbx_error *err)
{
    const char *near = sbx_hosts_nearest(hosts, name);
    int rc = fault(err, SBX_ERR_NOT_FOUND, "there is no sandbox '%.100s'", name);

    if (near != NULL && strcmp(near, "local") != 0)
        return fault_fix(err, rc, "'%.60s', or list_sandboxes for all there are", near);
    return fault_fix(err, rc, "call list_sandboxes, and use one of its names");
}

static const sbx_host *known(sbx_hosts *hosts, const char *name)
{
    size_t i;

    for (i = 0; i < sbx_hosts_count(hosts); i++)
        if (strcmp(sbx_hosts_at(hosts, i)->name, name) == 0)
            return sbx_hosts_at(hosts, i);
    return NULL;
}

/*
 * PLACE/NAME is offered where PLACE is, and on this machine where an agent may make them:
 * which of those it may enter is asked when it does.
 */
static int computer_named(struct fleet *fleet, sbx_hosts *hosts, const char *name,
                          const sbx_host **out, sbx_error *err)
{
    const char *slash = strrchr(name, '/');
    AUTOFREE char *place = own_copy(name, (size_t)(slash - name));
    const sbx_host *host;
    bool here = strcmp(place, "local") == 0 && computers_offered(fleet->opts);
    int rc = here ? SBX_OK : fleet_named(fleet, place, &host, err);

    return rc < 0 ? rc : sbx_hosts_get(hosts, name, out, err);
}

int fleet_named(struct fleet *fleet, const char *name, const sbx_host **out,
                sbx_error *err)
{
    sbx_hosts *hosts = NULL;
    const sbx_host *host;
    int rc = fleet_hosts(fleet, &hosts, err);

    if (rc < 0)
        return rc;
    if (strchr(name, '/') != NULL)
        return computer_named(fleet, hosts, name, out, err);
    host = known(hosts, name);
    if (host == NULL && fleet->opts->any_host) {
        rc = sbx_hosts_get(hosts, name, &host, err);
        if (rc < 0)
            return rc;
    }
    if (host == NULL)
        return unknown(hosts, name, err);
    if (!fleet_offers(fleet, host))
        return fault_fix(err,
                         fault(err, SBX_ERR_NOT_FOUND,
                               "this machine, 'local', is not offered as a sandbox"),
                         "the user starts the server with --local to allow that");
    *out = host;
    return SBX_OK;
}

/* Where the call says nothing, and nothing was selected. */
static int only_one(struct fleet *fleet, const sbx_host **out, sbx_error *err)
{
    const struct words no_tags = {0};
    AUTOFREE const sbx_host **all = NULL;
    size_t count = 0;
    int rc;

    if (fleet->opts->sandbox != NULL)
        return fleet_named(fleet, fleet->opts->sandbox, out, err);
    rc = fleet_all(fleet, &no_tags, &all, &count, err);
    if (rc < 0)
        return rc;
    if (count > 1)
        return fault_fix(
            err,
            fault(err, SBX_ERR_INVALID, "no sandbox is named, and there are %zu", count),
            "pass 'sandbox' (list_sandboxes has the names, pick_sandbox "
            "chooses one)");
    *out = all[0];
    return SBX_OK;
}

/* A stateless request stands by itself: what an earlier one selected is not looked at. */
int fleet_place(struct call *call, const tree *args, const sbx_host **out, sbx_error *err)
{
    struct fleet *fleet = call->server->fleet;
    const char *name = args_text(args, "sandbox");
    const sbx_host *selected = NULL;

    if (name != NULL)
        return fleet_named(fleet, name, out, err);
    if ((call->era->has & ERA_STATELESS) == 0)
        selected = fleet_selected(fleet);
    if (selected == NULL)
        return only_one(fleet, out, err);
    *out = selected;
    return SBX_OK;
}

int fleet_check_writable(const sbx_host *host, sbx_error *err)
{
    size_t i;

    for (i = 0; host->tags[i] != NULL; i++)
        if (strcmp(host->tags[i], "read-only") == 0)
            return fault_fix(
                err,
                fault(err, SBX_ERR_INVALID,
                      "'%s' is tagged read-only: nothing is run or changed there",
                      host->name),
                "use another sandbox, or read_file and list_files");
    return SBX_OK;
}

static struct seen *seen_locked(struct fleet *fleet, const sbx_host *host)
{
    struct seen *seen = fleet->seen;

    while (seen != NULL && seen->host != host)
        seen = seen->next;
    return seen;
}

static void note(struct fleet *fleet, const sbx_host *host, int rc, const sbx_error *err)
{
    struct seen *seen;

    (void)pthread_mutex_lock(&fleet->lock);
    seen = seen_locked(fleet, host);
    if (seen == NULL) {
        seen = own_zeroed(1, sizeof(*seen));
        *seen = (struct seen){.next = fleet->seen, .host = host};
        fleet->seen = seen;
    }
    seen->reached = rc == SBX_OK;
    (void)snprintf(seen->why, sizeof(seen->why), "%s", rc == SBX_OK ? "" : err->text);
    (void)pthread_mutex_unlock(&fleet->lock);
}

const char *fleet_state(struct fleet *fleet, const sbx_host *host, char **why)
{
    const char *state = "unknown";
    struct seen *seen;

    (void)pthread_mutex_lock(&fleet->lock);
    seen = seen_locked(fleet, host);
    if (seen != NULL && seen->reached) {
        state = "reachable";
    } else if (seen != NULL) {
        state = "failed";
        *why = own_copy(seen->why, strlen(seen->why));
    }
    (void)pthread_mutex_unlock(&fleet->lock);
    return state;
}

/* Clients pass on hardly any of their environment: then no agent is there to ask. */
static int explain(int rc, sbx_error *err)
{
    if (rc != SBX_ERR_AUTH || getenv("SSH_AUTH_SOCK") != NULL)
        return rc;
    return fault_fix(err, rc,
                     "SSH_AUTH_SOCK is not in this server's environment, so no ssh-agent "
                     "is asked: start it with --auth-sock PATH");
}

int fleet_session(struct call *call, const sbx_host *host, sbx_session **out,
                  sbx_error *err)
{
    struct fleet *fleet = call->server->fleet;
    sbx_hosts *hosts = NULL;
    int rc = fleet_hosts(fleet, &hosts, err);

    if (rc < 0)
        return rc;
    if (strchr(host->name, '/') != NULL)
        rc = owning_enter(call, host->name, err);
    if (rc < 0)
        return rc;
    call_doing(call, "connecting to %.80s", host->name);
    rc = sbx_pool_acquire(fleet->pool, host->name, call->cancel, out, err);
    if (rc != SBX_ERR_CANCELLED)
        note(fleet, host, rc, err);
    call_doing(call, "working on %.80s", host->name);
    return explain(rc, err);
}

int fleet_any(struct fleet *fleet, const char *name, const sbx_host **out, sbx_error *err)
{
    sbx_hosts *hosts = NULL;
    int rc = fleet_hosts(fleet, &hosts, err);

    return rc < 0 ? rc : sbx_hosts_get(hosts, name, out, err);
}

int fleet_reach(struct fleet *fleet, const char *name, sbx_session **out, sbx_error *err)
{
    sbx_hosts *hosts = NULL;
    int rc = fleet_hosts(fleet, &hosts, err);

    return rc < 0 ? rc : sbx_pool_acquire(fleet->pool, name, NULL, out, err);
}

int fleet_open(struct call *call, const tree *args, bool writes, const sbx_host **host,
               sbx_session **out, sbx_error *err)
{
    int rc = fleet_place(call, args, host, err);

    if (rc == SBX_OK && writes)
        rc = fleet_check_writable(*host, err);
    if (rc == SBX_OK)
        rc = fleet_session(call, *host, out, err);
    return rc;
}

const sbx_host *fleet_selected(struct fleet *fleet)
{
    const sbx_host *selected;

    (void)pthread_mutex_lock(&fleet->lock);
    selected = fleet->selected;
    (void)pthread_mutex_unlock(&fleet->lock);
    return selected;
}

void fleet_select(struct fleet *fleet, const sbx_host *host)
{
    (void)pthread_mutex_lock(&fleet->lock);
    fleet->selected = host;
    (void)pthread_mutex_unlock(&fleet->lock);
}

void fleet_clear_session(sbx_session **session)
{
    sbx_session_free(*session);
}
