/*
 * run.c - the loop of one command.
 *
 * A run goes through these states:
 *
 *   STARTING  the header is on its way; what comes out is noise of the login shell
 *             until the mark `start` (or `cwd`, the refusal) stands in each stream
 *   RUNNING   bytes are the command's own
 *   ENDED     its end is known; bytes it wrote before may still be on their way
 *
 * It stops early when the deadline passes or a cancel comes: then the undertaker
 * is sent, and its word decides what is told. A second thread is not needed: while
 * the undertaker works, the command's output waits in bounded buffers.
 */
#include "session/run.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/str.h"
#include "base/wait.h"
#include "session/burial.h"
#include "session/mark.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define PIECE (128 * 1024)
#define NOISE_LIMIT (1024 * 1024)
#define DRAIN_MS 5000
#define READY_MARK "sbx:ready;"

/* Why the loop was left. */
enum outcome {
    GO_ON = 0,
    ENDED, /* `end` tells how */
    TIMED_OUT,
    CANCELLED,
    NO_START, /* no mark in time */
    REFUSED   /* the mark said no: see err */
};

struct stream {
    struct sbi_str noise; /* until the mark */
    bool marked;
    bool open;
};

struct run {
    sbx_session *session;
    const struct sbi_run_opts *opts;
    struct sbi_started started;
    struct stream streams[2];
    struct sbi_end end;
    char *piece; /* PIECE bytes for what is read */
    char nonce[SBI_NONCE_SIZE];
    char *command;
    char *header;
    size_t header_length;

    int64_t deadline;       /* of all of it */
    int64_t start_deadline; /* of the mark */
    int64_t started_at;     /* 0 until the mark */
    int64_t pid;
    int64_t watchdog;
    bool header_sent; /* a terminal gets it later, when it is raw */
    bool cancelled;   /* by the receiver of its output */

    const char *input; /* what is left to write */
    size_t input_left;
    char *input_piece; /* PIECE bytes, what was read from input_fd */
    bool input_given;  /* the caller's bytes were taken up */
    bool input_reads;  /* input_fd may have more */
    bool input_closed;
};

static void run_clear(struct run *run)
{
    (void)sbi_session_leave(run->session, &run->started, false);
    sbi_str_clear(&run->streams[SBI_STDOUT].noise);
    sbi_str_clear(&run->streams[SBI_STDERR].noise);
    free(run->piece);
    free(run->input_piece);
    free(run->command);
    free(run->header);
}

static bool uses_terminal(const struct run *run)
{
    return (run->opts->exec->flags & SBX_EXEC_PTY) != 0;
}

static bool is_marked(const struct run *run)
{
    return run->streams[SBI_STDOUT].marked && run->streams[SBI_STDERR].marked;
}

static int refuse_cwd(struct run *run, const struct sbi_mark *mark, sbx_error *err)
{
    static const struct {
        const char *words;
        const char *why;
        int code;
    } refusals[] = {
        {"cwd missing", "no such folder", SBX_ERR_NOT_FOUND},
        {"cwd file", "it is not a folder", SBX_ERR_NOT_FOUND},
        {"cwd denied", "Permission denied", SBX_ERR_IO},
    };
    size_t i;

    for (i = 0; i < sizeof(refusals) / sizeof(refusals[0]); i++)
        if (sbi_mark_is(mark, refusals[i].words)) {
            (void)sbi_fail(err, refusals[i].code, "run in '%s' on '%s': %s",
                           run->opts->shell.cwd, sbx_session_place(run->session),
                           refusals[i].why);
            return REFUSED;
        }
    (void)sbi_fail(err, SBX_ERR_INTERNAL, "start on '%s': an unknown answer",
                   sbx_session_place(run->session));
    return REFUSED;
}

/* What stands before the mark is dropped; behind it begins the command's output. */
static int take_mark(struct run *run, int stream, sbx_error *err)
{
    struct stream *at = &run->streams[stream];
    struct sbi_mark mark;
    int64_t pids[2];
    size_t count, behind;

    if (sbi_mark_find(at->noise.data, at->noise.length, run->nonce, &mark) !=
        SBI_MARK_WHOLE)
        return GO_ON;
    if (!sbi_mark_read(&mark, "start", pids, 2, &count) || count != 2)
        return refuse_cwd(run, &mark, err);

    at->marked = true;
    run->pid = pids[0];
    run->watchdog = pids[1];
    if (uses_terminal(run))
        run->streams[SBI_STDERR].marked = true;
    if (is_marked(run))
        run->started_at = sbi_now_ms();
    behind = mark.start + mark.length;
    if (at->noise.length > behind &&
        run->opts->on_bytes(stream, at->noise.data + behind, at->noise.length - behind,
                            run->opts->userdata) != 0)
        run->cancelled = true;
    sbi_str_clear(&at->noise);
    return GO_ON;
}

