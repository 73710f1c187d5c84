/*
 * engine_step.c - an exec's life, as the thread brings it on: made, started, its streams
 * carried, its end asked for.
 *
 * What an engine refuses is told as its own command line would: words on standard error,
 * and an end that says that nothing ran.
 */
#include "transport/engine_state.h"

#include "base/clock.h"

#include <stdio.h>
#include <string.h>

#define PIECE (64 * 1024)
#define REFUSED 125 /* what the engines' command lines end with then */
#define FIRST_PAUSE_MS 5
#define LONGEST_PAUSE_MS 1000

static void finish(struct sbi_engine_process *process, int kind, int code)
{
    process->stage = SBI_ENGINE_OVER;
    process->streams_over = true;
    process->input_dead = true;
    if (process->end.kind == SBI_END_NONE) {
        process->end.kind = kind;
        process->end.code = code;
    }
    sbi_engine_call_clear(&process->main);
    sbi_engine_call_clear(&process->side);
    sbi_bell_tell(&process->bell);
}

void sbi_engine_process_lose(struct sbi_engine_process *process, const char *why)
{
    process->engine->dead = true;
    if (process->end.kind == SBI_END_NONE)
        (void)sbi_fail(&process->end.error, SBX_ERR_DISCONNECTED, "the engine at '%s' %s",
                       process->engine->socket, why);
    finish(process, SBI_END_LOST, 0);
}

void sbi_engine_process_detach(struct sbi_engine_process *process)
{
    if (process->end.kind == SBI_END_NONE)
        (void)sbi_fail(&process->end.error, SBX_ERR_DISCONNECTED,
                       "the connection was closed");
    finish(process, SBI_END_LOST, 0);
    process->detached = true;
}

/* The engine said no, and why: {"message": "..."}. */
static void turn_down(struct sbi_engine_process *process)
{
    SBI_AUTO_JSON said = sbi_engine_call_json(&process->main);
    const char *words = cJSON_GetStringValue(cJSON_GetObjectItem(said, "message"));

    if (words == NULL)
        words = "the engine refused it, and gave no reason";
    (void)sbi_ring_put(&process->out[SBI_STDERR], words, strlen(words));
    process->end.sent = true;
    finish(process, SBI_END_EXITED, REFUSED);
}

/* A connection that waited for this may be one that the engine has closed meanwhile. */
static bool open_call(struct sbi_engine_process *process, struct sbi_engine_call *call)
{
    struct sbi_engine *engine = process->engine;

    return sbi_engine_call_open(call, engine->below, engine->socket, NULL) == SBX_OK;
}

static bool ask_create(struct sbi_engine_process *process)
{
    struct sbi_engine *engine = process->engine;
    char path[160];

    if (!process->tried_again && sbi_engine_call_is_open(&engine->idle)) {
        process->main = engine->idle;
        engine->idle = (struct sbi_engine_call){0};
    } else if (!open_call(process, &process->main)) {
        return false;
    }
    (void)snprintf(path, sizeof(path), "/containers/%s/exec", engine->container);
    return sbi_engine_call_ask(&process->main, "POST", path, process->create, false,
                               NULL) == SBX_OK;
}

/* False where nobody wants it any more, or the answer was none. */
static bool ask_start(struct sbi_engine_process *process)
{
    SBI_AUTO_JSON said = sbi_engine_call_json(&process->main);
    const char *id = cJSON_GetStringValue(cJSON_GetObjectItem(said, "Id"));
    char path[128];

    if (id == NULL || strlen(id) >= sizeof(process->id) ||
        strspn(id, "0123456789abcdef") != strlen(id))
        return false;
    (void)snprintf(process->id, sizeof(process->id), "%s", id);
    (void)snprintf(path, sizeof(path), "/exec/%s/start", id);
    process->end.sent = !process->ahead;
    if (!sbi_engine_call_is_open(&process->main) && !open_call(process, &process->main))
        return false;
    return sbi_engine_call_ask(&process->main, "POST", path,
                               process->pty ? "{\"Detach\":false,\"Tty\":true}"
                                            : "{\"Detach\":false,\"Tty\":false}",
                               true, NULL) == SBX_OK;
}

