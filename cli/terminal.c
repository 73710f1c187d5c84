#include "terminal.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* changed_fd is set last and cleared first, as a signal may come between any two. */
static struct termios before;
static atomic_int changed_fd = -1;

static const int crashes[] = {SIGQUIT, SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

static void restore_and_crash(int number)
{
    terminal_restore();
    (void)raise(number); /* SA_RESETHAND: this time it has its usual effect */
}

static void restore_on_crashes(void)
{
    struct sigaction action = {.sa_handler = restore_and_crash,
                               .sa_flags = (int)SA_RESETHAND};
    size_t i;

    for (i = 0; i < sizeof(crashes) / sizeof(crashes[0]); i++)
        (void)sigaction(crashes[i], &action, NULL);
}

static bool change(int fd, void (*edit)(struct termios *))
{
    struct termios wanted;
    struct termios now;

    if (atomic_load(&changed_fd) >= 0 || tcgetattr(fd, &now) < 0)
        return false;
    before = now;
    wanted = now;
    edit(&wanted);
    restore_on_crashes();
    atomic_store(&changed_fd, fd);
    if (tcsetattr(fd, TCSADRAIN, &wanted) == 0)
        return true;
    atomic_store(&changed_fd, -1);
    return false;
}

static void silence(struct termios *settings)
{
    settings->c_lflag &= ~(tcflag_t)(ECHO | ECHOE | ECHOK | ECHONL);
}

bool terminal_set_raw(int fd)
{
    return change(fd, cfmakeraw);
}

bool terminal_set_silent(int fd)
{
    return change(fd, silence);
}

void terminal_restore(void)
{
    int saved = errno;
    int fd = atomic_exchange(&changed_fd, -1);

    if (fd >= 0)
        (void)tcsetattr(fd, TCSADRAIN, &before);
    errno = saved;
}

/* ?1047 and not ?1049, which would also move the cursor. */
void terminal_settle(int fd)
{
    static const char settle[] = "\033[?1047l\033[?1000l\033[?1002l\033[?1003l\033[?1006l"
                                 "\033[?2004l\033[?1l\033>\033[?25h\033[0m";
    const char *name = getenv("TERM");

    if (!isatty(fd))
        return;
    if (name != NULL && name[0] != '\0' && strcmp(name, "dumb") != 0)
        (void)!write(fd, settle, sizeof(settle) - 1);
    (void)!write(fd, "\r\n", 2);
}

void terminal_size(int fd, int64_t *rows, int64_t *columns)
{
    struct winsize size = {0};

    if (ioctl(fd, TIOCGWINSZ, &size) < 0)
        size = (struct winsize){0};
    *rows = size.ws_row;
    *columns = size.ws_col;
}
