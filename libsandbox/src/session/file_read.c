/* file_read.c - a file or a part of it: returned within a limit, or told as it comes. */
#include <sandbox/file.h>

#include "base/opts.h"
#include "session/file_call.h"
#include "session/file_info.h"
#include "session/file_script.h"
#include "session/file_written.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define DEFAULT_MAX_BYTES (INT64_C(16) * 1024 * 1024)

/* The result as we own it; the public part comes first. */
struct content {
    sbx_file_content public;
    char *path;
    char *data;
    char sha256[65];
};

/* A part as tail(1) and head(1) are told of it; "" is all. */
struct part {
    char tail[32];
    char head[32];
    char cap[32];
};

struct reader {
    const sbx_file_read_opts *opts;
    int64_t left; /* what max_bytes allows; negative: all */
    bool cut;
    struct sbi_str data;
    uint64_t total;
};

static int check_part(const sbx_file_read_opts *opts, sbx_error *err)
{
    bool lines = opts->first_line != 0 || opts->last_line != 0;

    if (lines && (opts->offset != 0 || opts->length != 0))
        return sbi_fail(err, SBX_ERR_INVALID, "bytes and lines are both asked for");
    if (opts->length < 0 || opts->last_line < 0)
        return sbi_fail(err, SBX_ERR_INVALID, "a part that ends before it starts");
    if (opts->last_line > 0 && opts->first_line < 0)
        return sbi_fail(err, SBX_ERR_INVALID,
                        "last_line is given behind lines that count from the end");
    if (opts->last_line > 0 && opts->last_line < opts->first_line)
        return sbi_fail(err, SBX_ERR_INVALID, "lines %lld to %lld: none",
                        (long long)opts->first_line, (long long)opts->last_line);
    if (opts->offset == INT64_MIN || opts->first_line == INT64_MIN ||
        opts->offset == INT64_MAX || opts->max_bytes == INT64_MAX)
        return sbi_fail(err, SBX_ERR_INVALID, "a part that is out of range");
    return SBX_OK;
}

static int read_opts(const sbx_file_read_opts *theirs, sbx_file_read_opts *opts,
                     sbx_error *err)
{
    int rc = sbi_opts_read(opts, sizeof(*opts), theirs, err);

    if (rc == SBX_OK)
        rc = check_part(opts, err);
    if (rc == SBX_OK && opts->max_bytes == 0)
        opts->max_bytes = opts->on_bytes == NULL ? DEFAULT_MAX_BYTES : -1;
    return rc;
}

static void set_option(char room[32], const char *form, int64_t number)
{
    (void)snprintf(room, 32, form, (long long)number);
}

/* One byte more than the limit is asked for: it tells that there is more. */
static void plan_part(const sbx_file_read_opts *opts, struct part *part)
{
    int64_t first = opts->first_line > 0 ? opts->first_line : 1;

    *part = (struct part){.tail = ""};
    if (opts->offset > 0)
        set_option(part->tail, "-c +%lld", opts->offset + 1);
    else if (opts->offset < 0)
        set_option(part->tail, "-c %lld", -opts->offset);
    else if (opts->first_line > 1)
        set_option(part->tail, "-n +%lld", opts->first_line);
    else if (opts->first_line < 0)
        set_option(part->tail, "-n %lld", -opts->first_line);
    if (opts->length > 0)
        set_option(part->head, "-c %lld", opts->length);
    else if (opts->last_line > 0)
        set_option(part->head, "-n %lld", opts->last_line - first + 1);
    if (opts->max_bytes > 0)
        set_option(part->cap, "-c %lld", opts->max_bytes + 1);
}

/* What is over the limit is one byte: the command ends by itself, having told the size.
 */
static int take_bytes(const char *data, size_t length, void *userdata)
{
    struct reader *reader = userdata;
    size_t fits = length;

    if (reader->left >= 0 && (uint64_t)reader->left < length) {
        fits = (size_t)reader->left;
        reader->cut = true;
    }
    if (reader->left > 0)
        reader->left -= (int64_t)fits;
    reader->total += fits;
    if (reader->opts->on_bytes == NULL)
        sbi_str_add_bytes(&reader->data, data, fits);
    else if (fits > 0 && reader->opts->on_bytes(data, fits, reader->opts->userdata) != 0)
        return 1;
    return reader->data.status != SBX_OK;
}

static bool asks_for_all(const sbx_file_read_opts *opts)
{
    return opts->offset == 0 && opts->length == 0 && opts->first_line <= 1 &&
           opts->first_line >= 0 && opts->last_line == 0;
}

static int64_t first_byte(const sbx_file_read_opts *opts, int64_t size)
{
    if (opts->first_line != 0 || opts->last_line != 0)
        return -1;
    if (opts->offset >= 0)
        return opts->offset < size ? opts->offset : size;
    return size + opts->offset < 0 ? 0 : size + opts->offset;
}

