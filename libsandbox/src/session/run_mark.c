/*
 * run_mark.c - the start of a command: what a login shell prints before it is noise,
 * the mark tells that it began, or that it was refused.
 */
#include "session/run_state.h"

#include "base/clock.h"
#include "session/mark.h"

#include <string.h>

#define NOISE_LIMIT (1024 * 1024)
#define READY_MARK "sbx:ready;"

static int refuse_cwd(struct sbi_running *run, const struct sbi_mark *mark,
                      sbx_error *err)
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
            return SBI_RUN_REFUSED;
        }
    (void)sbi_executed(err,
                       sbi_fail(err, SBX_ERR_INTERNAL, "start on '%s': an unknown answer",
                                sbx_session_place(run->session)),
                       SBX_EXECUTED_UNKNOWN);
    return SBI_RUN_REFUSED;
}

/* What stands before the mark is dropped; behind it begins the command's output. */
static int take_mark(struct sbi_running *run, int stream, sbx_error *err)
{
    struct sbi_run_stream *at = &run->streams[stream];
    struct sbi_mark mark;
    int64_t pids[3] = {0};
    size_t count, behind;

    if (sbi_mark_find(at->noise.data, at->noise.length, run->nonce, &mark) !=
        SBI_MARK_WHOLE)
        return SBI_RUN_GO_ON;
    if (!sbi_mark_read(&mark, "start", pids, 3, &count) || count < 2)
        return refuse_cwd(run, &mark, err);

    at->marked = true;
    run->pid = pids[0];
    run->watchdog = pids[1];
    run->world = pids[2];
    if (sbi_run_uses_terminal(run))
        run->streams[SBI_STDERR].marked = true;
    if (run->started_at == 0) {
        run->started_at = sbi_now_ms();
        sbi_session_name(run->session, &run->started, run->opts->run_id, run->pid);
    }
    behind = mark.start + mark.length;
    if (at->noise.length > behind &&
        run->opts->on_bytes(stream, at->noise.data + behind, at->noise.length - behind,
                            run->opts->userdata) != 0)
        run->cancelled = true;
    sbi_str_clear(&at->noise);
    return SBI_RUN_GO_ON;
}

static void forget_all_but_the_last(struct sbi_str *noise)
{
    size_t kept = noise->length < SBI_MARK_MAX ? noise->length : SBI_MARK_MAX;

    memmove(noise->data, noise->data + noise->length - kept, kept);
    noise->length = kept;
    noise->status = SBX_OK;
}

/*
 * A login shell may print without end: only the last of it can hold the mark. For that
 * there is room from the start, so that no lack of memory can cost the mark.
 */
static void keep_noise(struct sbi_str *noise, const char *data, size_t length)
{
    if (noise->length > NOISE_LIMIT)
        forget_all_but_the_last(noise);
    sbi_str_add_bytes(noise, data, length);
    if (noise->status == SBX_OK)
        return;
    forget_all_but_the_last(noise);
    sbi_str_add_bytes(noise, data, length);
}

static void send_header_when_ready(struct sbi_running *run)
{
    const struct sbi_run_stream *out = &run->streams[SBI_STDOUT];

    if (run->header_sent || out->noise.data == NULL ||
        memmem(out->noise.data, out->noise.length, READY_MARK, strlen(READY_MARK)) ==
            NULL)
        return;
    run->header_sent = true;
    run->input = run->header;
    run->input_left = run->header_length;
}

int sbi_run_take(struct sbi_running *run, int stream, const char *data, size_t length,
                 sbx_error *err)
{
    struct sbi_run_stream *at = &run->streams[stream];

    if (at->marked) {
        if (run->opts->on_bytes(stream, data, length, run->opts->userdata) != 0)
            run->cancelled = true;
        return SBI_RUN_GO_ON;
    }
    keep_noise(&at->noise, data, length);
    send_header_when_ready(run);
    return take_mark(run, stream, err);
}
