#include "window.h"

#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static int bell[2] = {-1, -1};

/* A full pipe rings already. */
static void ring(int number)
{
    int saved = errno;

    (void)number;
    (void)!write(bell[1], "", 1);
    errno = saved;
}

int window_changes(void)
{
    struct sigaction action = {.sa_handler = ring, .sa_flags = SA_RESTART};

    if (bell[0] < 0 && pipe2(bell, O_CLOEXEC | O_NONBLOCK) == 0)
        (void)sigaction(SIGWINCH, &action, NULL);
    return bell[0];
}

void window_size(int64_t *rows, int64_t *columns, void *userdata)
{
    (void)userdata;
    terminal_size(STDIN_FILENO, rows, columns);
    if (*columns == 0)
        terminal_size(STDOUT_FILENO, rows, columns);
}
