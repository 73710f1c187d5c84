/*
 * pump.c - moves bytes between a process over there and the descriptors that its client
 * has passed, and tells the client how it began and ended.
 *
 * Nothing is read from the client before its process is known to have been asked for:
 * what is refused can go another way, with its input whole.
 */
#include "keeper/pump.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/wait.h"
#include "base/write.h"
#include "session/burial.h"
#include "session/session_lines.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>

#define PIECE ((size_t)64 * 1024)
#define START_MS 20000
#define LOOK_MS 250 /* at a terminal's size: its change is a signal, and not ours */
#define KILL_MS 2000
#define BURY_MS 10000
#define NOT_BEGUN 255

/* Bytes on their way in one direction. */
struct way {
    char *data;
    size_t start;
    size_t length;
    bool ended;
};

struct pump {
    struct sbi_kept *kept;
    struct sbi_mux_talk *talk;
    struct sbi_pump_request *request;
    struct sbi_started started;
    struct sbi_end end;
    struct way ways[3]; /* by the number of the client's descriptor */
    int flags[3];       /* of those, as they were; -1: left alone */
    struct winsize size;
    bool opened;
    bool in_closed;
};

void sbi_pump_request_clear(struct sbi_pump_request *request)
{
    int i;

    for (i = 0; i < 3; i++)
        sbi_close_fd(&request->fds[i]);
    free(request->command);
    free(request->term);
    sbi_str_clear(&request->watched.head);
}

/* A terminal is shared with whoever else is on it, who would meet our setting. */
static void unblock(struct pump *pump)
{
    int i, flags;

    for (i = 0; i < 3; i++) {
        pump->flags[i] = -1;
        if (pump->request->fds[i] < 0 || isatty(pump->request->fds[i]))
            continue;
        flags = fcntl(pump->request->fds[i], F_GETFL);
        if (flags < 0 || (flags & O_NONBLOCK) != 0)
            continue;
        pump->flags[i] = flags;
        (void)fcntl(pump->request->fds[i], F_SETFL, flags | O_NONBLOCK);
    }
}

static void block_again(struct pump *pump)
{
    int i;

    for (i = 0; i < 3; i++)
        if (pump->flags[i] >= 0)
            (void)fcntl(pump->request->fds[i], F_SETFL, pump->flags[i]);
}

static void pump_clear(struct pump *pump)
{
    int i;

    block_again(pump);
    (void)sbi_session_leave(pump->kept->session, &pump->started, false);
    for (i = 0; i < 3; i++)
        free(pump->ways[i].data);
}

static void say_text(struct pump *pump, int type, const char *text)
{
    sbi_mux_add(&pump->talk->out, type, &pump->request->id, 1, text);
    sbi_mux_talk_flush(pump->talk);
}

static void say(struct pump *pump, int type, uint32_t first, uint32_t second)
{
    const uint32_t numbers[] = {first, second};

    sbi_mux_add(&pump->talk->out, type, numbers, 2, NULL);
    sbi_mux_talk_flush(pump->talk);
}

/*
 * A master has no word for a signal: it hangs up; so it does at the end of a connection
 * from over there. For a lost one we have a word.
 */
static void say_end(struct pump *pump)
{
    if (pump->request->port != 0)
        return;
    if (pump->end.kind == SBI_END_EXITED)
        say(pump, SBI_MUX_EXIT, pump->request->id, (uint32_t)pump->end.code);
    else if (pump->end.kind == SBI_END_SIGNALED && pump->request->is_ours)
        say_text(pump, SBI_MUX_SIGNALED, pump->end.signal);
    else if (pump->end.kind != SBI_END_SIGNALED)
        say_text(pump, SBI_MUX_FAILURE, pump->end.error.text);
}

/* Output that nobody reads any more is taken all the same, and dropped. */
static bool move_out(struct pump *pump, int stream)
{
    struct way *way = &pump->ways[stream + 1];
    int fd = pump->request->fds[stream + 1];
    size_t piece;
    ssize_t moved;

    if (way->length == 0 && !way->ended) {
        moved = sbi_process_read(pump->started.process, stream, way->data, PIECE);
        way->ended = moved == 0;
        way->start = 0;
        way->length = moved > 0 ? (size_t)moved : 0;
        if (moved > 0 && stream == SBI_STDOUT)
            sbi_watched_hear(pump->kept->session, &pump->request->watched, &pump->started,
                             pump->request->run_id, way->data, way->length);
    }
    if (way->length == 0)
        return false;
    piece = pump->flags[stream + 1] < 0 && way->length > 4096 ? 4096 : way->length;
    moved = fd < 0 ? (ssize_t)piece : sbi_write_some(fd, way->data + way->start, piece);
    if (moved < 0 && errno == EAGAIN)
        return false;
    piece = moved < 0 ? way->length : (size_t)moved;
    way->start += piece;
    way->length -= piece;
    return true;
}