/* A login shell may print without end: only the last of it can hold the mark. */
static void keep_noise(struct stream *at, const char *data, size_t length)
{
    size_t kept = SBI_MARK_MAX;

    if (at->noise.length > NOISE_LIMIT) {
        memmove(at->noise.data, at->noise.data + at->noise.length - kept, kept);
        at->noise.length = kept;
    }
    sbi_str_add_bytes(&at->noise, data, length);
}

static void send_header_when_ready(struct run *run)
{
    const struct stream *out = &run->streams[SBI_STDOUT];

    if (run->header_sent || out->noise.data == NULL ||
        memmem(out->noise.data, out->noise.length, READY_MARK, strlen(READY_MARK)) ==
            NULL)
        return;
    run->header_sent = true;
    run->input = run->header;
    run->input_left = run->header_length;
}

static int take_bytes(struct run *run, int stream, const char *data, size_t length,
                      sbx_error *err)
{
    struct stream *at = &run->streams[stream];

    if (at->marked) {
        if (run->opts->on_bytes(stream, data, length, run->opts->userdata) != 0)
            run->cancelled = true;
        return GO_ON;
    }
    keep_noise(at, data, length);
    send_header_when_ready(run);
    return take_mark(run, stream, err);
}

/* Takes one piece of each stream. *moved tells whether there was any. */
static int read_streams(struct run *run, bool *moved, sbx_error *err)
{
    ssize_t got;
    int stream, outcome = GO_ON;

    for (stream = SBI_STDOUT; stream <= SBI_STDERR && outcome == GO_ON; stream++) {
        if (!run->streams[stream].open)
            continue;
        got = sbi_process_read(run->started.process, stream, run->piece, PIECE);
        if (got < 0)
            continue;
        *moved = true;
        if (got == 0)
            run->streams[stream].open = false;
        else
            outcome = take_bytes(run, stream, run->piece, (size_t)got, err);
    }
    return outcome;
}

/* A terminal has no end of input: it is typed. */
static void close_input(struct run *run)
{
    if (run->input_closed)
        return;
    run->input_closed = true;
    if (uses_terminal(run))
        (void)sbi_process_write(run->started.process, "\004", 1);
    else
        sbi_process_close_input(run->started.process);
}

/* The caller's input comes after the header, and on a terminal after the mark. */
static void next_input(struct run *run)
{
    const sbx_exec_opts *exec = run->opts->exec;
    ssize_t got;

    if (run->input_left > 0 || run->input_closed || !run->header_sent)
        return;
    if (uses_terminal(run) && !is_marked(run))
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
    got = read((int)exec->input_fd, run->input_piece, PIECE);
    if (got > 0) {
        run->input = run->input_piece;
        run->input_left = (size_t)got;
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
        run->input_reads = false;
        close_input(run);
    }
}

static void write_input(struct run *run, bool *moved)
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

static bool wants_input(const struct run *run)
{
    return run->input_reads && run->input_left == 0 && !run->input_closed &&
           run->header_sent && (!uses_terminal(run) || is_marked(run));
}

/* True if input_fd can be read without blocking. */
static bool input_waits(const struct run *run)
{
    struct pollfd fd = {(int)run->opts->exec->input_fd, POLLIN, 0};

    return poll(&fd, 1, 0) > 0;
}

static void feed(struct run *run, bool *moved)
{
    if (!run->input_given)
        next_input(run);
    write_input(run, moved);
    if (!run->input_reads || (wants_input(run) && input_waits(run)))
        next_input(run);
    write_input(run, moved);
}

static int wait_for_more(struct run *run)
{
    int64_t deadline = run->deadline;
    struct pollfd fds[8];
    size_t count;
    int rc;

    if (run->started_at == 0 && run->start_deadline < deadline)
        deadline = run->start_deadline;
    count = sbi_process_poll(run->started.process, run->input_left > 0, fds, 6);
    if (wants_input(run))
        fds[count++] = (struct pollfd){(int)run->opts->exec->input_fd, POLLIN, 0};
    rc = sbi_wait_any(fds, count, deadline, run->opts->exec->cancel);
    if (rc == SBX_ERR_CANCELLED)
        return CANCELLED;
    if (rc == SBX_ERR_TIMEOUT)
        return sbi_left_ms(run->deadline) == 0 ? TIMED_OUT : NO_START;
    return GO_ON;
}

static int check_clocks(struct run *run)
{
    if (run->cancelled || sbx_cancel_fired(run->opts->exec->cancel))
        return CANCELLED;
    if (sbi_left_ms(run->deadline) == 0)
        return TIMED_OUT;
    if (run->started_at == 0 && sbi_left_ms(run->start_deadline) == 0)
        return NO_START;
    return GO_ON;
}

