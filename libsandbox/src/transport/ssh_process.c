/*
 * ssh_process.c - a process as its user sees it: rings, and a bell that is rung when
 * something came or went.
 */
#include "transport/ssh_line.h"

#include "base/cleanup.h"
#include "base/wake.h"

#include <string.h>

#define IN_LIMIT ((size_t)2 * 1024 * 1024)
#define OUT_LIMIT ((size_t)4 * 1024 * 1024) /* a whole window: see ssh_window.c */
#define QUIET_PINGS 2

void sbi_ssh_process_release(struct sbi_ssh_process *process)
{
    if (atomic_fetch_sub(&process->holders, 1) > 1)
        return;
    sbi_ring_clear(&process->in);
    sbi_ring_clear(&process->out[SBI_STDOUT]);
    sbi_ring_clear(&process->out[SBI_STDERR]);
    sbi_bell_close(&process->bell);
    (void)pthread_mutex_destroy(&process->lock);
    free(process->command);
    free(process->term);
    free(process->connect_host);
    free(process);
}

static struct sbi_ssh_process *lock(struct sbi_process *base)
{
    struct sbi_ssh_process *process = (struct sbi_ssh_process *)base;

    (void)pthread_mutex_lock(&process->lock);
    return process;
}

static void unlock(struct sbi_ssh_process *process)
{
    (void)pthread_mutex_unlock(&process->lock);
}

/* With the lock held, so that the line is still there. */
static void ring_line(struct sbi_ssh_process *process)
{
    if (!process->detached)
        sbi_wake_ring(process->line->wake);
}

static ssize_t ssh_read(struct sbi_process *base, int stream, void *data, size_t room)
{
    struct sbi_ssh_process *process = lock(base);
    ssize_t got = (ssize_t)sbi_ring_get(&process->out[stream], data, room);

    if (got > 0 && sbi_ssh_process_takes(process))
        ring_line(process);
    if (got == 0 && !((process->eof && process->left[stream] == 0) || process->detached))
        got = -1;
    unlock(process);
    return got;
}

/* What waits already is written as soon as it can be: the line need not hear of more. */
static ssize_t ssh_write(struct sbi_process *base, const void *data, size_t length)
{
    struct sbi_ssh_process *process = lock(base);
    bool waits = process->in.length > 0;
    ssize_t taken = -1;

    if (!process->input_dead && !process->detached && !process->input_closed) {
        taken = (ssize_t)sbi_ring_put(&process->in, data, length);
        process->unsent = process->unsent || taken > 0;
        if (taken > 0 && !waits)
            ring_line(process);
    }
    unlock(process);
    return taken;
}

static void ssh_close_input(struct sbi_process *base)
{
    struct sbi_ssh_process *process = lock(base);

    process->input_closed = true;
    ring_line(process);
    unlock(process);
}

static bool ssh_unsent(struct sbi_process *base)
{
    struct sbi_ssh_process *process = lock(base);
    bool unsent = process->unsent && !process->input_dead && !process->detached;

    unlock(process);
    return unsent;
}

void sbi_ssh_process_tell(struct sbi_ssh_process *process)
{
    sbi_bell_tell(&process->bell);
}

static bool ssh_end(struct sbi_process *base, struct sbi_end *out)
{
    struct sbi_ssh_process *process = lock(base);
    bool known;

    sbi_bell_begin(&process->bell);
    known = process->end.kind != SBI_END_NONE;
    *out = process->end;
    unlock(process);
    return known;
}

/*
 * sshd tells the end as soon as it knows, and answers a ping ahead of bytes that wait
 * for room in the window, or for new keys. One that is asked after that answer comes
 * behind them, so two in a row with nothing between show that nothing is left.
 */
static bool ssh_drained(struct sbi_process *base)
{
    struct sbi_ssh_process *process = lock(base);
    bool empty = !sbi_ssh_process_left(process) && process->out[SBI_STDOUT].length == 0 &&
                 process->out[SBI_STDERR].length == 0;
    bool whole = process->eof || process->quiet >= QUIET_PINGS;

    sbi_bell_begin(&process->bell);
    if (process->barrier == 0 && !whole && !process->detached)
        process->barrier = sbi_ssh_line_want_ping(process->line);
    unlock(process);
    return empty && whole;
}

