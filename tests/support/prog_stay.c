/*
 * prog_stay.c - becomes root for good where it may, says its pid, and stays. Set-uid
 * root, it is a process that the user who started it cannot kill.
 */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    if (setuid(0) < 0)
        return 1;
    printf("stays %d\n", (int)getpid());
    fflush(stdout);
    (void)close(0);
    (void)close(1);
    (void)close(2);
    (void)alarm(120);
    (void)pause();
    return 0;
}
