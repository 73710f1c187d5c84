/* output.c - reads stored outputs by range and by line, and says them as JSON. */
#include <sandbox/output.h>

#include "base/cleanup.h"
#include "base/json.h"
#include "session/output_answer.h"

#include <string.h>

static bool add_piece(const char *data, size_t length, void *userdata)
{
    struct sbi_answer *answer = userdata;

    return sbi_answer_add(answer, data, length);
}

/* Answers with the stored bytes [from, to). */
static int answer_with(struct sbi_answer *answer, uint64_t from, uint64_t to,
                       sbx_error *err)
{
    answer->facts.offset = from;
    return sbi_answer_scan(answer, from, to, add_piece, answer, err);
}

int sbx_output_range(const char *run_id, int64_t start, int64_t length,
                     const sbx_output_opts *opts, sbx_output **out, sbx_error *err)
{
    SBI_CLEANUP(sbi_answer_clear) struct sbi_answer answer = {.fd = -1};
    uint64_t stored, from, to;
    int rc;

    if (length < -1)
        return sbi_fail(err, SBX_ERR_INVALID, "no length: %lld", (long long)length);
    rc = sbi_answer_open(run_id, opts, &answer, err);
    if (rc < 0)
        return rc;

    stored = answer.facts.stored;
    from = (uint64_t)start;
    if (start < 0)
        from = stored + (uint64_t)start > stored ? 0 : stored + (uint64_t)start;
    if (from > stored)
        from = stored;
    to =
        length < 0 || (uint64_t)length > stored - from ? stored : from + (uint64_t)length;
    rc = answer_with(&answer, from, to, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "read the output of run '%s'", run_id);
    return sbi_answer_take(&answer, out, err);
}

/* Goes through lines: `line` starts at `offset`, the place reached. */
struct walk {
    int64_t line;
    uint64_t offset;
    int64_t target; /* the line to stop at */
    bool in_line;   /* the place reached is not where a line starts */
};

static bool walk_piece(const char *data, size_t length, void *userdata)
{
    struct walk *walk = userdata;
    size_t at = 0;

    while (at < length && walk->line < walk->target) {
        const char *newline = memchr(data + at, '\n', length - at);
        size_t end = newline == NULL ? length : (size_t)(newline - data) + 1;

        walk->offset += end - at;
        walk->line += newline != NULL;
        walk->in_line = newline == NULL;
        at = end;
    }
    return walk->line < walk->target;
}

/* Walks on to where `target` starts, or to the end where there is no such line. */
static int walk_to(struct walk *walk, int64_t target, const struct sbi_answer *answer,
                   sbx_error *err)
{
    walk->target = target;
    if (walk->line >= target)
        return SBX_OK;
    return sbi_answer_scan(answer, walk->offset, answer->facts.stored, walk_piece, walk,
                           err);
}

/* The number of the first of the last `count` lines. */
static int line_from_end(const struct sbi_answer *answer, int64_t count, int64_t *out,
                         sbx_error *err)
{
    struct walk walk = {.line = 1};
    int rc = walk_to(&walk, INT64_MAX, answer, err);
    int64_t lines = walk.line - (walk.in_line ? 0 : 1);

    *out = lines > count ? lines - count + 1 : 1;
    return rc;
}

static int answer_lines(struct sbi_answer *answer, int64_t first, int64_t last,
                        sbx_error *err)
{
    struct walk walk = {.line = 1};
    uint64_t from;
    int rc = SBX_OK;

    if (first < 0)
        rc = line_from_end(answer, first == INT64_MIN ? INT64_MAX : -first, &first, err);
    if (rc == SBX_OK)
        rc = walk_to(&walk, first, answer, err);
    from = walk.offset;
    if (rc == SBX_OK && (last < 0 || last == INT64_MAX))
        walk.offset = answer->facts.stored;
    else if (rc == SBX_OK)
        rc = walk_to(&walk, last + 1, answer, err);
    if (rc == SBX_OK)
        rc = answer_with(answer, from, walk.offset, err);
    answer->facts.first_line = first;
    return rc;
}

int sbx_output_lines(const char *run_id, int64_t first, int64_t last,
                     const sbx_output_opts *opts, sbx_output **out, sbx_error *err)
{
    SBI_CLEANUP(sbi_answer_clear) struct sbi_answer answer = {.fd = -1};
    int rc;

    if (first == 0 || last == 0 || last < -1)
        return sbi_fail(err, SBX_ERR_INVALID, "no lines: %lld to %lld", (long long)first,
                        (long long)last);
    rc = sbi_answer_open(run_id, opts, &answer, err);
    if (rc < 0)
        return rc;
    rc = answer_lines(&answer, first, last, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "read the output of run '%s'", run_id);
    return sbi_answer_take(&answer, out, err);
}

char *sbx_output_json(const sbx_output *output)
{
    SBI_AUTO_JSON json = cJSON_CreateObject();
    bool as_text = sbi_json_is_text(output->data, output->length);

    if (!cJSON_AddItemToObject(json, "data",
                               sbi_json_bytes(output->data, output->length, as_text)))
        return NULL;
    sbi_json_add_text(json, "encoding", as_text ? "utf-8" : "base64");
    (void)cJSON_AddNumberToObject(json, "length", (double)output->length);
    (void)cJSON_AddNumberToObject(json, "offset", (double)output->offset);
    (void)cJSON_AddNumberToObject(json, "stored", (double)output->stored);
    (void)cJSON_AddNumberToObject(json, "total", (double)output->total);
    (void)cJSON_AddNumberToObject(json, "first_line", (double)output->first_line);
    (void)cJSON_AddNumberToObject(json, "line_count", (double)output->line_count);
    (void)cJSON_AddBoolToObject(json, "truncated", output->truncated);
    (void)cJSON_AddBoolToObject(json, "complete", output->complete);
    return sbi_json_print(json);
}

void sbx_output_free(sbx_output *output)
{
    if (output == NULL)
        return;
    free((char *)(uintptr_t)output->data);
    free(output);
}
