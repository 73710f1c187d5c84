#include "computer/call.h"

#include "base/complaint.h"
#include "base/str.h"
#include "base/strv.h"
#include "computer/script.h"

#include <stdio.h>
#include <string.h>

#define MOST_OUTPUT ((int64_t)16 * 1024 * 1024)
#define FIXED 8 /* words before those of the verb */
#define LONGEST_LINE 4096

static const char pull[] = "pull";
static const char no_engine[] = "noengine";

static const struct sbi_complaint failures[] = {
    {no_engine, SBX_ERR_UNSUPPORTED, "no engine is there", ": ",
     "install docker.io or podman there, or set PATH in its entry of the list"},
    {"engine", SBX_ERR_REMOTE, "the engine does not answer", ": ",
     "start it there; its socket has to be open to the account, as by group docker"},
    {"none", SBX_ERR_NOT_FOUND, "there is no such computer", NULL, "sbx computer ls"},
    {"foreign", SBX_ERR_CONFLICT, "a container of that name is none of ours", NULL,
     "take another name"},
    {"notmine", SBX_ERR_CONFLICT, "it belongs to", " ",
     "--owner, if that is you as well"},
    {"taken", SBX_ERR_CONFLICT, "it belongs to", " ", "take another name"},
    {pull, SBX_ERR_REMOTE, "the image is not there, and cannot be pulled", ": ",
     "name an image that is there, as `docker images` or `podman images` tells"},
    {"noshell", SBX_ERR_UNSUPPORTED, "its image has no /bin/sh that runs there", ": ",
     "take an image with a shell, for that machine's kind of processor"},
    {"stopped", SBX_ERR_CONFLICT, "it does not run", NULL, "sbx computer restart"},
    {"hold", SBX_ERR_IO, "its end cannot be noted in", ": ", NULL},
    {"run", SBX_ERR_REMOTE, "the engine says", ": ", NULL},
};

static const struct sbi_complaints known = {"sbx-computer:", failures,
                                            sizeof(failures) / sizeof(failures[0])};

/* What an engine puts before what it has to say. */
static const char *without_preamble(const char *text, size_t *length)
{
    static const char *const preambles[] = {
        "docker: ", "Error response from daemon: ", "Error: "};
    size_t i, size;

    for (i = 0; i < sizeof(preambles) / sizeof(preambles[0]); i++) {
        size = strlen(preambles[i]);
        if (*length > size && strncmp(text, preambles[i], size) == 0) {
            text += size;
            *length -= size;
        }
    }
    return text;
}

/* The last line with something on it before the complaint: what a pull ended with. */
static const char *line_before(const sbx_exec_result *result, const char *complaint,
                               size_t *length)
{
    const char *end = complaint - strlen(known.begins), *start;

    while (end > result->errors && (end[-1] == '\n' || end[-1] == '\r'))
        end--;
    for (start = end; start > result->errors && start[-1] != '\n'; start--)
        continue;
    *length = (size_t)(end - start);
    return start;
}

static int complain(const sbx_exec_result *result, const struct sbi_computer_call *call,
                    const char *line, const struct sbi_complaint *row, const char *detail,
                    size_t length, sbx_error *err)
{
    if (row->word == no_engine && call->why != NULL && call->why[0] != '\0')
        return sbi_fail(err, SBX_ERR_REMOTE, "the engine says: %s", call->why);
    if (row->word == pull)
        detail = line_before(result, line, &length);
    detail = without_preamble(detail, &length);
    return sbi_complaint_fail(row, detail, length, err);
}

static int judge(const sbx_exec_result *result, const struct sbi_computer_call *call,
                 sbx_error *err)
{
    const char *line = sbi_complaint_find(&known, result->errors), *detail;
    int rc = sbx_exec_check_end(result, err);
    const struct sbi_complaint *row;
    size_t length;

    if (rc < 0)
        return rc;
    if (result->exit_code != 0 && line != NULL) {
        if (strncmp(line, "clash", 5) == 0)
            return SBI_CALL_CLASH;
        row = sbi_complaint_row(&known, line, &detail, &length);
        if (row != NULL)
            return complain(result, call, line, row, detail, length, err);
    }
    return sbi_complaint_judge(&known, result->exit_code, result->errors, err);
}

