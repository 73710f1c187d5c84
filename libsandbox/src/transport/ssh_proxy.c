/* ssh_proxy.c - how a proxy is written, and the talk with it over a socket. */
#include "transport/ssh_proxy.h"

#include "base/cleanup.h"
#include "base/wait.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

static const struct {
    const char *prefix;
    bool http;
    int port;
} schemes[] = {
    {"socks5://", false, 1080}, {"socks5h://", false, 1080}, {"http://", true, 8080}};

bool sbi_proxy_is(const char *hop)
{
    return strncmp(hop + strcspn(hop, ":,"), "://", 3) == 0 &&
           strncmp(hop, "ssh://", 6) != 0;
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
        return (c | 0x20) - 'a' + 10;
    return -1;
}

/* False: too long, empty, or a '%' that is followed by no two digits. */
static bool decode(const char *from, size_t length, char out[SBI_PROXY_WORD])
{
    size_t i, used = 0;
    int byte;

    for (i = 0; i < length; i++) {
        byte = (unsigned char)from[i];
        if (from[i] == '%') {
            if (i + 2 >= length || digit_of(from[i + 1]) < 0 || digit_of(from[i + 2]) < 0)
                return false;
            byte = digit_of(from[i + 1]) * 16 + digit_of(from[i + 2]);
            i += 2;
        }
        if (byte == 0 || used + 1 >= SBI_PROXY_WORD)
            return false;
        out[used++] = (char)byte;
    }
    out[used] = '\0';
    return used > 0;
}

static const char *parse_login(const char *text, size_t length, struct sbi_proxy *out)
{
    const char *colon = memchr(text, ':', length);
    size_t user = colon == NULL ? length : (size_t)(colon - text);

    if (!decode(text, user, out->user) ||
        (colon != NULL && !decode(colon + 1, length - user - 1, out->password)))
        return "has no user[:password] of 1 to 255 bytes before its '@'";
    return NULL;
}

static bool parse_port(const char *text, int *out)
{
    int port = 0;

    for (; *text >= '0' && *text <= '9' && port < 100000; text++)
        port = port * 10 + (*text - '0');
    *out = port;
    return *text == '\0' && port >= 1 && port <= 65535;
}

static const char *parse_address(const char *text, struct sbi_proxy *out)
{
    size_t length;

    if (*text == '[') {
        length = strcspn(++text, "]");
        if (text[length] != ']')
            return "has no ']'";
    } else {
        length = strcspn(text, ":/");
    }
    if (length == 0 || length >= sizeof(out->host))
        return "has no host";
    memcpy(out->host, text, length);
    out->host[length] = '\0';
    text += length + (text[length] == ']');
    if (*text == ':' && !parse_port(text + 1, &out->port))
        return "has no port from 1 to 65535 behind its ':'";
    return *text == ':' || *text == '\0' || strcmp(text, "/") == 0
               ? NULL
               : "has something behind its port";
}

const char *sbi_proxy_parse(const char *hop, struct sbi_proxy *out)
{
    const char *rest = NULL, *at, *c, *fault = NULL;
    size_t i;

    memset(out, 0, sizeof(*out));
    for (c = hop; *c != '\0'; c++)
        if ((unsigned char)*c <= ' ' || *c == 0x7f || *c == ',')
            return "has a blank, a ',' or a control character (write %20, %2C)";
    for (i = 0; i < sizeof(schemes) / sizeof(schemes[0]) && rest == NULL; i++)
        if (strncmp(hop, schemes[i].prefix, strlen(schemes[i].prefix)) == 0) {
            rest = hop + strlen(schemes[i].prefix);
            out->http = schemes[i].http;
            out->port = schemes[i].port;
        }
    if (rest == NULL)
        return "is neither socks5:// nor http://";
    at = strrchr(rest, '@');
    if (at != NULL)
        fault = parse_login(rest, (size_t)(at - rest), out);
    return fault != NULL ? fault : parse_address(at == NULL ? rest : at + 1, out);
}

/* The password of one hop: its start and length, or NULL. */
static const char *find_password(const char *hop, size_t length, size_t *out)
{
    const char *rest = memmem(hop, length, "://", 3), *at, *colon;

    if (rest == NULL)
        return NULL;
    rest += 3;
    at = memrchr(rest, '@', length - (size_t)(rest - hop));
    colon = at == NULL ? NULL : memchr(rest, ':', (size_t)(at - rest));
    if (colon == NULL)
        return NULL;
    *out = (size_t)(at - colon) - 1;
    return colon + 1;
}

