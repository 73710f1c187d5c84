/*
 * keeper.h - a process that holds connections open, for every program of this user.
 *
 * Who starts a command on a place whose connection is kept pays neither for the key
 * exchange nor for a password: sessions look for a keeper by themselves, after a master
 * of ssh's. A keeper speaks the protocol of such a master, so `ssh -S SOCKET PLACE` goes
 * over it too. See docs/keeper.md.
 */
#ifndef SANDBOX_KEEPER_H
#define SANDBOX_KEEPER_H

#include <sandbox/session.h>

SBX_BEGIN_DECLS

/* Zero is the default of each. */
typedef struct sbx_keeper_opts {
    size_t size;
    int64_t idle_ms; /* a connection that nobody used for so long is let go, and
                        without any the keeper ends; default 10 min, negative:
                        never */
    int64_t connect_timeout_ms; /* as of a session */
    sbx_prompt_fn prompt; /* asked while it connects at the start, and never later */
    void *userdata;       /* for prompt and ready */
    void (*ready)(void *userdata); /* all connections are open, and the sockets there */
    sbx_cancel *cancel;            /* ends it */
} sbx_keeper_opts;

/*
 * Connects to the places, NULL-ended, and keeps them until it is cancelled, told to stop,
 * or idle. A place that is kept by another already is SBX_ERR_EXISTS. What still runs
 * over a keeper that ends is lost.
 */
SBX_API int sbx_keeper_run(sbx_hosts *hosts, const char *const *places,
                           const sbx_keeper_opts *opts, sbx_error *err);

/* One kept connection. Owned by its list. */
typedef struct sbx_kept {
    const char *socket;
    const char *name; /* the place's, as far as it can stand in a file's name */
    int64_t pid;      /* of its keeper; 0: none answers there */
} sbx_kept;

/* What is kept; owned by the caller. */
typedef struct sbx_kept_list {
    const sbx_kept *const *items;
    size_t count;
} sbx_kept_list;

SBX_API int sbx_keeper_list(sbx_kept_list **out, sbx_error *err);
SBX_API void sbx_kept_list_free(sbx_kept_list *list);

/* Where a place's keeper listens, or would; for sbx_free. */
SBX_API int sbx_keeper_socket(sbx_hosts *hosts, const char *place, char **out,
                              sbx_error *err);

/*
 * Has the keeper at a socket let that connection go, and returns when it has; a socket
 * that nobody answers at is removed. SBX_ERR_NOT_FOUND: there is none.
 */
SBX_API int sbx_keeper_let_go(const char *socket, sbx_error *err);

SBX_END_DECLS
#endif
