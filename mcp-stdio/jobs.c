#include "jobs.h"

#include "fault.h"
#include "recent.h"
#include "shown.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LINE = 64 << 10, MOST_LOG = 1 << 20 };

/* What comes in while a job is waited for. */
struct watch {
    const regex_t *pattern;
    bool any_line;
    bool hit;
    struct text line;
};

static void end_line(struct watch *watch)
{
    text_add(&watch->line, "");
    watch->hit = watch->hit || watch->any_line ||
                 (watch->pattern != NULL &&
                  regexec(watch->pattern, watch->line.data, 0, NULL, 0) == 0);
    watch->line.length = 0;
}

static int see(const void *data, size_t length, void *userdata)
{
    struct watch *watch = userdata;
    const char *at = data;
    size_t i;

    for (i = 0; i < length && !watch->hit; i++)
        if (at[i] == '\n' || at[i] == '\r')
            end_line(watch);
        else if (watch->line.length < MOST_LINE)
            text_add_bytes(&watch->line, at + i, 1);
    return watch->hit;
}

static int compile(const char *pattern, regex_t *out, sbx_error *err)
{
    char why[128];
    int rc = regcomp(out, pattern, REG_EXTENDED | REG_NOSUB);

    if (rc == 0)
        return SBX_OK;
    (void)regerror(rc, out, why, sizeof(why));
    return fault_fix(err,
                     fault(err, SBX_ERR_INVALID, "pattern '%.100s': %s", pattern, why),
                     "a POSIX extended regular expression, as grep -E takes it");
}

int jobs_check_pattern(const char *pattern, sbx_error *err)
{
    regex_t compiled;
    int rc = pattern == NULL ? SBX_OK : compile(pattern, &compiled, err);

    if (rc == SBX_OK && pattern != NULL)
        regfree(&compiled);
    return rc;
}

int jobs_await(struct call *call, sbx_session *session, const char *id,
               const struct jobs_wait *wait, bool *hit, sbx_error *err)
{
    struct watch watch = {.any_line = wait->any_line};
    const sbx_job_log_opts opts = {.size = sizeof(opts),
                                   .flags = SBX_JOB_FOLLOW,
                                   .offset = wait->from,
                                   .on_bytes = see,
                                   .userdata = &watch,
                                   .timeout_ms = wait->wait_ms,
                                   .cancel = call->cancel};
    sbx_job_log *log = NULL;
    regex_t compiled;
    int rc = wait->pattern == NULL ? SBX_OK : compile(wait->pattern, &compiled, err);

    if (rc < 0)
        return rc;
    watch.pattern = wait->pattern == NULL ? NULL : &compiled;
    rc = sbx_job_log_read(session, id, &opts, &log, err);
    if (watch.pattern != NULL)
        regfree(&compiled);
    text_clear(&watch.line);
    sbx_job_log_free(log);
    *hit = watch.hit;
    return rc == SBX_ERR_TIMEOUT ? SBX_OK : rc;
}

const char *jobs_advice(const sbx_job *job)
{
    switch (job->state) {
    case SBX_JOB_RUNNING:
        return "it goes on without you: check_job with wait_s waits for its end or for a "
               "line of its log";
    case SBX_JOB_OOM:
        return "the machine ran out of memory: use less, or a sandbox with more";
    case SBX_JOB_LOST:
        return "it runs no more, and nobody saw how it ended: look at its log, then start "
               "it again from its last checkpoint";
    case SBX_JOB_UNREACHABLE:
        return "the sandbox cannot be asked now: the job itself may well go on";
    default:
        return NULL;
    }
}

static void add_end(tree *out, const sbx_job *job)
{
    if (job->state == SBX_JOB_EXITED)
        tree_add_int(out, "exit_code", job->exit_code);
    tree_add_text(out, "signal", job->signal_name);
    tree_add_text(out, "stopped_by", job->stopped_by);
    if (job->state == SBX_JOB_LOST)
        tree_add_text(out, "lost_by", sbx_job_loss_name(job->loss));
    if (job->survivor_count > 0)
        tree_add_int(out, "still_alive", (int64_t)job->survivor_count);
}

