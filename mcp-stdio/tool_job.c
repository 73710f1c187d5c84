/* tool_job.c - tools for commands that outlive the connection. */
#include "fault.h"
#include "jobs.h"
#include "recent.h"
#include "shown.h"
#include "tool.h"
#include "watched.h"

#include <sandbox/run.h>

#include <stdlib.h>

enum { DEFAULT_LINES = 30, MOST_JOBS = 100 };

static void add_job(struct call *call, tree *out, const sbx_job *job)
{
    (void)call;
    tree_add_text(out, "sandbox", job->place);
    jobs_add(out, job);
    recent_add(RECENT_JOB, job->id, job->place);
}

/* A job that was started is there, whatever becomes of its watch: that is a warning. */
static void watch(struct call *call, const tree *args, const sbx_job *job, tree *out)
{
    const sbx_watch_opts opts = {
        .size = sizeof(opts), .flags = args_bool(args, "notify") ? SBX_WATCH_NOTIFY : 0};
    sbx_error err = {0};
    int64_t number = 0;
    bool works = false;

    if (opts.flags == 0 && job->resume_max == 0)
        return;
    if (watched_begin(call, job, &opts, &number, &works, &err) < 0)
        tree_add_text(out, "warning", err.text);
    else if (!works)
        tree_add_text(out, "warning",
                      "no watchdog could be started here: nobody tells of "
                      "its end or has it go on");
}

static void add_started(struct call *call, const tree *args, const sbx_job *job,
                        tree *out)
{
    add_job(call, out, job);
    tree_add_bool(out, "created", job->created);
    tree_add_text(out, "warning", job->warning);
    watch(call, args, job, out);
    tree_add_text(out, "advice", jobs_advice(job));
}

/* With GPUs, which are taken before it starts, named to it, and held until it ends. */
static int start_on_gpus(struct call *call, const tree *args, const sbx_host *host,
                         const sbx_job_start_opts *job, tree *out, sbx_error *err)
{
    const sbx_pick_need need = {.size = sizeof(need), .gpus = args_int(args, "gpus", 1)};
    const sbx_run_opts opts = {
        .size = sizeof(opts), .need = &need, .job = job, .cancel = call->cancel};
    const char *const places[] = {host->name, NULL};
    sbx_hosts *hosts = NULL;
    sbx_run *run = NULL;
    tree *list;
    size_t i;
    int rc = fleet_hosts(call->server->fleet, &hosts, err);

    if (rc == SBX_OK)
        rc = sbx_run_start(hosts, places, args_text(args, "command"), &opts, &run, err);
    if (rc < 0)
        return rc == SBX_ERR_NOT_FOUND
                   ? fault_fix(err, rc, "pick_sandbox tells where there are such GPUs")
                   : rc;
    add_started(call, args, run->job, out);
    list = tree_add_array(out, "gpus");
    for (i = 0; i < run->gpu_count; i++)
        tree_add_text(list, NULL, run->gpus[i]);
    sbx_run_free(run);
    return SBX_OK;
}

static int start_plain(struct call *call, const tree *args, sbx_session *session,
                       const sbx_job_start_opts *opts, tree *out, sbx_error *err)
{
    sbx_job *job = NULL;
    int rc = sbx_job_start(session, args_text(args, "command"), opts, &job, err);

    if (rc == SBX_OK)
        add_started(call, args, job, out);
    sbx_job_free(job);
    return rc;
}

static int run_start(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    AUTO_SESSION session = NULL;
    AUTO_WORDS env = {0};
    const sbx_host *host = NULL;
    sbx_job_start_opts opts = {.size = sizeof(opts),
                               .id = args_text(args, "job_id"),
                               .name = args_text(args, "name"),
                               .cwd = args_text(args, "cwd"),
                               .limit_ms = args_int(args, "limit_s", 0) * 1000,
                               .resume_max = args_int(args, "resumes", 0),
                               .resume_command = args_text(args, "resume_command"),
                               .checkpoint = args_text(args, "checkpoint"),
                               .cancel = call->cancel};
    int rc = fleet_open(call, args, true, &host, &session, err);

    args_words(args, "env", &env);
    opts.env = env.items;
    if (rc < 0)
        return rc;
    return tree_at(args, "gpus") != NULL
               ? start_on_gpus(call, args, host, &opts, out, err)
               : start_plain(call, args, session, &opts, out, err);
}

/* A match that is in the log already counts, unless only what is new was asked for. */
static int is_there(struct call *call, sbx_session *session, const tree *args, bool *hit,
                    sbx_error *err)
{
    const sbx_job_log_opts opts = {.size = sizeof(opts),
                                   .pattern = args_text(args, "until_log"),
                                   .max_bytes = 1 << 16,
                                   .cancel = call->cancel};
    sbx_job_log *log = NULL;
    int rc;

    if (opts.pattern == NULL || tree_at(args, "cursor") != NULL)
        return SBX_OK;
    rc = sbx_job_log_read(session, args_text(args, "job_id"), &opts, &log, err);
    if (rc == SBX_OK)
        *hit = log->length > 0;
    sbx_job_log_free(log);
    return rc;
}

