/*
 * mux_process.c - a process on another's connection.
 *
 * The master moves the bytes: it has the far ends of our pipes. What it does not tell is
 * found out: a witness, a second connection that was there before the session, still
 * answers when the session is gone, or the master went, and the last bytes perhaps with
 * it; and a knock comes back behind what was on its way from over there.
 *
 * A request with input runs nothing before it has read of that, so it counts as sent once
 * a byte of the input has gone.
 */
#include "base/cleanup.h"
#include "base/ring.h"
#include "base/write.h"
#include "transport/local_spawn.h"
#include "transport/mux_state.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>

#define INPUT_LIMIT ((size_t)2 * 1024 * 1024)

static void mux_process_free(struct sbi_process *base)
{
    struct sbi_mux_process *process = (struct sbi_mux_process *)base;
    int i;

    sbi_mux_talk_clear(&process->talk);
    sbi_mux_talk_clear(&process->witness);
    sbi_mux_talk_clear(&process->knock.talk);
    sbi_mux_close(&process->timer);
    sbi_mux_close(&process->in);
    sbi_mux_close(&process->out[SBI_STDOUT]);
    sbi_mux_close(&process->out[SBI_STDERR]);
    for (i = 0; i < 3; i++)
        sbi_mux_close(&process->far[i]);
    sbi_ring_clear(&process->input);
    free(process->command);
    free(process->term);
    free(process->connect_host);
    sbi_mux_master_release(process->master);
    free(process);
}

static void mux_process_clear(struct sbi_mux_process **process)
{
    if (*process != NULL)
        mux_process_free(&(*process)->base);
}

/* ssh tells no reason but its own; before 9.4 it took a socket's path for a host. */
static void refuse(struct sbi_mux_process *process, const struct sbi_mux_message *message)
{
    const char *hint = process->connect_port == SBI_CONNECT_SOCKET
                           ? " (to a socket one of OpenSSH 9.4 or later does)"
                           : "";

    process->stage = SBI_MUX_OVER;
    process->end.kind = SBI_END_REFUSED;
    process->end.sent = false;
    (void)sbi_fail(&process->end.error,
                   process->connect_host != NULL ? SBX_ERR_CONNECT : SBX_ERR_LIMIT,
                   "the master at '%s' opens no session%s: %.*s", process->master->path,
                   hint, (int)message->reason.length, message->reason.data);
}

/* Our end of the terminal gave the master its settings; now bytes pass as they are. */
static void make_raw(struct sbi_mux_process *process)
{
    struct termios settings;

    if (!process->pty || tcgetattr(process->in, &settings) < 0)
        return;
    cfmakeraw(&settings);
    (void)tcsetattr(process->in, TCSANOW, &settings);
}

/* Nobody may come back to one that stands aside: its input waits in the pipe. */
static bool takes_input(const struct sbi_mux_process *process)
{
    return process->in >= 0 && process->stage < SBI_MUX_OVER &&
           (process->stage == SBI_MUX_RUNNING || process->aside);
}

static void feed(struct sbi_mux_process *process)
{
    const char *at;
    size_t length;
    ssize_t written = 1;

    while (takes_input(process) && written > 0 &&
           (length = sbi_ring_peek(&process->input, &at)) > 0) {
        process->end.sent = true;
        written = sbi_write_some(process->in, at, length);
        if (written > 0)
            sbi_ring_drop(&process->input, (size_t)written);
        else if (errno != EAGAIN)
            sbi_mux_close(&process->in);
    }
    if (takes_input(process) && process->close_input && process->input.length == 0)
        sbi_mux_close(&process->in);
}

/*
 * The greeting was there before, and serves the first process, where it was with who is
 * asked now: another may have taken the place since.
 */
static int find_witness(struct sbi_mux_process *process)
{
    struct sbi_mux_master *master = process->master;

    if (master->pid == process->talk.pid && !atomic_exchange(&master->lent, true)) {
        process->witness = master->greeting;
        master->greeting = (struct sbi_mux_talk)SBI_MUX_NO_TALK;
        return SBX_OK;
    }
    return sbi_mux_talk_open(&process->witness, master->path, NULL);
}

