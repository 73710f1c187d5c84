#include "interrupt.h"

#include "terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static sbx_cancel *token;
static int wake[2] = {-1, -1};
static atomic_int came;
static _Atomic int64_t first_ms; /* when the first one came */
static char last_words[160];

static int64_t now_ms(void)
{
    struct timespec now = {0};

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/*
 * timeout(1) signals the program and then its group, so that two signals come for
 * one wish. A person's second Ctrl-C comes later than that.
 */
static bool is_echo(void)
{
    return now_ms() - atomic_load(&first_ms) < 250;
}

static void stop(int number)
{
    int saved = errno;

    (void)number;
    if (atomic_load(&came) == 0)
        atomic_store(&first_ms, now_ms());
    if (atomic_fetch_add(&came, 1) > 0 && !is_echo()) {
        terminal_restore();
        (void)!write(STDERR_FILENO, last_words, strlen(last_words));
        _exit(130);
    }
    sbx_cancel_fire(token);
    (void)!write(wake[1], "", 1);
    errno = saved;
}

static void do_nothing(int number)
{
    (void)number;
}

static void catch (int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler};
    struct sigaction old;

    if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
        (void)sigaction(number, &action, NULL);
}

/*
 * SIGPIPE is caught rather than ignored: what a program ignores, the commands
 * that it starts on this machine ignore too, and `yes | head` would not end.
 */
int interrupt_catch(const char *program, sbx_cancel *cancel, sbx_error *err)
{
    if (pipe2(wake, O_CLOEXEC | O_NONBLOCK) < 0)
        return fault_errno(err, SBX_ERR_IO, "open a pipe");

    token = cancel;
    (void)snprintf(last_words, sizeof(last_words),
                   "%.60s: stopped at once; the far side is not confirmed dead\n",
                   program);
    catch (SIGINT, stop);
    catch (SIGTERM, stop);
    catch (SIGHUP, stop);
    catch (SIGPIPE, do_nothing);
    return SBX_OK;
}

bool interrupt_holds(const sbx_cancel *cancel)
{
    return cancel != NULL && cancel == token;
}

int interrupt_fd(void)
{
    return wake[0];
}

bool interrupt_came(void)
{
    return atomic_load(&came) > 0;
}
