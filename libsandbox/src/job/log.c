/*
 * log.c - reads a log, once or to the end of its job.
 *
 * Where we are is a number of bytes, counted here, so a connection that breaks costs
 * nothing: the next script begins at that byte. A script that follows may end at any
 * moment, and does when the job ends; only one that found the job ended before it
 * looked at the size has read all.
 */
#include "job/call.h"
#include "job/collapse.h"
#include "job/script.h"
#include "job/token.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/opts.h"
#include "base/wait.h"

#include <stdio.h>
#include <string.h>

#define DEFAULT_TIMEOUT_MS 300000
#define DEFAULT_MOST (INT64_C(16) << 20)
#define LONGEST_PATTERN 4096
#define FIRST_PAUSE_MS 200
#define LONGEST_PAUSE_MS 30000

struct log {
    sbx_job_log public;
    struct sbi_str data;
};

struct reader {
    sbx_session *session;
    const char *id;
    const sbx_job_log_opts *opts;
    struct log *log;
    struct sbi_collapse collapse;
    struct sbi_str header; /* of standard error, until its line is whole */
    bool told;             /* the header of this script */
    bool first;            /* of no script before it */
    bool enough;           /* by on_bytes or max_bytes */
    int64_t came;          /* bytes, of this script */
    int64_t cut_from;      /* what the log no more has, as this script saw it */
    int64_t cut_to;
};

static void log_clear(struct log **log)
{
    sbx_job_log_free((sbx_job_log *)*log);
}

/* Hands bytes on, in the form that is wanted. */
static void deliver(struct reader *reader, const char *data, size_t length)
{
    const sbx_job_log_opts *opts = reader->opts;
    struct log *log = reader->log;
    size_t room;

    if (length == 0 || reader->enough)
        return;
    if (opts->on_bytes != NULL) {
        reader->enough = opts->on_bytes(data, length, opts->userdata) != 0;
        return;
    }
    room = (size_t)opts->max_bytes - log->data.length;
    if (length > room) {
        log->public.truncated = 1;
        reader->enough = true;
        length = room;
    }
    sbi_str_add_bytes(&log->data, data, length);
}

static void deliver_text(struct reader *reader, const struct sbi_str *text)
{
    if (text->status != SBX_OK)
        reader->log->data.status = text->status; /* told at the end */
    deliver(reader, text->data, text->length);
}

static void take(struct reader *reader, const char *data, size_t length)
{
    SBI_AUTO_STR lines = {0};

    reader->came += (int64_t)length;
    if ((reader->opts->flags & SBX_JOB_COLLAPSE) == 0) {
        deliver(reader, data, length);
        return;
    }
    sbi_collapse_feed(&reader->collapse, data, length, &lines);
    deliver_text(reader, &lines);
}

/* "sbx-job:log FROM CUT_FROM CUT_TO SIZE LEFT_OUT ENDED" */
static void read_header(struct reader *reader)
{
    static const char begins[] = "sbx-job:log ";
    const char *at =
        reader->header.data == NULL ? NULL : strstr(reader->header.data, begins);
    const char *stop = at == NULL ? NULL : strchr(at, '\n');
    sbx_job_log *log = &reader->log->public;
    struct sbi_token line;

    if (stop == NULL)
        return;
    line = (struct sbi_token){at + strlen(begins), stop};
    log->next = sbi_token_number(&line, 0);
    reader->cut_from = sbi_token_number(&line, 0);
    reader->cut_to = sbi_token_number(&line, 0);
    log->size = sbi_token_number(&line, 0);
    log->left_out += sbi_token_number(&line, 0);
    log->ended = (int32_t)sbi_token_number(&line, 0);
    if (reader->first)
        log->offset = log->next;
    reader->first = false;
    reader->told = true;
}

static int hear(int stream, const void *data, size_t length, void *userdata)
{
    struct reader *reader = userdata;

    if (stream == SBX_EXEC_STDERR) {
        sbi_str_add_bytes(&reader->header, data, length);
        if (!reader->told)
            read_header(reader);
    } else {
        take(reader, data, length);
    }
    return reader->enough;
}

/* Where the next script begins: behind what came, and behind the hole that was passed. */
static void move_on(struct reader *reader)
{
    int64_t from = reader->log->public.next, to = from + reader->came;

    if (from < reader->cut_from && to > reader->cut_from)
        to += reader->cut_to - reader->cut_from;
    reader->log->public.next = to;
}

