/*
 * ssh_config_exec.c - asks a command of the user's, for `Match exec`.
 *
 * posix_spawn and not fork: other threads may hold locks. The command is a group
 * of its own, so that at the limit all of it goes; its signals are as at login,
 * and it has no descriptor of ours. SIGCHLD belongs to the process that we are
 * in, so the child is asked for by its number, in steps that grow to 16 ms.
 */
#include "base/clock.h"
#include "transport/local_fresh.h"
#include "transport/ssh_config_reading.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

static int wire(posix_spawn_file_actions_t *files, const void *ends)
{
    int rc = posix_spawn_file_actions_addopen(files, 0, "/dev/null", O_RDONLY, 0);

    (void)ends;
    if (rc == 0)
        rc = posix_spawn_file_actions_addopen(files, 1, "/dev/null", O_WRONLY, 0);
    if (rc == 0)
        rc = posix_spawn_file_actions_addopen(files, 2, "/dev/null", O_WRONLY, 0);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
    if (rc == 0)
        rc = posix_spawn_file_actions_addclosefrom_np(files, 3);
#endif
    return rc;
}

static int spawn(const char *shell, const char *command, pid_t *pid)
{
    char *argv[] = {(char *)shell, (char *)"-c", (char *)command, NULL};
    const struct sbi_fresh fresh = {
        .argv = argv, .flags = POSIX_SPAWN_SETPGROUP, .wire = wire};

    return sbi_local_fresh(&fresh, pid);
}

/* What waitpid gives: the child once it has ended, 0 at the deadline, -1 with errno. */
static pid_t wait_until(pid_t pid, int64_t deadline, int *status)
{
    int step = 1, left;
    pid_t ended;

    for (;;) {
        ended = waitpid(pid, status, WNOHANG);
        left = sbi_left_ms(deadline);
        if ((ended != 0 && !(ended < 0 && errno == EINTR)) || left == 0)
            return ended;
        (void)poll(NULL, 0, left > 0 && left < step ? left : step);
        step = step < 16 ? step * 2 : step;
    }
}

static int give_up(pid_t pid, const char *command, sbx_error *err)
{
    int status;

    (void)kill(-pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    return sbi_fail(err, SBX_ERR_TIMEOUT, "command '%s' took too long", command);
}

int sbi_ssh_config_exec(const char *command, int64_t deadline, int *exit_code,
                        sbx_error *err)
{
    const char *shell = getenv("SHELL");
    pid_t pid, ended;
    int status = 0;

    if (shell == NULL)
        shell = "/bin/sh";
    /* Asked first: not every posix_spawn can tell a shell that is not there. */
    if (access(shell, X_OK) != 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "run shell '%s'", shell);
    errno = spawn(shell, command, &pid);
    if (errno != 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "run '%s -c %s'", shell, command);

    ended = wait_until(pid, deadline, &status);
    if (ended == 0)
        return give_up(pid, command, err);
    if (ended < 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "wait for '%s'", command);
    if (!WIFEXITED(status))
        return sbi_fail(err, SBX_ERR_IO, "command '%s' was ended by signal %d", command,
                        WTERMSIG(status));
    *exit_code = WEXITSTATUS(status);
    return SBX_OK;
}
