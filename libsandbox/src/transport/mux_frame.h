/*
 * mux_frame.h - the frames of OpenSSH's multiplexing protocol (PROTOCOL.mux, version 4):
 * texts in, structs out, and back.
 *
 * A frame is its length and its type, 32 bits each with the highest byte first, and a
 * body of such numbers and of texts with their length in front.
 */
#ifndef SANDBOX_TRANSPORT_MUX_FRAME_H
#define SANDBOX_TRANSPORT_MUX_FRAME_H

#include "base/str.h"

#include <stdint.h>

#define SBI_MUX_VERSION 4
#define SBI_MUX_LONGEST ((size_t)256 * 1024) /* of a frame, either way */
/*
 * In a session's environment: what tells a keeper that the client is one of ours, and the
 * run that is to end with it, if there is one. A master passes it over.
 */
#define SBI_MUX_RUN "SBX_RUN="

/* Likewise: the keeper may give the run a supervisor of its own, and watch it. */
#define SBI_MUX_WATCH "SBX_WATCH="

#define SBI_MUX_NO_ESCAPE 0xffffffffU

enum sbi_mux_type {
    SBI_MUX_HELLO = 0x00000001,
    /* from a client: */
    SBI_MUX_NEW_SESSION = 0x10000002,
    SBI_MUX_ALIVE_CHECK = 0x10000004,
    SBI_MUX_TERMINATE = 0x10000005,
    SBI_MUX_NEW_STDIO_FORWARD = 0x10000008,
    SBI_MUX_STOP_LISTENING = 0x10000009,
    /* from a master, which C has no signed number for: */
    SBI_MUX_OK = INT32_MIN + 1,
    SBI_MUX_DENIED = INT32_MIN + 2,
    SBI_MUX_FAILURE = INT32_MIN + 3,
    SBI_MUX_EXIT = INT32_MIN + 4,
    SBI_MUX_ALIVE = INT32_MIN + 5,
    SBI_MUX_OPENED = INT32_MIN + 6,
    SBI_MUX_TERMINAL_FAILED = INT32_MIN + 8,
    /* a keeper's, to clients of ours: */
    SBI_MUX_SIGNALED = INT32_MIN + 0x7301, /* the name */
    SBI_MUX_TAG = INT32_MIN + 0x7302       /* of the supervisor that it gives the run */
};

/* Borrowed bytes, none of them NUL. */
struct sbi_mux_text {
    const char *data;
    size_t length;
};

/* What a frame says; what its type does not have is zero. Texts are the buffer's. */
struct sbi_mux_message {
    int type;    /* an sbi_mux_type, or another: then nothing else but id is read */
    uint32_t id; /* of the request; HELLO: the version; EXIT, TERMINAL_FAILED: session */
    uint32_t value;             /* EXIT: the code; ALIVE: the pid; OPENED: the session;
                       NEW_STDIO_FORWARD: the port */
    struct sbi_mux_text reason; /* DENIED, FAILURE; SIGNALED: the signal; TAG: the tag */

    /* NEW_SESSION; NEW_STDIO_FORWARD has its host in command. */
    bool terminal;
    bool subsystem;
    struct sbi_mux_text term;
    struct sbi_mux_text command;
    struct sbi_mux_text env; /* what sbi_mux_next_env reads */
};

enum sbi_mux_parsed { SBI_MUX_WHOLE = 1, SBI_MUX_PART, SBI_MUX_BROKEN };

/* Reads one frame from the front; *used is how long it was, where it is WHOLE. */
int sbi_mux_parse(const void *data, size_t length, struct sbi_mux_message *out,
                  size_t *used);

/* Takes a "NAME=value" off what is left of a session's environment; false: none is. */
bool sbi_mux_next_env(struct sbi_mux_text *rest, struct sbi_mux_text *out);

struct sbi_mux_session {
    uint32_t id;
    bool terminal;
    const char *term;
    const char *command;
    const char *env[2]; /* each a "NAME=value", or NULL */
};

/* Adds a frame of these numbers, and of a text (NULL: none) behind them. */
void sbi_mux_add(struct sbi_str *out, int type, const uint32_t *numbers, size_t count,
                 const char *text);
void sbi_mux_add_session(struct sbi_str *out, const struct sbi_mux_session *session);

/* A connection from over there. */
void sbi_mux_add_forward(struct sbi_str *out, const char *host, int port);

#endif
