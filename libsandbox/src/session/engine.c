/* engine.c - requests to an engine's HTTP API, over a session's connection. */
#include <sandbox/engine.h>

#include "base/clock.h"
#include "base/opts.h"
#include "base/strv.h"
#include "session/session.h"
#include "session/session_state.h"
#include "transport/engine_call.h"
#include "transport/engine_frame.h"

#include <string.h>

#define OPEN_MS 5000
#define ASK_MS 60000

struct sbx_engine {
    sbx_session *session;
    struct sbi_started started; /* its place on a line */
    struct sbi_engine_call call;
    char *socket;
    const char *name;
};

struct answer {
    sbx_engine_answer seen;
    struct sbi_str body;
};

static void engine_clear(sbx_engine **engine)
{
    sbx_engine_free(*engine);
}

/* The lock, as for all that starts on a line of the session's. */
static int connect_call(sbx_engine *engine, sbx_error *err)
{
    struct sbi_line *line = engine->started.slot->line;
    int rc;

    if (sbi_engine_call_is_open(&engine->call))
        return SBX_OK;
    (void)pthread_mutex_lock(&engine->session->lock);
    rc = sbi_engine_call_open(&engine->call, line, engine->socket, err);
    (void)pthread_mutex_unlock(&engine->session->lock);
    return rc;
}

static int ask(sbx_engine *engine, const char *method, const char *path,
               const sbx_engine_opts *opts, int64_t deadline, sbx_error *err)
{
    bool line = (opts->flags & SBX_ENGINE_FIRST_LINE) != 0;
    int rc = connect_call(engine, err);

    if (rc == SBX_OK)
        rc = sbi_engine_call_ask(&engine->call, method, path, opts->body, false, err);
    if (rc == SBX_OK) {
        rc = sbi_engine_call_await(&engine->call, line, deadline, opts->cancel, err);
        if (rc < 0 && err != NULL)
            err->executed = SBX_EXECUTED_UNKNOWN;
    }
    return rc;
}

/* Without the heads of frames; what is none of these is as it came. */
static void take_output(const struct sbi_str *body, struct sbi_str *out)
{
    struct sbi_engine_frame frame = {.left = 0};
    const char *data = body->data;
    size_t length = body->length, count, at;
    int stream;

    while ((count = sbi_engine_frame_next(&frame, data, length, &at, &stream)) > 0) {
        sbi_str_add_bytes(out, data + at, count);
        data += at + count;
        length -= at + count;
    }
}