static void step_creating(struct sbi_engine_process *process)
{
    struct sbi_engine_call *call = &process->main;
    enum sbi_engine_said said;

    if (!call->underway && !ask_create(process)) {
        sbi_engine_process_lose(process, "is gone");
        return;
    }
    said = sbi_engine_call_step(call);
    if (said == SBI_ENGINE_GONE && call->served && !process->tried_again) {
        process->tried_again = true;
        step_creating(process);
    } else if (said == SBI_ENGINE_GONE) {
        sbi_engine_process_lose(process, "is gone");
    } else if (said == SBI_ENGINE_ANSWERED && call->answer.status != 201) {
        turn_down(process);
    } else if (said == SBI_ENGINE_ANSWERED && !ask_start(process)) {
        sbi_engine_process_lose(process, "did not say which exec it made");
    } else if (said == SBI_ENGINE_ANSWERED) {
        process->stage = SBI_ENGINE_STARTING;
    }
}

static bool put(struct sbi_engine_process *process, int stream, const char *data,
                size_t length)
{
    process->heard = true;
    return sbi_ring_put(&process->out[stream], data, length) == length;
}

/* Bytes as they came over the connection. There is room for them, or there is no memory.
 */
static bool take(struct sbi_engine_process *process, const char *data, size_t length)
{
    size_t count, at;
    int stream;

    if (process->pty)
        return length == 0 || put(process, SBI_STDOUT, data, length);
    while ((count = sbi_engine_frame_next(&process->frame, data, length, &at, &stream)) >
           0) {
        if (!put(process, stream, data + at, count))
            return false;
        data += at + count;
        length -= at + count;
    }
    return !process->frame.broken;
}

static void step_starting(struct sbi_engine_process *process)
{
    struct sbi_engine_call *call = &process->main;
    enum sbi_engine_said said = sbi_engine_call_step(call);

    if (said == SBI_ENGINE_GONE) {
        sbi_engine_process_lose(process, "went away");
    } else if (said == SBI_ENGINE_ANSWERED && call->answer.status != 101) {
        turn_down(process);
    } else if (said == SBI_ENGINE_ANSWERED) {
        process->stage = SBI_ENGINE_RUNNING;
        process->tried_again = false;
        (void)open_call(process, &process->side);
        if (!take(process, call->rest.data == NULL ? "" : call->rest.data,
                  call->rest.length))
            sbi_engine_process_lose(process, "says what is not understood");
        sbi_str_clear(&call->rest);
        sbi_bell_tell(&process->bell);
    }
}

/* What goes to a terminal waits until that has its size: the command would see another.
 */
static bool takes_input(const struct sbi_engine_process *process)
{
    return !process->pty || process->sized;
}

static void flush_input(struct sbi_engine_process *process)
{
    const char *at;
    size_t length;
    ssize_t sent = 1;

    while (takes_input(process) && !process->input_dead && sent > 0 &&
           (length = sbi_ring_peek(&process->in, &at)) > 0) {
        sent = sbi_process_write(process->main.wire, at, length);
        process->input_dead = sent < 0;
        sbi_ring_drop(&process->in, sent > 0 ? (size_t)sent : 0);
        sbi_bell_tell(&process->bell);
    }
    if (process->input_dead)
        sbi_ring_drop(&process->in, process->in.length);
    if (process->input_closed && process->in.length == 0 && !process->eof_sent) {
        process->eof_sent = true;
        sbi_process_close_input(process->main.wire);
    }
}

static size_t room_of(const struct sbi_engine_process *process)
{
    size_t out = process->out[SBI_STDOUT].limit - process->out[SBI_STDOUT].length;
    size_t errors = process->out[SBI_STDERR].limit - process->out[SBI_STDERR].length;
    size_t room = out < errors ? out : errors;

    return room < PIECE ? room : PIECE;
}

/* False once nothing more comes. */
static bool pull(struct sbi_engine_process *process)
{
    char piece[PIECE], nothing[64];
    ssize_t got = 1;
    size_t room;

    (void)sbi_process_read(process->main.wire, SBI_STDERR, nothing, sizeof(nothing));
    while (got > 0 && (room = room_of(process)) > 0) {
        got = sbi_process_read(process->main.wire, SBI_STDOUT, piece, room);
        if (got > 0 && !take(process, piece, (size_t)got)) {
            sbi_engine_process_lose(process, "says what is not understood");
            return true;
        }
        if (got >= 0)
            sbi_bell_tell(&process->bell);
    }
    return got != 0;
}

static void ask_size(struct sbi_engine_process *process)
{
    char path[160];

    process->resized = false;
    (void)snprintf(path, sizeof(path), "/exec/%s/resize?h=%d&w=%d", process->id,
                   process->rows, process->columns);
    process->sizing =
        (sbi_engine_call_is_open(&process->side) || open_call(process, &process->side)) &&
        sbi_engine_call_ask(&process->side, "POST", path, NULL, false, NULL) == SBX_OK;
    process->sized = process->sized || !process->sizing;
}