/* What is told of size and wholeness; of a file whose size lies (as in /proc) too. */
static int fill(struct content *content, struct reader *reader,
                const struct sbi_file_answer *answer, sbx_error *err)
{
    sbx_file_content *public = &content->public;
    int rc;

    public->length = reader->opts->on_bytes == NULL ? reader->data.length : 0;
    public->truncated = reader->cut;
    public->size = answer->said.size;
    public->is_whole = asks_for_all(reader->opts) && !reader->cut && !answer->ended;
    if (public->is_whole)
    public->size = (int64_t)reader->total;
    public->offset = first_byte(reader->opts, public->size);
    if (reader->opts->on_bytes != NULL)
        return SBX_OK;
    rc = sbi_str_take(&reader->data, &content->data, err);
    if (rc < 0)
        return rc;
    public->data = content->data;
    if (!public->is_whole)
        return SBX_OK;
    public->sha256 = content->sha256;
    return sbi_file_sum(content->data, public->length, content->sha256, err);
}

static void content_clear(struct content **content)
{
    sbx_file_content_free((sbx_file_content *)*content);
}

static void reader_clear(struct reader *reader)
{
    sbi_str_clear(&reader->data);
}

static int read_part(sbx_session *session, const char *path, struct reader *reader,
                     struct sbi_file_answer *answer, sbx_error *err)
{
    const sbx_file_read_opts *opts = reader->opts;
    struct part part;
    const char *why;
    size_t length;
    struct sbi_file_call what = {
        .action = "read",
        .path = path,
        .script = sbi_file_script_read,
        .words = {part.tail, part.head, part.cap},
        .input = {.timeout_ms = opts->timeout_ms, .cancel = opts->cancel},
        .on_output = take_bytes,
        .userdata = reader};
    int rc;

    plan_part(opts, &part);
    rc = sbi_file_call(session, &what, answer, err);
    if (rc < 0 || !answer->said.broken || answer->ended)
        return rc;
    why = sbi_file_said_by_tool(&answer->said, &length);
    (void)sbi_fail(err, SBX_ERR_IO, "read '%s:%s': %.*s", sbx_session_place(session),
                   path, length > 200 ? 200 : (int)length, why);
    if (err != NULL)
        err->sys_errno = EIO;
    return SBX_ERR_IO;
}

int sbx_file_read(sbx_session *session, const char *path,
                  const sbx_file_read_opts *theirs, sbx_file_content **out,
                  sbx_error *err)
{
    SBI_CLEANUP(content_clear) struct content *content = NULL;
    SBI_CLEANUP(reader_clear) struct reader reader = {0};
    SBI_AUTO_FILE_ANSWER answer = {0};
    sbx_file_read_opts opts;
    int rc;

    rc = read_opts(theirs, &opts, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "read a file");
    rc = sbi_file_check(session, "read", path, opts.flags, 0, err);
    if (rc < 0)
        return rc;
    reader.opts = &opts;
    reader.left = opts.max_bytes;
    rc = read_part(session, path, &reader, &answer, err);
    if (rc < 0)
        return rc;
    content = calloc(1, sizeof(*content));
    if (content == NULL || (content->path = strdup(path)) == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "read '%s': out of memory", path);
    content->public.path = content->path;
    rc = fill(content, &reader, &answer, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "read '%s:%s'", sbx_session_place(session), path);
    *out = &SBI_STEAL(content)->public;
    return SBX_OK;
}

char *sbx_file_content_json(const sbx_file_content *content)
{
    SBI_AUTO_JSON object = cJSON_CreateObject();
    bool text = sbi_json_is_text(content->path, strlen(content->path)) &&
                sbi_json_is_text(content->data, content->length);

    (void)cJSON_AddItemToObject(
        object, "path", sbi_json_bytes(content->path, strlen(content->path), text));
    (void)cJSON_AddItemToObject(object, "content",
                                sbi_json_bytes(content->data, content->length, text));
    (void)cJSON_AddStringToObject(object, "encoding", text ? "utf-8" : "base64");
    (void)cJSON_AddNumberToObject(object, "size", (double)content->size);
    if (content->offset >= 0)
        (void)cJSON_AddNumberToObject(object, "offset", (double)content->offset);
    else
        (void)cJSON_AddNullToObject(object, "offset");
    (void)cJSON_AddBoolToObject(object, "truncated", content->truncated != 0);
    sbi_json_add_text(object, "sha256", content->sha256);
    return sbi_json_print(object);
}

void sbx_file_content_free(sbx_file_content *public)
{
    struct content *content = (struct content *)public;

    if (content == NULL)
        return;
    free(content->path);
    free(content->data);
    free(content);
}
