/*
 * run_input.c - what goes to a command's standard input: the header, where a terminal
 * had to be made raw for it first, then the caller's bytes or descriptor, then its end.
 */
#include "session/run_state.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

/* A terminal has no end of input: it is typed. */
static void close_input(struct sbi_running *run)
{
    if (run->input_closed)
        return;
    run->input_closed = true;
    if (sbi_run_uses_terminal(run))
        (void)sbi_process_write(run->started.process, "\004", 1);
    else
        sbi_process_close_input(run->started.process);
}

/* The caller's input comes after the header, and on a terminal after the mark. */
static void next_input(struct sbi_running *run)
{
    const sbx_exec_opts *exec = run->opts->exec;
    ssize_t got;

    if (run->input_left > 0 || run->input_closed || !run->header_sent)
        return;
    if (sbi_run_uses_terminal(run) && !sbi_run_is_marked(run))
        return;
    if (!run->input_given) {
        run->input_given = true;
        run->input = exec->input;
        run->input_left = exec->input_length;
        return;
    }
    if (!run->input_reads) {
        close_input(run);
        return;
    }
    got = read((int)exec->input_fd, run->input_piece, SBI_RUN_PIECE);
    if (got > 0) {
        run->input = run->input_piece;
        run->input_left = (size_t)got;
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        run->input_reads = false;
        run->input = exec->input_end;
        run->input_left = got == 0 ? exec->input_end_length : 0;
        if (run->input_left == 0)
            close_input(run);
    }
}

static void write_input(struct sbi_running *run, bool *moved)
{
    ssize_t taken;

    while (run->input_left > 0) {
        taken = sbi_process_write(run->started.process, run->input, run->input_left);
        if (taken == 0)
            return;
        *moved = true;
        if (taken < 0) { /* nobody reads it any more */
            run->input_left = 0;
            run->input_reads = false;
            run->input_closed = true;
            return;
        }
        run->input += taken;
        run->input_left -= (size_t)taken;
    }
}

bool sbi_run_wants_input(const struct sbi_running *run)
{
    return run->input_reads && run->input_left == 0 && !run->input_closed &&
           run->header_sent && (!sbi_run_uses_terminal(run) || sbi_run_is_marked(run));
}

/* True if input_fd can be read without blocking. */
static bool input_waits(const struct sbi_running *run)
{
    struct pollfd fd = {(int)run->opts->exec->input_fd, POLLIN, 0};

    return poll(&fd, 1, 0) > 0;
}

void sbi_run_feed(struct sbi_running *run, bool *moved)
{
    if (!run->input_given)
        next_input(run);
    write_input(run, moved);
    if (!run->input_reads || (sbi_run_wants_input(run) && input_waits(run)))
        next_input(run);
    write_input(run, moved);
}
