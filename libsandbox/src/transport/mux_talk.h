/*
 * mux_talk.h - one connection over a master's control socket, from either side.
 *
 * Nothing here blocks. Whoever waits polls `fd` for sbi_mux_talk_events and steps.
 */
#ifndef SANDBOX_TRANSPORT_MUX_TALK_H
#define SANDBOX_TRANSPORT_MUX_TALK_H

#include "transport/mux_frame.h"

#include <sys/types.h>

/* All zero but for `fd`: none. */
struct sbi_mux_talk {
    int fd;            /* -1: none */
    pid_t pid;         /* of the other side */
    struct sbi_str in; /* what came and was not read yet */
    size_t read;       /* of it: the message that was handed out last */
    struct sbi_str out;
    size_t written;
    int pass[3]; /* behind what is to be written; each is closed when it has gone */
    size_t pass_count;
    size_t passed;
    int got[3]; /* that came, and were not taken yet */
    size_t got_count;
    bool greeted; /* the other side has said hello, in our version */
    bool deaf;    /* it takes nothing more; what it said before that can be read */
    bool over;    /* it has hung up, or says what cannot be read */
};

#define SBI_MUX_NO_TALK                                                                  \
    {                                                                                    \
        .fd = -1                                                                         \
    }

/*
 * Connects and says hello. Fails where nobody listens there, and where another user does,
 * who would see all that passes.
 */
int sbi_mux_talk_open(struct sbi_mux_talk *talk, const char *path, sbx_error *err);

/* The master's side: takes over fd, a connection of a client's; another user's is
 * refused. */
int sbi_mux_talk_accept(struct sbi_mux_talk *talk, int fd, sbx_error *err);

/* What a request brought behind it, once it has come; each is the caller's then. */
bool sbi_mux_talk_take(struct sbi_mux_talk *talk, int *fds, size_t count);

/* Asks for a session on three descriptors, which are the talk's from here on. */
void sbi_mux_talk_ask_session(struct sbi_mux_talk *talk,
                              const struct sbi_mux_session *session, const int fds[3]);

/* Asks for a connection from over there, on two: what goes there, what comes. */
void sbi_mux_talk_ask_forward(struct sbi_mux_talk *talk, const char *host, int port,
                              const int fds[2]);
void sbi_mux_talk_ask_alive(struct sbi_mux_talk *talk);

/* Writes what can be written. */
void sbi_mux_talk_flush(struct sbi_mux_talk *talk);

/* The next message but hello; its texts live until the next call. False: none is here. */
bool sbi_mux_talk_read(struct sbi_mux_talk *talk, struct sbi_mux_message *out);

short sbi_mux_talk_events(const struct sbi_mux_talk *talk);

void sbi_mux_talk_clear(struct sbi_mux_talk *talk);

#endif