/* An engine that has not begun it yet knows of no size: it is told once it is heard. */
static void step_size(struct sbi_engine_process *process)
{
    if (process->resized && process->heard && !process->sizing)
        ask_size(process);
    if (process->sizing && sbi_engine_call_step(&process->side) != SBI_ENGINE_WAITS) {
        process->sizing = false;
        process->sized = true;
    }
}

static void step_running(struct sbi_engine_process *process)
{
    struct sbi_end end = {0};
    bool more;

    (void)sbi_process_end(process->main.wire, &end);
    more = pull(process);
    if (process->stage != SBI_ENGINE_RUNNING)
        return;
    step_size(process);
    flush_input(process);
    if (more)
        return;
    if (end.kind == SBI_END_LOST) {
        sbi_engine_process_lose(process, "is out of reach");
        return;
    }
    process->streams_over = true;
    process->input_dead = true;
    process->stage = SBI_ENGINE_ASKING;
    process->pause_ms = FIRST_PAUSE_MS;
}

static bool ask_end(struct sbi_engine_process *process)
{
    char path[128];

    (void)snprintf(path, sizeof(path), "/exec/%s/json", process->id);
    return (sbi_engine_call_is_open(&process->side) ||
            open_call(process, &process->side)) &&
           sbi_engine_call_ask(&process->side, "GET", path, NULL, false, NULL) == SBX_OK;
}

/* A command that closed its streams may run on: then it is asked again, and later. */
static void hear_end(struct sbi_engine_process *process)
{
    SBI_AUTO_JSON said = sbi_engine_call_json(&process->side);
    const cJSON *running = cJSON_GetObjectItem(said, "Running");
    const cJSON *code = cJSON_GetObjectItem(said, "ExitCode");

    if (process->side.answer.status != 200 || !cJSON_IsBool(running) ||
        (cJSON_IsFalse(running) && !cJSON_IsNumber(code))) {
        sbi_engine_process_lose(process, "does not know how it ended");
    } else if (cJSON_IsFalse(running)) {
        finish(process, SBI_END_EXITED, code->valueint & 0xff);
    } else {
        process->look_at = sbi_deadline(process->pause_ms);
        if (process->pause_ms < LONGEST_PAUSE_MS)
            process->pause_ms *= 2;
    }
}

static void step_asking(struct sbi_engine_process *process)
{
    struct sbi_engine_call *call = &process->side;
    enum sbi_engine_said said;

    if (process->sizing) {
        step_size(process);
        if (process->sizing)
            return;
    }
    if (!call->underway && sbi_left_ms(process->look_at) != 0)
        return;
    if (!call->underway && !ask_end(process)) {
        sbi_engine_process_lose(process, "is gone");
        return;
    }
    said = sbi_engine_call_step(call);
    if (said == SBI_ENGINE_ANSWERED) {
        hear_end(process);
    } else if (said == SBI_ENGINE_GONE && !process->tried_again) {
        process->tried_again = true;
        step_asking(process);
    } else if (said == SBI_ENGINE_GONE) {
        sbi_engine_process_lose(process, "went away");
    }
}

void sbi_engine_process_step(struct sbi_engine_process *process)
{
    static void (*const steps[])(struct sbi_engine_process * process) = {
        step_creating, step_starting, step_running, step_asking};
    enum sbi_engine_stage before = SBI_ENGINE_OVER;

    while (process->stage != before && process->stage != SBI_ENGINE_OVER) {
        before = process->stage;
        steps[process->stage](process);
    }
}

size_t sbi_engine_process_poll(struct sbi_engine_process *process, struct pollfd *fds,
                               size_t room)
{
    bool writes = process->in.length > 0 && takes_input(process);
    size_t count = 0;

    if (process->stage < SBI_ENGINE_RUNNING)
        return sbi_engine_call_poll(&process->main, fds, room);
    if (process->stage == SBI_ENGINE_RUNNING && room_of(process) > 0)
        count = sbi_process_poll(process->main.wire, writes, fds, room / 2);
    if (process->side.underway)
        count += sbi_engine_call_poll(&process->side, fds + count, room / 2);
    return count;
}

int64_t sbi_engine_process_due(const struct sbi_engine_process *process)
{
    return process->stage == SBI_ENGINE_ASKING && !process->side.underway
               ? process->look_at
               : SBI_NEVER;
}
