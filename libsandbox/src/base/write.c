#include "base/write.h"

#include <errno.h>
#include <unistd.h>

int sbi_write_all(int fd, const void *data, size_t length)
{
    const char *at = data;

    while (length > 0) {
        ssize_t written = write(fd, at, length);

        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return errno;
        at += written;
        length -= (size_t)written;
    }
    return 0;
}
