#include "transport/local_spawn.h"

#include "base/cleanup.h"
#include "base/thread.h"
#include "transport/local_fresh.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

/* The child's ends of its streams; parent's ends are in the process. */
struct child_ends {
    int in;
    int out;
    int err;
    const char *terminal; /* or NULL: its name, for all three */
};

static void child_ends_close(struct child_ends *ends)
{
    sbi_close_fd(&ends->in);
    sbi_close_fd(&ends->out);
    sbi_close_fd(&ends->err);
}

/* The child's end lies above its streams, so that wiring one never closes another. */
int sbi_local_pipe(int *parents, int *childs, bool child_reads, sbx_error *err)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) < 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "make a pipe");
    *parents = ends[child_reads ? 1 : 0];
    *childs = fcntl(ends[child_reads ? 0 : 1], F_DUPFD_CLOEXEC, 3);
    (void)close(ends[child_reads ? 0 : 1]);
    if (*childs < 0 || fcntl(*parents, F_SETFL, O_NONBLOCK) < 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "make a pipe");
    return SBX_OK;
}

static int make_pipes(struct sbi_streams *streams, struct child_ends *ends,
                      sbx_error *err)
{
    int rc = sbi_local_pipe(&streams->in, &ends->in, true, err);

    if (rc == SBX_OK)
        rc = sbi_local_pipe(&streams->out[SBI_STDOUT], &ends->out, false, err);
    if (rc == SBX_OK)
        rc = sbi_local_pipe(&streams->out[SBI_STDERR], &ends->err, false, err);
    return rc;
}

int sbi_local_terminal(const struct sbi_process_spec *spec, int *ours, char *name,
                       size_t room, sbx_error *err)
{
    struct winsize size = {.ws_row = (unsigned short)spec->rows,
                           .ws_col = (unsigned short)spec->columns};

    *ours = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (*ours < 0 || grantpt(*ours) < 0 || unlockpt(*ours) < 0 ||
        ptsname_r(*ours, name, room) != 0 || fcntl(*ours, F_SETFL, O_NONBLOCK) < 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "open a terminal");
    (void)ioctl(*ours, TIOCSWINSZ, &size);
    return SBX_OK;
}

/* The master is opened twice over, so that each direction has an end of its own. */
static int make_terminal(struct sbi_streams *streams, const struct sbi_process_spec *spec,
                         char *name, size_t room, sbx_error *err)
{
    int rc = sbi_local_terminal(spec, &streams->in, name, room, err);

    if (rc < 0)
        return rc;
    streams->out[SBI_STDOUT] = fcntl(streams->in, F_DUPFD_CLOEXEC, 0);
    if (streams->out[SBI_STDOUT] < 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "open a terminal");
    return SBX_OK;
}

/* Streams at 0, 1, 2, and nothing of the host program's behind them. */
static int wire(posix_spawn_file_actions_t *actions, const void *childs)
{
    const struct child_ends *ends = childs;
    const char *terminal = ends->terminal;
    int rc = 0;

    if (terminal != NULL) {
        rc = posix_spawn_file_actions_addopen(actions, 0, terminal, O_RDWR, 0);
        if (rc == 0)
            rc = posix_spawn_file_actions_adddup2(actions, 0, 1);
        if (rc == 0)
            rc = posix_spawn_file_actions_adddup2(actions, 0, 2);
    } else {
        rc = posix_spawn_file_actions_adddup2(actions, ends->in, 0);
        if (rc == 0)
            rc = posix_spawn_file_actions_adddup2(actions, ends->out, 1);
        if (rc == 0 && ends->err < 0)
            rc = posix_spawn_file_actions_addopen(actions, 2, "/dev/null", O_WRONLY, 0);
        else if (rc == 0)
            rc = posix_spawn_file_actions_adddup2(actions, ends->err, 2);
    }
    if (rc == 0)
        rc = posix_spawn_file_actions_addclosefrom_np(actions, 3);
    return rc;
}

/*
 * A command that does no more than call /bin/sh with a text is that text to the /bin/sh
 * which we start: one program less. NULL where it is more, or there is no memory.
 */
static char *called_text(const char *command)
{
    static const char call[] = "exec /bin/sh -c '";
    const char *text = command + sizeof(call) - 1;
    const char *end;

    if (strncmp(command, call, sizeof(call) - 1) != 0)
        return NULL;
    end = strchr(text, '\'');
    return end == NULL || end[1] != '\0' ? NULL : strndup(text, (size_t)(end - text));
}

static int spawn(pid_t *pid, const char *command, const struct child_ends *ends)
{
    SBI_AUTOFREE char *text = called_text(command);
    char *argv[] = {(char *)"/bin/sh", (char *)"-c",
                    text != NULL ? text : (char *)(uintptr_t)command, NULL};
    const struct sbi_fresh fresh = {
        .argv = argv, .flags = POSIX_SPAWN_SETSID, .wire = wire, .ends = ends};

    return sbi_local_fresh(&fresh, pid);
}

int sbi_local_spawn(const struct sbi_process_spec *spec, struct sbi_streams *streams,
                    pid_t *pid, sbx_error *err)
{
    SBI_CLEANUP(child_ends_close) struct child_ends ends = {-1, -1, -1, NULL};
    char terminal[64] = "";
    int rc;

    rc = spec->pty ? make_terminal(streams, spec, terminal, sizeof(terminal), err)
                   : make_pipes(streams, &ends, err);
    if (rc < 0)
        return rc;
    ends.terminal = spec->pty ? terminal : NULL;
    errno = spawn(pid, spec->command, &ends);
    if (errno != 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "start '/bin/sh'");
    return SBX_OK;
}

int sbi_local_spawn_on(const char *command, int fd, pid_t *pid, sbx_error *err)
{
    SBI_AUTOCLOSE int lifted = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    const struct child_ends ends = {lifted, lifted, -1, NULL};

    errno = lifted < 0 ? errno : spawn(pid, command, &ends);
    if (errno != 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "start '/bin/sh'");
    return SBX_OK;
}

static void *bury(void *pid)
{
    (void)waitpid((pid_t)(intptr_t)pid, NULL, 0);
    return NULL;
}

/* One that we let go of while it runs must not stay a zombie of the host program. */
void sbi_local_bury(pid_t pid)
{
    pthread_t thread;

    if (waitpid(pid, NULL, WNOHANG) == 0 &&
        sbi_thread_start(&thread, bury, (void *)(intptr_t)pid) == 0)
        (void)pthread_detach(thread);
}
