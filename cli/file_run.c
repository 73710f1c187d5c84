#include "file_run.h"

#include "places.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* That the place said no is 1; all else is told as with every command. */
static int failed(const struct app *app, const sbx_error *err, bool asked)
{
    static const int answers[] = {SBX_ERR_NOT_FOUND, SBX_ERR_EXISTS, SBX_ERR_CONFLICT,
                                  SBX_ERR_IO, SBX_ERR_LIMIT};
    int status;
    size_t i;

    if (asked && err->sys_errno == EPIPE) /* nobody reads our output any more */
        return 141;
    status = app_failed(app, err);
    for (i = 0; asked && i < sizeof(answers) / sizeof(answers[0]); i++)
        if (answers[i] == err->code)
            return 1;
    return status;
}

static int open_place(struct app *app, const char *place, sbx_session **session,
                      sbx_error *err)
{
    int rc = app->pool == NULL ? app_open_pool(app, err) : SBX_OK;

    if (rc == SBX_OK)
        rc = sbx_pool_acquire(app->pool, place, app->cancel, session, err);
    return rc;
}

static int run_at(struct file_job *job, const struct address *address, file_fn fn)
{
    sbx_error err = {0};
    int rc = open_place(job->app, address->place, &job->session, &err);

    if (rc < 0)
        return failed(job->app, &err, false);
    job->path = address->path;
    rc = fn(job, &err);
    (void)fflush(stdout);
    sbx_session_free(job->session);
    return rc < 0 ? failed(job->app, &err, true) : 0;
}

static int run_word(struct file_job *job, const char *word, file_fn fn)
{
    AUTO_ADDRESS address = {0};
    sbx_error err = {0};

    if (address_read_placed(word, &address, &err) < 0)
        return failed(job->app, &err, false);
    return run_at(job, &address, fn);
}

int file_each(struct app *app, const void *values, const struct words *operands,
              file_fn fn)
{
    struct file_job job = {.app = app, .values = values, .operands = operands};
    int worst = 0;
    size_t i;

    for (i = 0; i < operands->count && worst != 130; i++) {
        int status = run_word(&job, operands->items[i], fn);

        worst = status > worst ? status : worst;
    }
    return worst;
}

int file_first(struct app *app, const void *values, const struct words *operands,
               file_fn fn)
{
    struct file_job job = {.app = app, .values = values, .operands = operands};

    return run_word(&job, operands->items[0], fn);
}

int file_both(struct app *app, const void *values, const struct words *operands,
              file_fn fn)
{
    struct file_job job = {.app = app, .values = values, .operands = operands};
    AUTO_ADDRESS from = {0};
    AUTO_ADDRESS to = {0};
    sbx_error err = {0};
    int rc = address_read_placed(operands->items[0], &from, &err);

    if (rc == SBX_OK)
        rc = address_read_placed(operands->items[1], &to, &err);
    if (rc == SBX_OK && strcmp(from.place, to.place) != 0)
        rc =
            fault(&err, SBX_ERR_INVALID, "'%s' and '%s': it takes two names on one place",
                  operands->items[0], operands->items[1]);
    if (rc < 0)
        return failed(app, &err, false);
    job.other = to.path;
    return run_at(&job, &from, fn);
}

void file_say_done(const struct file_job *job)
{
    AUTO_TEXT line = {0};

    if (!job->app->json)
        return;
    text_add(&line, "{\"place\":");
    text_add_json(&line, sbx_session_place(job->session));
    text_add(&line, ",\"path\":");
    text_add_json(&line, job->path);
    text_add(&line, ",\"done\":true}");
    (void)printf("%s\n", line.data);
}

void file_add_name(struct text *line, const char *name)
{
    static int terminal = -1;
    size_t start = line->length;
    size_t i;

    if (terminal < 0)
        terminal = isatty(STDOUT_FILENO);
    text_add(line, name);
    for (i = start; terminal && i < line->length; i++)
        if ((unsigned char)line->data[i] < 0x20 || line->data[i] == 0x7f)
            line->data[i] = '?';
}

int file_check_mode(const char *value, sbx_error *err)
{
    size_t length = strlen(value);

    if (length < 1 || length > 4 || strspn(value, "01234567") != length ||
        file_mode(value) == 0)
        return fault(err, SBX_ERR_INVALID, "not an octal mode like 644 or 0755");
    return SBX_OK;
}

int file_check_hash(const char *value, sbx_error *err)
{
    if (strlen(value) != 64 || strspn(value, "0123456789abcdef") != 64)
        return fault(err, SBX_ERR_INVALID, "not a sha256 of 64 lower-case hex digits");
    return SBX_OK;
}

int64_t file_mode(const char *value)
{
    int64_t mode = 0;

    for (; value != NULL && *value != '\0'; value++)
        mode = mode * 8 + (*value - '0');
    return mode;
}
