/*
 * file_call.c - scripts as argv, one exec each; all ends of that one as errors.
 *
 * What is read may be endless, and nobody waits for it once we have enough: such a call
 * lets go of its streams, and the tool over there ends by the pipe that it writes to.
 */
#include "session/file_call.h"

#include <stdio.h>
#include <string.h>

#define DEFAULT_TIMEOUT_MS (INT64_C(5) * 60 * 1000)
#define LONGEST_PATH 4096
#define ANSWER_LIMIT ((size_t)64 * 1024)
#define FAILED_EXIT 9 /* of `fail` in the scripts */

struct listener {
    const struct sbi_file_call *call;
    struct sbi_file_answer *answer;
};

/* What goes over the limit is left out: of complaints the first ones tell most. */
static void add_some(struct sbi_str *text, const void *data, size_t length)
{
    size_t room = ANSWER_LIMIT - text->length;

    sbi_str_add_bytes(text, data, length < room ? length : room);
}

static int hear(int stream, const void *data, size_t length, void *userdata)
{
    struct listener *listener = userdata;
    const struct sbi_file_call *call = listener->call;
    struct sbi_file_answer *answer = listener->answer;

    if (stream == SBX_EXEC_STDERR)
        add_some(&answer->complaints, data, length);
    else if (call->on_output == NULL)
        add_some(&answer->output, data, length);
    else if (!answer->ended)
        answer->ended = call->on_output(data, length, call->userdata) != 0;
    return answer->ended;
}

static int run(sbx_session *session, struct listener *listener, sbx_exec_result **out,
               sbx_error *err)
{
    const struct sbi_file_call *call = listener->call;
    const char *argv[16] = {"/bin/sh", "-c", call->script, "sbx", call->path};
    sbx_exec_opts opts = call->input;
    size_t count = 5, i;

    for (i = 0; call->words[i] != NULL; i++)
        argv[count++] = call->words[i];
    opts.size = sizeof(opts);
    opts.flags |= SBX_EXEC_NO_SPOOL | (call->changes ? 0 : SBX_EXEC_HANG_UP);
    opts.output_limit = 1;
    opts.on_output = hear;
    opts.userdata = listener;
    if (opts.timeout_ms == 0)
        opts.timeout_ms = DEFAULT_TIMEOUT_MS;
    if (opts.timeout_ms < 0)
        opts.timeout_ms = 0;
    return sbx_exec_argv(session, argv, &opts, out, err);
}

static int conclude(const struct sbi_file_call *call, const char *place,
                    const sbx_exec_result *result, struct sbi_file_answer *answer,
                    sbx_error *err)
{
    int rc;

    if (answer->ended)
        return SBX_OK;
    rc = sbx_exec_check_end(result, err);
    if (rc < 0) {
        (void)sbi_executed(err, rc,
                           call->changes ? SBX_EXECUTED_UNKNOWN : SBX_EXECUTED_NO);
        return sbi_wrap(err, rc, "%s '%s:%s'", call->action, place, call->path);
    }
    answer->exit_code = result->exit_code;
    if (answer->said.word[0] != '\0')
        return sbi_file_said_fail(&answer->said, call->action, place, call->path, err);
    if (result->exit_code == FAILED_EXIT || result->exit_code > 125)
        return sbi_fail(
            err, SBX_ERR_REMOTE, "%s '%s:%s': the script over there ended with %d: %s",
            call->action, place, call->path, result->exit_code, answer->said.text);
    return SBX_OK;
}

static void result_clear(sbx_exec_result **result)
{
    sbx_exec_result_free(*result);
}

int sbi_file_call(sbx_session *session, const struct sbi_file_call *call,
                  struct sbi_file_answer *out, sbx_error *err)
{
    SBI_AUTO_FILE_ANSWER answer = {.exit_code = -1};
    SBI_CLEANUP(result_clear) sbx_exec_result *result = NULL;
    struct listener listener = {call, &answer};
    const char *place = sbx_session_place(session);
    int rc;

    rc = run(session, &listener, &result, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "%s '%s:%s'", call->action, place, call->path);
    if (answer.complaints.status != SBX_OK || answer.output.status != SBX_OK)
        return sbi_fail(err, SBX_ERR_NO_MEMORY, "%s '%s:%s': out of memory", call->action,
                        place, call->path);
    sbi_file_said_read(answer.complaints.data, answer.complaints.length, &answer.said);
    rc = conclude(call, place, result, &answer, err);
    if (rc < 0)
        return rc;
    *out = answer;
    answer = (struct sbi_file_answer){0};
    return SBX_OK;
}

int sbi_file_check(sbx_session *session, const char *action, const char *path,
                   uint64_t flags, uint64_t known, sbx_error *err)
{
    if (session == NULL || path == NULL)
        return sbi_fail(err, SBX_ERR_INVALID, "%s: no %s", action,
                        session == NULL ? "session" : "path");
    if (strlen(path) > LONGEST_PATH)
        return sbi_fail(err, SBX_ERR_INVALID, "%s '%.60s...': a path over %d bytes",
                        action, path, LONGEST_PATH);
    if ((flags & ~known) != 0)
        return sbi_fail(err, SBX_ERR_INVALID, "%s '%s': flags 0x%llx: some are not of it",
                        action, path, (unsigned long long)flags);
    return SBX_OK;
}

const char *sbi_file_flag(uint64_t flags, uint64_t flag)
{
    return (flags & flag) != 0 ? "1" : "0";
}

int sbi_file_mode(int64_t mode, char out[8], sbx_error *err)
{
    if (mode < 0 || mode > 07777)
        return sbi_fail(err, SBX_ERR_INVALID, "mode 0%llo is out of range",
                        (unsigned long long)mode);
    out[0] = '\0';
    if (mode > 0)
        (void)snprintf(out, 8, "%04o", (unsigned)mode);
    return SBX_OK;
}

void sbi_file_answer_clear(struct sbi_file_answer *answer)
{
    sbi_str_clear(&answer->output);
    sbi_str_clear(&answer->complaints);
    *answer = (struct sbi_file_answer){0};
}
