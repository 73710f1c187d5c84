/*
 * run.c - one command: how it is started, stopped, and what is told of its end.
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
#include "base/wait.h"
#include "session/account.h"
#include "session/burial.h"
#include "session/mark.h"
#include "session/run_state.h"
#include "session/shell_watch.h"

#include <string.h>

#define OUTSIDE_MS 1000

static void run_clear(struct sbi_running *run)
{
    (void)sbi_session_leave(run->session, &run->started, false);
    sbi_str_clear(&run->streams[SBI_STDOUT].noise);
    sbi_str_clear(&run->streams[SBI_STDERR].noise);
    free(run->piece);
    free(run->input_piece);
    free(run->header);
}

static int prepare(struct sbi_running *run, sbx_error *err)
{
    struct sbi_shell_run shell = run->opts->shell;
    const sbx_exec_opts *exec = run->opts->exec;
    int rc;

    run->piece_size = SBI_RUN_PIECE;
    run->piece = malloc(run->piece_size);
    if ((exec->flags & SBX_EXEC_INPUT_FD) != 0)
        run->input_piece = malloc(SBI_RUN_LARGE_PIECE);
    if (run->piece == NULL ||
        (run->input_piece == NULL && (exec->flags & SBX_EXEC_INPUT_FD) != 0))
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    rc = sbi_random_hex(run->nonce, 8, err);
    if (rc < 0)
        return rc;

    shell.nonce = run->nonce;
    shell.run_id = run->opts->run_id;
    shell.detach = (exec->flags & SBX_EXEC_DETACH_ON_HANGUP) != 0 ||
                   sbi_session_prefix(run->session) != NULL;
    shell.interactive = (exec->flags & SBX_EXEC_INTERACTIVE_ENV) != 0;
    shell.pty = sbi_run_uses_terminal(run);
    if (exec->timeout_ms > 0)
        shell.limit_s =
            (exec->timeout_ms + exec->kill_after_ms + exec->grace_ms + 999) / 1000;
    run->limit_s = shell.limit_s;
    return sbi_shell_header(&shell, &run->header, &run->header_length, err);
}

/* It is to outlive the line, or is let go alive. */
static bool is_alone(const struct sbi_running *run)
{
    return (run->opts->exec->flags & (SBX_EXEC_DETACH_ON_HANGUP | SBX_EXEC_HANG_UP)) != 0;
}

static bool is_watched(struct sbi_running *run)
{
    return !is_alone(run) && sbi_session_watch(run->session, &run->started,
                                               run->opts->run_id, run->limit_s);
}

/* One that a keeper had started ahead has failed this run before: see never_read. */
static bool may_keeper_watch(const struct sbi_running *run,
                             const struct sbi_shell_kind *kind)
{
    return sbi_session_is_kept(&run->started) && !is_alone(run) && !run->fresh &&
           !kind->pty && !kind->prefixed;
}

/* It had been started ahead, here or by a keeper. */
static bool was_ready(const struct sbi_running *run)
{
    return run->started.was_ready || run->end.tag[0] != '\0';
}

static int launch(struct sbi_running *run, struct sbi_process_spec *spec, sbx_error *err)
{
    SBI_AUTOFREE char *command = NULL;
    char watch[SBI_SHELL_WATCH_SIZE];
    struct sbi_shell_kind kind = {.tag = run->opts->run_id,
                                  .pty = spec->pty,
                                  .watched = is_watched(run),
                                  .prefixed = sbi_session_prefix(run->session) != NULL};
    int rc;

    kind.guarded_later = run->started.guarded_later;
    rc = sbi_shell_supervisor(&kind, &command, err);
    if (rc == SBX_OK && may_keeper_watch(run, &kind)) {
        rc = sbi_shell_watch(run->limit_s, run->nonce, watch, err);
        spec->watch = watch;
    }
    if (rc < 0) {
        (void)sbi_session_leave(run->session, &run->started, false);
        return rc;
    }
    spec->command = command;
    spec->run_id = is_alone(run) ? NULL : run->opts->run_id;
    memcpy(run->started.tag, run->opts->run_id, sizeof(run->started.tag));
    run->started.fresh = run->fresh;
    return sbi_session_launch(run->session, &run->started, spec, err);
}

static int reset(struct sbi_running *run)
{
    const sbx_exec_opts *exec = run->opts->exec;
    int stream, rc = SBX_OK;

    for (stream = SBI_STDOUT; stream <= SBI_STDERR; stream++) {
        sbi_str_clear(&run->streams[stream].noise);
        run->streams[stream] = (struct sbi_run_stream){.open = true};
        if (rc == SBX_OK)
            rc = sbi_str_reserve(&run->streams[stream].noise,
                                 SBI_RUN_PIECE + SBI_MARK_MAX);
    }
    run->header_sent = !sbi_run_uses_terminal(run);
    run->input_left = 0;
    run->input_given = false;
    run->input_used = 0;
    run->input_reads = (exec->flags & SBX_EXEC_INPUT_FD) != 0;
    run->input_closed = false;
    return rc;
}

