/*
 * run_pump.c - the loop of a run. Each round asks for the end first and for the bytes
 * then, so that a known end with nothing more to read is the end of all of it.
 */
#include "session/run_state.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/wait.h"

#define DRAIN_MS 5000

/*
 * More than all buffers on the way hold, which are a window and a ring of each stream:
 * what comes behind that is of a child's.
 */
#define LATE_BYTES (UINT64_C(16) * 1024 * 1024)

/*
 * Whoever takes output piece by piece, as a language above C does, pays for each: one
 * that was full is followed by larger ones. Noise has room for the first kind.
 */
static void enlarge(struct sbi_running *run)
{
    char *larger;

    if (run->piece_size == SBI_RUN_LARGE_PIECE || !sbi_run_is_marked(run))
        return;
    larger = malloc(SBI_RUN_LARGE_PIECE);
    if (larger == NULL)
        return;
    free(run->piece);
    run->piece = larger;
    run->piece_size = SBI_RUN_LARGE_PIECE;
}

int sbi_run_read(struct sbi_running *run, bool *moved, sbx_error *err)
{
    ssize_t got;
    int stream, outcome = SBI_RUN_GO_ON;

    for (stream = SBI_STDOUT; stream <= SBI_STDERR && outcome == SBI_RUN_GO_ON;
         stream++) {
        if (!run->streams[stream].open)
            continue;
        got = sbi_process_read(run->started.process, stream, run->piece, run->piece_size);
        if (got < 0)
            continue;
        *moved = true;
        if (got > 0 && run->end.kind != SBI_END_NONE)
            run->late += (uint64_t)got;
        if (got == 0)
            run->streams[stream].open = false;
        else
            outcome = sbi_run_take(run, stream, run->piece, (size_t)got, err);
        if (got == (ssize_t)run->piece_size)
            enlarge(run);
    }
    return outcome;
}

/* A run that lasts gets its warden, and another where that one is gone. */
static void guard(struct sbi_running *run)
{
    if (!run->started.guarded_later || run->started_at == 0)
        return;
    if (run->guard_at == 0)
        run->guard_at = sbi_deadline(SBI_GUARD_MS);
    if (sbi_left_ms(run->guard_at) > 0)
        return;
    run->guard_at = sbi_deadline(10 * SBI_GUARD_MS);
    sbi_session_guard(run->session, &run->started, run->opts->run_id, run->pid,
                      run->watchdog);
}

static int wait_for_more(struct sbi_running *run)
{
    bool guards = run->guard_at > 0 && run->guard_at < run->deadline;
    int64_t deadline = guards ? run->guard_at : run->deadline;
    struct pollfd fds[8];
    size_t count;
    int rc;

    if (run->started_at == 0 && run->start_deadline < deadline)
        deadline = run->start_deadline;
    count = sbi_process_poll(run->started.process, run->input_left > 0, fds, 6);
    if (sbi_run_wants_input(run))
        fds[count++] = (struct pollfd){(int)run->opts->exec->input_fd, POLLIN, 0};
    if (sbi_run_wants_resize(run))
        fds[count++] = (struct pollfd){(int)run->opts->exec->resize_fd, POLLIN, 0};
    rc = sbi_wait_any(fds, count, deadline, run->opts->exec->cancel);
    if (rc == SBX_ERR_CANCELLED)
        return SBI_RUN_CANCELLED;
    if (rc == SBX_ERR_TIMEOUT && (!guards || sbi_left_ms(run->deadline) == 0))
        return sbi_left_ms(run->deadline) == 0 ? SBI_RUN_TIMED_OUT : SBI_RUN_NO_START;
    return SBI_RUN_GO_ON;
}

static int check_clocks(struct sbi_running *run)
{
    if (run->cancelled || sbx_cancel_fired(run->opts->exec->cancel))
        return SBI_RUN_CANCELLED;
    if (sbi_left_ms(run->deadline) == 0)
        return SBI_RUN_TIMED_OUT;
    if (run->started_at == 0 && sbi_left_ms(run->start_deadline) == 0)
        return SBI_RUN_NO_START;
    return SBI_RUN_GO_ON;
}

int sbi_run_pump(struct sbi_running *run, sbx_error *err)
{
    int outcome = SBI_RUN_GO_ON;
    bool moved, ended;

    while (outcome == SBI_RUN_GO_ON) {
        moved = false;
        ended = sbi_process_end(run->started.process, &run->end);
        outcome = sbi_run_read(run, &moved, err);
        if (outcome == SBI_RUN_GO_ON && !ended) {
            sbi_run_resize(run);
            sbi_run_feed(run, &moved);
        }
        if (outcome == SBI_RUN_GO_ON && ended && (!moved || run->late > LATE_BYTES))
            return SBI_RUN_ENDED;
        if (outcome == SBI_RUN_GO_ON)
            outcome = check_clocks(run);
        guard(run);
        if (outcome == SBI_RUN_GO_ON && !moved)
            outcome = wait_for_more(run);
    }
    return outcome;
}

int sbi_run_drain(struct sbi_running *run, bool *drained, sbx_error *err)
{
    int64_t deadline = sbi_deadline(DRAIN_MS);
    int outcome = SBI_RUN_GO_ON;
    struct pollfd fds[6];
    bool moved, all;
    int64_t began;

    *drained = true;
    run->cut = false;
    while (run->streams[SBI_STDOUT].open || run->streams[SBI_STDERR].open) {
        moved = false;
        all = sbi_process_drained(run->started.process);
        began = sbi_now_ms();
        outcome = sbi_run_read(run, &moved, err);
        deadline += sbi_now_ms() - began; /* what a slow reader takes is not waited for */
        if (outcome != SBI_RUN_GO_ON)
            return outcome;
        if (moved && run->late <= LATE_BYTES)
            continue;
        if (all || moved || sbi_left_ms(deadline) == 0) {
            *drained = false;
            run->cut = !all;
            return outcome;
        }
        (void)sbi_wait_any(fds, sbi_process_poll(run->started.process, false, fds, 6),
                           deadline, NULL);
    }
    run->cut = !sbi_process_drained(run->started.process);
    return outcome;
}
