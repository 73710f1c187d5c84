/*
 * ssh_proxy.h - the way to a host through a SOCKS5 or an HTTP proxy.
 *
 * A proxy is written as socks5://[user[:password]@]host[:port], or http:// alike;
 * %XX in user and password stands for a byte. What is said to it, and what its
 * answers mean, knows no sockets.
 */
#ifndef SANDBOX_TRANSPORT_SSH_PROXY_H
#define SANDBOX_TRANSPORT_SSH_PROXY_H

#include "base/cancel.h"
#include "base/str.h"

#define SBI_PROXY_WORD 256

struct sbi_proxy {
    bool http; /* else SOCKS5 */
    char host[SBI_PROXY_WORD];
    int port;
    char user[SBI_PROXY_WORD]; /* "": none */
    char password[SBI_PROXY_WORD];
};

/* Whether a hop, or the first of a list, is written as a proxy: as a URL, at least. */
bool sbi_proxy_is(const char *hop);

/* What is wrong with it, or NULL. The caller wipes out. */
const char *sbi_proxy_parse(const char *hop, struct sbi_proxy *out);

/* Copies a list of hops, "***" in the place of each proxy's password, for free(). */
char *sbi_proxy_masked(const char *hops);

/* Whether a list of hops has a proxy's password in it. */
bool sbi_proxy_has_password(const char *hops);

struct sbi_proxy_talk {
    const struct sbi_proxy *proxy;
    const char *host; /* to be reached through it */
    int port;
    int stage;
    struct sbi_str out; /* to be sent; wiped by sbi_proxy_talk_clear */
    struct sbi_str in;  /* of this stage */
    size_t want;        /* bytes of `in` that the next step needs; not one more is read */
    bool done;
};

/* Puts the first words into out. */
int sbi_proxy_begin(struct sbi_proxy_talk *talk, sbx_error *err);

/* Takes the bytes in `in`, `want` of them, and goes on: more words, or done. */
int sbi_proxy_step(struct sbi_proxy_talk *talk, sbx_error *err);

void sbi_proxy_talk_clear(struct sbi_proxy_talk *talk);

/* Has the proxy behind fd connect it to host and port. */
int sbi_proxy_connect(int fd, const struct sbi_proxy *proxy, const char *host, int port,
                      int64_t deadline, sbx_cancel *cancel, sbx_error *err);

#endif