static void ask(struct sbi_mux_process *process)
{
    const char *watch = process->watch[0] == '\0' ? NULL : process->watch;
    const struct sbi_mux_session session = {.terminal = process->pty,
                                            .term = process->term,
                                            .command = process->command,
                                            .env = {process->env, watch}};

    if (find_witness(process) < 0) {
        sbi_mux_lose(process, "is gone");
        return;
    }
    process->end.sent = !process->waits && process->connect_host == NULL;
    process->stage = SBI_MUX_ASKED;
    if (process->connect_host != NULL)
        sbi_mux_talk_ask_forward(&process->talk, process->connect_host,
                                 process->connect_port, process->far);
    else
        sbi_mux_talk_ask_session(&process->talk, &session, process->far);
    if (process->connect_host != NULL)
        sbi_mux_close(&process->far[2]);
    process->far[0] = process->far[1] = process->far[2] = -1;
    sbi_mux_close(&process->timer);
}

/* It becomes a word of a script: nothing but what a tag is made of is taken. */
static void take_tag(struct sbi_mux_process *process, struct sbi_mux_text tag)
{
    static const char digits[] = "0123456789abcdef";
    size_t i;

    if (tag.length != sizeof(process->end.tag) - 1)
        return;
    for (i = 0; i < tag.length; i++)
        if (strchr(digits, tag.data[i]) == NULL)
            return;
    memcpy(process->end.tag, tag.data, tag.length);
}

static void hear(struct sbi_mux_process *process, const struct sbi_mux_message *message)
{
    switch (message->type) {
    case SBI_MUX_OPENED:
        process->stage = SBI_MUX_RUNNING;
        process->end.sent = process->end.sent || process->connect_host != NULL;
        make_raw(process);
        break;
    case SBI_MUX_TAG:
        take_tag(process, message->reason);
        break;
    case SBI_MUX_DENIED:
    case SBI_MUX_FAILURE:
        if (process->stage == SBI_MUX_ASKED)
            refuse(process, message);
        else
            sbi_mux_lose(process, "has lost the connection");
        break;
    case SBI_MUX_SIGNALED:
        if (process->stage != SBI_MUX_RUNNING)
            break;
        process->end.kind = SBI_END_SIGNALED;
        (void)snprintf(process->end.signal, sizeof(process->end.signal), "%.*s",
                       (int)message->reason.length, message->reason.data);
        break;
    case SBI_MUX_EXIT:
        if (process->stage != SBI_MUX_RUNNING)
            break;
        process->end.kind = SBI_END_EXITED;
        process->end.code = (int)(message->value & 0xff);
        break;
    default:
        break;
    }
}

static void hear_talk(struct sbi_mux_process *process)
{
    struct sbi_mux_message message;

    while (process->stage < SBI_MUX_OVER && sbi_mux_talk_read(&process->talk, &message))
        hear(process, &message);
    if (process->stage == SBI_MUX_GREETING && process->talk.greeted)
        ask(process);
    sbi_mux_talk_flush(&process->talk);
    if (process->stage == SBI_MUX_GREETING && sbi_mux_is_timed_out(process))
        sbi_mux_lose(process, "does not answer");
    if (process->stage < SBI_MUX_RUNNING && process->talk.over)
        sbi_mux_lose(process, "is gone");
}

static void step(struct sbi_mux_process *process)
{
    hear_talk(process);
    feed(process);
    sbi_mux_ask_witness(process);
    sbi_mux_hear_after(process);
}