/* Moves what can be moved until the command has ended or must be stopped. */
static int pump(struct run *run, sbx_error *err)
{
    int outcome = GO_ON;
    bool moved, ended;

    while (outcome == GO_ON) {
        moved = false;
        ended = sbi_process_end(run->started.process, &run->end);
        outcome = read_streams(run, &moved, err);
        if (outcome == GO_ON && !ended)
            feed(run, &moved);
        if (outcome == GO_ON && ended && !moved)
            return ENDED;
        if (outcome == GO_ON)
            outcome = check_clocks(run);
        if (outcome == GO_ON && !moved)
            outcome = wait_for_more(run);
    }
    return outcome;
}

/*
 * After the end: reads on until both streams have ended, or until all that the
 * command wrote is here and only a background child still holds them.
 */
static void drain(struct run *run, struct sbi_ran *out)
{
    int64_t deadline = sbi_deadline(DRAIN_MS);
    struct pollfd fds[6];
    bool moved, drained;

    while (run->streams[SBI_STDOUT].open || run->streams[SBI_STDERR].open) {
        moved = false;
        drained = sbi_process_drained(run->started.process);
        if (read_streams(run, &moved, NULL) != GO_ON)
            return;
        if (moved)
            continue;
        if (drained || sbi_left_ms(deadline) == 0) {
            out->holds_output = true;
            return;
        }
        (void)sbi_wait_any(fds, sbi_process_poll(run->started.process, false, fds, 6),
                           deadline, NULL);
    }
}