static bool move_in(struct pump *pump)
{
    struct way *way = &pump->ways[0];
    ssize_t moved;

    if (way->length == 0 && !way->ended) {
        moved = read(pump->request->fds[0], way->data, PIECE);
        if (moved < 0 && (errno == EAGAIN || errno == EINTR))
            return false;
        way->ended = moved <= 0;
        way->start = 0;
        way->length = moved > 0 ? (size_t)moved : 0;
    }
    if (way->length > 0) {
        moved =
            sbi_process_write(pump->started.process, way->data + way->start, way->length);
        if (moved < 0) {
            way->ended = true;
            way->length = 0;
            return true;
        }
        way->start += (size_t)moved;
        way->length -= (size_t)moved;
        return moved > 0;
    }
    if (way->ended && !pump->in_closed) {
        pump->in_closed = true;
        sbi_process_close_input(pump->started.process);
    }
    return false;
}

/* A terminal's input is read when there is some: its settings are its client's. */
static bool has_input(const struct pump *pump)
{
    struct pollfd one = {pump->request->fds[0], POLLIN, 0};

    return pump->ways[0].length > 0 || pump->ways[0].ended || poll(&one, 1, 0) > 0;
}

static void follow_size(struct pump *pump)
{
    struct winsize size;

    if (!pump->request->terminal || ioctl(pump->request->fds[0], TIOCGWINSZ, &size) < 0 ||
        (size.ws_row == pump->size.ws_row && size.ws_col == pump->size.ws_col))
        return;
    pump->size = size;
    sbi_process_resize(pump->started.process, size.ws_row, size.ws_col);
}

static int wait_for_more(struct pump *pump)
{
    int64_t deadline = pump->request->terminal ? sbi_deadline(LOOK_MS) : SBI_NEVER;
    const struct way *ways = pump->ways;
    struct pollfd fds[10];
    size_t count;
    int i, rc;

    count = sbi_process_poll(pump->started.process, ways[0].length > 0, fds, 4);
    fds[count++] = (struct pollfd){pump->talk->fd, sbi_mux_talk_events(pump->talk), 0};
    if (pump->opened && !ways[0].ended && ways[0].length == 0 &&
        pump->end.kind == SBI_END_NONE)
        fds[count++] = (struct pollfd){pump->request->fds[0], POLLIN, 0};
    for (i = 1; i < 3; i++)
        if (ways[i].length > 0)
            fds[count++] = (struct pollfd){pump->request->fds[i], POLLOUT, 0};
    rc = sbi_wait_any(fds, count, deadline, pump->kept->keeper->stop);
    return rc == SBX_ERR_TIMEOUT ? SBX_OK : rc;
}

/* The client asks for nothing more on this connection; its end is what is looked for. */
static bool client_left(struct pump *pump)
{
    struct sbi_mux_message message;

    while (sbi_mux_talk_read(pump->talk, &message))
        continue;
    sbi_mux_talk_flush(pump->talk);
    return pump->talk->over;
}

static void note_end(struct pump *pump)
{
    sbi_watched_end(pump->kept->session, &pump->request->watched, &pump->started,
                    pump->request->run_id);
}

/* Nothing is sent to the supervisor that the client does not know of. */
static void tell_opened(struct pump *pump)
{
    if (pump->opened)
        return;
    pump->opened = true;
    if (pump->request->watched.given)
        say_text(pump, SBI_MUX_TAG, pump->started.tag);
    say(pump, SBI_MUX_OPENED, pump->request->id, pump->request->id);
}

/*
 * True where it has not begun, which the client is told of, unless it may begin
 * elsewhere. One that was ready takes the client's input at once; where it comes to
 * nothing, it ends without the mark of a start, and the client begins afresh.
 */
static bool tell_begin(struct pump *pump)
{
    bool ended = pump->end.kind != SBI_END_NONE;

    if (pump->started.was_ready) {
        tell_opened(pump);
        if (!ended || pump->end.sent)
            return false;
        note_end(pump);
        say(pump, SBI_MUX_EXIT, pump->request->id, NOT_BEGUN);
        return true;
    }
    if (ended && pump->end.kind == SBI_END_REFUSED)
        return true;
    if (ended && !pump->end.sent) {
        say_text(pump, SBI_MUX_FAILURE, pump->end.error.text);
        return true;
    }
    if (pump->end.sent)
        tell_opened(pump);
    return false;
}

static bool is_flushed(const struct pump *pump)
{
    return pump->ways[1].length == 0 && pump->ways[2].length == 0;
}

