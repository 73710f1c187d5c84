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

/*
 * A command may have to be started again as long as it has not begun: what was read by
 * then is kept, as much as has room, so that it can be given again.
 */
static void read_more(struct sbi_running *run)
{
    ssize_t got;

    if (run->started_at != 0)
        run->input_kept = run->input_used = 0;
    got = read((int)run->opts->exec->input_fd, run->input_piece + run->input_kept,
               SBI_RUN_LARGE_PIECE - run->input_kept);
    if (got > 0)
        run->input_kept += (size_t)got;
    else if (got == 0 || (errno != EAGAIN && errno != EINTR))
        run->input_ended = true;
    run->input_failed = got < 0 && run->input_ended;
}

static bool may_read_more(const struct sbi_running *run)
{
    return !run->input_ended &&
           (run->started_at != 0 || run->input_kept < SBI_RUN_LARGE_PIECE);
}

/* What is kept, else what input_fd has, then what stands for its end. */
static void next_of_fd(struct sbi_running *run)
{
    const sbx_exec_opts *exec = run->opts->exec;

    if (run->input_used == run->input_kept && may_read_more(run))
        read_more(run);
    run->input = run->input_piece + run->input_used;
    run->input_left = run->input_kept - run->input_used;
    run->input_used = run->input_kept;
    if (run->input_left > 0 || !run->input_ended)
        return;
    run->input_reads = false;
    run->input = exec->input_end;
    run->input_left = run->input_failed ? 0 : exec->input_end_length;
    if (run->input_left == 0)
        close_input(run);
}

/* The caller's input comes after the header, and on a terminal after the mark. */
static void next_input(struct sbi_running *run)
{
    const sbx_exec_opts *exec = run->opts->exec;

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
    if (run->input_reads)
        next_of_fd(run);
    else
        close_input(run);
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
           may_read_more(run) && run->header_sent &&
           (!sbi_run_uses_terminal(run) || sbi_run_is_marked(run));
}

/* True if there is something that can be taken up without blocking, be it the end. */
static bool input_waits(const struct sbi_running *run)
{
    struct pollfd fd = {(int)run->opts->exec->input_fd, POLLIN, 0};

    if (!run->input_reads || run->input_used < run->input_kept || run->input_ended)
        return true;
    return sbi_run_wants_input(run) && poll(&fd, 1, 0) > 0;
}

void sbi_run_feed(struct sbi_running *run, bool *moved)
{
    if (!run->input_given)
        next_input(run);
    write_input(run, moved);
    if (input_waits(run))
        next_input(run);
    write_input(run, moved);
}