static int await(struct call *call, sbx_session *session, const tree *args,
                 const sbx_job *job, bool *hit, sbx_error *err)
{
    const struct jobs_wait wait = {
        .from = args_int(args, "cursor", job->log_size > 0 ? job->log_size : 0),
        .wait_ms = args_int(args, "wait_s", 0) * 1000,
        .pattern = args_text(args, "until_log"),
        .any_line =
            tree_at(args, "cursor") != NULL && args_text(args, "until_log") == NULL};
    int rc = is_there(call, session, args, hit, err);

    if (rc < 0 || *hit || wait.wait_ms == 0 || sbx_job_ended(job))
        return rc;
    call_doing(call, "waiting for job %.60s", job->id);
    return jobs_await(call, session, job->id, &wait, hit, err);
}

static int check(struct call *call, sbx_session *session, const tree *args, bool *hit,
                 sbx_job **job, sbx_error *err)
{
    const sbx_job_opts opts = {.size = sizeof(opts), .cancel = call->cancel};
    const char *id = args_text(args, "job_id");
    sbx_job *before = NULL;
    int rc = sbx_job_show(session, id, &opts, &before, err);

    if (rc == SBX_OK)
        rc = await(call, session, args, before, hit, err);
    sbx_job_free(before);
    return rc < 0 ? rc : sbx_job_show(session, id, &opts, job, err);
}

static int run_check(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    AUTO_SESSION session = NULL;
    const sbx_host *host = NULL;
    sbx_job *job = NULL;
    bool hit = false;
    int rc = jobs_check_pattern(args_text(args, "until_log"), err);

    if (rc == SBX_OK)
        rc = fleet_open(call, args, false, &host, &session, err);
    if (rc == SBX_OK)
        rc = check(call, session, args, &hit, &job, err);
    if (rc < 0)
        return rc;
    add_job(call, out, job);
    tree_add_text(out, "checkpoint", job->checkpoint);
    if (args_text(args, "until_log") != NULL)
        tree_add_bool(out, "matched", hit);
    rc = jobs_add_log(call, session, job->id, args_int(args, "cursor", -1),
                      args_int(args, "lines", DEFAULT_LINES), SHOWN_DEFAULT, out, err);
    tree_add_text(out, "advice", jobs_advice(job));
    sbx_job_free(job);
    return rc;
}

static int run_list(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    const sbx_job_opts opts = {.size = sizeof(opts), .cancel = call->cancel};
    AUTO_SESSION session = NULL;
    const sbx_host *host = NULL;
    sbx_job_list *jobs = NULL;
    tree *list;
    size_t i;
    int rc = fleet_open(call, args, false, &host, &session, err);

    if (rc == SBX_OK)
        rc = sbx_job_list_all(session, &opts, &jobs, err);
    if (rc < 0)
        return rc;
    tree_add_text(out, "sandbox", host->name);
    list = tree_add_array(out, "jobs");
    for (i = 0; i < jobs->count && i < MOST_JOBS; i++) {
        tree *one = tree_add_object(list, NULL);

        jobs_add(one, jobs->items[i]);
        tree_add_text(one, "command", jobs->items[i]->command);
    }
    tree_add_bool(out, "truncated", jobs->truncated || jobs->count > MOST_JOBS);
    sbx_job_list_free(jobs);
    return SBX_OK;
}

static int run_stop(struct call *call, const tree *args, tree *out, sbx_error *err)
{
    const sbx_job_opts opts = {.size = sizeof(opts), .cancel = call->cancel};
    AUTO_SESSION session = NULL;
    const sbx_host *host = NULL;
    sbx_job *job = NULL;
    int rc = fleet_open(call, args, true, &host, &session, err);

    if (rc == SBX_OK)
        rc = sbx_job_stop(session, args_text(args, "job_id"), &opts, &job, err);
    if (rc < 0)
        return rc;
    add_job(call, out, job);
    call->failed = job->survivor_count > 0;
    tree_add_text(out, "advice",
                  job->survivor_count > 0 ? "some of its processes could not be killed: "
                                            "look with ps"
                                          : NULL);
    sbx_job_free(job);
    return SBX_OK;
}

#define JOB_ID                                                                           \
    {                                                                                    \
        "job_id", TOOL_TEXT, 0, 0, NULL, "As start_job told it"                          \
    }

static const struct tool_param start_params[] = {
    {"command", TOOL_TEXT, 0, 0, NULL, "Shell text"},
    TOOL_SANDBOX,
    {"name", TOOL_TEXT, 0, 0, NULL, "For people"},
    {"cwd", TOOL_TEXT, 0, 0, NULL, "Folder to start in"},
    {"env", TOOL_LIST, 0, 0, NULL, "NAME=value"},
    {"limit_s", TOOL_INT, 0, 0, NULL, "Stop it after"},
    {"resumes", TOOL_INT, 0, 100, NULL, "Restarts if interrupted"},
    {"resume_command", TOOL_TEXT, 0, 0, NULL, "Then this"},
    {"checkpoint", TOOL_TEXT, 0, 0, NULL, "File check_job shows"},
    {"notify", TOOL_BOOL, 0, 0, NULL, "Tell the user its end"},
    {"job_id", TOOL_TEXT, 0, 0, NULL, "Own; the same runs once"},
    {"gpus", TOOL_INT, 0, 0, NULL, "Free ones, held to its end"},
    TOOL_END,
};