static int start_once(struct sbi_running *run, sbx_error *err)
{
    const sbx_exec_opts *exec = run->opts->exec;
    struct sbi_process_spec spec = {.pty = sbi_run_uses_terminal(run),
                                    .rows = (int)exec->pty_rows,
                                    .columns = (int)exec->pty_columns,
                                    .term = run->opts->term};
    int rc;

    if (sbx_cancel_fired(exec->cancel))
        return sbi_fail(err, SBX_ERR_CANCELLED, "start a command on '%s': cancelled",
                        sbx_session_place(run->session));
    rc = reset(run);
    if (rc < 0)
        return sbi_fail(err, rc, "out of memory");
    if (!spec.pty) {
        spec.input = run->header;
        spec.input_length = run->header_length;
    }
    rc = sbi_session_take(run->session, run->deadline, exec->cancel, &run->started, err);
    if (rc == SBX_OK)
        rc = launch(run, &spec, err);
    run->start_deadline = sbi_session_connect_deadline(run->session, run->deadline);
    return rc;
}

/* Nothing of it runs any more that anyone would have to watch. */
static void note_end(struct sbi_running *run, const struct sbi_started *started)
{
    sbi_session_note_end(run->session, started, run->opts->run_id, run->watchdog);
}

/*
 * A supervisor that was started ahead can have ended before it read of this run: then it
 * has said nothing, and nothing that it said was lost.
 */
static bool never_read(struct sbi_running *run)
{
    bool drained;

    return (run->end.kind == SBI_END_EXITED || run->end.kind == SBI_END_SIGNALED) &&
           run->started_at == 0 && sbi_run_drain(run, &drained, NULL) == SBI_RUN_GO_ON &&
           run->started_at == 0 && !run->cut;
}

/* Nothing has left yet: another line may do, once for each that proves dead or full. */
static bool may_start_again(struct sbi_running *run, int *deaths)
{
    bool refused = run->end.kind == SBI_END_REFUSED;
    bool shared;

    if (was_ready(run) && never_read(run)) {
        run->fresh = true;
        note_end(run, &run->started);
        (void)sbi_session_leave(run->session, &run->started, false);
        return true;
    }
    if (run->end.sent || run->started_at != 0)
        return false;
    if (run->end.kind != SBI_END_LOST && !refused)
        return false;
    note_end(run, &run->started);
    shared = sbi_session_leave(run->session, &run->started, refused);
    return refused ? shared : (*deaths)++ == 0;
}

static int start_and_pump(struct sbi_running *run, int *outcome, sbx_error *err)
{
    int deaths = 0;
    int rc;

    do {
        rc = start_once(run, err);
        if (rc < 0)
            return rc;
        *outcome = sbi_run_pump(run, err);
    } while (*outcome == SBI_RUN_ENDED && may_start_again(run, &deaths));
    return SBX_OK;
}

/*
 * What brought the command behind its prefix ends with it, as a rule. One that does not
 * (it hangs, or was stopped with what it brought) is killed where it stands.
 */
static void stop_outside(struct sbi_running *run, const struct sbi_burial *inside)
{
    int64_t deadline = sbi_deadline(OUTSIDE_MS);
    struct sbi_burial burial = *inside;
    struct sbi_buried buried = {0};
    struct pollfd fds[4];
    bool moved, ended = false;
    int rc = SBX_OK;

    while (run->started.process != NULL && !ended && rc == SBX_OK) {
        moved = false;
        ended = sbi_process_end(run->started.process, &run->end);
        (void)sbi_run_read(run, &moved, NULL);
        if (!ended && !moved)
            rc = sbi_wait_any(fds, sbi_process_poll(run->started.process, false, fds, 4),
                              deadline, NULL);
    }
    if (ended)
        return;
    burial.pid = -1;
    burial.watchdog = 0;
    burial.world = 0;
    burial.outside = true;
    sbi_bury(run->session, &burial, sbi_deadline(burial.kill_after_ms + 2 * OUTSIDE_MS),
             &buried);
    free(buried.survivors);
}

