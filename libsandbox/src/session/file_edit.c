/*
 * file_edit.c - an exact text in a file replaced: read, replaced here, written under the
 * condition that nobody wrote meanwhile.
 *
 * Who lost that race reads again: what the caller asked for is the text to be replaced,
 * and not a whole file that would undo the other's work.
 */
#include <sandbox/file.h>

#include "base/clock.h"
#include "base/opts.h"
#include "base/str.h"
#include "session/file_call.h"
#include "session/file_write.h"

#include <errno.h>
#include <string.h>

#define DEFAULT_MAX_BYTES (INT64_C(64) * 1024 * 1024)
#define DEFAULT_TIMEOUT_MS (INT64_C(5) * 60 * 1000)
#define ATTEMPTS 3

struct edit {
    sbx_session *session;
    const char *path;
    const char *old_text;
    size_t old_length;
    const char *new_text;
    size_t new_length;
    sbx_file_edit_opts opts;
    int64_t deadline;
};

static void content_clear(sbx_file_content **content)
{
    sbx_file_content_free(*content);
}

static int64_t time_left(const struct edit *edit)
{
    int left = sbi_left_ms(edit->deadline);

    return left == 0 ? 1 : left;
}

/* The text with its matches replaced; how many there were. */
static size_t replace(const struct edit *edit, const sbx_file_content *content,
                      struct sbi_str *text)
{
    const char *at = content->data, *end = at + content->length, *found;
    size_t count = 0;

    while ((found = memmem(at, (size_t)(end - at), edit->old_text, edit->old_length)) !=
           NULL) {
        sbi_str_add_bytes(text, at, (size_t)(found - at));
        sbi_str_add_bytes(text, edit->new_text, edit->new_length);
        at = found + edit->old_length;
        count++;
    }
    sbi_str_add_bytes(text, at, (size_t)(end - at));
    return count;
}

static int check_count(const struct edit *edit, size_t count, sbx_error *err)
{
    int rc;

    if (count == 0)
        return sbi_fail(err, SBX_ERR_CONFLICT, "the text to be replaced is not there");
    if (count == 1 || (edit->opts.flags & SBX_FILE_ALL) != 0)
        return SBX_OK;
    rc = sbi_fail(err, SBX_ERR_CONFLICT, "the text is there %zu times, not once", count);
    return sbi_fix(err, rc, NULL, "--all (SBX_FILE_ALL), or more of the text around it");
}

static int read_file(const struct edit *edit, sbx_file_content **out, sbx_error *err)
{
    const sbx_file_read_opts opts = {.size = sizeof(opts),
                                     .max_bytes = edit->opts.max_bytes,
                                     .timeout_ms = time_left(edit),
                                     .cancel = edit->opts.cancel};
    int rc = sbx_file_read(edit->session, edit->path, &opts, out, err);

    if (rc == SBX_OK && (*out)->truncated)
        return sbi_fail(err, SBX_ERR_LIMIT, "edit '%s:%s': it has over %lld bytes",
                        sbx_session_place(edit->session), edit->path,
                        (long long)edit->opts.max_bytes);
    return rc;
}

static int edit_once(const struct edit *edit, sbx_file_written **out, sbx_error *err)
{
    SBI_CLEANUP(content_clear) sbx_file_content *content = NULL;
    SBI_AUTO_STR text = {0};
    sbx_file_write_opts opts = {.size = sizeof(opts), .cancel = edit->opts.cancel};
    size_t count;
    int rc;

    rc = read_file(edit, &content, err);
    if (rc < 0)
        return rc;
    count = replace(edit, content, &text);
    rc = text.status == SBX_OK ? check_count(edit, count, err)
                               : sbi_fail(err, text.status, "out of memory");
    if (rc < 0)
        return sbi_wrap(err, rc, "edit '%s:%s'", sbx_session_place(edit->session),
                        edit->path);
    opts.if_sha256 = content->sha256;
    opts.timeout_ms = time_left(edit);
    if (edit->opts.if_sha256 != NULL)
        opts.if_sha256 = edit->opts.if_sha256;
    rc = sbi_file_write(edit->session, "edit", edit->path, text.data, text.length, &opts,
                        out, err);
    if (rc == SBX_OK)
        (*out)->matches = (int32_t)count;
    return rc;
}

/* A conflict of the write; one of the count is no reason to look again. */
static bool lost_race(int rc, const sbx_error *err)
{
    return rc == SBX_ERR_CONFLICT && err->sys_errno == ESTALE;
}

static int read_opts(const sbx_file_edit_opts *theirs, struct edit *edit, sbx_error *err)
{
    sbx_file_edit_opts *opts = &edit->opts;
    int rc = sbi_opts_read(opts, sizeof(*opts), theirs, err);

    if (rc == SBX_OK)
        rc = sbi_file_check(edit->session, "edit", edit->path, opts->flags, SBX_FILE_ALL,
                            err);
    if (rc == SBX_OK && (edit->old_text == NULL || edit->old_length == 0))
        rc = sbi_fail(err, SBX_ERR_INVALID, "edit '%s': the text to be replaced is empty",
                      edit->path);
    if (rc == SBX_OK && (edit->new_text == NULL && edit->new_length > 0))
        rc = sbi_fail(err, SBX_ERR_INVALID, "edit '%s': no new text", edit->path);
    if (opts->max_bytes == 0)
        opts->max_bytes = DEFAULT_MAX_BYTES;
    edit->deadline =
        sbi_deadline(opts->timeout_ms == 0 ? DEFAULT_TIMEOUT_MS : opts->timeout_ms);
    return rc;
}

int sbx_file_edit(sbx_session *session, const char *path, const void *old_text,
                  size_t old_length, const void *new_text, size_t new_length,
                  const sbx_file_edit_opts *opts, sbx_file_written **out, sbx_error *err)
{
    struct edit edit = {.session = session,
                        .path = path,
                        .old_text = old_text,
                        .old_length = old_length,
                        .new_text = new_text,
                        .new_length = new_length};
    sbx_error why = {0};
    int attempt = 0;
    int rc;

    rc = read_opts(opts, &edit, err);
    if (rc < 0)
        return rc;
    do
        rc = edit_once(&edit, out, &why);
    while (lost_race(rc, &why) && edit.opts.if_sha256 == NULL && ++attempt < ATTEMPTS);
    if (rc < 0 && err != NULL)
        *err = why;
    return rc;
}
