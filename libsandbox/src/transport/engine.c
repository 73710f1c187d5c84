/* engine.c - the line into a container: its look-up, its opening, its end. */
#include "transport/engine.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/strv.h"
#include "base/thread.h"
#include "base/wake.h"
#include "transport/engine_state.h"

#include <stdio.h>
#include <string.h>

#define HELLO_MS 5000

struct engine_line {
    struct sbi_line base;
    struct sbi_line *below;
    struct sbi_engine *engine;
    pthread_t thread;
};

void sbi_engine_release(struct sbi_engine *engine)
{
    if (atomic_fetch_sub(&engine->holders, 1) > 1)
        return;
    sbi_engine_call_clear(&engine->idle);
    sbi_close_fd(&engine->wake);
    (void)pthread_mutex_destroy(&engine->lock);
    sbi_strv_clear(&engine->enter);
    free(engine->socket);
    free(engine->container);
    free(engine);
}

static void engine_clear(struct sbi_engine **engine)
{
    if (*engine != NULL)
        sbi_engine_release(*engine);
}

/* A process that the spec wants outside is one of the line below, and no more. */
static int line_start(struct sbi_line *base, const struct sbi_process_spec *spec,
                      struct sbi_process **out, sbx_error *err)
{
    struct engine_line *line = (struct engine_line *)base;
    struct sbi_engine *engine = line->engine;
    struct sbi_engine_process *process;
    int rc;

    if (spec->connect_host != NULL)
        return sbi_fail(err, SBX_ERR_UNSUPPORTED, "connect from within a container");
    if (spec->outside)
        return sbi_line_start(line->below, spec, out, err);
    rc = sbi_engine_process_new(engine, spec, &process, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "start a process");
    sbi_engine_lock(engine);
    if (engine->stopped) {
        sbi_engine_process_detach(process);
    } else {
        process->next = engine->incoming;
        engine->incoming = process;
    }
    sbi_engine_unlock(engine);
    sbi_wake_ring(engine->wake);
    *out = &process->base;
    return SBX_OK;
}

static bool line_alive(struct sbi_line *base)
{
    struct engine_line *line = (struct engine_line *)base;
    bool dead;

    sbi_engine_lock(line->engine);
    dead = line->engine->dead || line->engine->stopped;
    sbi_engine_unlock(line->engine);
    return !dead && sbi_line_alive(line->below);
}

static int line_ping(struct sbi_line *base, int64_t deadline, sbx_cancel *cancel,
                     sbx_error *err)
{
    return sbi_line_ping(((struct engine_line *)base)->below, deadline, cancel, err);
}

static const struct sbi_line_facts *line_facts(struct sbi_line *base)
{
    return sbi_line_facts(((struct engine_line *)base)->below);
}

static void line_free(struct sbi_line *base)
{
    struct engine_line *line = (struct engine_line *)base;

    sbi_engine_lock(line->engine);
    line->engine->stopping = true;
    sbi_engine_unlock(line->engine);
    sbi_wake_ring(line->engine->wake);
    (void)pthread_join(line->thread, NULL);
    sbi_engine_release(line->engine);
    sbi_line_free(line->below);
    free(line);
}

static const struct sbi_line_ops line_ops = {
    .start = line_start,
    .alive = line_alive,
    .ping = line_ping,
    .facts = line_facts,
    .free = line_free,
};

static int new_engine(struct sbi_line *below, const struct sbi_engine_way *way,
                      struct sbi_engine **out, sbx_error *err)
{
    SBI_CLEANUP(engine_clear) struct sbi_engine *engine = calloc(1, sizeof(*engine));
    int rc;

    if (engine == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    atomic_init(&engine->holders, 1);
    (void)pthread_mutex_init(&engine->lock, NULL);
    engine->wake = -1;
    engine->below = below;
    engine->socket = strdup(way->socket);
    engine->container = strdup(way->container);
    rc = sbi_strv_copy((const char *const *)way->enter, &engine->enter, err);
    if (rc == SBX_OK && (engine->socket == NULL || engine->container == NULL))
        rc = sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    if (rc == SBX_OK)
        rc = sbi_wake_open(&engine->wake, err);
    if (rc < 0)
        return rc;
    *out = SBI_STEAL(engine);
    return SBX_OK;
}

static bool has_word(const cJSON *list, const char *word)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, list)
    {
        if (cJSON_IsString(item) && strcmp(item->valuestring, word) == 0)
            return true;
    }
    return false;
}

static int check(const struct sbi_engine_call *call, const char *mark, sbx_error *err)
{
    SBI_AUTO_JSON said = sbi_engine_call_json(call);
    const cJSON *state = cJSON_GetObjectItem(said, "State");
    const cJSON *env = cJSON_GetObjectItem(cJSON_GetObjectItem(said, "Config"), "Env");

    if (call->answer.status != 200)
        return sbi_fail(err, SBX_ERR_NOT_FOUND, "it answers %d", call->answer.status);
    if (!has_word(env, mark))
        return sbi_fail(err, SBX_ERR_NOT_FOUND, "the container is none of ours");
    if (!cJSON_IsTrue(cJSON_GetObjectItem(state, "Running")) ||
        cJSON_IsTrue(cJSON_GetObjectItem(state, "Paused")))
        return sbi_fail(err, SBX_ERR_CONFLICT, "the container does not run");
    return SBX_OK;
}

static int look_up(struct sbi_engine *engine, const char *mark, int64_t deadline,
                   sbx_cancel *cancel, sbx_error *err)
{
    char path[160];
    int rc = sbi_engine_call_open(&engine->idle, engine->below, engine->socket, err);

    (void)snprintf(path, sizeof(path), "/containers/%s/json", engine->container);
    if (rc == SBX_OK)
        rc = sbi_engine_call_ask(&engine->idle, "GET", path, NULL, false, err);
    if (rc == SBX_OK)
        rc = sbi_engine_call_await(&engine->idle, false, deadline, cancel, err);
    return rc < 0 ? rc : check(&engine->idle, mark, err);
}

int sbi_engine_open(struct sbi_line *below, const struct sbi_engine_way *way,
                    int64_t deadline, sbx_cancel *cancel, struct sbi_line **out,
                    sbx_error *err)
{
    SBI_CLEANUP(engine_clear) struct sbi_engine *engine = NULL;
    SBI_AUTOFREE struct engine_line *line = calloc(1, sizeof(*line));
    int64_t hello = sbi_deadline(HELLO_MS);
    int rc;

    if (line == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    rc = new_engine(below, way, &engine, err);
    if (rc == SBX_OK)
        rc = look_up(engine, way->mark, hello < deadline ? hello : deadline, cancel, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "engine at '%s'", way->socket);
    atomic_fetch_add(&engine->holders, 1);
    if (sbi_thread_start(&line->thread, sbi_engine_serve, engine) != 0) {
        sbi_engine_release(engine);
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "serve a container: no resources");
    }
    line->base.ops = &line_ops;
    line->below = below;
    line->engine = SBI_STEAL(engine);
    *out = &SBI_STEAL(line)->base;
    return SBX_OK;
}
