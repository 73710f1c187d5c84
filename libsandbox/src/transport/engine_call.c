#include "transport/engine_call.h"

#include "base/wait.h"
#include "transport/engine_frame.h"

#include <string.h>

#define PIECE (16 * 1024)
#define REQUEST_LIMIT ((size_t)1024 * 1024)

int sbi_engine_call_open(struct sbi_engine_call *call, struct sbi_line *below,
                         const char *socket, sbx_error *err)
{
    const struct sbi_process_spec spec = {.connect_host = socket,
                                          .connect_port = SBI_CONNECT_SOCKET};

    sbi_engine_call_clear(call);
    return sbi_line_start(below, &spec, &call->wire, err);
}

int sbi_engine_call_ask(struct sbi_engine_call *call, const char *method,
                        const char *path, const char *body, bool upgrade, sbx_error *err)
{
    struct sbi_str *text = &call->request;

    sbi_engine_http_clear(&call->answer);
    sbi_str_clear(text);
    text->limit = REQUEST_LIMIT;
    sbi_str_addf(text, "%s %s HTTP/1.1\r\nHost: engine\r\n", method, path);
    if (upgrade)
        sbi_str_add(text, "Connection: Upgrade\r\nUpgrade: tcp\r\n");
    if (body != NULL)
        sbi_str_add(text, "Content-Type: application/json\r\n");
    sbi_str_addf(text, "Content-Length: %zu\r\n\r\n", body == NULL ? 0 : strlen(body));
    sbi_str_add(text, body == NULL ? "" : body);
    if (text->status != SBX_OK)
        return sbi_fail(err, text->status, "ask the engine: the request is too long");
    call->written = 0;
    call->underway = true;
    return SBX_OK;
}

static bool say(struct sbi_engine_call *call)
{
    ssize_t taken = 1;

    while (call->written < call->request.length && taken > 0) {
        taken = sbi_process_write(call->wire, call->request.data + call->written,
                                  call->request.length - call->written);
        if (taken > 0)
            call->written += (size_t)taken;
    }
    return taken >= 0;
}

/* True once the answer is whole, or will never be. */
static bool hear(struct sbi_engine_call *call)
{
    char piece[PIECE];
    ssize_t got;
    size_t used;

    while (call->answer.stage < SBI_HTTP_DONE &&
           (got = sbi_process_read(call->wire, SBI_STDOUT, piece, sizeof(piece))) >= 0) {
        if (got == 0)
            sbi_engine_http_end(&call->answer);
        used = sbi_engine_http_take(&call->answer, piece, (size_t)got);
        if (used < (size_t)got)
            sbi_str_add_bytes(&call->rest, piece + used, (size_t)got - used);
    }
    return call->answer.stage >= SBI_HTTP_DONE;
}

static void close_wire(struct sbi_engine_call *call)
{
    sbi_process_free(SBI_STEAL(call->wire));
}

/* A way that is refused, or broke, has its reason in the end; the engine's own has none.
 */
enum sbi_engine_said sbi_engine_call_step(struct sbi_engine_call *call)
{
    struct sbi_end end = {0};
    char nothing[64];
    bool heard, said;

    if (!call->underway)
        return SBI_ENGINE_WAITS;
    (void)sbi_process_end(call->wire, &end);
    said = say(call);
    heard = hear(call);
    (void)sbi_process_read(call->wire, SBI_STDERR, nothing, sizeof(nothing));
    if (heard && call->answer.stage == SBI_HTTP_DONE) {
        call->underway = false;
        call->served = true;
        if (call->answer.closes && call->answer.status != 101)
            close_wire(call);
        return SBI_ENGINE_ANSWERED;
    }
    if (!heard && (said || end.kind == SBI_END_NONE) && end.kind != SBI_END_REFUSED &&
        end.kind != SBI_END_LOST)
        return SBI_ENGINE_WAITS;
    call->underway = false;
    close_wire(call);
    return SBI_ENGINE_GONE;
}

/* The head of a frame may have the same byte in it. */
static bool has_line(const struct sbi_engine_call *call)
{
    const struct sbi_str *body = &call->answer.body;

    return body->length > SBI_ENGINE_FRAME_HEAD &&
           memchr(body->data + SBI_ENGINE_FRAME_HEAD, '\n',
                  body->length - SBI_ENGINE_FRAME_HEAD) != NULL;
}

int sbi_engine_call_await(struct sbi_engine_call *call, bool line, int64_t deadline,
                          sbx_cancel *cancel, sbx_error *err)
{
    enum sbi_engine_said said;
    struct pollfd fds[8];
    int rc = SBX_OK;

    while ((said = sbi_engine_call_step(call)) == SBI_ENGINE_WAITS && rc == SBX_OK &&
           !(line && has_line(call)))
        rc = sbi_wait_any(fds, sbi_engine_call_poll(call, fds, 8), deadline, cancel);
    if (rc < 0)
        return sbi_fail(err, rc, "%s",
                        rc == SBX_ERR_CANCELLED ? "cancelled" : "no answer in time");
    if (said == SBI_ENGINE_GONE)
        return sbi_fail(err, SBX_ERR_CONNECT, "nothing answers there");
    return SBX_OK;
}

bool sbi_engine_call_is_open(const struct sbi_engine_call *call)
{
    return call->wire != NULL;
}

size_t sbi_engine_call_poll(struct sbi_engine_call *call, struct pollfd *fds, size_t room)
{
    if (call->wire == NULL)
        return 0;
    return sbi_process_poll(call->wire, call->written < call->request.length, fds, room);
}

cJSON *sbi_engine_call_json(const struct sbi_engine_call *call)
{
    cJSON *json = NULL;

    if (call->answer.body.data == NULL ||
        sbi_json_parse(call->answer.body.data, call->answer.body.length, &json, NULL) < 0)
        return NULL;
    if (!cJSON_IsObject(json))
        sbi_json_clear(&json);
    return json;
}

void sbi_engine_call_clear(struct sbi_engine_call *call)
{
    close_wire(call);
    sbi_str_clear(&call->request);
    sbi_str_clear(&call->rest);
    sbi_engine_http_clear(&call->answer);
    *call = (struct sbi_engine_call){0};
}
