/*
 * owning.h - whose a computer is: of whoever knows its handle, a word nobody can guess.
 *
 * A computer's owner is made of its handle (sbx_computer_owner), so that the engine's
 * labels tell who may, and not how. In the versions with a handshake this server keeps
 * the handles of its client; without, each call says its own: as sandbox_handle, or
 * behind a '#' in the name of a sandbox. What a person made has no handle: it can be
 * entered where its place is offered, and is changed by nobody here.
 */
#ifndef MCP_OWNING_H
#define MCP_OWNING_H

#include "server.h"

#include <sandbox/computer.h>

struct owning;

struct owning *owning_new(void);

/*
 * Takes the handles out of checked arguments, whose sandboxes are plain names then.
 * SBX_ERR_INVALID: one is none.
 */
int owning_read(struct call *call, const tree *args, sbx_error *err);

/*
 * The handle that a new computer of this call gets, and its owner: the one that it says,
 * else the one of this session; without a session a new one. Both for free(3).
 */
int owning_for_new(struct call *call, char **handle, char **owner, sbx_error *err);

/* The handle of an owner, where this call knows it, for free(3); else NULL. */
char *owning_handle_of(struct call *call, const char *owner);

/* Whether that owner is an agent. */
bool owning_is_agents(const char *owner);

/* SBX_ERR_CONFLICT where this call may not enter it, or with changes, not change it. */
int owning_check(struct call *call, const sbx_computer *computer, bool changes,
                 sbx_error *err);

/* The same for entering PLACE/NAME, which is asked for there, or was a moment ago. */
int owning_enter(struct call *call, const char *address, sbx_error *err);

/* What was seen of one a moment ago: its owner, for free(3), or NULL. */
char *owning_seen(struct call *call, const char *address, bool *permanent);

/* held: it ends with this server, if it is temporary. */
void owning_note(struct call *call, const sbx_computer *computer, bool held);
bool owning_is_held(struct call *call, const sbx_computer *computer);
void owning_forget(struct call *call, const char *address);

#endif
