/*
 * prog_wedged.c - hangs as a program does that is stuck in a driver: whoever started it
 * cannot kill it. Installed set-user-ID root; writes a line to "starts" beside itself.
 */
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void)
{
    char self[PATH_MAX] = "", path[PATH_MAX + 16];
    int fd;

    if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
        return 1;
    (void)snprintf(path, sizeof(path), "%s/starts", dirname(self));
    fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (fd < 0 || write(fd, "started\n", 8) != 8 || setuid(0) != 0)
        return 1;
    for (;;)
        (void)pause();
}
