/* run_window.c - the size of a command's terminal follows that of the caller's. */
#include "session/run_state.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

bool sbi_run_wants_resize(const struct sbi_running *run)
{
    return (run->opts->exec->flags & SBX_EXEC_RESIZE_FD) != 0 && !run->window_dead &&
           run->started_at != 0;
}

/* One read empties an event descriptor, and a pipe in a round or two. */
static bool changed(struct sbi_running *run)
{
    int fd = (int)run->opts->exec->resize_fd;
    struct pollfd one = {fd, POLLIN, 0};
    char rings[256];
    ssize_t got;

    if (poll(&one, 1, 0) <= 0)
        return false;
    got = read(fd, rings, sizeof(rings));
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
        run->window_dead = true;
    return got > 0;
}

void sbi_run_resize(struct sbi_running *run)
{
    const sbx_exec_opts *exec = run->opts->exec;
    int64_t rows = 0, columns = 0;

    if (!sbi_run_wants_resize(run) || !changed(run))
        return;
    exec->terminal_size(&rows, &columns, exec->userdata);
    if (rows > 0 && rows <= UINT16_MAX && columns > 0 && columns <= UINT16_MAX)
        sbi_process_resize(run->started.process, (int)rows, (int)columns);
}