void jobs_add(tree *out, const sbx_job *job)
{
    tree_add_text(out, "job_id", job->id);
    tree_add_text(out, "name", job->name);
    tree_add_text(out, "state", sbx_job_state_name(job->state));
    add_end(out, job);
    if (job->started_at_s >= 0 && job->ended_at_s >= job->started_at_s)
        tree_add_int(out, "took_s", job->ended_at_s - job->started_at_s);
    else if (job->started_at_s >= 0 && job->seen_at_s >= job->started_at_s)
        tree_add_int(out, "age_s", job->seen_at_s - job->started_at_s);
}

static void add_progress(tree *out, const sbx_job_log *log)
{
    sbx_job_progress progress = {.size = sizeof(progress)};

    if (sbx_job_progress_read(log->data, log->length, &progress, NULL) < 0)
        return;
    if (progress.percent >= 0)
        tree_add_number(out, "percent", progress.percent);
    if (progress.eta_s >= 0)
        tree_add_int(out, "eta_s", progress.eta_s);
}

int jobs_add_log(struct call *call, sbx_session *session, const char *id, int64_t from,
                 int64_t lines, size_t characters, tree *out, sbx_error *err)
{
    const sbx_job_log_opts opts = {.size = sizeof(opts),
                                   .offset = from >= 0 ? from : 0,
                                   .lines = from >= 0 ? 0 : lines,
                                   .max_bytes = MOST_LOG,
                                   .cancel = call->cancel};
    struct shown shown = {.limit = characters,
                          .how = "read_output with job_id reads them"};
    AUTO_TEXT text = {0};
    sbx_job_log *log = NULL;
    int rc = sbx_job_log_read(session, id, &opts, &log, err);

    if (rc < 0)
        return rc;
    text_add(&text, "");
    tree_add_bool(out, "truncated",
                  shown_add(&text, log->data, log->length, &shown) || log->truncated);
    tree_add_text(out, "log", text.data);
    tree_add_int(out, "cursor", log->next);
    add_progress(out, log);
    sbx_job_log_free(log);
    return SBX_OK;
}

/* Of a large log the beginning and the end, which is what shown.h keeps of it. */
static int read_both(struct call *call, sbx_session *session, const sbx_job *job,
                     struct text *bytes, sbx_error *err)
{
    int64_t half = MOST_LOG / 2;
    bool large = job->log_size > MOST_LOG;
    int turn;
    int rc = SBX_OK;

    text_add(bytes, "");
    for (turn = 0; turn < (large ? 2 : 1) && rc == SBX_OK; turn++) {
        const sbx_job_log_opts opts = {.size = sizeof(opts),
                                       .offset = turn == 0 ? 0 : -half,
                                       .length = large && turn == 0 ? half : 0,
                                       .cancel = call->cancel};
        sbx_job_log *log = NULL;

        rc = sbx_job_log_read(session, job->id, &opts, &log, err);
        if (rc == SBX_OK)
            text_add_bytes(bytes, log->data, log->length);
        sbx_job_log_free(log);
    }
    return rc;
}

/* How a job's end is told as the end of a command. */
static const char *end_of(const sbx_job *job)
{
    static const char *const ends[] = {
        [SBX_JOB_RUNNING] = "running",   [SBX_JOB_EXITED] = "exited",
        [SBX_JOB_SIGNALED] = "signaled", [SBX_JOB_OOM] = "signaled",
        [SBX_JOB_STOPPED] = "timed_out", [SBX_JOB_LOST] = "lost",
        [SBX_JOB_UNREACHABLE] = "lost"};

    return ends[job->state];
}