static int run(struct reader *reader, const char *mode, int64_t from, int64_t length,
               int64_t timeout_ms, sbx_error *err)
{
    char offset[24], count[24];
    const char *const args[] = {reader->id,
                                mode,
                                offset,
                                count,
                                reader->opts->pattern == NULL ? ""
                                                              : reader->opts->pattern,
                                NULL};
    const struct sbi_call call = {
        .action = "read log of job",
        .id = reader->id,
        .script = sbi_job_script_log,
        .args = args,
        .exec = {.flags = strcmp(mode, "follow") == 0 ? 0 : SBX_EXEC_HANG_UP,
                 .timeout_ms = timeout_ms,
                 .kill_after_ms = 300,
                 .grace_ms = 500,
                 .output_limit = 4096,
                 .on_output = hear,
                 .userdata = reader,
                 .cancel = reader->opts->cancel}};
    SBI_AUTO_CALL_RESULT result = NULL;
    sbx_error error = {0};
    int rc;

    (void)snprintf(offset, sizeof(offset), "%lld", (long long)from);
    (void)snprintf(count, sizeof(count), "%lld", (long long)length);
    sbi_str_clear(&reader->header);
    reader->header.limit = 64 * 1024;
    reader->told = false;
    reader->came = 0;
    rc = sbi_call(reader->session, &call, &result, &error);
    if (reader->told)
        move_on(reader);
    if (rc == SBX_ERR_CANCELLED && reader->enough)
        return SBX_OK;
    if (rc < 0 && err != NULL)
        *err = error;
    return rc;
}

/* Waits, for longer each time; SBX_ERR_CANCELLED or SBX_ERR_TIMEOUT end it all. */
static int pause_before(const struct reader *reader, int64_t *pause_ms, int64_t deadline)
{
    int64_t until = sbi_deadline(*pause_ms);
    struct pollfd nothing = {-1, 0, 0};
    int rc;

    rc = sbi_wait_any(&nothing, 1, until < deadline ? until : deadline,
                      reader->opts->cancel);
    *pause_ms = *pause_ms * 2 > LONGEST_PAUSE_MS ? LONGEST_PAUSE_MS : *pause_ms * 2;
    if (rc == SBX_ERR_CANCELLED)
        return rc;
    return sbi_left_ms(deadline) == 0 ? SBX_ERR_TIMEOUT : SBX_OK;
}

static int left_of(int64_t deadline)
{
    int left = sbi_left_ms(deadline);

    return left < 0 ? 0 : left < 1 ? 1 : left;
}

/* From where the log stands on, until its job has ended and all of it came. */
static int follow(struct reader *reader, int64_t deadline, sbx_error *err)
{
    sbx_job_log *log = &reader->log->public;
    int64_t pause_ms = FIRST_PAUSE_MS;
    int rc;

    for (;;) {
        sbx_error error = {0};

        rc = run(reader, "follow", log->next, -1, left_of(deadline), &error);
        if (reader->enough || (rc == SBX_OK && log->ended && log->next >= log->size))
            return SBX_OK;
        if (rc < 0 &&
            (!sbi_call_may_pass(rc) || pause_before(reader, &pause_ms, deadline) < 0)) {
            if (err != NULL)
                *err = error;
            return rc;
        }
        if (rc == SBX_OK)
            pause_ms = FIRST_PAUSE_MS;
    }
}

static int read_wanted(struct reader *reader, int64_t deadline, sbx_error *err)
{
    const sbx_job_log_opts *opts = reader->opts;
    int left = left_of(deadline);
    int rc;

    if (opts->pattern != NULL) {
        rc = run(reader, "grep", 0, -1, left, err);
        reader->log->public.offset = reader->log->public.next = -1;
        return rc;
    }
    if (opts->lines > 0)
        rc = run(reader, "lines", opts->lines, -1, left, err);
    else
        rc = run(reader, "range", opts->offset, opts->length > 0 ? opts->length : -1,
                 left, err);
    if (rc < 0 || (opts->flags & SBX_JOB_FOLLOW) == 0 || reader->enough)
        return rc;
    if (reader->log->public.ended && reader->log->public.next >= reader->log->public.size)
        return SBX_OK;
    return follow(reader, deadline, err);
}

