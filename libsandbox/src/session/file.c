/* file.c - the calls on one name: look at it, make, copy, move, remove it, sum it up. */
#include <sandbox/file.h>

#include "base/digest.h"
#include "base/opts.h"
#include "session/file_call.h"
#include "session/file_info.h"
#include "session/file_record.h"
#include "session/file_script.h"

#include <errno.h>
#include <string.h>

static int read_opts(const sbx_file_opts *theirs, sbx_file_opts *opts, sbx_error *err)
{
    return sbi_opts_read(opts, sizeof(*opts), theirs, err);
}

/* The same for all: check, run, and what it answers. */
static int call(sbx_session *session, struct sbi_file_call *what,
                const sbx_file_opts *opts, uint64_t known, struct sbi_file_answer *answer,
                sbx_error *err)
{
    int rc = sbi_file_check(session, what->action, what->path, opts->flags, known, err);

    if (rc < 0)
        return rc;
    what->input.timeout_ms = opts->timeout_ms;
    what->input.cancel = opts->cancel;
    return sbi_file_call(session, what, answer, err);
}

struct one {
    const char *path;
    sbx_file_info *info;
    int rc;
    sbx_error *err;
};

static int keep_one(const sbx_file_info *info, void *userdata)
{
    struct one *one = userdata;

    one->rc = sbi_file_info_copy(info, one->path, &one->info, one->err);
    return 1;
}

int sbx_file_stat(sbx_session *session, const char *path, const sbx_file_opts *theirs,
                  sbx_file_info **out, sbx_error *err)
{
    SBI_AUTO_FILE_ANSWER answer = {0};
    SBI_CLEANUP(sbi_file_records_clear) struct sbi_file_records records = {0};
    struct one one = {.path = path, .rc = SBX_OK, .err = err};
    struct sbi_file_call what = {.action = "look at", .path = path};
    sbx_file_opts opts;
    int rc;

    rc = read_opts(theirs, &opts, err);
    if (rc < 0)
        return rc;
    what.script = sbi_file_script_stat;
    what.words[0] = sbi_file_flag(opts.flags, SBX_FILE_FOLLOW);
    what.words[1] = sbi_file_script_emit;
    rc = call(session, &what, &opts, SBX_FILE_FOLLOW, &answer, err);
    if (rc < 0)
        return rc;
    records.on_info = keep_one;
    records.userdata = &one;
    rc = sbi_file_records_add(&records, answer.output.data, answer.output.length, err);
    if (rc == SBX_OK)
        rc = one.rc;
    if (rc == SBX_OK && one.info == NULL)
        rc = sbi_fail(err, SBX_ERR_REMOTE, "no tool over there tells of it");
    if (rc < 0)
        return sbi_wrap(err, rc, "look at '%s:%s'", sbx_session_place(session), path);
    *out = one.info;
    return SBX_OK;
}

int sbx_file_make_folder(sbx_session *session, const char *path,
                         const sbx_file_opts *theirs, sbx_error *err)
{
    SBI_AUTO_FILE_ANSWER answer = {0};
    struct sbi_file_call what = {.action = "make folder",
                                 .path = path,
                                 .script = sbi_file_script_make_folder,
                                 .changes = true};
    sbx_file_opts opts;
    char mode[8];
    int rc;

    rc = read_opts(theirs, &opts, err);
    if (rc == SBX_OK)
        rc = sbi_file_mode(opts.mode, mode, err);
    if (rc < 0)
        return rc;
    what.words[0] = sbi_file_flag(opts.flags, SBX_FILE_PARENTS);
    what.words[1] = mode;
    return call(session, &what, &opts, SBX_FILE_PARENTS, &answer, err);
}

static int wants_recursive(int rc, sbx_error *err)
{
    if (err == NULL || rc != SBX_ERR_IO || err->sys_errno != EISDIR)
        return rc;
    return sbi_fix(err, rc, NULL, "-r (SBX_FILE_RECURSIVE)");
}

/* Copy and move: two names, and the same flags. */
static int call_two(sbx_session *session, struct sbi_file_call *what, const char *to,
                    const sbx_file_opts *theirs, uint64_t known, sbx_error *err)
{
    SBI_AUTO_FILE_ANSWER answer = {0};
    sbx_file_opts opts;
    char nonce[17];
    int rc;

    rc = read_opts(theirs, &opts, err);
    if (rc == SBX_OK)
        rc = sbi_file_check(session, what->action, to, opts.flags, known, err);
    if (rc == SBX_OK)
        rc = sbi_random_hex(nonce, 8, err);
    if (rc < 0)
        return rc;
    what->changes = true;
    what->words[0] = to;
    what->words[1] = sbi_file_flag(opts.flags, SBX_FILE_RECURSIVE);
    what->words[2] = sbi_file_flag(opts.flags, SBX_FILE_OVERWRITE);
    what->words[3] = sbi_file_flag(opts.flags, SBX_FILE_PARENTS);
    what->words[4] = nonce;
    rc = call(session, what, &opts, known, &answer, err);
    return wants_recursive(rc, err);
}

