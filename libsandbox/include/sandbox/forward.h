/*
 * forward.h - connections that are carried through a place: from a port here to what can
 * be reached from there (ssh's -L), from a port there to what can be reached from here
 * (-R), and a SOCKS proxy here that goes out over there (-D).
 *
 * A forward lives from its open to its free, on threads of its own. Its socket stays
 * while the connection to the place is down: what comes then waits for the next one, as
 * long as connect_timeout_ms, and is closed. What goes wrong with one of its connections
 * is told in the log (log.h) and by sbx_forward_look. See docs/forward.md.
 */
#ifndef SANDBOX_FORWARD_H
#define SANDBOX_FORWARD_H

#include <sandbox/pool.h>

SBX_BEGIN_DECLS

typedef struct sbx_forward sbx_forward;

/* What a text says, as behind ssh's option; a path with a slash in front is a socket. */
typedef enum sbx_forward_kind {
    SBX_FORWARD_LOCAL = 1,  /* "[BIND:]PORT:HOST:HOSTPORT", "[BIND:]PORT:PATH",
                               "PATH:HOST:HOSTPORT", "PATH:PATH" */
    SBX_FORWARD_REMOTE = 2, /* the same, but that no PATH can be listened on there */
    SBX_FORWARD_SOCKS = 3   /* "[BIND:]PORT", "PATH"; SOCKS 4, 4a and 5 */
} sbx_forward_kind;

/* Whether that is such a text; SBX_ERR_INVALID says what the form is. */
SBX_API int sbx_forward_check(int kind, const char *text, sbx_error *err);

/* Zero is the default of each. */
typedef struct sbx_forward_opts {
    size_t size;
    int64_t connect_timeout_ms; /* of one connection: to the place, and from there on;
                                   default 15 s */
    int64_t most;               /* connections at once; default 256, at most 4096 */
    sbx_cancel *cancel;         /* of this opening */
} sbx_forward_opts;

/*
 * Listens, then connects to the place: a port that is taken here is SBX_ERR_EXISTS before
 * anything else happens. Without BIND it listens on this machine's own addresses alone
 * (localhost); "*" is all. Port 0 is any that is free. SBX_ERR_UNSUPPORTED: `local`, a
 * place behind a prefix, and SBX_FORWARD_REMOTE over a master or a keeper (open the pool
 * with SBX_SESSION_OWN). A server that listens on no port for us is SBX_ERR_CONNECT.
 *
 * A connection that breaks is made anew by whatever comes next, and for
 * SBX_FORWARD_REMOTE by itself, at growing distances up to half a minute.
 */
SBX_API int sbx_forward_open(sbx_pool *pool, const char *place, int kind,
                             const char *text, const sbx_forward_opts *opts,
                             sbx_forward **out, sbx_error *err);

/* How a forward stands; owned by the caller. */
typedef struct sbx_forward_info {
    int32_t kind; /* an sbx_forward_kind */
    int32_t up;   /* 1: the connection to the place stands, and listens if it has to */
    const char *place;
    const char *listens; /* "127.0.0.1:8080", "[::1]:8080", a path */
    const char *target;  /* of a SOCKS proxy NULL */
    int64_t port;        /* that is listened on; 0: a path */
    int64_t connections; /* that are open */
    int64_t total;       /* that came */
    const char *error;   /* what went wrong last; "" once something has gone well since */
} sbx_forward_info;

SBX_API int sbx_forward_look(sbx_forward *forward, sbx_forward_info **out,
                             sbx_error *err);

/* An object with these keys; kind by its name, up a boolean, an empty error null. */
SBX_API char *sbx_forward_info_json(const sbx_forward_info *info);
SBX_API void sbx_forward_info_free(sbx_forward_info *info);

/* "local", "remote", "socks"; never NULL. */
SBX_API const char *sbx_forward_kind_name(int kind);

/* Closes its socket and all its connections. NULL is fine. */
SBX_API void sbx_forward_free(sbx_forward *forward);

SBX_END_DECLS
#endif
