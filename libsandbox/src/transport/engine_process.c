/* engine_process.c - an exec as its user sees it: rings, and a bell. */
#include "transport/engine_state.h"

#include "base/cleanup.h"
#include "base/wake.h"

#include <string.h>

#define RING_LIMIT ((size_t)2 * 1024 * 1024)

static struct sbi_engine_process *lock(struct sbi_process *base)
{
    struct sbi_engine_process *process = (struct sbi_engine_process *)base;

    sbi_engine_lock(process->engine);
    return process;
}

static void unlock(struct sbi_engine_process *process)
{
    sbi_engine_unlock(process->engine);
}

static void ring_thread(struct sbi_engine_process *process)
{
    if (!process->detached)
        sbi_wake_ring(process->engine->wake);
}

/* The thread stops reading while a ring is full. */
static ssize_t engine_read(struct sbi_process *base, int stream, void *data, size_t room)
{
    struct sbi_engine_process *process = lock(base);
    struct sbi_ring *ring = &process->out[stream];
    bool full = ring->length == ring->limit;
    ssize_t got = (ssize_t)sbi_ring_get(ring, data, room);

    if (got > 0 && full)
        ring_thread(process);
    if (got == 0 && !process->streams_over)
        got = -1;
    unlock(process);
    return got;
}

static ssize_t engine_write(struct sbi_process *base, const void *data, size_t length)
{
    struct sbi_engine_process *process = lock(base);
    ssize_t taken = -1;

    if (!process->input_dead && !process->input_closed && !process->detached) {
        taken = (ssize_t)sbi_ring_put(&process->in, data, length);
        process->ahead = false;
        process->end.sent = process->end.sent || process->stage >= SBI_ENGINE_STARTING;
        ring_thread(process);
    }
    unlock(process);
    return taken;
}

static void engine_close_input(struct sbi_process *base)
{
    struct sbi_engine_process *process = lock(base);

    process->input_closed = true;
    ring_thread(process);
    unlock(process);
}

static bool engine_unsent(struct sbi_process *base)
{
    struct sbi_engine_process *process = lock(base);
    bool unsent = !process->input_dead && !process->detached &&
                  (process->in.length > 0 || (process->main.wire != NULL &&
                                              sbi_process_unsent(process->main.wire)));

    unlock(process);
    return unsent;
}

static bool engine_end(struct sbi_process *base, struct sbi_end *out)
{
    struct sbi_engine_process *process = lock(base);

    sbi_bell_begin(&process->bell);
    *out = process->end;
    unlock(process);
    return out->kind != SBI_END_NONE;
}

/* The engine tells the end behind the end of the streams. */
static bool engine_drained(struct sbi_process *base)
{
    struct sbi_engine_process *process = lock(base);
    bool whole = process->end.kind != SBI_END_LOST && process->streams_over &&
                 process->out[SBI_STDOUT].length == 0 &&
                 process->out[SBI_STDERR].length == 0;

    sbi_bell_begin(&process->bell);
    unlock(process);
    return whole;
}

static size_t engine_poll(struct sbi_process *base, bool writing, struct pollfd *fds,
                          size_t room)
{
    struct sbi_engine_process *process = lock(base);

    (void)writing;
    (void)room;
    fds[0] = (struct pollfd){sbi_bell_wait(&process->bell), POLLIN, 0};
    unlock(process);
    return 1;
}

static void engine_resize(struct sbi_process *base, int rows, int columns)
{
    struct sbi_engine_process *process = lock(base);

    process->rows = rows;
    process->columns = columns;
    process->resized = process->pty;
    ring_thread(process);
    unlock(process);
}

static void engine_free(struct sbi_process *base)
{
    struct sbi_engine_process *process = lock(base);
    bool alone = process->detached;

    process->abandoned = true;
    ring_thread(process);
    unlock(process);
    if (alone)
        sbi_engine_process_destroy(process);
}

