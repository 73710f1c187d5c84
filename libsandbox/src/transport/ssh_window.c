/*
 * ssh_window.c - how much the far side may send before it hears from us.
 *
 * libssh opens a channel with 64 KB and goes up to 1.28 MB by itself, which at 40 ms a
 * round trip is 20 MB/s. It has no call to ask for more, but one that reads more than
 * there is makes the window as large as what it asks for. Here nothing is there to be
 * read when it is called: what comes meanwhile goes to the data callback as ever.
 */
#include "transport/ssh_line.h"

#include "base/cleanup.h"

#define WINDOW ((uint32_t)4 * 1024 * 1024)
#define STEP ((size_t)512 * 1024)
#define ROOM ((size_t)512 * 1024) /* more than can come during one call */

/* A reader that lags behind is given no more: that is what stops the far side. */
static bool is_due(struct sbi_ssh_process *process)
{
    const struct sbi_ring *out = process->out;
    bool due;

    (void)pthread_mutex_lock(&process->lock);
    due = process->since_widened >= STEP && !sbi_ssh_process_left(process) &&
          !process->eof && !process->abandoned &&
          out[SBI_STDOUT].limit - out[SBI_STDOUT].length >= ROOM &&
          out[SBI_STDERR].limit - out[SBI_STDERR].length >= ROOM;
    if (due)
        process->since_widened = 0;
    (void)pthread_mutex_unlock(&process->lock);
    return due;
}

/* The callback has left nothing behind, with so much room; were it otherwise, nothing is
 * lost. */
static void keep(struct sbi_ssh_process *process, const char *data, size_t length)
{
    struct sbi_ring *out = &process->out[SBI_STDOUT];

    (void)pthread_mutex_lock(&process->lock);
    out->limit += length;
    (void)sbi_ring_put(out, data, length);
    out->limit -= length;
    process->left[SBI_STDOUT] = 0;
    sbi_ssh_process_tell(process);
    (void)pthread_mutex_unlock(&process->lock);
}

void sbi_ssh_window_start(struct sbi_ssh_process *process)
{
    process->since_widened = STEP;
}

void sbi_ssh_window_tend(struct sbi_ssh_process *process)
{
    SBI_AUTOFREE char *unused = NULL;
    int got;

    if (!sbi_libssh.ssh_channel_is_open(process->channel) || !is_due(process))
        return;
    unused = malloc(WINDOW); /* of which no page is touched */
    if (unused == NULL)
        return;
    got = sbi_libssh.ssh_channel_read_timeout(process->channel, unused, WINDOW, 0, 0);
    if (got > 0)
        keep(process, unused, (size_t)got);
}
