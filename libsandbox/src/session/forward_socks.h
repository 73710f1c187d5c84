/*
 * forward_socks.h - the server's side of SOCKS 4, 4a and 5 (RFC 1928), for connections
 * without a login: bytes in, an address out; pure.
 */
#ifndef SANDBOX_SESSION_FORWARD_SOCKS_H
#define SANDBOX_SESSION_FORWARD_SOCKS_H

#include <stdbool.h>
#include <stddef.h>

#define SBI_SOCKS_LONGEST 600 /* of all that a client says before it is answered */
#define SBI_SOCKS_HOST 256
#define SBI_SOCKS_REPLY 10

struct sbi_socks {
    int version;  /* 0: not known yet */
    bool greeted; /* its methods were answered (SOCKS 5) */
    char host[SBI_SOCKS_HOST];
    int port;
};

enum sbi_socks_step {
    SBI_SOCKS_MORE = 0, /* not enough has come */
    SBI_SOCKS_SAY,      /* reply is to be sent, and the rest to be read */
    SBI_SOCKS_ASKED,    /* host and port are known */
    SBI_SOCKS_REFUSED   /* reply, if there is one, is to be sent, and it is over */
};

/* A step by what has come; *used of it is done with. reply: SBI_SOCKS_REPLY bytes. */
int sbi_socks_step(struct sbi_socks *socks, const unsigned char *data, size_t length,
                   size_t *used, unsigned char *reply, size_t *reply_length);

/* What a client is told in the end; returns its length. */
size_t sbi_socks_answer(const struct sbi_socks *socks, bool connected,
                        unsigned char *reply);

#endif