static const struct sbi_process_ops process_ops = {
    .read = engine_read,
    .write = engine_write,
    .close_input = engine_close_input,
    .unsent = engine_unsent,
    .end = engine_end,
    .poll = engine_poll,
    .drained = engine_drained,
    .resize = engine_resize,
    .free = engine_free,
};

void sbi_engine_process_destroy(struct sbi_engine_process *process)
{
    struct sbi_engine *engine = process->engine;

    sbi_engine_call_clear(&process->main);
    sbi_engine_call_clear(&process->side);
    sbi_ring_clear(&process->in);
    sbi_ring_clear(&process->out[SBI_STDOUT]);
    sbi_ring_clear(&process->out[SBI_STDERR]);
    sbi_bell_close(&process->bell);
    free(process->create);
    free(process);
    sbi_engine_release(engine);
}

static void process_clear(struct sbi_engine_process **process)
{
    if (*process != NULL)
        sbi_engine_process_destroy(*process);
}

/* Always `exec /bin/sh -c '...'`, with no quote inside: what any login shell reads. */
static int script_of(const char *command, char **out, sbx_error *err)
{
    static const char call[] = "exec /bin/sh -c '";
    const char *text = command + sizeof(call) - 1;
    const char *end;

    if (strncmp(command, call, sizeof(call) - 1) != 0 ||
        (end = strchr(text, '\'')) == NULL || end[1] != '\0')
        return sbi_fail(err, SBX_ERR_INTERNAL, "a command that is no script of ours");
    *out = strndup(text, (size_t)(end - text));
    return *out != NULL ? SBX_OK : sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
}

static bool add_word(cJSON *list, const char *word)
{
    return cJSON_AddItemToArray(list, cJSON_CreateString(word));
}

/* The request that makes the exec. */
static int describe(struct sbi_engine_process *process, const char *command,
                    sbx_error *err)
{
    SBI_AUTOFREE char *script = NULL;
    SBI_AUTO_JSON body = cJSON_CreateObject();
    cJSON *words = cJSON_AddArrayToObject(body, "Cmd");
    char *const *word = process->engine->enter;
    int rc = script_of(command, &script, err);
    bool made = words != NULL;

    for (; made && *word != NULL; word++)
        made = add_word(words, *word);
    made = made && add_word(words, "/bin/sh") && add_word(words, "-c") &&
           (script == NULL || add_word(words, script)) &&
           cJSON_AddTrueToObject(body, "AttachStdin") != NULL &&
           cJSON_AddTrueToObject(body, "AttachStdout") != NULL &&
           cJSON_AddTrueToObject(body, "AttachStderr") != NULL &&
           cJSON_AddBoolToObject(body, "Tty", process->pty) != NULL;
    if (made)
        process->create = sbi_json_print(body);
    if (rc == SBX_OK && process->create == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    return rc;
}

int sbi_engine_process_new(struct sbi_engine *engine, const struct sbi_process_spec *spec,
                           struct sbi_engine_process **out, sbx_error *err)
{
    SBI_CLEANUP(process_clear)
    struct sbi_engine_process *process = calloc(1, sizeof(*process));
    int rc;

    if (process == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    *process =
        (struct sbi_engine_process){.base = {&process_ops},
                                    .engine = engine,
                                    .bell = {.fd = -1},
                                    .in = {.limit = RING_LIMIT + spec->input_length},
                                    .out = {{.limit = RING_LIMIT}, {.limit = RING_LIMIT}},
                                    .pty = spec->pty,
                                    .resized = spec->pty,
                                    .rows = spec->rows,
                                    .columns = spec->columns,
                                    .ahead = spec->ahead};
    atomic_fetch_add(&engine->holders, 1);
    rc = sbi_bell_open(&process->bell, err);
    if (rc == SBX_OK)
        rc = describe(process, spec->command, err);
    if (rc == SBX_OK &&
        sbi_ring_put(&process->in, spec->input, spec->input_length) < spec->input_length)
        rc = sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    if (rc < 0)
        return rc;
    *out = SBI_STEAL(process);
    return SBX_OK;
}
