/*
 * engine_call.h - one connection to an engine, and one request at a time on it.
 *
 * Nothing here blocks but sbi_engine_call_await: who waits otherwise polls the wire, and
 * steps.
 */
#ifndef SANDBOX_TRANSPORT_ENGINE_CALL_H
#define SANDBOX_TRANSPORT_ENGINE_CALL_H

#include "base/json.h"
#include "transport/engine_http.h"
#include "transport/transport.h"

enum sbi_engine_said { SBI_ENGINE_WAITS = 0, SBI_ENGINE_ANSWERED, SBI_ENGINE_GONE };

/* All zero: no connection. */
struct sbi_engine_call {
    struct sbi_process *wire;
    struct sbi_str request;
    size_t written;
    bool underway;
    bool served; /* an answer came over this wire */
    struct sbi_engine_http answer;
    struct sbi_str rest; /* what came behind the answer */
};

int sbi_engine_call_open(struct sbi_engine_call *call, struct sbi_line *below,
                         const char *socket, sbx_error *err);

/* body: JSON, or NULL. upgrade: the connection is to become the answer's. */
int sbi_engine_call_ask(struct sbi_engine_call *call, const char *method,
                        const char *path, const char *body, bool upgrade, sbx_error *err);

/* Once it is not SBI_ENGINE_WAITS, the call is no more underway. */
enum sbi_engine_said sbi_engine_call_step(struct sbi_engine_call *call);

/*
 * Waits for the answer: SBX_ERR_CONNECT where none will come. line: no longer than until
 * a line of a command's output is in its body, though the answer goes on.
 */
int sbi_engine_call_await(struct sbi_engine_call *call, bool line, int64_t deadline,
                          sbx_cancel *cancel, sbx_error *err);

/* False where the next request needs a connection of its own. */
bool sbi_engine_call_is_open(const struct sbi_engine_call *call);

size_t sbi_engine_call_poll(struct sbi_engine_call *call, struct pollfd *fds,
                            size_t room);

/* The answer's body; NULL where it is no object. Freed by the caller. */
cJSON *sbi_engine_call_json(const struct sbi_engine_call *call);

void sbi_engine_call_clear(struct sbi_engine_call *call);

#endif