char *sbi_proxy_masked(const char *hops)
{
    struct sbi_str text = {0};
    const char *password;
    size_t length, secret;
    char *out = NULL;

    for (;; hops += length + 1) {
        length = strcspn(hops, ",");
        password = find_password(hops, length, &secret);
        if (password == NULL) {
            sbi_str_add_bytes(&text, hops, length);
        } else {
            sbi_str_add_bytes(&text, hops, (size_t)(password - hops));
            sbi_str_add(&text, "***");
            sbi_str_add_bytes(&text, password + secret,
                              length - (size_t)(password - hops) - secret);
        }
        if (hops[length] == '\0')
            break;
        sbi_str_add(&text, ",");
    }
    if (sbi_str_take(&text, &out, NULL) < 0)
        out = NULL;
    return out;
}

bool sbi_proxy_has_password(const char *hops)
{
    size_t length, secret;

    for (;; hops += length + 1) {
        length = strcspn(hops, ",");
        if (find_password(hops, length, &secret) != NULL)
            return true;
        if (hops[length] == '\0')
            return false;
    }
}

static int fail_io(const struct sbi_proxy *proxy, int rc, sbx_error *err)
{
    const char *why = rc == SBX_ERR_TIMEOUT     ? "no answer in time"
                      : rc == SBX_ERR_CANCELLED ? "cancelled"
                                                : "it hung up";

    if (rc == SBX_ERR_NO_MEMORY)
        return sbi_fail(err, rc, "out of memory");
    if (rc != SBX_ERR_TIMEOUT && rc != SBX_ERR_CANCELLED)
        rc = SBX_ERR_CONNECT;
    (void)sbi_fail(err, rc, "%s", why);
    return sbi_fix(err, rc, "route", "check that '%s' port %d is %s proxy", proxy->host,
                   proxy->port, proxy->http ? "an HTTP" : "a SOCKS5");
}

static int send_out(int fd, struct sbi_proxy_talk *talk, int64_t deadline,
                    sbx_cancel *cancel)
{
    struct pollfd ready = {fd, POLLOUT, 0};
    size_t sent = 0;
    ssize_t count;
    int rc = talk->out.status;

    while (rc == SBX_OK && sent < talk->out.length) {
        count = send(fd, talk->out.data + sent, talk->out.length - sent, MSG_NOSIGNAL);
        if (count > 0)
            sent += (size_t)count;
        else if (errno == EAGAIN || errno == EINTR)
            rc = sbi_wait_any(&ready, 1, deadline, cancel);
        else
            rc = SBX_ERR_DISCONNECTED;
    }
    return rc;
}

static int receive_in(int fd, struct sbi_proxy_talk *talk, int64_t deadline,
                      sbx_cancel *cancel)
{
    char piece[512];
    size_t missing;
    ssize_t count;
    int rc = SBX_OK;

    while (rc == SBX_OK && talk->in.length < talk->want) {
        missing = talk->want - talk->in.length;
        if (missing > sizeof(piece))
            missing = sizeof(piece);
        count = recv(fd, piece, missing, 0);
        if (count > 0) {
            sbi_str_add_bytes(&talk->in, piece, (size_t)count);
            rc = talk->in.status;
        } else if (count < 0 && (errno == EAGAIN || errno == EINTR))
            rc = sbi_wait_readable(fd, deadline, cancel);
        else
            rc = SBX_ERR_DISCONNECTED;
    }
    return rc;
}

int sbi_proxy_connect(int fd, const struct sbi_proxy *proxy, const char *host, int port,
                      int64_t deadline, sbx_cancel *cancel, sbx_error *err)
{
    SBI_CLEANUP(sbi_proxy_talk_clear)
    struct sbi_proxy_talk talk = {.proxy = proxy, .host = host, .port = port};
    int rc, io;

    rc = sbi_proxy_begin(&talk, err);
    while (rc == SBX_OK && !talk.done) {
        io = send_out(fd, &talk, deadline, cancel);
        if (talk.out.data != NULL)
            explicit_bzero(talk.out.data, talk.out.capacity);
        sbi_str_clear(&talk.out);
        if (io == SBX_OK)
            io = receive_in(fd, &talk, deadline, cancel);
        rc = io < 0 ? fail_io(proxy, io, err) : sbi_proxy_step(&talk, err);
    }
    return rc;
}
