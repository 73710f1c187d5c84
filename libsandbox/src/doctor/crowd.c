/*
 * crowd.c - commands that are on a session at once. Each says that it is there and
 * then waits for the end of one pipe that all of them read; the last to come closes
 * it, and so does one that cannot come.
 */
#include "doctor/gather.h"

#include "base/clock.h"

#include <sandbox/exec.h>
#include <sandbox/task.h>

#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>

#define MOST 8

struct crowd {
    sbx_session *session;
    sbx_cancel *cancel;
    int64_t timeout_ms;
    int door[2]; /* the read end is every command's standard input */
    atomic_int missing;
    atomic_int ran;
    atomic_int late;
    atomic_int connections;
    atomic_bool opened;
};

static void open_door(struct crowd *crowd)
{
    if (!atomic_exchange(&crowd->opened, true))
        (void)close(crowd->door[1]);
}

/* Now, since a server that allows one command a connection closes it soon. */
static void count_connections(struct crowd *crowd)
{
    SBI_AUTO_JSON facts = NULL;
    char *text = sbx_session_facts_json(crowd->session);

    if (text != NULL && sbi_json_parse(text, strlen(text), &facts, NULL) == SBX_OK)
        atomic_store(&crowd->connections,
                     (int)cJSON_GetNumberValue(
                         cJSON_GetObjectItemCaseSensitive(facts, "connections")));
    sbx_free(text);
}

static int note_arrival(int stream, const void *data, size_t length, void *userdata)
{
    struct crowd *crowd = userdata;

    if (stream == SBX_EXEC_STDOUT && memchr(data, '\n', length) != NULL &&
        atomic_fetch_sub(&crowd->missing, 1) == 1) {
        count_connections(crowd);
        open_door(crowd);
    }
    return 0;
}

static int attend(sbx_cancel *unused, void *userdata, sbx_error *err)
{
    static const char *const argv[] = {"/bin/sh", "-c", "echo; read -r line; exit 0",
                                       NULL};
    struct crowd *crowd = userdata;
    const sbx_exec_opts opts = {.size = sizeof(opts),
                                .flags = SBX_EXEC_NO_SPOOL | SBX_EXEC_INPUT_FD,
                                .cwd = "/",
                                .input_fd = crowd->door[0],
                                .timeout_ms = crowd->timeout_ms,
                                .kill_after_ms = 500,
                                .grace_ms = 1000,
                                .on_output = note_arrival,
                                .userdata = crowd,
                                .cancel = crowd->cancel};
    sbx_exec_result *result = NULL;
    int rc;

    (void)unused;
    rc = sbx_exec_argv(crowd->session, argv, &opts, &result, err);
    if (rc == SBX_OK && result->end == SBX_EXEC_EXITED && result->exit_code == 0)
        atomic_fetch_add(&crowd->ran, 1);
    else
        open_door(crowd);
    if (rc == SBX_ERR_TIMEOUT || (rc == SBX_OK && result->end == SBX_EXEC_TIMED_OUT))
        atomic_fetch_add(&crowd->late, 1);
    sbx_exec_result_free(result);
    return rc;
}

void sbi_crowd(sbx_session *session, int64_t timeout_ms, sbx_cancel *cancel,
               struct sbi_crowd *out)
{
    struct crowd crowd = {.session = session, .cancel = cancel, .timeout_ms = timeout_ms};
    sbx_task *tasks[MOST] = {NULL};
    int i;

    out->asked = out->asked > MOST ? MOST : out->asked;
    atomic_init(&crowd.missing, out->asked);
    if (pipe2(crowd.door, O_CLOEXEC) < 0)
        return;
    for (i = 0; i < out->asked; i++)
        if (sbx_task_start(attend, &crowd, NULL, &tasks[i], NULL) < 0)
            open_door(&crowd);
    for (i = 0; i < out->asked; i++)
        if (tasks[i] != NULL)
            (void)sbx_task_wait(tasks[i], -1);
    for (i = 0; i < out->asked; i++)
        sbx_task_free(tasks[i]);
    open_door(&crowd);
    (void)close(crowd.door[0]);
    out->ran = atomic_load(&crowd.ran);
    out->late = atomic_load(&crowd.late);
    out->connections = atomic_load(&crowd.connections);
}