/* One that is over, with all it printed told, needs its folder no more. */
static void add_run(struct call *call, sbx_session *session, const sbx_job *job,
                    const struct text *bytes, size_t characters, tree *out)
{
    const struct shown shown = {.limit = characters,
                                .total = job->log_size > 0 ? (uint64_t)job->log_size : 0,
                                .how = "read_output with this job_id reads them"};
    AUTO_TEXT text = {0};
    bool cut;

    text_add(&text, "");
    cut = shown_add(&text, bytes->data, bytes->length, &shown);
    tree_add_text(out, "sandbox", job->place);
    tree_add_text(out, "end", end_of(job));
    add_end(out, job);
    tree_add_text(out, "stdout", text.data);
    tree_add_text(out, "stderr", "");
    tree_add_bool(out, "truncated", cut);
    tree_add_int(out, "duration_ms", now_ms() - call->began_ms);
    tree_add_text(out, "advice",
                  job->state == SBX_JOB_STOPPED
                      ? "it was killed at timeout_s, with all it started"
                      : jobs_advice(job));
    call->failed = job->state != SBX_JOB_RUNNING && job->state != SBX_JOB_EXITED &&
                   job->state != SBX_JOB_SIGNALED;
    if (sbx_job_ended(job) && !cut &&
        sbx_job_remove(session, job->id, NULL, NULL) == SBX_OK)
        return;
    tree_add_text(out, "job_id", job->id);
    recent_add(RECENT_JOB, job->id, job->place);
}

/* The id is ours, so that a start whose answer was lost can be stopped all the same. */
static int start(struct call *call, sbx_session *session, const struct jobs_run *run,
                 const char *id, sbx_error *err)
{
    const sbx_job_start_opts opts = {.size = sizeof(opts),
                                     .id = id,
                                     .cwd = run->cwd,
                                     .env = run->env,
                                     .limit_ms = run->limit_ms,
                                     .flags = SBX_JOB_NO_TERMINAL,
                                     .cancel = call->cancel};
    sbx_job *job = NULL;
    int rc = sbx_job_start(session, run->command, &opts, &job, err);

    sbx_job_free(job);
    return rc;
}

static int await_and_tell(struct call *call, sbx_session *session,
                          const struct jobs_run *run, const char *id, tree *out,
                          sbx_error *err)
{
    const struct jobs_wait wait = {.wait_ms = run->wait_ms};
    const sbx_job_opts opts = {.size = sizeof(opts), .cancel = call->cancel};
    AUTO_TEXT bytes = {0};
    sbx_job *job = NULL;
    bool hit;
    int rc = jobs_await(call, session, id, &wait, &hit, err);

    if (rc == SBX_OK)
        rc = sbx_job_show(session, id, &opts, &job, err);
    if (rc == SBX_OK)
        rc = read_both(call, session, job, &bytes, err);
    if (rc == SBX_OK)
        add_run(call, session, job, &bytes, run->characters, out);
    sbx_job_free(job);
    return rc;
}

/* What stops a job that a call waits for: as the call's token only ends the waiting. */
struct stop {
    sbx_session *session;
    char *id;
};

static void stop_free(struct stop *stop)
{
    sbx_session_free(stop->session);
    free(stop->id);
    free(stop);
}

static void stop_job(sbx_session *session, const char *id)
{
    sbx_job *stopped = NULL;

    if (sbx_job_stop(session, id, NULL, &stopped, NULL) == SBX_OK)
        (void)sbx_job_remove(session, id, NULL, NULL);
    sbx_job_free(stopped);
}

static void stop_now(void *userdata)
{
    struct stop *stop = userdata;

    stop_job(stop->session, stop->id);
    stop_free(stop);
}

static int run_named(struct call *call, sbx_session *session, const struct jobs_run *run,
                     const char *id, tree *out, sbx_error *err)
{
    struct calls *calls = &call->server->calls;
    struct stop *stop = own_zeroed(1, sizeof(*stop));
    int rc;

    *stop = (struct stop){.session = sbx_session_hold(session),
                          .id = own_copy(id, strlen(id))};
    calls_on_stop(calls, call, stop_now, stop);
    rc = start(call, session, run, id, err);
    if (rc == SBX_OK)
        rc = await_and_tell(call, session, run, id, out, err);
    if (calls_keep(calls, call))
        stop_free(stop);
    else
        stop_job(session, id); /* it may have begun after it was stopped */
    return rc;
}

int jobs_run(struct call *call, sbx_session *session, const struct jobs_run *run,
             tree *out, sbx_error *err)
{
    char *id = NULL;
    int rc = sbx_job_make_id("exec", &id, err);

    if (rc == SBX_OK)
        rc = run_named(call, session, run, id, out, err);
    sbx_free(id);
    return rc;
}