static int prepare(struct run *run, sbx_error *err)
{
    struct sbi_shell_run shell = run->opts->shell;
    const sbx_exec_opts *exec = run->opts->exec;
    int rc;

    run->piece = malloc(PIECE);
    run->input_piece = malloc(PIECE);
    if (run->piece == NULL || run->input_piece == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    rc = sbi_random_hex(run->nonce, 8, err);
    if (rc < 0)
        return rc;

    shell.nonce = run->nonce;
    shell.run_id = run->opts->run_id;
    shell.detach = (exec->flags & SBX_EXEC_DETACH_ON_HANGUP) != 0;
    shell.interactive = (exec->flags & SBX_EXEC_INTERACTIVE_ENV) != 0;
    if (exec->timeout_ms > 0)
        shell.limit_s =
            (exec->timeout_ms + exec->kill_after_ms + exec->grace_ms + 999) / 1000;
    rc = sbi_shell_supervisor(uses_terminal(run), &run->command, err);
    if (rc == SBX_OK)
        rc = sbi_shell_header(&shell, &run->header, &run->header_length, err);
    return rc;
}

static void reset(struct run *run)
{
    const sbx_exec_opts *exec = run->opts->exec;
    int stream;

    for (stream = SBI_STDOUT; stream <= SBI_STDERR; stream++) {
        sbi_str_clear(&run->streams[stream].noise);
        run->streams[stream] = (struct stream){.open = true};
    }
    run->header_sent = !uses_terminal(run);
    run->input_left = 0;
    run->input_given = false;
    run->input_reads = (exec->flags & SBX_EXEC_INPUT_FD) != 0;
    run->input_closed = false;
}

static int start_once(struct run *run, sbx_error *err)
{
    const sbx_exec_opts *exec = run->opts->exec;
    struct sbi_process_spec spec = {.command = run->command,
                                    .pty = uses_terminal(run),
                                    .rows = (int)exec->pty_rows,
                                    .columns = (int)exec->pty_columns,
                                    .term = run->opts->term};
    int rc;

    reset(run);
    if (!spec.pty) {
        spec.input = run->header;
        spec.input_length = run->header_length;
    }
    rc = sbi_session_start(run->session, &spec, run->deadline, exec->cancel,
                           &run->started, err);
    run->start_deadline = sbi_session_connect_deadline(run->session, run->deadline);
    return rc;
}

/* Nothing has left yet: another line may do, once for each that proves dead or full. */
static bool may_start_again(struct run *run, int *deaths)
{
    bool refused = run->end.kind == SBI_END_REFUSED;
    bool shared;

    if (run->end.sent || run->started_at != 0)
        return false;
    if (run->end.kind != SBI_END_LOST && !refused)
        return false;
    shared = sbi_session_leave(run->session, &run->started, refused);
    return refused ? shared : (*deaths)++ == 0;
}

static int start_and_pump(struct run *run, int *outcome, sbx_error *err)
{
    int deaths = 0;
    int rc;

    do {
        rc = start_once(run, err);
        if (rc < 0)
            return rc;
        *outcome = pump(run, err);
    } while (*outcome == ENDED && may_start_again(run, &deaths));
    return SBX_OK;
}

/* Before the mark there is no pid; closing its channel keeps it from starting. */
static void stop(struct run *run, int end, struct sbi_ran *out)
{
    const sbx_exec_opts *exec = run->opts->exec;
    struct sbi_burial burial = {.run_id = run->opts->run_id,
                                .pid = run->started_at == 0 ? -1 : run->pid,
                                .watchdog = run->started_at == 0 ? 0 : run->watchdog,
                                .kill_after_ms = exec->kill_after_ms};
    struct sbi_buried buried = {0};
    struct sbi_end last;
    bool moved = true;

    if (run->started_at == 0)
        (void)sbi_session_leave(run->session, &run->started, false);
    sbi_bury(run->session, &burial, sbi_deadline(exec->kill_after_ms + exec->grace_ms),
             &buried);
    out->end = end;
    out->confirmed_dead = buried.asked && buried.count == 0;
    out->survivors = buried.survivors;
    out->survivor_count = buried.count;
    if (run->started.process == NULL)
        return;
    if (sbi_process_end(run->started.process, &last))
        drain(run, out);
    while (moved) {
        moved = false;
        (void)read_streams(run, &moved, NULL);
    }
    out->holds_output = false;
}

static void tell_end(struct run *run, struct sbi_ran *out)
{
    switch (run->end.kind) {
    case SBI_END_EXITED:
        out->end = SBX_EXEC_EXITED;
        out->exit_code = run->end.code;
        break;
    case SBI_END_SIGNALED:
        out->end = SBX_EXEC_SIGNALED;
        memcpy(out->signal, run->end.signal, sizeof(out->signal));
        break;
    default:
        out->end = SBX_EXEC_LOST;
        out->error = run->end.error;
        out->error.executed =
            run->started_at == 0 ? SBX_EXECUTED_UNKNOWN : SBX_EXECUTED_YES;
    }
}

/* An end before the mark is not the command's: the login shell never let it begin. */
static int never_began(struct run *run, sbx_error *err)
{
    const char *place = sbx_session_place(run->session);

    if (run->end.kind == SBI_END_REFUSED || !run->end.sent) {
        *err = run->end.error;
        return sbi_wrap(err, run->end.error.code, "start a command on '%s'", place);
    }
    (void)sbi_fail(
        err, SBX_ERR_REMOTE,
        "start a command on '%s': the login shell ended with %d and ran nothing", place,
        run->end.code);
    return sbi_fix(err, SBX_ERR_REMOTE, "login-shell",
                   "see what `ssh %s true` prints; the account needs a shell that runs "
                   "/bin/sh",
                   place);
}

static int conclude(struct run *run, int outcome, struct sbi_ran *out, sbx_error *err)
{
    switch (outcome) {
    case REFUSED:
        return err->code;
    case TIMED_OUT:
        stop(run, SBX_EXEC_TIMED_OUT, out);
        break;
    case CANCELLED:
        stop(run, SBX_EXEC_CANCELLED, out);
        break;
    case NO_START:
        out->end = SBX_EXEC_LOST;
        (void)sbi_fail(&out->error, SBX_ERR_TIMEOUT,
                       "start a command on '%s': no sign of it in time",
                       sbx_session_place(run->session));
        out->error.executed = SBX_EXECUTED_UNKNOWN;
        break;
    default:
        if (run->started_at == 0 && run->end.kind != SBI_END_LOST)
            return never_began(run, err);
        if (run->started_at == 0 && !run->end.sent)
            return never_began(run, err);
        tell_end(run, out);
        drain(run, out);
    }
    return SBX_OK;
}

int sbi_run(sbx_session *session, const struct sbi_run_opts *opts, struct sbi_ran *out,
            sbx_error *err)
{
    SBI_CLEANUP(run_clear) struct run run = {.session = session, .opts = opts};
    struct sbi_ran ran = {.exit_code = -1};
    sbx_error ours = {0};
    int outcome = GO_ON;
    int rc;

    run.deadline =
        opts->exec->timeout_ms > 0 ? sbi_deadline(opts->exec->timeout_ms) : SBI_NEVER;
    rc = prepare(&run, &ours);
    if (rc == SBX_OK)
        rc = start_and_pump(&run, &outcome, &ours);
    if (rc == SBX_OK)
        rc = conclude(&run, outcome, &ran, &ours);
    if (rc < 0) {
        if (err != NULL)
            *err = ours;
        return rc;
    }
    if (run.started_at != 0)
        ran.duration_ms = sbi_now_ms() - run.started_at;
    *out = ran;
    return SBX_OK;
}

void sbi_ran_clear(struct sbi_ran *ran)
{
    free(ran->survivors);
    *ran = (struct sbi_ran){0};
}
