/* cmd_job_look.c - `job ls` and `job show`: what jobs there are, and how they are. */
#include "cmd.h"
#include "job_away.h"
#include "job_run.h"
#include "parallel.h"
#include "places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNREACHED = 255 };

struct values {
    int64_t all;
    int64_t running;
};

static const struct opt ls_options[] = {
    {'a', "all", NULL, OPT_FLAG, offsetof(struct values, all),
     "Every place that is known by name", NULL, 0, 0, NULL},
    {'r', "running", NULL, OPT_FLAG, offsetof(struct values, running),
     "Those alone that run", NULL, 0, 0, NULL},
    OPT_END,
};

/* One place, asked. */
struct asked {
    const char *place;
    sbx_job_list *list; /* NULL: see error */
    sbx_error error;
};

struct asking {
    struct app *app;
    struct asked *all;
};

static void ask(size_t index, void *userdata)
{
    struct asking *asking = userdata;
    struct asked *asked = &asking->all[index];
    sbx_job_opts opts = {.size = sizeof(opts), .cancel = asking->app->cancel};
    sbx_session *session = NULL;
    int rc = sbx_pool_acquire(asking->app->pool, asked->place, asking->app->cancel,
                              &session, &asked->error);

    if (rc == SBX_OK)
        (void)sbx_job_list_all(session, &opts, &asked->list, &asked->error);
    sbx_session_free(session);
}

static void print_row(const sbx_job *job)
{
    AUTO_TEXT state = {0};
    AUTO_TEXT age = {0};
    AUTO_TEXT name = {0};
    int64_t since = sbx_job_ended(job) ? job->ended_at_s : job->started_at_s;

    job_add_state(&state, job);
    if (since > 0)
        text_add_age(&age, job->seen_at_s - since);
    text_add_shown(&name, job->name);
    (void)printf("%-12s %-36s %-24s %5s  %.60s\n", job->place, job->id, state.data,
                 age.data == NULL ? "?" : age.data, name.data == NULL ? "" : name.data);
}

static void print_jobs(const struct app *app, const sbx_job_list *list,
                       const struct values *values)
{
    size_t i;

    for (i = 0; i < list->count; i++) {
        const sbx_job *job = list->items[i];

        if (values->running && job->state != SBX_JOB_RUNNING)
            continue;
        if (app->json)
            out_json(sbx_job_json(job));
        else
            print_row(job);
    }
    if (list->truncated)
        out_note("%s: there are more jobs than %zu", list->place, list->count);
}

/* A place that cannot be asked hides no other; what it may have is unreachable. */
static int print_unreachable(const struct app *app, const struct asked *asked)
{
    sbx_job *job = NULL;

    if (job_away_print(app, asked->place, NULL, &asked->error) == 0 && app->json)
        job = sbx_job_unreachable(asked->place, "", &asked->error);
    if (job != NULL)
        out_json(sbx_job_json(job));
    sbx_job_free(job);
    (void)fflush(stdout);
    out_error(&asked->error);
    return out_status(asked->error.code);
}

static int ls(struct app *app, const struct places *places, const struct values *values)
{
    struct asking asking = {.app = app};
    int worst = 0;
    size_t i;

    asking.all = own_zeroed(places->names.count, sizeof(*asking.all));
    for (i = 0; i < places->names.count; i++)
        asking.all[i].place = places->names.items[i];
    parallel_run(places->names.count, ask, &asking);
    for (i = 0; i < places->names.count; i++) {
        struct asked *asked = &asking.all[i];
        int status = 0;

        if (asked->list != NULL)
            print_jobs(app, asked->list, values);
        else
            status = print_unreachable(app, asked);
        worst = status > worst ? status : worst;
        sbx_job_list_free(asked->list);
    }
    free(asking.all);
    return worst;
}

static int run_ls(struct app *app, const void *values, const struct words *operands)
{
    const struct values *given = values;
    AUTO_PLACES places = {0};
    sbx_error err = {0};

    if (!given->all && operands->count == 0)
        return app_misused(app, "no PLACE given, and no --all");
    if (places_prepare(&places, app, operands, given->all, true, &err) < 0)
        return app_failed(app, &err);
    return ls(app, &places, given);
}

static void add_moment(struct text *out, const char *what, const sbx_job *job, int64_t at)
{
    if (at <= 0)
        return;
    text_addf(out, "    %-9s", what);
    text_add_age(out, job->seen_at_s - at);
    text_add(out, " ago\n");
}

static void add_line(struct text *out, const char *what, const char *value)
{
    if (value == NULL || value[0] == '\0')
        return;
    text_addf(out, "    %-9s", what);
    text_add_shown(out, value);
    text_add(out, "\n");
}

static void add_labels(struct text *out, const sbx_job *job)
{
    const char *const *label;

    for (label = job->labels; *label != NULL; label++)
        add_line(out, label == job->labels ? "labels" : "", *label);
}

