#include "base/write.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
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

ssize_t sbi_write_some(int fd, const void *data, size_t length)
{
    sigset_t pipe_signal, before;
    struct timespec now = {0};
    ssize_t written;
    int cause;

    /* A broken pipe must not signal the host program: hold SIGPIPE, and take it away. */
    (void)sigemptyset(&pipe_signal);
    (void)sigaddset(&pipe_signal, SIGPIPE);
    (void)pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    do
        written = write(fd, data, length);
    while (written < 0 && errno == EINTR);
    cause = errno;
    if (written < 0 && cause == EPIPE && sigismember(&before, SIGPIPE) == 0)
        (void)sigtimedwait(&pipe_signal, NULL, &now);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = cause;
    return written;
}