/* The end of a stream is told once it is known whether it came from over there. */
static ssize_t mux_read(struct sbi_process *base, int stream, void *data, size_t room)
{
    struct sbi_mux_process *process = (struct sbi_mux_process *)base;
    ssize_t got = 0;

    if (process->out[stream] >= 0) {
        do
            got = read(process->out[stream], data, room);
        while (got < 0 && errno == EINTR);
        if (got > 0)
            process->quiet = 0;
        if (got > 0 || (got < 0 && errno == EAGAIN))
            return got;
        sbi_mux_close(&process->out[stream]);
        sbi_mux_ask_witness(process);
    }
    return sbi_mux_is_settled(process) ? 0 : -1;
}

static ssize_t mux_write(struct sbi_process *base, const void *data, size_t length)
{
    struct sbi_mux_process *process = (struct sbi_mux_process *)base;
    ssize_t taken;

    feed(process);
    if (process->in < 0 || process->stage == SBI_MUX_OVER || process->close_input)
        return -1;
    taken = (ssize_t)sbi_ring_put(&process->input, data, length);
    feed(process);
    return taken;
}

static void mux_close_input(struct sbi_process *base)
{
    struct sbi_mux_process *process = (struct sbi_mux_process *)base;

    process->close_input = true;
    feed(process);
}

static bool mux_unsent(struct sbi_process *base)
{
    struct sbi_mux_process *process = (struct sbi_mux_process *)base;

    step(process);
    return process->input.length > 0 && process->in >= 0 && !sbi_mux_has_ended(process);
}

static bool mux_end(struct sbi_process *base, struct sbi_end *out)
{
    struct sbi_mux_process *process = (struct sbi_mux_process *)base;

    step(process);
    *out = process->end;
    return sbi_mux_has_ended(process);
}

static size_t mux_poll(struct sbi_process *base, bool writing, struct pollfd *fds,
                       size_t room)
{
    struct sbi_mux_process *process = (struct sbi_mux_process *)base;
    const struct sbi_mux_talk *talks[] = {&process->talk, &process->witness,
                                          &process->knock.talk};
    const bool heard[] = {!sbi_mux_has_ended(process) && !process->talk.over,
                          process->asked_witness && !sbi_mux_is_settled(process), true};
    size_t count = 0, i;

    (void)room;
    for (i = 0; i < 2 && process->stage == SBI_MUX_RUNNING; i++)
        if (process->out[i] >= 0)
            fds[count++] = (struct pollfd){process->out[i], POLLIN, 0};
    for (i = 0; i < 3; i++)
        if (heard[i] && talks[i]->fd >= 0)
            fds[count++] =
                (struct pollfd){talks[i]->fd, sbi_mux_talk_events(talks[i]), 0};
    if (process->timer >= 0)
        fds[count++] = (struct pollfd){process->timer, POLLIN, 0};
    if (process->stage == SBI_MUX_RUNNING && process->in >= 0 &&
        !sbi_mux_has_ended(process) && (writing || process->input.length > 0))
        fds[count++] = (struct pollfd){process->in, POLLOUT, 0};
    return count;
}

static bool mux_drained(struct sbi_process *base)
{
    struct sbi_mux_process *process = (struct sbi_mux_process *)base;

    step(process);
    return sbi_mux_is_drained(process);
}

/* The master looks at the sizes of its terminals when it is told that one has changed. */
static void mux_resize(struct sbi_process *base, int rows, int columns)
{
    struct sbi_mux_process *process = (struct sbi_mux_process *)base;
    struct winsize size = {.ws_row = (unsigned short)rows,
                           .ws_col = (unsigned short)columns};

    if (process->in < 0 || !process->pty)
        return;
    (void)ioctl(process->in, TIOCSWINSZ, &size);
    if (!process->talk.over && process->talk.pid > 1)
        (void)kill(process->talk.pid, SIGWINCH);
}

static const struct sbi_process_ops process_ops = {
    .read = mux_read,
    .write = mux_write,
    .close_input = mux_close_input,
    .unsent = mux_unsent,
    .end = mux_end,
    .poll = mux_poll,
    .drained = mux_drained,
    .resize = mux_resize,
    .free = mux_process_free,
};

