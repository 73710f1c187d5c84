/* output_answer.c - opens a stored stream, scans it in pieces, builds the answer. */
#include "session/output_answer.h"

#include "base/cleanup.h"
#include "base/opts.h"
#include "session/output_store.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#define DEFAULT_MAX_BYTES (1024 * 1024)
#define PIECE (64 * 1024)

/* A stream that has no file printed nothing, or its file is gone: the index tells. */
static int open_stream(int folder, const char *run_id, int stream, int *out,
                       sbx_error *err)
{
    sbx_error why = {0};
    int rc = sbi_store_open_stream(folder, run_id, stream, false, out, &why);

    if (rc == SBX_OK || rc == SBX_ERR_NOT_FOUND)
        return SBX_OK;
    return sbi_fail(err, rc, "%s", why.text);
}

static int read_facts(struct sbi_answer *answer, const struct sbi_store_index *index,
                      int stream, sbx_error *err)
{
    sbx_output *facts = &answer->facts;
    uint64_t total = index->total[stream - SBX_EXEC_STDOUT];
    struct stat info = {0};

    if (answer->fd >= 0 && fstat(answer->fd, &info) != 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "look at its file");
    facts->stored = (uint64_t)info.st_size;
    facts->total = total > facts->stored ? total : facts->stored;
    facts->complete = index->complete;
    return SBX_OK;
}

static int open_run(const char *run_id, const char *folder, int stream,
                    struct sbi_answer *answer, sbx_error *err)
{
    SBI_CLEANUP(sbi_store_index_clear) struct sbi_store_index index = {0};
    SBI_AUTOCLOSE int fd = -1;
    int rc = sbi_store_open(folder, false, &fd, err);

    if (rc == SBX_OK)
        rc = sbi_store_read_index(fd, run_id, &index, err);
    if (rc == SBX_ERR_NOT_FOUND)
        return sbi_fail(
            err, rc,
            "none of that id is stored; it printed nothing, or is gone after a week");
    if (rc == SBX_OK)
        rc = open_stream(fd, run_id, stream, &answer->fd, err);
    if (rc == SBX_OK)
        rc = read_facts(answer, &index, stream, err);
    return rc;
}

int sbi_answer_open(const char *run_id, const sbx_output_opts *opts,
                    struct sbi_answer *out, sbx_error *err)
{
    struct sbi_answer answer = {.fd = -1, .max_bytes = DEFAULT_MAX_BYTES};
    sbx_output_opts ours;
    int rc = sbi_opts_read(&ours, sizeof(ours), opts, err);
    int stream = ours.stream == 0 ? SBX_EXEC_STDOUT : (int)ours.stream;

    if (rc < 0)
        return rc;
    if (run_id == NULL || !sbi_run_id_is_valid(run_id)) {
        (void)sbi_fail(err, SBX_ERR_INVALID, "'%s' is no run id, which has 32 hex digits",
                       run_id == NULL ? "" : run_id);
        return sbi_fix(err, SBX_ERR_INVALID, NULL,
                       "run_id in the JSON of a run, or what `sbx exec -v` says");
    }
    if (ours.stream < 0 || ours.stream > SBX_EXEC_STDERR)
        return sbi_fail(err, SBX_ERR_INVALID, "no output stream: %lld",
                        (long long)ours.stream);
    if (ours.max_bytes != 0)
        answer.max_bytes = ours.max_bytes < 0 ? SIZE_MAX : (size_t)ours.max_bytes;

    rc = open_run(run_id, ours.folder, stream, &answer, err);
    if (rc < 0) {
        sbi_answer_clear(&answer);
        return sbi_wrap(err, rc, "read the output of run '%s'", run_id);
    }
    *out = answer;
    return SBX_OK;
}

bool sbi_answer_add(struct sbi_answer *answer, const void *data, size_t length)
{
    size_t room = answer->max_bytes - answer->text.length;

    if (length > room) {
        answer->facts.truncated = 1;
        length = room;
    }
    sbi_str_add_bytes(&answer->text, data, length);
    return !answer->facts.truncated && answer->text.status == SBX_OK;
}

int sbi_answer_scan(const struct sbi_answer *answer, uint64_t from, uint64_t to,
                    sbi_answer_piece_fn fn, void *userdata, sbx_error *err)
{
    SBI_AUTOFREE char *piece = malloc(PIECE);

    if (piece == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "read an output: out of memory");
    while (from < to && answer->fd >= 0) {
        size_t want = to - from < PIECE ? (size_t)(to - from) : PIECE;
        ssize_t got = pread(answer->fd, piece, want, (off_t)from);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return sbi_fail_errno(err, SBX_ERR_IO, "read an output");
        if (got == 0 || !fn(piece, (size_t)got, userdata))
            return SBX_OK;
        from += (uint64_t)got;
    }
    return SBX_OK;
}

static int64_t count_lines(const char *data, size_t length)
{
    const char *end = data + length;
    int64_t count = 0;

    while (data < end) {
        const char *newline = memchr(data, '\n', (size_t)(end - data));

        data = newline == NULL ? end : newline + 1;
        count++;
    }
    return count;
}

int sbi_answer_take(struct sbi_answer *answer, sbx_output **out, sbx_error *err)
{
    SBI_AUTOFREE sbx_output *output = malloc(sizeof(*output));
    size_t length = answer->text.length;
    char *data = NULL;
    int rc;

    if (output == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "read an output: out of memory");
    rc = sbi_str_take(&answer->text, &data, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "read an output");

    *output = answer->facts;
    output->data = data;
    output->length = length;
    output->line_count = count_lines(data, length);
    if (length == 0)
        output->first_line = 0;
    *out = SBI_STEAL(output);
    return SBX_OK;
}

void sbi_answer_clear(struct sbi_answer *answer)
{
    sbi_close_fd(&answer->fd);
    answer->fd = -1;
    sbi_str_clear(&answer->text);
}
