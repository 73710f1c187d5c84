/* fleet.h - the places there are, the sessions to them, and what is known of each. */
#ifndef MCP_FLEET_H
#define MCP_FLEET_H

#include "server.h"

#include <sandbox/session.h>

struct fleet;

/* Nothing is read or connected before it is asked for. */
struct fleet *fleet_new(const struct serve_opts *opts);

/* The hosts, read where that was not done yet; they live as long as the program. */
int fleet_hosts(struct fleet *fleet, sbx_hosts **out, sbx_error *err);

/* Whether an agent may use it: this machine is hidden unless it was asked for. */
bool fleet_offers(const struct fleet *fleet, const sbx_host *host);

/*
 * The place that a call means: its `sandbox`, else the one selected, else the only one
 * there is. Fails with SBX_ERR_NOT_FOUND, and names what there is.
 */
int fleet_place(struct call *call, const tree *args, const sbx_host **out,
                sbx_error *err);

/* The place of that name. */
int fleet_named(struct fleet *fleet, const char *name, const sbx_host **out,
                sbx_error *err);

/* All that are offered and carry one of the tags; with no tags, all. For free(3). */
int fleet_all(struct fleet *fleet, const struct words *tags, const sbx_host ***out,
              size_t *count, sbx_error *err);

/* SBX_ERR_INVALID where it is tagged read-only. */
int fleet_check_writable(const sbx_host *host, sbx_error *err);

/* The place of a word, whether or not an agent may use it: who asks has to know. */
int fleet_any(struct fleet *fleet, const char *name, const sbx_host **out,
              sbx_error *err);

/* A session to it without a call that waits. */
int fleet_reach(struct fleet *fleet, const char *name, sbx_session **out, sbx_error *err);

/*
 * A session to it, kept for the next call; the caller's own hold. A computer is only
 * entered by those who may: owning.h.
 */
int fleet_session(struct call *call, const sbx_host *host, sbx_session **out,
                  sbx_error *err);

/* Session of the place that a call means. */
int fleet_open(struct call *call, const tree *args, bool writes, const sbx_host **host,
               sbx_session **out, sbx_error *err);

/* "unknown", "reachable", or "failed"; why is set for the last, for free(3). */
const char *fleet_state(struct fleet *fleet, const sbx_host *host, char **why);

/* The selected one, or NULL. */
const sbx_host *fleet_selected(struct fleet *fleet);
void fleet_select(struct fleet *fleet, const sbx_host *host);

void fleet_clear_session(sbx_session **session);
#define AUTO_SESSION CLEANUP(fleet_clear_session) sbx_session *

#endif
