/*
 * ssh_channel.c - the I/O thread's side of a process: what comes and goes on its channel.
 *
 * What libssh has received goes into the ring from the data callback. Bytes that
 * find no room stay in libssh's buffer, which holds the channel's window back: so
 * a slow reader stops the far side and nothing else. The window is one for both streams:
 * while one lags, none of the other is taken, which would open it.
 */
#include "transport/ssh_line.h"

#include "base/wake.h"

#include <stdio.h>
#include <string.h>

#define WRITE_PIECE (64 * 1024)
#define FEW_BYTES 4096

void sbi_ssh_process_end(struct sbi_ssh_process *process, int kind, const sbx_error *why)
{
    (void)pthread_mutex_lock(&process->lock);
    if (process->end.kind == SBI_END_NONE) {
        process->end.kind = kind;
        if (why != NULL)
            process->end.error = *why;
    }
    sbi_ssh_process_tell(process);
    (void)pthread_mutex_unlock(&process->lock);
}

static int on_data(ssh_session session, ssh_channel channel, void *data, uint32_t length,
                   int is_stderr, void *userdata)
{
    struct sbi_ssh_process *process = userdata;
    int stream = is_stderr ? SBI_STDERR : SBI_STDOUT;
    int other = is_stderr ? SBI_STDOUT : SBI_STDERR;
    size_t taken = length;

    (void)session;
    (void)channel;
    (void)pthread_mutex_lock(&process->lock);
    if (process->left[other] > 0 && !process->abandoned)
        taken = 0;
    else if (!process->abandoned)
        taken = sbi_ring_put(&process->out[stream], data, length);
    process->left[stream] = length - taken;
    process->since_widened += taken;
    process->barrier = 0;
    process->quiet = 0;
    sbi_ssh_process_tell(process);
    (void)pthread_mutex_unlock(&process->lock);
    return (int)taken;
}

static void on_eof(ssh_session session, ssh_channel channel, void *userdata)
{
    struct sbi_ssh_process *process = userdata;

    (void)session;
    (void)channel;
    (void)pthread_mutex_lock(&process->lock);
    process->eof = true;
    sbi_ssh_process_tell(process);
    (void)pthread_mutex_unlock(&process->lock);
}

static void on_close(ssh_session session, ssh_channel channel, void *userdata)
{
    struct sbi_ssh_process *process = userdata;

    process->closed = true;
    on_eof(session, channel, userdata);
}

static void on_status(ssh_session session, ssh_channel channel, int status,
                      void *userdata)
{
    struct sbi_ssh_process *process = userdata;

    (void)session;
    (void)channel;
    (void)pthread_mutex_lock(&process->lock);
    process->end.code = status;
    (void)pthread_mutex_unlock(&process->lock);
    sbi_ssh_process_end(process, SBI_END_EXITED, NULL);
}

/* OpenSSH names what RFC 4254 names; any other signal comes as "SIG@openssh.com". */
static void on_signal(ssh_session session, ssh_channel channel, const char *signal,
                      int core, const char *message, const char *language, void *userdata)
{
    struct sbi_ssh_process *process = userdata;

    (void)session;
    (void)channel;
    (void)core;
    (void)message;
    (void)language;
    (void)pthread_mutex_lock(&process->lock);
    if (signal != NULL && strchr(signal, '@') == NULL)
        (void)snprintf(process->end.signal, sizeof(process->end.signal), "%s", signal);
    (void)pthread_mutex_unlock(&process->lock);
    sbi_ssh_process_end(process, SBI_END_SIGNALED, NULL);
}

void sbi_ssh_channel_prepare(struct sbi_ssh_process *process)
{
    process->callbacks = (struct ssh_channel_callbacks_struct){
        .userdata = process,
        .channel_data_function = on_data,
        .channel_eof_function = on_eof,
        .channel_close_function = on_close,
        .channel_exit_status_function = on_status,
        .channel_exit_signal_function = on_signal,
    };
    ssh_callbacks_init(&process->callbacks);
}

/* True if what was written before has not left yet; the line then looks here again. */
static bool is_held_back(struct sbi_ssh_process *process)
{
    struct sbi_ssh_line *line = process->line;

    if ((sbi_libssh.ssh_get_poll_flags(line->session) & SSH_WRITE_PENDING) == 0)
        return false;
    line->held_back = true;
    return true;
}

/*
 * With the lock held. Much goes only while nothing waits: libssh would take any amount
 * into memory. A few bytes always go, and stand ahead of a start asked for after them.
 */
static size_t writable(struct sbi_ssh_process *process)
{
    size_t window = sbi_libssh.ssh_channel_window_size(process->channel);

    if (!sbi_libssh.ssh_channel_is_open(process->channel) ||
        (process->abandoned && process->connect_host == NULL) ||
        (process->in.length > FEW_BYTES && is_held_back(process)))
        return 0;
    return window < WRITE_PIECE ? window : WRITE_PIECE;
}

/*
 * Writing may handle packets, whose callbacks want the lock: it is written from a copy.
 * Only this thread shortens the ring, so what was copied still stands at its front. Who
 * waits for room is told once there is much: to wake for each piece costs more than it.
 */