/* The client went, and nobody is left to take what its run brings. */
static void end_run(struct pump *pump)
{
    struct sbi_watched *watched = &pump->request->watched;
    const struct sbi_burial burial = {.run_id = pump->request->run_id,
                                      .tag = watched->given ? pump->started.tag
                                                            : pump->request->run_id,
                                      .pid = watched->pid > 0 ? watched->pid : -1,
                                      .kill_after_ms = KILL_MS};
    struct sbi_buried buried = {0};

    if (pump->end.kind != SBI_END_NONE && pump->end.kind != SBI_END_LOST)
        note_end(pump);
    if (pump->request->run_id[0] == '\0' || pump->end.kind != SBI_END_NONE)
        return;
    sbi_log(SBX_LOG_INFO, "%s: the client of run %s is gone: it is ended",
            sbx_session_place(pump->kept->session), pump->request->run_id);
    sbi_bury(pump->kept->session, &burial, sbi_deadline(BURY_MS), &buried);
    if (buried.asked && buried.count == 0)
        note_end(pump);
    free(buried.survivors);
}

static bool is_done(struct pump *pump)
{
    return pump->end.kind != SBI_END_NONE && is_flushed(pump) &&
           ((pump->ways[1].ended && pump->ways[2].ended) ||
            pump->end.kind == SBI_END_LOST || sbi_process_drained(pump->started.process));
}

static void run_on(struct pump *pump)
{
    bool moved;

    for (;;) {
        (void)sbi_process_end(pump->started.process, &pump->end);
        if (tell_begin(pump))
            return;
        moved = move_out(pump, SBI_STDOUT);
        moved = move_out(pump, SBI_STDERR) || moved;
        if (pump->opened && pump->end.kind == SBI_END_NONE && has_input(pump))
            moved = move_in(pump) || moved;
        follow_size(pump);
        if (client_left(pump)) {
            end_run(pump);
            return;
        }
        if (!moved && is_done(pump)) {
            block_again(pump);
            if (pump->end.kind != SBI_END_LOST)
                note_end(pump);
            say_end(pump);
            return;
        }
        if (!moved && wait_for_more(pump) < 0)
            return;
    }
}

static bool make_room(struct pump *pump)
{
    int i;

    for (i = 0; i < 3; i++) {
        pump->ways[i].data = malloc(PIECE);
        if (pump->ways[i].data == NULL)
            return false;
    }
    return true;
}

static int start(struct pump *pump, sbx_error *err)
{
    struct sbi_process_spec spec = {.command = pump->request->command,
                                    .term = pump->request->term,
                                    .pty = pump->request->terminal,
                                    .rows = 24,
                                    .columns = 80};

    if (spec.pty && ioctl(pump->request->fds[0], TIOCGWINSZ, &pump->size) == 0 &&
        pump->size.ws_row > 0) {
        spec.rows = pump->size.ws_row;
        spec.columns = pump->size.ws_col;
    }
    if (pump->request->port != 0) {
        spec.connect_host = pump->request->command;
        spec.connect_port = pump->request->port;
    }
    if (pump->request->watched.wanted && pump->request->run_id[0] != '\0')
        return sbi_watched_start(pump->kept->session, &pump->request->watched,
                                 pump->request->run_id, &spec, sbi_deadline(START_MS),
                                 pump->kept->keeper->stop, &pump->started, err);
    return sbi_session_start(pump->kept->session, &spec, sbi_deadline(START_MS),
                             pump->kept->keeper->stop, &pump->started, err);
}

/* A full line is no reason to refuse: the session finds room on another. */
static bool may_start_again(struct pump *pump)
{
    if (pump->end.kind != SBI_END_REFUSED || pump->opened)
        return false;
    note_end(pump);
    if (!sbi_session_leave(pump->kept->session, &pump->started, true)) {
        say_text(pump, SBI_MUX_FAILURE, pump->end.error.text);
        return false;
    }
    pump->end = (struct sbi_end){0};
    return true;
}

void sbi_pump(struct sbi_kept *kept, struct sbi_mux_talk *talk,
              struct sbi_pump_request *request)
{
    SBI_CLEANUP(pump_clear)
    struct pump pump = {.kept = kept, .talk = talk, .request = request};
    sbx_error err = {0};
    int rc = SBX_OK;

    unblock(&pump);
    if (!make_room(&pump))
        rc = sbi_fail(&err, SBX_ERR_NO_MEMORY, "out of memory");
    do {
        if (rc == SBX_OK)
            rc = start(&pump, &err);
        if (rc < 0)
            say_text(&pump, SBI_MUX_FAILURE, err.text);
        else
            run_on(&pump);
    } while (rc == SBX_OK && may_start_again(&pump));
}
