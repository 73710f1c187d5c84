/*
 * file_write.c - bytes to a file over there, all of them or none.
 *
 * The far side must know a whole input from one that ended with its client: bytes from
 * memory are counted, those of a descriptor end in a nonce.
 */
#include "session/file_write.h"

#include "base/digest.h"
#include "base/opts.h"
#include "session/file_call.h"
#include "session/file_script.h"
#include "session/file_written.h"

#include <stdio.h>
#include <string.h>

/* What goes to a script as its words. */
struct writing {
    char size[24];
    char nonce[17];
    char mode[8];
    char sum[65]; /* of bytes from memory */
    bool from_fd;
};

static int check(const void *data, size_t length, const sbx_file_write_opts *opts,
                 sbx_error *err)
{
    bool from_fd = (opts->flags & SBX_FILE_INPUT_FD) != 0;

    if (from_fd && length > 0)
        return sbi_fail(err, SBX_ERR_INVALID, "bytes and input_fd are both given");
    if (data == NULL && length > 0)
        return sbi_fail(err, SBX_ERR_INVALID, "there are no bytes");
    if (opts->if_sha256 != NULL && !sbi_file_is_sum(opts->if_sha256))
        return sbi_fail(err, SBX_ERR_INVALID,
                        "if_sha256 '%.70s' is not 64 lower-case hex digits",
                        opts->if_sha256);
    if (opts->if_sha256 != NULL && (opts->flags & SBX_FILE_NEW) != 0)
        return sbi_fail(err, SBX_ERR_INVALID,
                        "a new file has no old content: SBX_FILE_NEW and if_sha256");
    return SBX_OK;
}

static int prepare(const void *data, size_t length, const sbx_file_write_opts *opts,
                   struct writing *writing, sbx_error *err)
{
    int rc;

    writing->from_fd = (opts->flags & SBX_FILE_INPUT_FD) != 0;
    (void)snprintf(writing->size, sizeof(writing->size), "%zu", length);
    if (writing->from_fd)
        (void)snprintf(writing->size, sizeof(writing->size), "-");
    rc = sbi_file_mode(opts->mode, writing->mode, err);
    if (rc == SBX_OK)
        rc = sbi_random_hex(writing->nonce, 8, err);
    if (rc == SBX_OK && !writing->from_fd)
        rc = sbi_file_sum(data, length, writing->sum, err);
    return rc;
}

static void set_input(const void *data, size_t length, const sbx_file_write_opts *opts,
                      const struct writing *writing, sbx_exec_opts *input)
{
    input->timeout_ms = opts->timeout_ms;
    input->cancel = opts->cancel;
    if (!writing->from_fd) {
        input->input = data;
        input->input_length = length;
        return;
    }
    input->flags |= SBX_EXEC_INPUT_FD;
    input->input_fd = opts->input_fd;
    input->input_end = writing->nonce;
    input->input_end_length = strlen(writing->nonce);
}

/* sum: NULL where the whole of the file is not what we sent. */
static int call(sbx_session *session, const struct sbi_file_call *what, const char *sum,
                sbx_file_written **out, sbx_error *err)
{
    SBI_AUTO_FILE_ANSWER answer = {0};
    int rc;

    rc = sbi_file_call(session, what, &answer, err);
    if (rc < 0)
        return rc;
    rc = sbi_file_written_read(answer.output.data, what->path, sum, out, err);
    if (rc < 0)
        return sbi_wrap(err, sbi_executed(err, rc, SBX_EXECUTED_YES), "%s '%s:%s'",
                        what->action, sbx_session_place(session), what->path);
    return rc;
}

int sbi_file_write(sbx_session *session, const char *action, const char *path,
                   const void *data, size_t length, const sbx_file_write_opts *opts,
                   sbx_file_written **out, sbx_error *err)
{
    struct sbi_file_call what = {
        .action = action, .path = path, .script = sbi_file_script_write, .changes = true};
    struct writing writing = {.from_fd = false};
    int rc;

    rc = check(data, length, opts, err);
    if (rc == SBX_OK)
        rc = prepare(data, length, opts, &writing, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "%s '%s:%s'", action, sbx_session_place(session), path);
    set_input(data, length, opts, &writing, &what.input);
    what.words[0] = writing.size;
    what.words[1] = writing.nonce;
    what.words[2] = writing.mode;
    what.words[3] = (opts->flags & SBX_FILE_NEW) != 0 ? "new"
                    : opts->if_sha256 != NULL         ? opts->if_sha256
                                                      : "";
    what.words[4] = sbi_file_flag(opts->flags, SBX_FILE_PARENTS);
    what.words[5] = writing.from_fd ? sbi_file_flag(opts->flags, SBX_FILE_SUM) : "0";
    return call(session, &what, writing.from_fd ? NULL : writing.sum, out, err);
}

int sbx_file_write(sbx_session *session, const char *path, const void *data,
                   size_t length, const sbx_file_write_opts *theirs,
                   sbx_file_written **out, sbx_error *err)
{
    const uint64_t known =
        SBX_FILE_INPUT_FD | SBX_FILE_NEW | SBX_FILE_SUM | SBX_FILE_PARENTS;
    sbx_file_write_opts opts;
    int rc;

    rc = sbi_opts_read(&opts, sizeof(opts), theirs, err);
    if (rc == SBX_OK)
        rc = sbi_file_check(session, "write", path, opts.flags, known, err);
    if (rc < 0)
        return rc;
    return sbi_file_write(session, "write", path, data, length, &opts, out, err);
}

int sbx_file_append(sbx_session *session, const char *path, const void *data,
                    size_t length, const sbx_file_write_opts *theirs,
                    sbx_file_written **out, sbx_error *err)
{
    struct sbi_file_call what = {.action = "append to",
                                 .path = path,
                                 .script = sbi_file_script_append,
                                 .changes = true};
    struct writing writing = {.from_fd = false};
    sbx_file_write_opts opts;
    int rc;

    rc = sbi_opts_read(&opts, sizeof(opts), theirs, err);
    if (rc == SBX_OK)
        rc = sbi_file_check(session, what.action, path, opts.flags,
                            SBX_FILE_INPUT_FD | SBX_FILE_PARENTS, err);
    if (rc == SBX_OK && opts.if_sha256 != NULL)
        rc =
            sbi_fail(err, SBX_ERR_INVALID, "append to '%s': it takes no if_sha256", path);
    if (rc == SBX_OK)
        rc = check(data, length, &opts, err);
    if (rc == SBX_OK)
        rc = prepare(data, length, &opts, &writing, err);
    if (rc < 0)
        return rc;
    set_input(data, length, &opts, &writing, &what.input);
    what.words[0] = writing.size;
    what.words[1] = writing.nonce;
    what.words[2] = writing.mode;
    what.words[3] = sbi_file_flag(opts.flags, SBX_FILE_PARENTS);
    return call(session, &what, NULL, out, err);
}