struct telling {
    const sbx_computer_opts *opts;
    struct sbi_str line;
};

static void tell_line(struct telling *telling)
{
    if (telling->line.data != NULL && telling->line.length > 0 &&
        strncmp(telling->line.data, known.begins, strlen(known.begins)) != 0)
        telling->opts->progress(telling->line.data, telling->opts->userdata);
    sbi_str_clear(&telling->line);
    telling->line.limit = LONGEST_LINE;
}

/* Standard error, a line at a time; what is too long for one is cut off. */
static int hear(int stream, const void *data, size_t length, void *userdata)
{
    struct telling *telling = userdata;
    const char *at = data, *end = at + length;
    size_t part;

    if (stream != SBX_EXEC_STDERR || telling->opts->progress == NULL)
        return 0;
    for (; at < end; at += part + 1) {
        part = 0;
        while (at + part < end && at[part] != '\n' && at[part] != '\r')
            part++;
        sbi_str_add_bytes(&telling->line, at, part);
        if (at + part < end)
            tell_line(telling);
    }
    return 0;
}

static int make_argv(const struct sbi_computer_call *call, const char ***out,
                     sbx_error *err)
{
    const char *const fixed[FIXED] = {
        "/bin/sh",           "-c",
        sbi_computer_script, "sbx",
        call->verb,          call->opts->engine == NULL ? "" : call->opts->engine,
        call->opts->owner,   call->name};
    const char *const *engine_words = (const char *const *)call->engine_words;
    size_t words = sbi_strv_count(call->words);
    size_t more = sbi_strv_count(engine_words);
    const char **argv = calloc(FIXED + words + more + 1, sizeof(*argv));

    if (argv == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    memcpy(argv, fixed, sizeof(fixed));
    if (words > 0)
        memcpy(argv + FIXED, call->words, words * sizeof(*argv));
    if (more > 0)
        memcpy(argv + FIXED + words, engine_words, more * sizeof(*argv));
    *out = argv;
    return SBX_OK;
}

static int run(sbx_session *session, const struct sbi_computer_call *call,
               sbx_exec_result **out, sbx_error *err)
{
    struct telling telling = {.opts = call->opts, .line = {.limit = LONGEST_LINE}};
    SBI_AUTOFREE const char **argv = NULL;
    sbx_exec_opts exec = {.size = sizeof(exec),
                          .flags = SBX_EXEC_NO_SPOOL |
                                   (call->goes_on ? SBX_EXEC_DETACH_ON_HANGUP : 0),
                          .timeout_ms = call->opts->timeout_ms,
                          .output_limit = MOST_OUTPUT,
                          .on_output = hear,
                          .userdata = &telling,
                          .cancel = call->opts->cancel};
    int rc = make_argv(call, &argv, err);

    if (rc == SBX_OK)
        rc = sbx_exec_argv(session, argv, &exec, out, err);
    sbi_str_clear(&telling.line);
    return rc;
}

int sbi_computer_call(sbx_session *session, const struct sbi_computer_call *call,
                      sbx_exec_result **out, sbx_error *err)
{
    SBI_AUTO_COMPUTER_RESULT result = NULL;
    int rc = run(session, call, &result, err);

    if (rc == SBX_OK)
        rc = judge(result, call, err);
    if (rc < 0 && call->name[0] == '\0')
        return sbi_wrap(err, rc, "%s of '%s'", call->action, sbx_session_place(session));
    if (rc < 0)
        return sbi_wrap(err, rc, "%s computer '%s/%s'", call->action,
                        sbx_session_place(session), call->name);
    if (rc == SBX_OK)
        *out = SBI_STEAL(result);
    return rc;
}

void sbi_computer_result_clear(sbx_exec_result **result)
{
    sbx_exec_result_free(*result);
}
