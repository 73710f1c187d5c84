#include "base/wake.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

int sbi_wake_open(int *fd, sbx_error *err)
{
    int opened = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

    if (opened < 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "make an event descriptor");
    *fd = opened;
    return SBX_OK;
}

void sbi_wake_ring(int fd)
{
    const uint64_t one = 1;
    int saved = errno;
    ssize_t written = write(fd, &one, sizeof(one));

    (void)written; /* a full counter is rung already */
    errno = saved;
}

void sbi_wake_hush(int fd)
{
    uint64_t rings;
    ssize_t got = read(fd, &rings, sizeof(rings));

    (void)got; /* nothing there: it was silent */
}