static const struct tool_param check_params[] = {
    JOB_ID,
    TOOL_SANDBOX,
    {"wait_s", TOOL_INT, 0, 45, NULL, "Wait for its end, or"},
    {"until_log", TOOL_TEXT, 0, 0, NULL, "a line that matches"},
    {"cursor", TOOL_INT, 0, 0, NULL, "Only what came since; also waits for a line"},
    {"lines", TOOL_INT, 0, 0, NULL, "Last ones; default 30"},
    TOOL_END,
};

static const struct tool_param list_params[] = {TOOL_SANDBOX, TOOL_END};
static const struct tool_param stop_params[] = {JOB_ID, TOOL_SANDBOX, TOOL_END};

static const struct tool_param start_fields[] = {
    {"sandbox", TOOL_TEXT, 0, 0, NULL, NULL},   {"job_id", TOOL_TEXT, 0, 0, NULL, NULL},
    {"state", TOOL_TEXT, 0, 0, NULL, NULL},     {"?gpus", TOOL_LIST, 0, 0, NULL, NULL},
    {"?exit_code", TOOL_INT, 0, 0, NULL, NULL}, {"?warning", TOOL_TEXT, 0, 0, NULL, NULL},
    {"?advice", TOOL_TEXT, 0, 0, NULL, NULL},   TOOL_END,
};

static const struct tool_param job_fields[] = {
    {"sandbox", TOOL_TEXT, 0, 0, NULL, NULL},
    {"job_id", TOOL_TEXT, 0, 0, NULL, NULL},
    {"state", TOOL_TEXT, 0, 0, NULL, NULL},
    {"?exit_code", TOOL_INT, 0, 0, NULL, NULL},
    {"?signal", TOOL_TEXT, 0, 0, NULL, NULL},
    {"?lost_by", TOOL_TEXT, 0, 0, NULL, NULL},
    {"?warning", TOOL_TEXT, 0, 0, NULL, NULL},
    {"?advice", TOOL_TEXT, 0, 0, NULL, NULL},
    TOOL_END,
};

static const struct tool_param check_fields[] = {
    {"sandbox", TOOL_TEXT, 0, 0, NULL, NULL},
    {"job_id", TOOL_TEXT, 0, 0, NULL, NULL},
    {"state", TOOL_TEXT, 0, 0, NULL, NULL},
    {"?exit_code", TOOL_INT, 0, 0, NULL, NULL},
    {"log", TOOL_TEXT, 0, 0, NULL, NULL},
    {"cursor", TOOL_INT, 0, 0, NULL, NULL},
    {"?matched", TOOL_BOOL, 0, 0, NULL, NULL},
    {"?percent", TOOL_NUMBER, 0, 0, NULL, NULL},
    {"?eta_s", TOOL_INT, 0, 0, NULL, NULL},
    {"?checkpoint", TOOL_TEXT, 0, 0, NULL, NULL},
    {"?advice", TOOL_TEXT, 0, 0, NULL, NULL},
    TOOL_END,
};

static const struct tool_param list_fields[] = {
    {"sandbox", TOOL_TEXT, 0, 0, NULL, NULL},
    {"jobs", TOOL_OBJECTS, 0, 0, NULL, NULL},
    {"truncated", TOOL_BOOL, 0, 0, NULL, NULL},
    TOOL_END,
};

const struct tool tool_start_job = {
    .name = "start_job",
    .group = "jobs",
    .flags = TOOL_DESTROYS | TOOL_OUTSIDE,
    .needs = "command",
    .params = start_params,
    .fields = start_fields,
    .about = "Start what goes on without you.",
    .run = run_start,
};

const struct tool tool_check_job = {
    .name = "check_job",
    .group = "jobs",
    .flags = TOOL_READS | TOOL_REPEATS | TOOL_OUTSIDE,
    .needs = "job_id",
    .params = check_params,
    .fields = check_fields,
    .about = "Tell a job's state and log; may wait.",
    .run = run_check,
};

const struct tool tool_list_jobs = {
    .name = "list_jobs",
    .group = "jobs",
    .flags = TOOL_READS | TOOL_REPEATS | TOOL_OUTSIDE,
    .params = list_params,
    .fields = list_fields,
    .about = "List jobs.",
    .run = run_list,
};

const struct tool tool_stop_job = {
    .name = "stop_job",
    .group = "jobs",
    .flags = TOOL_DESTROYS | TOOL_REPEATS | TOOL_OUTSIDE,
    .needs = "job_id",
    .params = stop_params,
    .fields = job_fields,
    .about = "Stop a job and all it started.",
    .run = run_stop,
};
