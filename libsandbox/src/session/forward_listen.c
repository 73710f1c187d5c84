#include "session/forward_listen.h"

#include "base/cleanup.h"
#include "transport/dial.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#define BACKLOG 128

void sbi_forward_sockets_clear(struct sbi_forward_sockets *sockets)
{
    struct stat info;
    size_t i;

    if (sockets->path != NULL && lstat(sockets->path, &info) == 0 &&
        info.st_ino == sockets->inode)
        (void)unlink(sockets->path);
    for (i = 0; i < sockets->count; i++)
        (void)close(sockets->fds[i]);
    free(sockets->name);
    free(sockets->path);
    *sockets = (struct sbi_forward_sockets){0};
}

static int fail(int number, const char *name, sbx_error *err)
{
    int code = number == EADDRINUSE ? SBX_ERR_EXISTS : SBX_ERR_IO;
    int rc;

    errno = number;
    rc = sbi_fail_errno(err, code, "listen on '%s'", name);
    return number != EADDRINUSE
               ? rc
               : sbi_fix(err, rc, NULL, "take another port, or 0 for any that is free");
}

/* The port that the first got is that of all. */
static int bind_one(const struct addrinfo *one, int port, int *out)
{
    struct sockaddr_storage address;
    SBI_AUTOCLOSE int fd = -1;
    const int on = 1;

    memcpy(&address, one->ai_addr, one->ai_addrlen);
    if (one->ai_family == AF_INET6)
        ((struct sockaddr_in6 *)(void *)&address)->sin6_port = htons((uint16_t)port);
    else
        ((struct sockaddr_in *)(void *)&address)->sin_port = htons((uint16_t)port);
    fd = socket(one->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return errno;
    (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (one->ai_family == AF_INET6)
        (void)setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
    if (bind(fd, (const struct sockaddr *)&address, one->ai_addrlen) < 0 ||
        listen(fd, BACKLOG) < 0)
        return errno;
    *out = fd;
    fd = -1;
    return 0;
}

static int name_of(struct sbi_forward_sockets *sockets, sbx_error *err)
{
    struct sockaddr_storage address;
    socklen_t length = sizeof(address);
    SBI_AUTO_STR text = {0};
    char host[NI_MAXHOST];

    if (getsockname(sockets->fds[0], (struct sockaddr *)&address, &length) < 0 ||
        getnameinfo((const struct sockaddr *)&address, length, host, sizeof(host), NULL,
                    0, NI_NUMERICHOST) != 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "ask for the name of a socket");
    sockets->port = ntohs(address.ss_family == AF_INET6
                              ? ((const struct sockaddr_in6 *)(void *)&address)->sin6_port
                              : ((const struct sockaddr_in *)(void *)&address)->sin_port);
    sbi_forward_add_address(&text, host, sockets->port);
    return sbi_str_take(&text, &sockets->name, err);
}

/* A kind of address that this machine does not have is left out, if another is there. */
static int bind_host(const char *host, const char *name, struct sbi_forward_sockets *out,
                     sbx_error *err)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM,
                                   .ai_flags = AI_NUMERICHOST | AI_PASSIVE};
    struct addrinfo *found = NULL;
    int number;

    if (getaddrinfo(host, "0", &hints, &found) != 0)
        return sbi_fix(
            err, sbi_fail(err, SBX_ERR_INVALID, "'%s' is no address to listen on", host),
            NULL, "an address of this machine, localhost, or * for all");
    number = bind_one(found, out->port, &out->fds[out->count]);
    freeaddrinfo(found);
    if (number == 0)
        return out->count++ == 0 ? name_of(out, err) : SBX_OK;
    return number == EADDRNOTAVAIL || number == EAFNOSUPPORT ? SBX_ERR_UNSUPPORTED
                                                             : fail(number, name, err);
}

/* A name is not looked up: that could take its time, and lead elsewhere. */
static int listen_on_port(const struct sbi_forward_end *end,
                          struct sbi_forward_sockets *out, sbx_error *err)
{
    static const char *const here[] = {"127.0.0.1", "::1", NULL};
    static const char *const all[] = {"0.0.0.0", "::", NULL};
    const char *const one[] = {end->host, NULL};
    bool local = end->host == NULL || strcmp(end->host, "localhost") == 0;
    const char *const *host = local ? here : end->host[0] == '\0' ? all : one;
    SBI_AUTO_STR name = {0};
    int rc = SBX_OK;

    sbi_forward_add_end(&name, end);
    if (name.status != SBX_OK)
        return sbi_fail(err, name.status, "out of memory");
    out->port = end->port;
    for (; *host != NULL; host++) {
        rc = bind_host(*host, name.data, out, err);
        if (rc < 0 && rc != SBX_ERR_UNSUPPORTED)
            return rc;
    }
    return out->count == 0 ? fail(EADDRNOTAVAIL, name.data, err) : SBX_OK;
}

static int make_way(const char *path, sbx_error *err)
{
    SBI_AUTOCLOSE int fd = -1;
    sbx_error why = {0};
    struct stat info;

    if (lstat(path, &info) < 0)
        return SBX_OK;
    if (!S_ISSOCK(info.st_mode))
        return sbi_fail(err, SBX_ERR_EXISTS,
                        "listen on '%s': a file that is no socket is there", path);
    if (sbi_dial_socket(path, &fd, &why) == SBX_OK || why.sys_errno != ECONNREFUSED)
        return fail(EADDRINUSE, path, err);
    return unlink(path) == 0 || errno == ENOENT
               ? SBX_OK
               : sbi_fail_errno(err, SBX_ERR_IO, "remove '%s'", path);
}

/* The mode that the descriptor has is that of the socket from its first moment on. */
static int listen_on_path(const char *path, struct sbi_forward_sockets *out,
                          sbx_error *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat info;
    int fd, rc;

    if (strlen(path) >= sizeof(address.sun_path))
        return sbi_fail(err, SBX_ERR_INVALID, "socket '%s': its path is too long", path);
    memcpy(address.sun_path, path, strlen(path));
    rc = make_way(path, err);
    if (rc < 0)
        return rc;
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return fail(errno, path, err);
    out->fds[out->count++] = fd;
    if (fchmod(fd, 0600) < 0 ||
        bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
        listen(fd, BACKLOG) < 0 || lstat(path, &info) < 0)
        return fail(errno, path, err);
    out->inode = info.st_ino;
    out->path = strdup(path);
    out->name = strdup(path);
    return out->path != NULL && out->name != NULL
               ? SBX_OK
               : sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
}

int sbi_forward_listen(const struct sbi_forward_end *end, struct sbi_forward_sockets *out,
                       sbx_error *err)
{
    SBI_CLEANUP(sbi_forward_sockets_clear) struct sbi_forward_sockets sockets = {0};
    int rc = end->path != NULL ? listen_on_path(end->path, &sockets, err)
                               : listen_on_port(end, &sockets, err);

    if (rc < 0)
        return rc;
    *out = sockets;
    sockets = (struct sbi_forward_sockets){0};
    return SBX_OK;
}
