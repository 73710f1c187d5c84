/* mux_after.c - how it is found out that a process on a master's connection is whole. */
#include "transport/mux_state.h"

#include <sys/ioctl.h>
#include <sys/timerfd.h>

#define QUIET_KNOCKS 2
#define LATE_MS 100 /* streams that end do so soon after the process */

void sbi_mux_lose(struct sbi_mux_process *process, const char *why)
{
    atomic_store(&process->master->dead, true);
    process->stage = SBI_MUX_OVER;
    process->end.kind = SBI_END_LOST;
    (void)sbi_fail(&process->end.error, SBX_ERR_DISCONNECTED, "the master at '%s' %s",
                   process->master->path, why);
}

bool sbi_mux_start_timer(struct sbi_mux_process *process, long after_ms)
{
    const struct itimerspec limit = {
        .it_value = {after_ms / 1000, after_ms % 1000 * 1000000L}};

    process->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    return process->timer >= 0 && timerfd_settime(process->timer, 0, &limit, NULL) == 0;
}

bool sbi_mux_is_timed_out(struct sbi_mux_process *process)
{
    uint64_t ticks;

    if (process->timer < 0 || read(process->timer, &ticks, sizeof(ticks)) <= 0)
        return false;
    sbi_mux_close(&process->timer);
    return true;
}

void sbi_mux_ask_witness(struct sbi_mux_process *process)
{
    bool streams_ended = process->out[SBI_STDOUT] < 0 && process->out[SBI_STDERR] < 0;

    if (process->stage != SBI_MUX_RUNNING || process->asked_witness ||
        !(sbi_mux_has_ended(process) ? streams_ended : process->talk.over))
        return;
    process->asked_witness = true;
    sbi_mux_talk_ask_alive(&process->witness);
}

/*
 * A session that goes without its exit message was ended by a signal, which the protocol
 * has no word for.
 */
static void hear_witness(struct sbi_mux_process *process)
{
    struct sbi_mux_message message;
    bool said = sbi_mux_talk_read(&process->witness, &message);

    sbi_mux_talk_flush(&process->witness);
    if (said && message.type == SBI_MUX_ALIVE) {
        process->whole = true;
        if (!sbi_mux_has_ended(process))
            process->end.kind =
                process->connect_host != NULL ? SBI_END_EXITED : SBI_END_SIGNALED;
        return;
    }
    if (!process->witness.over || process->whole)
        return;
    if (sbi_mux_has_ended(process))
        process->broken = true;
    else
        sbi_mux_lose(process, "went away with the connection");
}

static void hear_knock(struct sbi_mux_process *process)
{
    int answer =
        process->knock.talk.fd < 0 ? SBI_MUX_WAITS : sbi_mux_knock_step(&process->knock);

    if (answer == SBI_MUX_ANSWERED)
        process->quiet++;
    if (answer == SBI_MUX_GONE)
        process->broken = true;
}

void sbi_mux_hear_after(struct sbi_mux_process *process)
{
    if (process->asked_witness && !process->whole)
        hear_witness(process);
    hear_knock(process);
}

static bool is_empty(const struct sbi_mux_process *process)
{
    int stream, waiting;

    for (stream = SBI_STDOUT; stream <= SBI_STDERR; stream++)
        if (process->out[stream] >= 0 &&
            ioctl(process->out[stream], FIONREAD, &waiting) == 0 && waiting > 0)
            return false;
    return true;
}

/* Others hold its streams open, it seems: has all that it wrote come? */
static void start_knock(struct sbi_mux_process *process)
{
    if (!process->late && process->timer < 0 && !sbi_mux_start_timer(process, LATE_MS))
        process->late = true;
    process->late = process->late || sbi_mux_is_timed_out(process);
    if (process->late && process->knock.talk.fd < 0 &&
        sbi_mux_knock_start(&process->knock, process->master, NULL) < 0)
        process->broken = true;
}

/* As of a line of our own: two answers in a row with nothing between them. */
bool sbi_mux_is_drained(struct sbi_mux_process *process)
{
    bool streams_open = process->out[SBI_STDOUT] >= 0 || process->out[SBI_STDERR] >= 0;

    if (!sbi_mux_has_ended(process) || process->end.kind == SBI_END_LOST ||
        process->broken || !is_empty(process))
        return false;
    if (process->whole || process->quiet >= QUIET_KNOCKS)
        return true;
    if (streams_open)
        start_knock(process);
    return false;
}
