/* dial_socket.c - a connection to a socket of this machine. */
#include "transport/dial.h"

#include "base/cleanup.h"

#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

int sbi_dial_socket(const char *path, int *out, sbx_error *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    SBI_AUTOCLOSE int fd = -1;

    if (strlen(path) >= sizeof(address.sun_path))
        return sbi_fail(err, SBX_ERR_CONFIG, "socket '%s': its path is too long", path);
    memcpy(address.sun_path, path, strlen(path) + 1);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
        return sbi_fail_errno(err, SBX_ERR_CONNECT, "connect to the socket '%s'", path);
    *out = fd;
    fd = -1;
    return SBX_OK;
}