static void add_resume(struct text *out, const sbx_job *job)
{
    AUTO_TEXT line = {0};
    size_t i;

    if (job->resume_max > 0) {
        text_addf(&line, "%lld of %lld used, %lld s after its end%s",
                  (long long)job->resume_used, (long long)job->resume_max,
                  (long long)(job->resume_delay_ms / 1000),
                  job->resume_on_failure ? ", of a failure too" : "");
        if (job->resume_at_s > 0 && sbx_job_ended(job))
            text_addf(&line, "; due in %lld s",
                      (long long)(job->resume_at_s > job->seen_at_s
                                      ? job->resume_at_s - job->seen_at_s
                                      : 0));
        if (job->held_by != NULL) {
            text_add(&line, "; no more, says ");
            text_add(&line, job->held_by);
        }
        add_line(out, "resumes", line.data);
        add_line(out, "by", job->resume_command);
    }
    add_line(out, "checkpt",
             job->checkpoint != NULL        ? job->checkpoint
             : job->checkpoint_path != NULL ? job->checkpoint_path
                                            : job->checkpoint_command);
    for (i = 0; i + 1 < job->run_count; i++) {
        const sbx_job_run *run = job->runs[i];
        AUTO_TEXT past = {0};

        text_addf(&past, "%d: %s", run->generation, sbx_job_state_name(run->state));
        if (run->state == SBX_JOB_EXITED)
            text_addf(&past, " %d", run->exit_code);
        if (run->loss != 0)
            text_addf(&past, ": %s", sbx_job_loss_name(run->loss));
        if (run->signal > 0)
            text_addf(&past, " by signal %d", run->signal);
        add_line(out, "before", past.data);
    }
}

static void add_memory(struct text *out, const sbx_job *job)
{
    static const double mebibyte = 1 << 20;

    if (job->peak_memory >= 0)
        text_addf(out, "    %-9s%.1f MiB in its largest process\n", "memory",
                  (double)job->peak_memory / mebibyte);
    if (job->cgroup_peak >= 0)
        text_addf(out, "    %-9s%.1f MiB in all of it at once\n", "memory",
                  (double)job->cgroup_peak / mebibyte);
    if (job->oom_kills > 0)
        text_addf(out, "    %-9s%lld of its processes, for want of memory\n", "killed",
                  (long long)job->oom_kills);
}

static void print_one(const sbx_job *job)
{
    static const char *const ways[] = {"?", "no terminal", "tmux", "tmux, adopted"};
    AUTO_TEXT out = {0};

    text_addf(&out, "%s: ", job->id);
    job_add_state(&out, job);
    text_add(&out, "\n");
    add_line(&out, "name", job->name);
    add_line(&out, "command", job->command);
    add_line(&out, "folder", job->cwd);
    add_moment(&out, "started", job, job->started_at_s);
    add_moment(&out, "ended", job, job->ended_at_s);
    add_line(&out, "owner", job->owner);
    add_labels(&out, job);
    add_line(&out, "terminal", ways[job->way]);
    if (job->pid > 0)
        text_addf(&out, "    %-9s%lld\n", "pid", (long long)job->pid);
    add_memory(&out, job);
    if (job->limit_ms > 0)
        text_addf(&out, "    %-9s%lld s\n", "limit", (long long)(job->limit_ms / 1000));
    text_addf(&out, "    %-9s%lld bytes", "log",
              (long long)(job->log_size < 0 ? 0 : job->log_size));
    if (job->log_cut_to > 0)
        text_addf(&out, ", of which %lld to %lld are no more kept",
                  (long long)job->log_cut_from, (long long)job->log_cut_to);
    text_add(&out, "\n");
    add_resume(&out, job);
    add_line(&out, "files", job->folder);
    (void)fputs(out.data, stdout);
}

static int show(struct app *app, sbx_session *session, const char *id, const void *values,
                sbx_error *err)
{
    sbx_job_opts opts = {.size = sizeof(opts), .cancel = app->cancel};
    sbx_job *job = NULL;
    int rc = sbx_job_show(session, id, &opts, &job, err);

    (void)values;
    if (rc < 0)
        return rc;
    if (app->json)
        out_json(sbx_job_json(job));
    else
        print_one(job);
    sbx_job_free(job);
    return 0;
}

static int run_show(struct app *app, const void *values, const struct words *operands)
{
    int status = job_each(app, values, operands, show);
    sbx_error away = {.code = SBX_ERR_CONNECT};
    size_t i;

    for (i = 1; status == UNREACHED && i < operands->count; i++)
        (void)job_away_print(app, operands->items[0], operands->items[i], &away);
    return status;
}

const struct cmd cmd_job_ls = {
    .name = "job ls",
    .usage = "[OPTION]... PLACE...",
    .help = "List the jobs of places, and how they are",
    .about =
        "Each place is asked once, all at the same time. The age is that of the start, "
        "or of the end.",
    .examples = "job ls gpu1\njob ls @lab\njob ls --all --json",
    .options = ls_options,
    .values_size = sizeof(struct values),
    .most = CMD_ANY_NUMBER,
    .operand = "PLACE",
    .completes = "places",
    .run = run_ls,
};

const struct cmd cmd_job_show = {
    .name = "job show",
    .usage = "PLACE JOB...",
    .help = "Tell all that is known of jobs",
    .examples = "job show gpu1 train-1f0c22ab\njob show --json gpu1 train",
    .options = cmd_no_options,
    .values_size = sizeof(struct values),
    JOB_OPERANDS(CMD_ANY_NUMBER),
    .run = run_show,
};
