#include "job_run.h"

#include "places.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool can_be_id(const char *word)
{
    size_t length = strlen(word);

    return length > 0 && length <= 64 && word[0] != '-' &&
           strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
}

/* The job of that id, or the one of that name. */
static const sbx_job *pick(const sbx_job_list *list, const char *word, size_t *named)
{
    const sbx_job *found = NULL;
    size_t i;

    *named = 0;
    for (i = 0; i < list->count; i++) {
        if (strcmp(list->items[i]->id, word) == 0) {
            *named = 1;
            return list->items[i];
        }
        if (strcmp(list->items[i]->name, word) == 0) {
            ++*named;
            found = list->items[i];
        }
    }
    return found;
}

static int find_by_name(struct app *app, sbx_session *session, const char *word,
                        char **id, sbx_error *err)
{
    sbx_job_opts opts = {.size = sizeof(opts), .cancel = app->cancel};
    const char *place = sbx_session_place(session);
    sbx_job_list *list = NULL;
    const sbx_job *job;
    size_t named;
    int rc = sbx_job_list_all(session, &opts, &list, err);

    if (rc < 0)
        return rc;
    job = pick(list, word, &named);
    if (named == 1)
        *id = own_copy(job->id, strlen(job->id));
    else if (named == 0)
        rc = fault_fix(
            err,
            fault(err, SBX_ERR_NOT_FOUND, "there is no job '%.80s' on '%s'", word, place),
            SBX_PROGRAM_NAME " job ls %s", place);
    else
        rc = fault_fix(err,
                       fault(err, SBX_ERR_INVALID, "%zu jobs on '%s' are called '%.80s'",
                             named, place, word),
                       "its id, from " SBX_PROGRAM_NAME " job ls %s", place);
    sbx_job_list_free(list);
    return rc;
}

/* A word with chance at its end is an id; another may be a name that looks like one. */
static bool looks_made(const char *word)
{
    const char *dash = strrchr(word, '-');

    return can_be_id(word) && dash != NULL && strlen(dash) == 9 &&
           strspn(dash + 1, "0123456789abcdef") == 8;
}

int job_find(struct app *app, sbx_session *session, const char *word, char **id,
             sbx_error *err)
{
    if (looks_made(word)) {
        *id = own_copy(word, strlen(word));
        return SBX_OK;
    }
    return find_by_name(app, session, word, id, err);
}

int job_open(struct app *app, const struct words *operands, sbx_session **session,
             char **id, sbx_error *err)
{
    int rc = places_open(app, operands->items[0], session, err);

    return rc < 0 ? rc : job_find(app, *session, operands->items[1], id, err);
}

static void add_signal(struct text *line, const sbx_job *job)
{
    if (job->signal_name != NULL)
        text_addf(line, "SIG%s", job->signal_name);
    else
        text_addf(line, "signal %d", job->signal);
}

void job_add_state(struct text *line, const sbx_job *job)
{
    static const char *const losses[] = {
        "", "the machine was started anew", "what watched it was killed too",
        "how it ended is not known", "its start was cut off"};

    switch (job->state) {
    case SBX_JOB_EXITED:
        text_addf(line, "exited %d", job->exit_code);
        if (job->maybe_signal) {
            text_add(line, ", or killed by ");
            add_signal(line, job);
        }
        break;
    case SBX_JOB_SIGNALED:
        text_add(line, "killed by ");
        add_signal(line, job);
        break;
    case SBX_JOB_OOM:
        text_add(line, "killed: out of memory");
        break;
    case SBX_JOB_STOPPED:
        text_add(line, "stopped by ");
        text_add_shown(line, job->stopped_by == NULL ? "?" : job->stopped_by);
        break;
    case SBX_JOB_LOST:
        text_addf(line, "lost: %s", losses[job->loss]);
        break;
    default:
        text_add(line, sbx_job_state_name(job->state));
    }
}

int job_failed(struct app *app, const sbx_error *err)
{
    static const int answers[] = {SBX_ERR_NOT_FOUND, SBX_ERR_EXISTS, SBX_ERR_CONFLICT,
                                  SBX_ERR_UNSUPPORTED};
    int status = app_failed(app, err);
    size_t i;

    for (i = 0; i < sizeof(answers) / sizeof(answers[0]); i++)
        if (answers[i] == err->code)
            return 1;
    return status;
}

void job_print(const struct app *app, const sbx_job *job)
{
    AUTO_TEXT line = {0};

    if (app->json) {
        out_json(sbx_job_json(job));
        return;
    }
    text_addf(&line, "%s: ", job->id);
    job_add_state(&line, job);
    (void)printf("%s\n", line.data);
}

static int one(struct app *app, sbx_session *session, const char *word,
               const void *values, job_fn fn)
{
    AUTOFREE char *id = NULL;
    sbx_error err = {0};
    int rc = job_find(app, session, word, &id, &err);

    if (rc == SBX_OK)
        rc = fn(app, session, id, values, &err);
    (void)fflush(stdout);
    return rc < 0 ? job_failed(app, &err) : rc;
}

int job_each(struct app *app, const void *values, const struct words *operands, job_fn fn)
{
    sbx_session *session = NULL;
    sbx_error err = {0};
    int worst = 0;
    size_t i;

    if (places_open(app, operands->items[0], &session, &err) < 0)
        return job_failed(app, &err);
    for (i = 1; i < operands->count && worst != 130; i++) {
        int status = one(app, session, operands->items[i], values, fn);

        worst = status > worst ? status : worst;
    }
    sbx_session_free(session);
    return worst;
}