static size_t ssh_poll(struct sbi_process *base, bool writing, struct pollfd *fds,
                       size_t room)
{
    struct sbi_ssh_process *process = lock(base);

    (void)writing;
    (void)room;
    fds[0] = (struct pollfd){sbi_bell_wait(&process->bell), POLLIN, 0};
    unlock(process);
    return 1;
}

static void ssh_resize(struct sbi_process *base, int rows, int columns)
{
    struct sbi_ssh_process *process = lock(base);

    process->rows = rows;
    process->columns = columns;
    process->resized = true;
    ring_line(process);
    unlock(process);
}

static void ssh_process_free(struct sbi_process *base)
{
    struct sbi_ssh_process *process = lock(base);

    process->abandoned = true;
    ring_line(process);
    unlock(process);
    sbi_ssh_process_release(process);
}

bool sbi_ssh_process_abandoned(struct sbi_ssh_process *process)
{
    bool abandoned;

    (void)pthread_mutex_lock(&process->lock);
    abandoned = process->abandoned;
    (void)pthread_mutex_unlock(&process->lock);
    return abandoned;
}

void sbi_ssh_process_barrier(struct sbi_ssh_process *process, uint64_t answered)
{
    (void)pthread_mutex_lock(&process->lock);
    if (process->barrier != 0 && process->barrier <= answered) {
        process->barrier = 0;
        process->quiet++;
    }
    sbi_ssh_process_tell(process);
    (void)pthread_mutex_unlock(&process->lock);
}

void sbi_ssh_process_detach(struct sbi_ssh_process *process, const sbx_error *why)
{
    (void)pthread_mutex_lock(&process->lock);
    process->detached = true;
    process->stage = SBI_STAGE_OVER;
    if (process->end.kind == SBI_END_NONE) {
        process->end.kind = SBI_END_LOST;
        process->end.error = *why;
    }
    sbi_ssh_process_tell(process);
    (void)pthread_mutex_unlock(&process->lock);
    sbi_ssh_process_release(process);
}

static const struct sbi_process_ops process_ops = {
    .read = ssh_read,
    .write = ssh_write,
    .close_input = ssh_close_input,
    .unsent = ssh_unsent,
    .end = ssh_end,
    .poll = ssh_poll,
    .drained = ssh_drained,
    .resize = ssh_resize,
    .free = ssh_process_free,
};

static int take_spec(struct sbi_ssh_process *process, const struct sbi_process_spec *spec)
{
    process->command = strdup(spec->command == NULL ? "" : spec->command);
    process->term = strdup(spec->term == NULL ? "xterm" : spec->term);
    process->connect_host =
        spec->connect_host == NULL ? NULL : strdup(spec->connect_host);
    process->connect_port = spec->connect_port;
    process->pty = spec->pty;
    process->aside = spec->aside;
    process->ahead = spec->ahead;
    process->rows = spec->rows;
    process->columns = spec->columns;
    process->out[SBI_STDOUT].limit = OUT_LIMIT;
    process->out[SBI_STDERR].limit = OUT_LIMIT;
    process->in.limit = IN_LIMIT + spec->input_length;
    if (process->command == NULL || process->term == NULL ||
        (spec->connect_host != NULL && process->connect_host == NULL) ||
        sbi_ring_put(&process->in, spec->input, spec->input_length) < spec->input_length)
        return SBX_ERR_NO_MEMORY;
    return SBX_OK;
}

int sbi_ssh_process_new(struct sbi_ssh_line *line, const struct sbi_process_spec *spec,
                        struct sbi_ssh_process **out, sbx_error *err)
{
    struct sbi_ssh_process *process = calloc(1, sizeof(*process));

    if (process == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "start a process: out of memory");
    process->base.ops = &process_ops;
    process->line = line;
    process->bell.fd = -1;
    atomic_init(&process->holders, 1);
    (void)pthread_mutex_init(&process->lock, NULL);
    sbi_ssh_channel_prepare(process);

    if (take_spec(process, spec) < 0) {
        sbi_ssh_process_release(process);
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "start a process: out of memory");
    }
    if (sbi_bell_open(&process->bell, err) < 0) {
        sbi_ssh_process_release(process);
        return SBX_ERR_IO;
    }
    atomic_store(&process->holders, 2);
    *out = process;
    return SBX_OK;
}