static int take_answer(sbx_engine *engine, uint64_t flags, sbx_engine_answer **out,
                       sbx_error *err)
{
    struct sbi_engine_http *http = &engine->call.answer;
    SBI_AUTOFREE struct answer *answer = calloc(1, sizeof(*answer));
    bool framed = (flags & SBX_ENGINE_OUTPUT) != 0 && http->status / 100 == 2;
    int rc;

    if (answer == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    if (framed)
        take_output(&http->body, &answer->body);
    else
        answer->body = http->body;
    if (!framed)
        http->body = (struct sbi_str){0};
    rc = sbi_str_check(&answer->body, err);
    if (rc < 0) {
        sbi_str_clear(&answer->body);
        return rc;
    }
    answer->seen.status = http->status;
    answer->seen.date_s = http->date;
    answer->seen.body = answer->body.data == NULL ? "" : answer->body.data;
    answer->seen.body_length = answer->body.length;
    *out = &SBI_STEAL(answer)->seen;
    return SBX_OK;
}

/* An answer that goes on has the connection for itself. */
static void settle(sbx_engine *engine)
{
    if (engine->call.underway)
        sbi_engine_call_clear(&engine->call);
}

int sbx_engine_ask(sbx_engine *engine, const char *method, const char *path,
                   const sbx_engine_opts *theirs, sbx_engine_answer **out, sbx_error *err)
{
    sbx_engine_opts opts;
    int64_t deadline;
    int rc = sbi_opts_read(&opts, sizeof(opts), theirs, err);

    if (rc < 0)
        return rc;
    if (engine == NULL || method == NULL || path == NULL || path[0] != '/' ||
        strpbrk(path, " \r\n") != NULL || strpbrk(method, " \r\n") != NULL)
        return sbi_fail(err, SBX_ERR_INVALID,
                        "ask an engine: it takes an engine, a method and a path");
    deadline = sbi_deadline(opts.timeout_ms == 0 ? ASK_MS : opts.timeout_ms);
    rc = ask(engine, method, path, &opts, deadline, err);
    if (rc == SBX_OK)
        rc = take_answer(engine, opts.flags, out, err);
    settle(engine);
    return rc < 0 ? sbi_wrap(err, rc, "ask the engine at '%s' for '%.120s'",
                             engine->socket, path)
                  : rc;
}

static int greet(sbx_engine *engine, const char *socket, const sbx_engine_opts *opts,
                 int64_t deadline, sbx_error *err)
{
    const sbx_engine_opts none = {.size = sizeof(none), .cancel = opts->cancel};
    int rc;

    sbi_engine_call_clear(&engine->call);
    free(engine->socket);
    engine->socket = strdup(socket);
    if (engine->socket == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    rc = ask(engine, "GET", "/_ping", &none, deadline, err);
    settle(engine);
    if (rc == SBX_OK && engine->call.answer.status != 200)
        return sbi_fail(err, SBX_ERR_CONNECT, "it answers %d",
                        engine->call.answer.status);
    return rc;
}

/* Where the command lines would ask elsewhere, or wait, nothing is found here. */
static int try_kind(sbx_engine *engine, const char *kind, const sbx_engine_opts *opts,
                    int64_t deadline, bool *over, sbx_error *err)
{
    const sbx_session *session = engine->session;
    SBI_AUTO_STRV sockets = NULL;
    int rc;

    *over = true;
    engine->name = kind;
    rc = sbi_host_engine_sockets(session->defaults.env, sbi_session_is_local(session),
                                 kind, &sockets, err);
    if (rc < 0)
        return rc;
    if (sockets == NULL)
        return sbi_fail(err, SBX_ERR_UNSUPPORTED, "its environment leads elsewhere");
    rc = greet(engine, sockets[0], opts, deadline, err);
    *over = rc == SBX_OK || rc == SBX_ERR_CANCELLED || rc == SBX_ERR_TIMEOUT;
    return rc;
}

/* The first one that answers. */
static int find(sbx_engine *engine, const sbx_engine_opts *opts, int64_t deadline,
                sbx_error *err)
{
    static const char *const kinds[] = {"docker", "podman"};
    int rc = sbi_fail(err, SBX_ERR_INVALID, "'%.80s' is not docker or podman",
                      opts->engine == NULL ? "" : opts->engine);
    bool over = false;
    size_t i;

    for (i = 0; !over && i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (opts->engine == NULL || strcmp(opts->engine, kinds[i]) == 0)
            rc = try_kind(engine, kinds[i], opts, deadline, &over, err);
    return rc;
}

int sbx_engine_open(sbx_session *session, const sbx_engine_opts *theirs, sbx_engine **out,
                    sbx_error *err)
{
    SBI_CLEANUP(engine_clear) sbx_engine *engine = NULL;
    sbx_engine_opts opts;
    int64_t deadline;
    int rc = sbi_opts_read(&opts, sizeof(opts), theirs, err);

    if (rc < 0)
        return rc;
    if (session == NULL)
        return sbi_fail(err, SBX_ERR_INVALID, "open an engine: no session is given");
    if (sbi_session_prefix(session) != NULL)
        return sbi_fail(err, SBX_ERR_UNSUPPORTED,
                        "open the engine of '%s': it lies behind a prefix",
                        session->place);
    engine = calloc(1, sizeof(*engine));
    if (engine == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "open an engine: out of memory");
    engine->session = sbx_session_hold(session);
    deadline = sbi_deadline(opts.timeout_ms == 0 ? OPEN_MS : opts.timeout_ms);
    rc = sbi_session_take(session, deadline, opts.cancel, &engine->started, err);
    if (rc == SBX_OK)
        rc = find(engine, &opts, deadline, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "open the engine of '%s'", session->place);
    *out = SBI_STEAL(engine);
    return SBX_OK;
}

const char *sbx_engine_name(const sbx_engine *engine)
{
    return engine->name;
}

void sbx_engine_answer_free(sbx_engine_answer *seen)
{
    struct answer *answer = (struct answer *)seen;

    if (answer == NULL)
        return;
    sbi_str_clear(&answer->body);
    free(answer);
}

void sbx_engine_free(sbx_engine *engine)
{
    if (engine == NULL)
        return;
    sbi_engine_call_clear(&engine->call);
    if (engine->started.slot != NULL)
        (void)sbi_session_leave(engine->session, &engine->started, false);
    sbx_session_free(engine->session);
    free(engine->socket);
    free(engine);
}
