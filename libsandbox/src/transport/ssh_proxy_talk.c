/*
 * ssh_proxy_talk.c - the words of SOCKS5 (RFC 1928, 1929) and of HTTP's CONNECT.
 *
 * A step reads exactly what it needs: the SSH server's first words may follow the
 * proxy's last one at once, and are not ours.
 */
#include "transport/ssh_proxy.h"

#include "base/cleanup.h"
#include "base/digest.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#define HEAD_LIMIT 8192

enum stage { GREETED = 1, LOGGED_IN, ASKED, ADDRESSED, HTTP_HEAD };

static void add_byte(struct sbi_str *text, int byte)
{
    const char value = (char)byte;

    sbi_str_add_bytes(text, &value, 1);
}

static void expect(struct sbi_proxy_talk *talk, enum stage stage, size_t want)
{
    sbi_str_clear(&talk->in);
    talk->stage = (int)stage;
    talk->want = want;
}

static int refuse(const struct sbi_proxy *proxy, const char *why, sbx_error *err)
{
    (void)sbi_fail(err, SBX_ERR_CONNECT, "%s", why);
    return sbi_fix(err, SBX_ERR_CONNECT, "route",
                   "check what the proxy '%s' lets through, or take another way by jump",
                   proxy->host);
}

static int refuse_login(const struct sbi_proxy *proxy, const char *why, sbx_error *err)
{
    (void)sbi_fail(err, SBX_ERR_AUTH, "%s", why);
    return sbi_fix(err, SBX_ERR_AUTH, "route", "write jump as %s://USER:PASSWORD@%s:%d",
                   proxy->http ? "http" : "socks5", proxy->host, proxy->port);
}

static int not_a_proxy(const struct sbi_proxy *proxy, sbx_error *err)
{
    (void)sbi_fail(err, SBX_ERR_CONNECT, "its answer is none of %s proxy's",
                   proxy->http ? "an HTTP" : "a SOCKS5");
    return sbi_fix(err, SBX_ERR_CONNECT, "route", "check address and kind of the proxy");
}

static int begin_http(struct sbi_proxy_talk *talk, sbx_error *err)
{
    const char *open = strchr(talk->host, ':') != NULL ? "[" : "";
    const char *close = open[0] != '\0' ? "]" : "";
    struct sbi_str login = {0};
    char *text = NULL;

    sbi_str_addf(&talk->out, "CONNECT %s%s%s:%d HTTP/1.1\r\nHost: %s%s%s:%d\r\n", open,
                 talk->host, close, talk->port, open, talk->host, close, talk->port);
    if (talk->proxy->user[0] != '\0') {
        sbi_str_addf(&login, "%s:%s", talk->proxy->user, talk->proxy->password);
        if (login.status == SBX_OK)
            login.status = sbi_base64_encode(login.data, login.length, &text, NULL);
        if (login.status == SBX_OK)
            sbi_str_addf(&talk->out, "Proxy-Authorization: Basic %s\r\n", text);
        else
            talk->out.status = login.status;
        sbi_wipe(&text);
        sbi_wipe(&login.data);
    }
    sbi_str_add(&talk->out, "\r\n");
    expect(talk, HTTP_HEAD, 1);
    return talk->out.status < 0 ? sbi_fail(err, talk->out.status, "out of memory")
                                : SBX_OK;
}

int sbi_proxy_begin(struct sbi_proxy_talk *talk, sbx_error *err)
{
    bool login = talk->proxy->user[0] != '\0';

    if (strlen(talk->host) > 255)
        return sbi_fail(err, SBX_ERR_INVALID, "the host's name is too long for a proxy");
    if (talk->proxy->http)
        return begin_http(talk, err);
    add_byte(&talk->out, 5);
    add_byte(&talk->out, login ? 2 : 1);
    add_byte(&talk->out, 0);
    if (login)
        add_byte(&talk->out, 2);
    expect(talk, GREETED, 2);
    return SBX_OK;
}

/* An address as it is, a name for the proxy to look up. */
static int ask(struct sbi_proxy_talk *talk)
{
    unsigned char address[16];

    sbi_str_add_bytes(&talk->out, "\5\1\0", 3);
    if (inet_pton(AF_INET, talk->host, address) == 1) {
        add_byte(&talk->out, 1);
        sbi_str_add_bytes(&talk->out, address, 4);
    } else if (inet_pton(AF_INET6, talk->host, address) == 1) {
        add_byte(&talk->out, 4);
        sbi_str_add_bytes(&talk->out, address, 16);
    } else {
        add_byte(&talk->out, 3);
        add_byte(&talk->out, (int)strlen(talk->host));
        sbi_str_add(&talk->out, talk->host);
    }
    add_byte(&talk->out, talk->port >> 8);
    add_byte(&talk->out, talk->port & 255);
    expect(talk, ASKED, 5);
    return SBX_OK;
}

