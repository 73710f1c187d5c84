/* pump.h - one session of a client: a process over there, and the client's descriptors.
 */
#ifndef SANDBOX_KEEPER_PUMP_H
#define SANDBOX_KEEPER_PUMP_H

#include "keeper/state.h"
#include "keeper/watched.h"
#include "session/shell.h"
#include "transport/mux_talk.h"

struct sbi_pump_request {
    uint32_t id;
    bool terminal;
    char *command; /* or, of a connection from over there, the host */
    char *term;
    int port;                     /* of that connection, or SBI_CONNECT_SOCKET; else 0 */
    bool is_ours;                 /* the client: it knows words that ssh does not */
    char run_id[SBI_RUN_ID_SIZE]; /* to be ended when the client goes; or "" */
    struct sbi_watched watched;
    int fds[3]; /* -1: none */
};

void sbi_pump_request_clear(struct sbi_pump_request *request);

/* Runs it to its end, or the client's, and tells that. */
void sbi_pump(struct sbi_kept *kept, struct sbi_mux_talk *talk,
              struct sbi_pump_request *request);

#endif
