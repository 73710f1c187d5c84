#include "job/call.h"

#include "base/clock.h"
#include "base/complaint.h"
#include "base/opts.h"

#include <errno.h>
#include <string.h>

#define DEFAULT_TIMEOUT_MS 30000
#define DEFAULT_KILL_AFTER_MS 10000
#define MOST_OUTPUT ((int64_t)16 * 1024 * 1024)
#define ID_LENGTH 64
#define TRIES 3

static const struct sbi_complaint failures[] = {
    {"missing", SBX_ERR_NOT_FOUND, "there is no job of that id", ": ", "sbx job ls"},
    {"running", SBX_ERR_CONFLICT, "it still runs", ": ", "sbx job stop"},
    {"folder", SBX_ERR_IO, "no folder for jobs can be made there", ": ", NULL},
    {"write", SBX_ERR_IO, "its folder cannot be written there", ": ", NULL},
    {"cut", SBX_ERR_DISCONNECTED, "the script did not come over whole", ": ", NULL},
    {"noterminal", SBX_ERR_UNSUPPORTED, "it has no terminal", ": ", NULL},
    {"ended", SBX_ERR_CONFLICT, "it has ended", ": ", NULL},
    {"pattern", SBX_ERR_INVALID, "grep does not take the pattern", ": ", NULL},
    {"generation", SBX_ERR_CONFLICT, "it is not in the generation before", ": ", NULL},
    {"nofolder", SBX_ERR_NOT_FOUND, "the folder that it was started in is not there",
     ": ", NULL},
    {"nobegin", SBX_ERR_REMOTE, "its next generation did not begin", ": ", NULL},
    {"elsewhere", SBX_ERR_CONFLICT,
     "it was begun on another machine, which shares this home", ": ", NULL},
    {"notmux", SBX_ERR_REMOTE, "there is no tmux", ": ", NULL},
    {"nosession", SBX_ERR_NOT_FOUND, "tmux has no such session there", ": ",
     "tmux ls, over there"},
};

static const struct sbi_complaints known = {"sbx-job:", failures,
                                            sizeof(failures) / sizeof(failures[0])};

static const struct {
    const char *text; /* of the C locale */
    int number;
} reasons[] = {
    {"No space left on device", ENOSPC}, {"Disk quota exceeded", EDQUOT},
    {"Read-only file system", EROFS},    {"Permission denied", EACCES},
    {"File too large", EFBIG},
};

/* The errno that a line of a tool over there ends with, or 0. */
static int reason_of(const char *line)
{
    size_t length = strcspn(line, "\n"), i;

    for (i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
        size_t size = strlen(reasons[i].text);

        if (length >= size && strncmp(line + length - size, reasons[i].text, size) == 0)
            return reasons[i].number;
    }
    return 0;
}

static int judge(const struct sbi_call *call, const sbx_exec_result *result,
                 sbx_error *err)
{
    const char *line = sbi_complaint_find(&known, result->errors);
    int rc = sbx_exec_check_end(result, err);

    if (rc < 0)
        return sbi_executed(err, rc,
                            call->changes ? SBX_EXECUTED_UNKNOWN : SBX_EXECUTED_NO);
    rc = sbi_complaint_judge(&known, result->exit_code, result->errors, err);
    if (rc < 0 && err != NULL && line != NULL)
        err->sys_errno = reason_of(line);
    return rc;
}

static void fill_argv(const struct sbi_call *call, const char **argv, size_t room)
{
    size_t count = 4, i;

    argv[0] = "/bin/sh";
    argv[1] = "-c";
    argv[2] = call->script;
    argv[3] = "sbx";
    for (i = 0; call->args[i] != NULL; i++)
        if (count + 1 < room)
            argv[count++] = call->args[i];
    argv[count] = NULL;
}

static int run(sbx_session *session, const struct sbi_call *call, sbx_exec_result **out,
               sbx_error *err)
{
    SBI_AUTOFREE const char **argv = NULL;
    sbx_exec_opts opts = call->exec;
    size_t room = 6;

    for (; call->args[room - 6] != NULL; room++)
        continue;
    argv = calloc(room, sizeof(*argv));
    if (argv == NULL)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory");
    fill_argv(call, argv, room);
    opts.size = sizeof(opts);
    opts.flags |= SBX_EXEC_NO_SPOOL;
    if (opts.output_limit == 0)
        opts.output_limit = MOST_OUTPUT;
    return sbx_exec_argv(session, argv, &opts, out, err);
}

int sbi_call(sbx_session *session, const struct sbi_call *call, sbx_exec_result **out,
             sbx_error *err)
{
    SBI_AUTO_CALL_RESULT result = NULL;
    int rc = run(session, call, &result, err);

    if (rc == SBX_OK)
        rc = judge(call, result, err);
    if (rc < 0 && call->id[0] == '\0')
        return sbi_wrap(err, rc, "%s on '%s'", call->action, sbx_session_place(session));
    if (rc < 0)
        return sbi_wrap(err, rc, "%s '%s' on '%s'", call->action, call->id,
                        sbx_session_place(session));
    *out = SBI_STEAL(result);
    return SBX_OK;
}

/* Within what is left of the time; the last try's error stands. */
int sbi_call_again(sbx_session *session, struct sbi_call *call, int64_t deadline,
                   sbx_exec_result **out, sbx_error *err)
{
    sbx_error error = {0};
    int try, rc = SBX_OK;

    for (try = 0; try < TRIES; try++) {
        int left = sbi_left_ms(deadline);

        call->exec.timeout_ms = left < 0 ? 0 : left < 1 ? 1 : left;
        error = (sbx_error){0};
        rc = sbi_call(session, call, out, &error);
        if (rc != SBX_ERR_DISCONNECTED || left == 0)
            break;
    }
    if (rc < 0 && err != NULL)
        *err = error;
    return rc;
}

void sbi_call_result_clear(sbx_exec_result **result)
{
    sbx_exec_result_free(*result);
}

bool sbi_call_may_pass(int code)
{
    return code == SBX_ERR_DISCONNECTED || code == SBX_ERR_CONNECT ||
           code == SBX_ERR_TIMEOUT;
}

int sbi_call_check_id(sbx_session *session, const char *id, const char *action,
                      sbx_error *err)
{
    size_t length = id == NULL ? 0 : strlen(id);

    if (session == NULL)
        return sbi_fail(err, SBX_ERR_INVALID, "%s: no session is given", action);
    if (length < 1 || length > ID_LENGTH || id[0] == '-' ||
        strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789-") != length)
        return sbi_fail(err, SBX_ERR_INVALID,
                        "%s '%.80s': an id is letters a to z, digits and '-'", action,
                        id == NULL ? "" : id);
    return SBX_OK;
}

int sbi_call_opts(const sbx_job_opts *theirs, sbx_job_opts *opts, sbx_error *err)
{
    int rc = sbi_opts_read(opts, sizeof(*opts), theirs, err);

    if (rc < 0)
        return rc;
    if (opts->timeout_ms == 0)
        opts->timeout_ms = DEFAULT_TIMEOUT_MS;
    if (opts->timeout_ms < 0)
        opts->timeout_ms = 0;
    if (opts->kill_after_ms <= 0)
        opts->kill_after_ms = DEFAULT_KILL_AFTER_MS;
    return SBX_OK;
}
