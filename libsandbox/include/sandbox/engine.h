/*
 * engine.h - the HTTP API of a container engine on a place, one request at a time.
 *
 * What computer.h has no call for. The requests go over the session's own connection to
 * the socket on which docker, or podman's service, listens over there: that of
 * DOCKER_HOST=unix://... or CONTAINER_HOST in the host's `env` (here, in the
 * environment), else the usual one. No program of the engine's is started.
 */
#ifndef SANDBOX_ENGINE_H
#define SANDBOX_ENGINE_H

#include <sandbox/session.h>

SBX_BEGIN_DECLS

/* A connection to an engine; it belongs to one thread at a time. */
typedef struct sbx_engine sbx_engine;

enum sbx_engine_flags {
    SBX_ENGINE_OUTPUT = 1,    /* the answer is what a command prints, as of an exec or of
                                 logs, both streams as they came */
    SBX_ENGINE_FIRST_LINE = 2 /* with OUTPUT: it is over with its first line */
};

/* For both calls; what is no matter of a call is not looked at by it. */
typedef struct sbx_engine_opts {
    size_t size;
    const char *engine; /* open: "docker" or "podman"; default: docker, if it answers */
    const char *body;   /* ask: JSON; default: none */
    uint64_t flags;     /* ask: sbx_engine_flags */
    int64_t timeout_ms; /* default: of open 5 s, of ask a minute */
    sbx_cancel *cancel;
} sbx_engine_opts;

/* What an engine said. It may grow at its end. */
typedef struct sbx_engine_answer {
    int32_t status;   /* of HTTP: 200, 404 */
    int32_t reserved; /* zero */
    int64_t date_s;   /* by the clock over there, since 1970; 0: it did not tell */
    const char *body; /* bytes, a NUL follows the last; at most 4 MiB */
    size_t body_length;
} sbx_engine_answer;

/*
 * Finds one that answers there; else SBX_ERR_CONNECT. SBX_ERR_UNSUPPORTED: the
 * environment says that it is elsewhere (DOCKER_CONTEXT). The engine holds the session.
 */
SBX_API int sbx_engine_open(sbx_session *session, const sbx_engine_opts *opts,
                            sbx_engine **out, sbx_error *err);

/* "docker" or "podman": on whose socket it listens. */
SBX_API const char *sbx_engine_name(const sbx_engine *engine);

/*
 * path: "/containers/json?all=1". Whatever status it answers with is a result;
 * SBX_ERR_CONNECT: no answer came, err->executed says whether the request went.
 */
SBX_API int sbx_engine_ask(sbx_engine *engine, const char *method, const char *path,
                           const sbx_engine_opts *opts, sbx_engine_answer **out,
                           sbx_error *err);

SBX_API void sbx_engine_answer_free(sbx_engine_answer *answer);
SBX_API void sbx_engine_free(sbx_engine *engine);

SBX_END_DECLS
#endif
