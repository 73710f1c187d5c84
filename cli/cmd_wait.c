/* cmd_wait.c - `wait`: until something is so over there. */
#include "cmd.h"
#include "job_run.h"
#include "places.h"

#include <sandbox/wait.h>

#include <stdio.h>
#include <string.h>

struct values {
    struct words jobs;
    struct words patterns;
    struct words files;
    struct words ports;
    int64_t host_up;
    int64_t any;
    int64_t timeout_ms;
    int64_t cursor;
};

static int check_port(const char *value, sbx_error *err)
{
    if (strlen(value) < 1 || strlen(value) > 5 ||
        strspn(value, "0123456789") != strlen(value))
        return fault(err, SBX_ERR_INVALID, "not a port from 1 to 65535");
    return SBX_OK;
}

static const struct opt options[] = {
    {0, "job", "JOB", OPT_LIST, offsetof(struct values, jobs),
     "Until this job has ended; with --log-match, the job whose log is read",
     opt_check_filled, 0, 0, NULL},
    {0, "log-match", "REGEX", OPT_LIST, offsetof(struct values, patterns),
     "Until a line of the log of --job matches this extended regular expression",
     opt_check_filled, 0, 0, NULL},
    {0, "file", "PATH", OPT_LIST, offsetof(struct values, files),
     "Until there is something at this path", opt_check_filled, 0, 0, NULL},
    {0, "port", "N", OPT_LIST, offsetof(struct values, ports),
     "Until something over there listens on this TCP port", check_port, 0, 0, NULL},
    {0, "host-up", NULL, OPT_FLAG, offsetof(struct values, host_up),
     "Until the place can be reached", NULL, 0, 0, NULL},
    {0, "any", NULL, OPT_FLAG, offsetof(struct values, any),
     "The first of several is enough, instead of all", NULL, 0, 0, NULL},
    {'t', "timeout", "SECONDS", OPT_SECONDS, offsetof(struct values, timeout_ms),
     "Give up after this time", NULL, 0, 0, NULL},
    {0, "cursor", "N", OPT_INT, offsetof(struct values, cursor),
     "Read the log from this byte on: `cursor` of an answer before", NULL, 0,
     INT64_C(1000000000000000000), NULL},
    OPT_END,
};

enum { MOST = 16 };

struct request {
    sbx_wait_for items[MOST];
    size_t count;
    char *ids[MOST];
    size_t id_count;
};

static sbx_wait_for *add(struct request *request, int kind)
{
    sbx_wait_for *item;

    if (request->count == MOST)
        return NULL;
    item = &request->items[request->count++];
    *item = (sbx_wait_for){.size = sizeof(*item), .kind = kind};
    return item;
}

static void add_texts(struct request *request, int kind, const struct words *texts)
{
    size_t i;

    for (i = 0; i < texts->count; i++) {
        sbx_wait_for *item = add(request, kind);
        const char *at;

        if (item != NULL && kind == SBX_WAIT_PORT)
            for (at = texts->items[i]; *at != 0; at++)
                item->port = item->port * 10 + (*at - '0');
        else if (item != NULL)
            item->text = texts->items[i];
    }
}

/* Names are looked up once, at the beginning; the ids stand for them from then on. */
static int find_jobs(struct app *app, const char *place, const struct values *values,
                     struct request *request, sbx_error *err)
{
    sbx_session *session = NULL;
    int rc = SBX_OK;
    size_t i;

    if (values->jobs.count > 0)
        rc = places_open(app, place, &session, err);
    for (i = 0; i < values->jobs.count && i < MOST && rc == SBX_OK; i++) {
        rc = job_find(app, session, values->jobs.items[i], &request->ids[i], err);
        request->id_count = i + 1;
    }
    sbx_session_free(session);
    return rc;
}

static void add_jobs(const struct values *values, struct request *request)
{
    sbx_wait_for *item;
    size_t i;

    for (i = 0; i < values->patterns.count; i++) {
        item = add(request, SBX_WAIT_LOG);
        if (item == NULL)
            return;
        item->job = request->ids[0];
        item->text = values->patterns.items[i];
        item->cursor = values->cursor;
    }
    for (i = 0; values->patterns.count == 0 && i < request->id_count; i++) {
        item = add(request, SBX_WAIT_JOB);
        if (item != NULL)
            item->job = request->ids[i];
    }
}

/* What was waited for in vain. */
static void say_late(const sbx_waited *waited, const struct request *request)
{
    AUTO_TEXT line = {0};
    size_t i;

    for (i = 0; i < waited->count && i < request->count; i++) {
        const sbx_wait_for *item = &request->items[i];

        if (waited->answers[i]->met)
            continue;
        text_add(&line, line.length == 0 ? ": " : ", ");
        if (item->kind == SBX_WAIT_JOB)
            text_addf(&line, "job '%s'", item->job);
        else if (item->kind == SBX_WAIT_LOG)
            text_addf(&line, "a line like '%s'", item->text);
        else if (item->kind == SBX_WAIT_FILE)
            text_addf(&line, "file '%s'", item->text);
        else if (item->kind == SBX_WAIT_PORT)
            text_addf(&line, "port %lld", (long long)item->port);
        else
            text_add(&line, "that it is up");
    }
    out_note("%s: not within the time%s", waited->place, line.data);
}