static int greeted(struct sbi_proxy_talk *talk, sbx_error *err)
{
    const struct sbi_proxy *proxy = talk->proxy;
    int version = talk->in.data[0], method = talk->in.data[1];

    if (version != 5)
        return not_a_proxy(proxy, err);
    if (method == 0)
        return ask(talk);
    if (method != 2 || proxy->user[0] == '\0')
        return refuse_login(proxy, "it wants a user and a password", err);
    add_byte(&talk->out, 1);
    add_byte(&talk->out, (int)strlen(proxy->user));
    sbi_str_add(&talk->out, proxy->user);
    add_byte(&talk->out, (int)strlen(proxy->password));
    sbi_str_add(&talk->out, proxy->password);
    expect(talk, LOGGED_IN, 2);
    return SBX_OK;
}

static int logged_in(struct sbi_proxy_talk *talk, sbx_error *err)
{
    if (talk->in.data[1] != 0)
        return refuse_login(talk->proxy, "it refuses the user or the password", err);
    return ask(talk);
}

/* The reply is as long as the address in it, whose first byte is read by now. */
static int asked(struct sbi_proxy_talk *talk, sbx_error *err)
{
    static const char *const reasons[] = {"",
                                          "it failed",
                                          "its rules forbid it",
                                          "the network cannot be reached from there",
                                          "the host cannot be reached from there",
                                          "the host refuses the connection",
                                          "the way from there is too long",
                                          "it does not know how to connect",
                                          "it does not take this kind of address"};
    const unsigned char *in = (const unsigned char *)talk->in.data;
    size_t reason = in[1];

    if (in[0] != 5)
        return not_a_proxy(talk->proxy, err);
    if (reason != 0)
        return refuse(talk->proxy,
                      reasons[reason < sizeof(reasons) / sizeof(reasons[0]) ? reason : 1],
                      err);
    switch (in[3]) {
    case 1:
        expect(talk, ADDRESSED, 3 + 2);
        return SBX_OK;
    case 3:
        expect(talk, ADDRESSED, in[4] + 2U);
        return SBX_OK;
    case 4:
        expect(talk, ADDRESSED, 15 + 2);
        return SBX_OK;
    default:
        return not_a_proxy(talk->proxy, err);
    }
}

/* The status of "HTTP/1.x NNN ...", or -1. */
static int status_of(const struct sbi_str *head)
{
    const char *at = head->data;
    int i, status = 0;

    if (head->length < 12 || strncmp(at, "HTTP/1.", 7) != 0 || at[8] != ' ')
        return -1;
    for (i = 9; i < 12; i++) {
        if (at[i] < '0' || at[i] > '9')
            return -1;
        status = status * 10 + (at[i] - '0');
    }
    return status;
}

static int headed(struct sbi_proxy_talk *talk, sbx_error *err)
{
    const struct sbi_str *head = &talk->in;
    char why[40];
    int status;

    if (head->length < 4 || memcmp(head->data + head->length - 4, "\r\n\r\n", 4) != 0) {
        if (head->length >= HEAD_LIMIT || (head->length == 12 && status_of(head) < 0))
            return not_a_proxy(talk->proxy, err);
        talk->want = head->length + 1;
        return SBX_OK;
    }
    status = status_of(head);
    talk->done = status >= 200 && status < 300;
    if (talk->done)
        return SBX_OK;
    if (status == 407)
        return refuse_login(talk->proxy,
                            talk->proxy->user[0] == '\0'
                                ? "it wants a user and a password"
                                : "it refuses the user or the password",
                            err);
    (void)snprintf(why, sizeof(why), "it answers with status %d", status);
    return status < 0 ? not_a_proxy(talk->proxy, err) : refuse(talk->proxy, why, err);
}

int sbi_proxy_step(struct sbi_proxy_talk *talk, sbx_error *err)
{
    if (talk->in.status < 0 || talk->in.length < talk->want)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    switch (talk->stage) {
    case GREETED:
        return greeted(talk, err);
    case LOGGED_IN:
        return logged_in(talk, err);
    case ASKED:
        return asked(talk, err);
    case HTTP_HEAD:
        return headed(talk, err);
    default:
        talk->done = true;
        return SBX_OK;
    }
}

void sbi_proxy_talk_clear(struct sbi_proxy_talk *talk)
{
    if (talk->out.data != NULL)
        explicit_bzero(talk->out.data, talk->out.capacity);
    sbi_str_clear(&talk->out);
    sbi_str_clear(&talk->in);
}