static int check(const sbx_job_log_opts *opts, sbx_error *err)
{
    bool follows = (opts->flags & SBX_JOB_FOLLOW) != 0;

    if ((opts->flags & ~(uint64_t)(SBX_JOB_FOLLOW | SBX_JOB_COLLAPSE)) != 0)
        return sbi_fail(err, SBX_ERR_INVALID, "flags 0x%llx: some are not of it",
                        (unsigned long long)opts->flags);
    if ((opts->offset != 0 || opts->length != 0) + (opts->lines != 0) +
            (opts->pattern != NULL) >
        1)
        return sbi_fail(err, SBX_ERR_INVALID,
                        "of offset, lines and pattern only one can be asked for");
    if (follows && (opts->pattern != NULL || opts->length != 0))
        return sbi_fail(err, SBX_ERR_INVALID, "what has an end cannot be followed");
    if (opts->lines < 0 || opts->length < 0)
        return sbi_fail(err, SBX_ERR_INVALID, "lines and length are not negative");
    if (opts->pattern != NULL && strlen(opts->pattern) > LONGEST_PATTERN)
        return sbi_fail(err, SBX_ERR_INVALID, "a pattern over %d bytes", LONGEST_PATTERN);
    return SBX_OK;
}

static int read_opts(const sbx_job_log_opts *theirs, sbx_job_log_opts *opts,
                     sbx_error *err)
{
    int rc = sbi_opts_read(opts, sizeof(*opts), theirs, err);

    if (rc == SBX_OK)
        rc = check(opts, err);
    if (rc < 0)
        return rc;
    if (opts->timeout_ms == 0)
        opts->timeout_ms = (opts->flags & SBX_JOB_FOLLOW) != 0 ? -1 : DEFAULT_TIMEOUT_MS;
    if (opts->max_bytes <= 0)
        opts->max_bytes = DEFAULT_MOST;
    return SBX_OK;
}

static void end_collapse(struct reader *reader)
{
    SBI_AUTO_STR rest = {0};

    sbi_collapse_end(&reader->collapse, &rest);
    deliver_text(reader, &rest);
}

int sbx_job_log_read(sbx_session *session, const char *id, const sbx_job_log_opts *theirs,
                     sbx_job_log **out, sbx_error *err)
{
    SBI_CLEANUP(log_clear) struct log *log = NULL;
    struct reader reader = {.session = session, .id = id, .first = true};
    sbx_job_log_opts opts;
    int rc = sbi_call_check_id(session, id, "read log of job", err);

    if (rc < 0)
        return rc;
    rc = read_opts(theirs, &opts, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "read log of job '%s'", id);
    log = calloc(1, sizeof(*log));
    if (log == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "read log of job '%s': out of memory",
                        id);
    sbi_str_add(&log->data, "");
    reader.opts = &opts;
    reader.log = log;
    rc = read_wanted(&reader, sbi_deadline(opts.timeout_ms), err);
    end_collapse(&reader);
    sbi_str_clear(&reader.header);
    if (rc == SBX_OK && log->data.status != SBX_OK)
        rc = sbi_fail(err, SBX_ERR_NO_MEMORY, "read log of job '%s': out of memory", id);
    if (rc < 0)
        return rc;
    log->public.data = log->data.data == NULL ? "" : log->data.data;
    log->public.length = log->data.length;
    *out = &SBI_STEAL(log)->public;
    return SBX_OK;
}

char *sbx_job_log_json(const sbx_job_log *log)
{
    bool text = sbi_json_is_text(log->data, log->length);
    SBI_AUTO_JSON json = cJSON_CreateObject();

    if (json == NULL)
        return NULL;
    (void)cJSON_AddItemToObject(json, "data",
                                sbi_json_bytes(log->data, log->length, text));
    (void)cJSON_AddStringToObject(json, "encoding", text ? "utf-8" : "base64");
    (void)cJSON_AddNumberToObject(json, "offset", (double)log->offset);
    (void)cJSON_AddNumberToObject(json, "next", (double)log->next);
    (void)cJSON_AddNumberToObject(json, "size", (double)log->size);
    (void)cJSON_AddNumberToObject(json, "left_out", (double)log->left_out);
    (void)cJSON_AddBoolToObject(json, "truncated", log->truncated);
    (void)cJSON_AddBoolToObject(json, "ended", log->ended);
    return sbi_json_print(json);
}

void sbx_job_log_free(sbx_job_log *public)
{
    struct log *log = (struct log *)public;

    if (log == NULL)
        return;
    sbi_str_clear(&log->data);
    free(log);
}
