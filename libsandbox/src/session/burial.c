#include "session/burial.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/log.h"
#include "base/wait.h"
#include "session/mark.h"
#include "session/shell.h"

#include <string.h>

#define MOST_SURVIVORS 256
#define ANSWER_LIMIT (64 * 1024)

/*
 * Reads the undertaker's standard output until it has told, or can tell no more. A server
 * may tell the end ahead of the last bytes.
 */
static int await_mark(struct sbi_process *process, const char *nonce, int64_t deadline,
                      struct sbi_str *text, struct sbi_mark *mark)
{
    struct pollfd fds[4];
    struct sbi_end end;
    char piece[4096];
    bool ended, all;
    ssize_t got;
    int rc = SBX_OK;

    while (rc == SBX_OK) {
        ended = sbi_process_end(process, &end);
        all = ended && sbi_process_drained(process);
        while (sbi_process_read(process, SBI_STDERR, piece, sizeof(piece)) > 0)
            continue;
        while ((got = sbi_process_read(process, SBI_STDOUT, piece, sizeof(piece))) > 0)
            sbi_str_add_bytes(text, piece, (size_t)got);
        if (sbi_mark_find(text->data, text->length, nonce, mark) == SBI_MARK_WHOLE)
            return SBX_OK;
        if (ended && end.kind == SBI_END_REFUSED)
            return SBX_ERR_LIMIT;
        if (all || got == 0 || text->status != SBX_OK)
            return SBX_ERR_REMOTE;
        rc = sbi_wait_any(fds, sbi_process_poll(process, true, fds, 4), deadline, NULL);
    }
    return rc;
}

static bool take_answer(const struct sbi_mark *mark, struct sbi_buried *out)
{
    int64_t pids[MOST_SURVIVORS];
    size_t count = 0;

    if (!sbi_mark_is(mark, "dead") &&
        !sbi_mark_read(mark, "alive", pids, MOST_SURVIVORS, &count))
        return false;
    if (count > 0) {
        out->survivors = malloc(count * sizeof(*pids));
        if (out->survivors == NULL)
            return false;
        memcpy(out->survivors, pids, count * sizeof(*pids));
    }
    out->count = count;
    out->asked = true;
    return true;
}

/* One try on one channel. SBX_ERR_LIMIT: there was no room for it on that line. */
static int ask_once(sbx_session *session, const struct sbi_process_spec *spec,
                    const char *nonce, int64_t deadline, struct sbi_buried *out)
{
    SBI_AUTO_STR text = {.limit = ANSWER_LIMIT};
    struct sbi_started started;
    struct sbi_mark mark;
    sbx_error err = {0};
    bool shared;
    int rc;

    rc = sbi_session_start(session, spec, deadline, NULL, &started, &err);
    if (rc < 0) {
        sbi_log(SBX_LOG_INFO, "%s", err.text);
        return rc == SBX_ERR_LIMIT ? SBX_ERR_REMOTE : rc;
    }
    sbi_process_close_input(started.process);
    rc = await_mark(started.process, nonce, deadline, &text, &mark);
    if (rc == SBX_OK && !take_answer(&mark, out))
        rc = SBX_ERR_REMOTE;
    shared = sbi_session_leave(session, &started, rc == SBX_ERR_LIMIT);
    return rc == SBX_ERR_LIMIT && !shared ? SBX_ERR_REMOTE : rc;
}

void sbi_bury(sbx_session *session, const struct sbi_burial *burial, int64_t deadline,
              struct sbi_buried *out)
{
    SBI_AUTOFREE char *command = NULL;
    SBI_AUTOFREE char *header = NULL;
    char nonce[SBI_NONCE_SIZE];
    struct sbi_shell_burial parts = {.nonce = nonce,
                                     .run_id = burial->run_id,
                                     .tag = burial->tag,
                                     .pid = burial->pid,
                                     .watchdog = burial->watchdog,
                                     .kill_after_ms = burial->kill_after_ms,
                                     .world = burial->world};
    bool inside = sbi_session_prefix(session) != NULL && !burial->outside;
    struct sbi_process_spec spec = {.outside = burial->outside};
    int rc;

    rc = sbi_random_hex(nonce, 8, NULL);
    if (rc == SBX_OK)
        rc = sbi_shell_undertaker(inside ? burial->tag : "", &command, NULL);
    if (rc == SBX_OK)
        rc = sbi_shell_burial_header(&parts, &header, &spec.input_length, NULL);
    spec.command = command;
    spec.input = header;
    while (rc == SBX_OK && !out->asked) {
        rc = ask_once(session, &spec, nonce, deadline, out);
        if (rc == SBX_ERR_LIMIT)
            rc = SBX_OK;
    }
    if (!out->asked)
        sbi_log(SBX_LOG_INFO, "run %s on '%s': could not ask what is left of it: %s",
                burial->run_id, sbx_session_place(session), sbx_code_name(rc));
}
