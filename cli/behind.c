#include "behind.h"

#include "own.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

void behind_go(int *word)
{
    int null;

    if (*word < 0)
        return;
    null = open("/dev/null", O_RDWR | O_CLOEXEC);
    (void)setsid();
    if (null >= 0 && chdir("/") == 0 && dup2(null, STDIN_FILENO) >= 0 &&
        dup2(null, STDOUT_FILENO) >= 0)
        (void)dup2(null, STDERR_FILENO);
    own_close(&null);
    (void)!write(*word, "", 1);
    own_close(word);
    *word = -1;
}

int behind(int (*work)(int *word, void *userdata), void *userdata)
{
    int ends[2], status = 0;
    char byte;
    ssize_t got;
    pid_t child;

    if (pipe2(ends, O_CLOEXEC) < 0)
        return 255;
    child = fork();
    if (child == 0) {
        own_close(&ends[0]);
        return work(&ends[1], userdata);
    }
    own_close(&ends[1]);
    got = child < 0 ? -1 : read(ends[0], &byte, 1);
    own_close(&ends[0]);
    if (got > 0)
        return 0;
    if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status))
        return 255;
    return WEXITSTATUS(status);
}