int sbx_file_copy(sbx_session *session, const char *from, const char *to,
                  const sbx_file_opts *opts, sbx_error *err)
{
    struct sbi_file_call what = {
        .action = "copy", .path = from, .script = sbi_file_script_copy};

    return call_two(session, &what, to, opts,
                    SBX_FILE_RECURSIVE | SBX_FILE_OVERWRITE | SBX_FILE_PARENTS, err);
}

int sbx_file_move(sbx_session *session, const char *from, const char *to,
                  const sbx_file_opts *opts, sbx_error *err)
{
    struct sbi_file_call what = {
        .action = "move", .path = from, .script = sbi_file_script_move};

    return call_two(session, &what, to, opts, SBX_FILE_OVERWRITE | SBX_FILE_PARENTS, err);
}

int sbx_file_remove(sbx_session *session, const char *path, const sbx_file_opts *theirs,
                    sbx_error *err)
{
    SBI_AUTO_FILE_ANSWER answer = {0};
    struct sbi_file_call what = {.action = "remove",
                                 .path = path,
                                 .script = sbi_file_script_remove,
                                 .changes = true};
    sbx_file_opts opts;
    int rc;

    rc = read_opts(theirs, &opts, err);
    if (rc < 0)
        return rc;
    what.words[0] = sbi_file_flag(opts.flags, SBX_FILE_RECURSIVE);
    what.words[1] = sbi_file_flag(opts.flags, SBX_FILE_MISSING_OK);
    rc = call(session, &what, &opts, SBX_FILE_RECURSIVE | SBX_FILE_MISSING_OK, &answer,
              err);
    return wants_recursive(rc, err);
}

/* The result as we own it; the public part comes first. */
struct sum {
    sbx_file_sum public;
    char *path;
    char algorithm[8];
    char digest[72];
};

/* "sha256 HEX SIZE" or "cksum CRC SIZE" */
static bool read_sum(const char *text, struct sum *sum)
{
    const char *digest = strchr(text, ' ');
    const char *size = digest == NULL ? NULL : strchr(digest + 1, ' ');
    size_t length;

    if (size == NULL || (size_t)(digest - text) >= sizeof(sum->algorithm))
        return false;
    length = (size_t)(size - digest - 1);
    if (length >= sizeof(sum->digest))
        return false;
    memcpy(sum->algorithm, text, (size_t)(digest - text));
    memcpy(sum->digest, digest + 1, length);
    for (size++; *size >= '0' && *size <= '9'; size++)
        sum->public.size = sum->public.size * 10 + (*size - '0');
    return true;
}

int sbx_file_checksum(sbx_session *session, const char *path, const sbx_file_opts *theirs,
                      sbx_file_sum **out, sbx_error *err)
{
    SBI_AUTO_FILE_ANSWER answer = {0};
    struct sbi_file_call what = {
        .action = "sum up", .path = path, .script = sbi_file_script_checksum};
    struct sum *sum;
    sbx_file_opts opts;
    int rc;

    rc = read_opts(theirs, &opts, err);
    if (rc == SBX_OK)
        rc = call(session, &what, &opts, 0, &answer, err);
    if (rc < 0)
        return rc;
    sum = calloc(1, sizeof(*sum));
    if (sum == NULL || (sum->path = strdup(path)) == NULL) {
        free(sum);
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "sum up '%s': out of memory", path);
    }
    if (answer.output.data == NULL || !read_sum(answer.output.data, sum)) {
        sbx_file_sum_free(&sum->public);
        return sbi_fail(err, SBX_ERR_REMOTE, "sum up '%s:%s': no sum came: %.100s",
                        sbx_session_place(session), path, answer.said.text);
    }
    sum->public.path = sum->path;
    sum->public.algorithm = sum->algorithm;
    sum->public.digest = sum->digest;
    *out = &sum->public;
    return SBX_OK;
}

char *sbx_file_sum_json(const sbx_file_sum *sum)
{
    static const char *const keys[] = {"path", NULL};
    SBI_AUTO_JSON object = cJSON_CreateObject();

    sbi_file_add_names(object, keys, &sum->path);
    sbi_json_add_text(object, "algorithm", sum->algorithm);
    sbi_json_add_text(object, "digest", sum->digest);
    (void)cJSON_AddNumberToObject(object, "size", (double)sum->size);
    return sbi_json_print(object);
}

void sbx_file_sum_free(sbx_file_sum *public)
{
    struct sum *sum = (struct sum *)public;

    if (sum == NULL)
        return;
    free(sum->path);
    free(sum);
}
