/*
 * session.h - an open line to one place where commands run and files lie.
 *
 * Whatever a place is (this machine, a host over SSH, what lies behind a prefix), exec.h
 * works on it alike, and all else in this library is built on that.
 *
 * Any number of threads may use a session at once: their commands run side by
 * side over one connection. A connection that died is opened anew for the next
 * call; a call whose bytes may have left is never made twice.
 */
#ifndef SANDBOX_SESSION_H
#define SANDBOX_SESSION_H

#include <sandbox/cancel.h>
#include <sandbox/host.h>

SBX_BEGIN_DECLS

typedef struct sbx_session sbx_session;

/*
 * Asks a person for a secret (a password, a key's passphrase, a one-time code)
 * or a yes or no. Writes at most room bytes with their NUL to answer and returns
 * 0, or -1 when nobody is there to ask. Called on the thread that made the call.
 */
typedef int (*sbx_prompt_fn)(const char *question, int echo, char *answer, size_t room,
                             void *userdata);

typedef enum sbx_session_flags {
    /*
     * Commands over there may use this side's SSH agent, as long as the session lasts: so
     * may whoever is root there. Fails with SBX_ERR_AUTH where there is no agent here; a
     * server that refuses it does so without a word. Without it ssh_config's ForwardAgent
     * decides.
     */
    SBX_SESSION_FORWARD_AGENT = 1,
    SBX_SESSION_OWN = 2, /* connections of its own alone: over no master, no keeper */
    SBX_SESSION_NO_KEEPER = 4 /* over no keeper; as with SBX_KEEPER=off */
} sbx_session_flags;

/* How a session is opened. Zero is the default of each. */
typedef struct sbx_session_opts {
    size_t size;
    int64_t connect_timeout_ms; /* default 15 s, or the host's own: from name to login */
    int64_t keepalive_ms;       /* default 15 s, or the host's own: two unanswered, and
                                   the connection is dead; negative: never asks */
    sbx_prompt_fn prompt;       /* default: nobody is there */
    void *userdata;             /* for prompt */
    sbx_cancel *cancel;         /* of this opening */
    int64_t idle_ms; /* a connection that nothing ran on for so long, a second at least,
                        is closed, and opened anew by the next call; default and negative:
                        never. One opened on top, for a crowd, goes after a minute */
    uint64_t flags;  /* sbx_session_flags */
    const char *keeper_program; /* what is started as `PROGRAM keeper run PLACE` where a
                                   keeper is wanted (SBX_KEEPER=on, or the entry's
                                   "keeper"), and no login had to ask; default: sbx, as
                                   PATH has it. Outlives the session, or its pool */
} sbx_session_opts;

/*
 * Connects and logs in. The session keeps what it needs of host and set, which
 * may be freed at once. Fails with SBX_ERR_CONNECT, SBX_ERR_HOST_KEY,
 * SBX_ERR_AUTH, SBX_ERR_TIMEOUT or SBX_ERR_CANCELLED; nothing has run then.
 */
SBX_API int sbx_session_open(sbx_hosts *hosts, const char *place,
                             const sbx_session_opts *opts, sbx_session **out,
                             sbx_error *err);

/* A second holder of the same session; each calls sbx_session_free. */
SBX_API sbx_session *sbx_session_hold(sbx_session *session);

/*
 * Asks the far end for a sign of life, within timeout_ms (0: 10 s). Opens no new
 * connection: on a dead one it is SBX_ERR_DISCONNECTED.
 */
SBX_API int sbx_session_check(sbx_session *session, int64_t timeout_ms, sbx_error *err);

/*
 * Asks the far side to connect to that port, by a name that is looked up there, and lets
 * go at once; timeout_ms 0: 10 s. SBX_ERR_CONNECT: nothing took the connection there.
 * SBX_ERR_UNSUPPORTED: the server lets none through, as a jump host has to; so is this
 * machine's answer.
 */
SBX_API int sbx_session_reach(sbx_session *session, const char *host, int64_t port,
                              int64_t timeout_ms, sbx_cancel *cancel, sbx_error *err);

/*
 * What the connection was made of: {"place","kind","connections","peer","server",
 * "kex","cipher","mac","host_key","via"}; null where there is no such thing, as on this
 * machine. peer is the address that was reached, unless through another host. via is the
 * control socket of the program that has the connection, a master of ssh's or a keeper:
 * then no more is known than that.
 */
SBX_API char *sbx_session_facts_json(sbx_session *session);

/* The name of its place, alive as long as the session. */
SBX_API const char *sbx_session_place(const sbx_session *session);

/* Closes the connection once the last holder and the last running call are gone. */
SBX_API void sbx_session_free(sbx_session *session);

SBX_END_DECLS
#endif