static bool send_piece(struct sbi_ssh_process *process)
{
    char piece[WRITE_PIECE];
    size_t length, room;
    const char *at;
    int sent;

    (void)pthread_mutex_lock(&process->lock);
    room = writable(process);
    length = sbi_ring_peek(&process->in, &at);
    if (length > room)
        length = room;
    if (length > 0)
        memcpy(piece, at, length);
    (void)pthread_mutex_unlock(&process->lock);
    if (length == 0 || (process->ahead && sbi_ssh_process_is_cut(process)))
        return false;
    if (process->ahead && !sbi_ssh_process_commit(process))
        return false;
    process->ahead = false;

    sent = sbi_libssh.ssh_channel_write(process->channel, piece, (uint32_t)length);
    (void)pthread_mutex_lock(&process->lock);
    if (sent > 0)
        sbi_ring_drop(&process->in, (size_t)sent);
    if (sent < 0)
        process->input_dead = true;
    if (sent < 0 || process->in.length <= process->in.limit / 2)
        sbi_ssh_process_tell(process);
    (void)pthread_mutex_unlock(&process->lock);
    return sent > 0;
}

static void stop_input(struct sbi_ssh_process *process)
{
    (void)pthread_mutex_lock(&process->lock);
    process->input_dead = true;
    sbi_ring_drop(&process->in, process->in.length);
    sbi_ssh_process_tell(process);
    (void)pthread_mutex_unlock(&process->lock);
}

static bool send_input(struct sbi_ssh_process *process)
{
    bool moved = false, finished;

    if (process->closed && !process->input_dead)
        stop_input(process);
    while (send_piece(process))
        moved = true;
    (void)pthread_mutex_lock(&process->lock);
    finished = process->input_closed && process->in.length == 0 && !process->eof_sent;
    if (process->unsent && process->in.length == 0 && !is_held_back(process)) {
        process->unsent = false;
        sbi_ssh_process_tell(process);
    }
    (void)pthread_mutex_unlock(&process->lock);
    if (finished && sbi_libssh.ssh_channel_is_open(process->channel)) {
        process->eof_sent = true;
        (void)sbi_libssh.ssh_channel_send_eof(process->channel);
        moved = true;
    }
    return moved;
}

/*
 * Takes up what the data callback had to leave behind. While libssh holds bytes of a
 * stream, reading them handles no packets, so no callback wants the lock.
 */
static bool read_left(struct sbi_ssh_process *process)
{
    bool moved = false, takes;
    size_t room;
    int stream, got;
    char *at;

    (void)pthread_mutex_lock(&process->lock);
    takes = sbi_ssh_process_takes(process);
    for (stream = SBI_STDOUT; takes && stream <= SBI_STDERR; stream++)
        while (process->left[stream] > 0 &&
               (room = sbi_ring_room(&process->out[stream], &at)) > 0) {
            if (room > process->left[stream])
                room = process->left[stream];
            got = sbi_libssh.ssh_channel_read_nonblocking(process->channel, at,
                                                          (uint32_t)room, stream);
            if (got <= 0) {
                process->left[stream] = 0;
                break;
            }
            sbi_ring_filled(&process->out[stream], (size_t)got);
            process->left[stream] -= (size_t)got;
            moved = true;
        }
    if (moved) {
        /* an answer of before says nothing of what the window has kept over there */
        process->barrier = 0;
        process->quiet = 0;
        sbi_ssh_process_tell(process);
    }
    (void)pthread_mutex_unlock(&process->lock);
    return moved;
}

static void resize_terminal(struct sbi_ssh_process *process)
{
    int rows, columns;
    bool resized;

    (void)pthread_mutex_lock(&process->lock);
    rows = process->rows, columns = process->columns;
    resized = process->resized;
    process->resized = false;
    (void)pthread_mutex_unlock(&process->lock);
    if (resized)
        (void)sbi_libssh.ssh_channel_change_pty_size(process->channel, columns, rows);
}

/* A channel without a command ends so; one with a command tells its end before. */
static void end_closed(struct sbi_ssh_process *process)
{
    sbx_error why = {0};

    (void)sbi_fail(&why, SBX_ERR_REMOTE,
                   "the server closed the channel without telling how the command ended");
    if (process->connect_host != NULL)
        sbi_ssh_process_end(process, SBI_END_EXITED, NULL);
    else
        sbi_ssh_process_end(process, SBI_END_LOST, &why);
}

static bool run_on(struct sbi_ssh_process *process)
{
    bool moved;

    if (process->pty)
        resize_terminal(process);
    moved = send_input(process);
    if (read_left(process))
        moved = true;
    sbi_ssh_window_tend(process);
    if (process->closed && !sbi_ssh_process_left(process)) {
        process->stage = SBI_STAGE_OVER;
        end_closed(process);
    }
    return moved;
}

/* Nothing is written to a channel before the request that gives it a process. */
bool sbi_ssh_process_step(struct sbi_ssh_process *process)
{
    enum sbi_ssh_stage stage = process->stage;
    bool moved = false;

    if (stage < SBI_STAGE_RUNNING)
        moved = sbi_ssh_process_begin(process);
    if (stage < SBI_STAGE_STARTING || process->stage == SBI_STAGE_OVER)
        return moved;
    return run_on(process) || moved;
}