/* Its input alone is a terminal: from that the master takes settings and size. */
static int make_terminal(struct sbi_mux_process *process,
                         const struct sbi_process_spec *spec, sbx_error *err)
{
    char name[64];
    int rc = sbi_local_terminal(spec, &process->in, name, sizeof(name), err);

    if (rc < 0)
        return rc;
    process->far[0] = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    return process->far[0] >= 0 ? SBX_OK
                                : sbi_fail_errno(err, SBX_ERR_IO, "open a terminal");
}

static int make_streams(struct sbi_mux_process *process,
                        const struct sbi_process_spec *spec, sbx_error *err)
{
    int rc = spec->pty ? make_terminal(process, spec, err)
                       : sbi_local_pipe(&process->in, &process->far[0], true, err);

    if (rc == SBX_OK)
        rc = sbi_local_pipe(&process->out[SBI_STDOUT], &process->far[1], false, err);
    if (rc == SBX_OK)
        rc = sbi_local_pipe(&process->out[SBI_STDERR], &process->far[2], false, err);
    return rc;
}

static int take_spec(struct sbi_mux_process *process, const struct sbi_process_spec *spec,
                     sbx_error *err)
{
    const char *host = spec->connect_host;

    process->pty = spec->pty;
    process->aside = spec->aside;
    (void)snprintf(process->env, sizeof(process->env), SBI_MUX_RUN "%s",
                   spec->run_id == NULL ? "" : spec->run_id);
    if (spec->watch != NULL)
        (void)snprintf(process->watch, sizeof(process->watch), SBI_MUX_WATCH "%s",
                       spec->watch);
    process->waits = spec->ahead || spec->input_length > 0;
    process->command = strdup(spec->command == NULL ? "" : spec->command);
    process->term = strdup(spec->term == NULL ? "xterm" : spec->term);
    process->connect_host = host == NULL ? NULL : strdup(host);
    process->connect_port = spec->connect_port;
    process->input.limit = INPUT_LIMIT + spec->input_length;
    if (process->command == NULL || process->term == NULL ||
        (host != NULL && process->connect_host == NULL) ||
        sbi_ring_put(&process->input, spec->input, spec->input_length) <
            spec->input_length)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "start a process: out of memory");
    return SBX_OK;
}

/* A socket that is gone is no error here: the process is lost before it was sent. */
static int begin(struct sbi_mux_process *process, sbx_error *err)
{
    if (!sbi_mux_start_timer(process, SBI_MUX_HELLO_MS))
        return sbi_fail_errno(err, SBX_ERR_IO, "make a timer");
    if (sbi_mux_talk_open(&process->talk, process->master->path, NULL) < 0)
        sbi_mux_lose(process, "is gone");
    else if (process->aside)
        ask(process);
    step(process);
    return SBX_OK;
}

int sbi_mux_start(struct sbi_mux_master *master, const struct sbi_process_spec *spec,
                  struct sbi_process **out, sbx_error *err)
{
    SBI_CLEANUP(mux_process_clear)
    struct sbi_mux_process *process = calloc(1, sizeof(*process));
    int rc;

    if (process == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "start a process: out of memory");
    *process = (struct sbi_mux_process){.base = {&process_ops},
                                        .master = master,
                                        .talk = SBI_MUX_NO_TALK,
                                        .witness = SBI_MUX_NO_TALK,
                                        .knock = {.talk = SBI_MUX_NO_TALK},
                                        .timer = -1,
                                        .in = -1,
                                        .out = {-1, -1},
                                        .far = {-1, -1, -1}};
    atomic_fetch_add(&master->holders, 1);
    rc = take_spec(process, spec, err);
    if (rc == SBX_OK)
        rc = make_streams(process, spec, err);
    if (rc == SBX_OK)
        rc = begin(process, err);
    if (rc < 0)
        return rc;
    *out = &SBI_STEAL(process)->base;
    return SBX_OK;
}
