/* says.c - runs a script by a shell, as a login does: the text is its argument. */
#include "support/says.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

size_t shell_says(const char *shell, const char *script, char *answer, size_t room)
{
    char path[] = "/tmp/sbxt.script.XXXXXX";
    char command[128];
    int fd = mkstemp(path);
    FILE *output;
    size_t length;

    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, script, strlen(script)), (ssize_t)strlen(script));
    (void)close(fd);
    (void)snprintf(command, sizeof(command), "%s -c \"$(cat %s)\"", shell, path);
    output = popen(command, "re");
    ck_assert_ptr_nonnull(output);
    length = fread(answer, 1, room - 1, output);
    answer[length] = '\0';
    ck_assert_int_eq(pclose(output), 0);
    (void)unlink(path);
    return length;
}

size_t sh_says(const char *script, char *answer, size_t room)
{
    return shell_says("/bin/sh", script, answer, room);
}
