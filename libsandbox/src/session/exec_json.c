/* exec_json.c - the end of a command in words, as an error, as a shell's status, as JSON.
 */
#include <sandbox/exec.h>

#include "base/error.h"
#include "base/json.h"

#include <stdlib.h>

const char *sbx_exec_end_name(int end)
{
    static const char *const names[] = {
        [SBX_EXEC_EXITED] = "exited",       [SBX_EXEC_SIGNALED] = "signaled",
        [SBX_EXEC_TIMED_OUT] = "timed_out", [SBX_EXEC_CANCELLED] = "cancelled",
        [SBX_EXEC_LOST] = "lost",
    };

    return end >= SBX_EXEC_EXITED && end <= SBX_EXEC_LOST ? names[end] : "unknown";
}

int sbx_exec_status(const sbx_exec_result *result)
{
    switch (result->end) {
    case SBX_EXEC_EXITED:
        return result->exit_code;
    case SBX_EXEC_SIGNALED:
        return result->signal == 0 ? 255 : 128 + result->signal;
    case SBX_EXEC_TIMED_OUT:
        return 124;
    case SBX_EXEC_CANCELLED:
        return 130;
    default:
        return 255;
    }
}

static int lost(const sbx_exec_result *result, sbx_error *err)
{
    const sbx_error *why = &result->error;

    if (why->code >= 0)
        return sbi_fail(err, SBX_ERR_DISCONNECTED, "the connection broke");
    if (err != NULL)
        *err = *why;
    return why->code;
}

int sbx_exec_check_end(const sbx_exec_result *result, sbx_error *err)
{
    int rc;

    switch (result->end) {
    case SBX_EXEC_EXITED:
        return SBX_OK;
    case SBX_EXEC_TIMED_OUT:
        rc = sbi_fail(err, SBX_ERR_TIMEOUT, "not done in time");
        break;
    case SBX_EXEC_CANCELLED:
        rc = sbi_fail(err, SBX_ERR_CANCELLED, "cancelled");
        break;
    case SBX_EXEC_LOST:
        return sbi_executed(err, lost(result, err), SBX_EXECUTED_UNKNOWN);
    default:
        rc = sbi_fail(err, SBX_ERR_REMOTE, "it was killed over there by %s",
                      result->signal_name == NULL ? "a signal" : result->signal_name);
    }
    return sbi_executed(err, rc, SBX_EXECUTED_YES);
}

static void add_null(cJSON *object, const char *key)
{
    (void)cJSON_AddNullToObject(object, key);
}

static void add_number_if(cJSON *object, const char *key, bool applies, double value)
{
    if (applies)
        (void)cJSON_AddNumberToObject(object, key, value);
    else
        add_null(object, key);
}

static void add_error(cJSON *object, const sbx_error *error)
{
    char *text = error->code == SBX_OK ? NULL : sbx_error_json(error);

    (void)cJSON_AddItemToObject(object, "error",
                                text == NULL ? cJSON_CreateNull() : cJSON_Parse(text));
    sbx_free(text);
}

static void add_survivors(cJSON *object, const sbx_exec_result *result, bool stopped)
{
    cJSON *pids;
    size_t i;

    if (!stopped) {
        add_null(object, "confirmed_dead");
        add_null(object, "survivors");
        return;
    }
    (void)cJSON_AddBoolToObject(object, "confirmed_dead", result->confirmed_dead != 0);
    pids = cJSON_AddArrayToObject(object, "survivors");
    for (i = 0; i < result->survivor_count; i++)
        (void)cJSON_AddItemToArray(pids,
                                   cJSON_CreateNumber((double)result->survivors[i]));
}

/* Both streams in one encoding: base64 as soon as one of them is not text. */
static void add_streams(cJSON *object, const sbx_exec_result *result)
{
    bool text = sbi_json_is_text(result->output, result->output_length) &&
                sbi_json_is_text(result->errors, result->errors_length);

    (void)cJSON_AddItemToObject(
        object, "stdout", sbi_json_bytes(result->output, result->output_length, text));
    (void)cJSON_AddItemToObject(
        object, "stderr", sbi_json_bytes(result->errors, result->errors_length, text));
    (void)cJSON_AddNumberToObject(object, "stdout_bytes", (double)result->output_total);
    (void)cJSON_AddNumberToObject(object, "stderr_bytes", (double)result->errors_total);
    (void)cJSON_AddBoolToObject(object, "truncated",
                                result->output_truncated || result->errors_truncated);
    (void)cJSON_AddStringToObject(object, "encoding", text ? "utf-8" : "base64");
}

char *sbx_exec_result_json(const sbx_exec_result *result)
{
    SBI_AUTO_JSON object = cJSON_CreateObject();
    bool stopped = result->end == SBX_EXEC_TIMED_OUT || result->end == SBX_EXEC_CANCELLED;

    sbi_json_add_text(object, "place", result->place);
    sbi_json_add_text(object, "run_id", result->run_id);
    sbi_json_add_text(object, "end", sbx_exec_end_name(result->end));
    add_number_if(object, "exit_code", result->end == SBX_EXEC_EXITED, result->exit_code);
    sbi_json_add_text(object, "signal", result->signal_name);
    add_survivors(object, result, stopped);
    add_streams(object, result);
    (void)cJSON_AddBoolToObject(object, "holds_output", result->holds_output != 0);
    (void)cJSON_AddBoolToObject(object, "out_of_memory", result->out_of_memory != 0);
    (void)cJSON_AddNumberToObject(object, "duration_ms", (double)result->duration_ms);
    add_error(object, &result->error);
    return sbi_json_print(object);
}

char *sbx_exec_error_json(const char *place, const sbx_error *err)
{
    static const char *const empty[] = {
        "exit_code",    "signal",        "confirmed_dead", "survivors", "stdout",
        "stderr",       "stdout_bytes",  "stderr_bytes",   "truncated", "encoding",
        "holds_output", "out_of_memory", "duration_ms"};
    SBI_AUTO_JSON object = cJSON_CreateObject();
    size_t i;

    sbi_json_add_text(object, "place", place);
    add_null(object, "run_id");
    sbi_json_add_text(object, "end", "not_started");
    for (i = 0; i < sizeof(empty) / sizeof(empty[0]); i++)
        add_null(object, empty[i]);
    add_error(object, err);
    return sbi_json_print(object);
}