/* Before the mark there is no pid; closing its channel keeps it from starting. */
static void stop(struct sbi_running *run, int end, struct sbi_ran *out)
{
    const sbx_exec_opts *exec = run->opts->exec;
    const struct sbi_started started = run->started;
    const char *tag = run->end.tag;
    struct sbi_burial burial = {.run_id = run->opts->run_id,
                                .tag = run->end.tag[0] != '\0' ? tag : started.tag,
                                .pid = run->started_at == 0 ? -1 : run->pid,
                                .watchdog = run->started_at == 0 ? 0 : run->watchdog,
                                .kill_after_ms = exec->kill_after_ms,
                                .world = run->started_at == 0 ? 0 : run->world};
    struct sbi_buried buried = {0};
    struct sbi_end last;
    bool moved = true, drained;

    out->end = end;
    if (end == SBX_EXEC_CANCELLED && (exec->flags & SBX_EXEC_HANG_UP) != 0) {
        (void)sbi_session_leave(run->session, &run->started, false);
        return;
    }
    if (run->started_at == 0)
        (void)sbi_session_leave(run->session, &run->started, false);
    sbi_bury(run->session, &burial, sbi_deadline(exec->kill_after_ms + exec->grace_ms),
             &buried);
    out->confirmed_dead = buried.asked && buried.count == 0;
    out->survivors = buried.survivors;
    out->survivor_count = buried.count;
    if (sbi_session_prefix(run->session) != NULL)
        stop_outside(run, &burial);
    if (out->confirmed_dead && (started.watched || started.told))
        note_end(run, &started);
    if (run->started.process == NULL)
        return;
    if (sbi_process_end(run->started.process, &last))
        (void)sbi_run_drain(run, &drained, NULL);
    while (moved) {
        moved = false;
        (void)sbi_run_read(run, &moved, NULL);
    }
}

static void tell_end(struct sbi_running *run, struct sbi_ran *out)
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
static int never_began(struct sbi_running *run, sbx_error *err)
{
    const char *place = sbx_session_place(run->session);
    const struct sbi_host_prefix *prefix = sbi_session_prefix(run->session);
    const struct sbi_account_words words = {
        .said = {&run->streams[SBI_STDOUT].noise, &run->streams[SBI_STDERR].noise},
        .exit_code = run->end.code,
        .prefix = prefix == NULL ? NULL : prefix->own,
        .on = prefix == NULL ? NULL : prefix->on,
        .computer = prefix != NULL && prefix->computer};

    if (run->end.kind == SBI_END_REFUSED || !run->end.sent) {
        *err = run->end.error;
        (void)sbi_wrap(err, run->end.error.code, "start a command on '%s'", place);
        return err->code != SBX_ERR_LIMIT
                   ? err->code
                   : sbi_fix(err, err->code, "session-limit",
                             "raise MaxSessions in the server's sshd_config");
    }
    if (run->end.kind == SBI_END_SIGNALED) {
        (void)sbi_fail(err, SBX_ERR_REMOTE,
                       "start a command on '%s': signal %s ended the login shell, which "
                       "ran nothing",
                       place, run->end.signal);
        return sbi_fix(err, SBX_ERR_REMOTE, "login-shell",
                       "try again; see what on that machine ends shells, as a lack of "
                       "memory does");
    }
    return sbi_account_explain(place, &words, err);
}

/* Its end is known, but not all that it said before it, be it the mark. */
static void lose(struct sbi_running *run)
{
    if (run->end.kind == SBI_END_LOST)
        return;
    run->end.kind = SBI_END_LOST;
    (void)sbi_fail(&run->end.error, SBX_ERR_DISCONNECTED,
                   "run on '%s': it has ended, but the last of what it printed did not "
                   "come through",
                   sbx_session_place(run->session));
}

/* A server may tell the end ahead of the last bytes, which may be all of them: the
 * mark is looked for until the streams are empty. */
static int conclude_end(struct sbi_running *run, struct sbi_ran *out, sbx_error *err)
{
    bool drained;

    if (run->end.kind != SBI_END_LOST)
        note_end(run, &run->started);
    if (run->end.kind == SBI_END_REFUSED || (run->started_at == 0 && !run->end.sent))
        return never_began(run, err);
    if (sbi_run_drain(run, &drained, err) == SBI_RUN_REFUSED)
        return err->code;
    if (run->cut && (run->started_at == 0 || drained))
        lose(run);
    if (run->started_at == 0 && run->end.kind != SBI_END_LOST)
        return never_began(run, err);
    tell_end(run, out);
    out->holds_output = !drained;
    return SBX_OK;
}

static int conclude(struct sbi_running *run, int outcome, struct sbi_ran *out,
                    sbx_error *err)
{
    switch (outcome) {
    case SBI_RUN_REFUSED:
        note_end(run, &run->started);
        return err->code;
    case SBI_RUN_TIMED_OUT:
        stop(run, SBX_EXEC_TIMED_OUT, out);
        break;
    case SBI_RUN_CANCELLED:
        stop(run, SBX_EXEC_CANCELLED, out);
        break;
    case SBI_RUN_NO_START:
        out->end = SBX_EXEC_LOST;
        (void)sbi_fail(&out->error, SBX_ERR_TIMEOUT,
                       "start a command on '%s': no sign of it in time",
                       sbx_session_place(run->session));
        out->error.executed = SBX_EXECUTED_UNKNOWN;
        break;
    default:
        return conclude_end(run, out, err);
    }
    return SBX_OK;
}

int sbi_run(sbx_session *session, const struct sbi_run_opts *opts, struct sbi_ran *out,
            sbx_error *err)
{
    SBI_CLEANUP(run_clear) struct sbi_running run = {.session = session, .opts = opts};
    struct sbi_ran ran = {.exit_code = -1};
    sbx_error ours = {0};
    int outcome = SBI_RUN_GO_ON;
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