static void say(const sbx_waited *waited, const struct request *request)
{
    size_t i;

    for (i = 0; i < waited->count; i++) {
        const sbx_wait_answer *answer = waited->answers[i];

        if (answer->line != NULL)
            (void)printf("%s\n", answer->line);
        else if (answer->job != NULL && answer->job->state != SBX_JOB_EXITED) {
            AUTO_TEXT line = {0};

            job_add_state(&line, answer->job);
            out_note("%s: %s", answer->job->id, line.data);
        }
        if (answer->error.code != 0)
            out_error(&answer->error);
    }
    if (waited->timed_out)
        say_late(waited, request);
}

static int status_of(const sbx_waited *waited)
{
    size_t i;

    if (waited->met && waited->count == 1 && waited->answers[0]->job != NULL)
        return sbx_job_status(waited->answers[0]->job);
    if (waited->met)
        return 0;
    if (waited->timed_out)
        return 124;
    for (i = 0; i < waited->count; i++)
        if (waited->answers[i]->error.code != 0 &&
            waited->answers[i]->error.code != SBX_ERR_NOT_FOUND)
            return out_status(waited->answers[i]->error.code);
    return 1;
}

static int wait_for(struct app *app, const char *place, const struct values *values,
                    const struct request *request)
{
    const sbx_wait_opts opts = {.size = sizeof(opts),
                                .flags = values->any ? SBX_WAIT_ANY : 0,
                                .timeout_ms = values->timeout_ms,
                                .cancel = app->cancel};
    sbx_waited *waited = NULL;
    sbx_error err = {0};
    int status;

    if (sbx_wait(app->pool, place, request->items, request->count, &opts, &waited, &err) <
        0)
        return job_failed(app, &err);
    if (app->json)
        out_json(sbx_waited_json(waited));
    else
        say(waited, request);
    status = status_of(waited);
    sbx_waited_free(waited);
    return status;
}

static int misuse(struct app *app, const struct values *values, size_t count)
{
    if (values->patterns.count > 0 && values->jobs.count != 1)
        return app_misused(app, "option '--log-match' needs one --job, whose log it is");
    if (count == 0)
        return app_misused(app,
                           "nothing to wait for: none of --job, --log-match, --file, "
                           "--port, --host-up");
    if (count > MOST)
        return app_misused(app, "%zu things to wait for, and %d are the most", count,
                           MOST);
    return 0;
}

static int run_wait(struct app *app, const void *userdata, const struct words *operands)
{
    const struct values *values = userdata;
    struct request request = {0};
    sbx_error err = {0};
    size_t count =
        values->files.count + values->ports.count + (values->host_up ? 1 : 0) +
        (values->patterns.count > 0 ? values->patterns.count : values->jobs.count);
    int status = misuse(app, values, count);
    int rc;
    size_t i;

    if (status != 0)
        return status;
    rc = app_open_pool(app, &err);
    if (rc == SBX_OK)
        rc = find_jobs(app, operands->items[0], values, &request, &err);
    if (rc < 0) {
        status = job_failed(app, &err);
    } else {
        add_jobs(values, &request);
        add_texts(&request, SBX_WAIT_FILE, &values->files);
        add_texts(&request, SBX_WAIT_PORT, &values->ports);
        if (values->host_up)
            (void)add(&request, SBX_WAIT_HOST);
        status = wait_for(app, operands->items[0], values, &request);
    }
    for (i = 0; i < request.id_count; i++)
        own_free(&request.ids[i]);
    return status;
}

const struct cmd cmd_wait = {
    .name = "wait",
    .usage = "[OPTION]... PLACE",
    .help = "Wait until something is so over there: a job ended, a line, a file, a port",
    .about =
        "Of one job alone the exit status is its own. Otherwise 0: it is so; 1: it can be so "
        "no more, as the job ended without such a line; 124: not within the time; 255: the "
        "place refuses us. A connection that breaks is made anew.\n"
        "A line that matched is printed; with --json its `cursor` is where to go on from.",
    .examples = "wait gpu1 --job train\nwait gpu1 --job train --log-match 'epoch 10'\n"
                "wait -t 60 gpu1 --port 8888 --file run/ready\nwait gpu1 --host-up",
    .options = options,
    .values_size = sizeof(struct values),
    .least = 1,
    .most = 1,
    .operand = "PLACE",
    .completes = "place",
    .run = run_wait,
};
