#include "keeper/watched.h"

#include "base/cleanup.h"
#include "session/mark.h"

#include <stdio.h>

#define HEAD_LIMIT ((size_t)64 * 1024) /* a login shell may say much before it */

int sbi_watched_start(sbx_session *session, struct sbi_watched *watched,
                      const char *run_id, struct sbi_process_spec *spec, int64_t deadline,
                      sbx_cancel *cancel, struct sbi_started *out, sbx_error *err)
{
    SBI_AUTOFREE char *command = NULL;
    struct sbi_shell_kind kind = {.tag = run_id, .watched = true};
    struct sbi_started started;
    int rc = sbi_session_take(session, deadline, cancel, &started, err);

    if (rc < 0)
        return rc;
    watched->given = sbi_session_watch(session, &started, run_id, watched->limit_s);
    if (watched->given) {
        rc = sbi_shell_supervisor(&kind, &command, err);
        spec->command = command;
    }
    if (rc < 0) {
        sbi_watched_end(session, watched, &started, run_id);
        (void)sbi_session_leave(session, &started, false);
        return rc;
    }
    (void)snprintf(started.tag, sizeof(started.tag), "%s", run_id);
    rc = sbi_session_launch(session, &started, spec, err);
    if (rc == SBX_OK)
        *out = started;
    return rc;
}

void sbi_watched_hear(sbx_session *session, struct sbi_watched *watched,
                      const struct sbi_started *started, const char *run_id,
                      const char *data, size_t length)
{
    int64_t pids[3] = {0};
    struct sbi_mark mark;
    size_t count;

    if (!watched->given || watched->named)
        return;
    watched->head.limit = HEAD_LIMIT;
    sbi_str_add_bytes(&watched->head, data, length);
    if (sbi_mark_find(watched->head.data, watched->head.length, watched->nonce, &mark) ==
        SBI_MARK_WHOLE) {
        watched->named = true;
        if (sbi_mark_read(&mark, "start", pids, 3, &count) && count >= 2) {
            watched->pid = pids[0];
            sbi_session_name(session, started, run_id, pids[0]);
        }
    }
    watched->named = watched->named || watched->head.status != SBX_OK;
    if (watched->named)
        sbi_str_clear(&watched->head);
}

void sbi_watched_end(sbx_session *session, struct sbi_watched *watched,
                     const struct sbi_started *started, const char *run_id)
{
    if (watched->given)
        sbi_session_note_end(session, started, run_id, 0);
    watched->given = false;
}
