#include "session/lack.h"

#include "base/computer.h"
#include "session/session.h"

#include <string.h>

#define KILLED 137
#define ASK_MS 10000

/* A line each of what counts there: "0" where nothing was killed. */
static bool tells_of_any(const char *counts)
{
    return counts[strspn(counts, "0\n")] != '\0';
}

bool sbi_lack_asked(sbx_session *session, const sbx_exec_result *result)
{
    static const char *const asks[] = {"/bin/sh", "-c", SBI_COMPUTER_LACK, NULL};
    const sbx_exec_opts opts = {
        .size = sizeof(opts), .flags = SBX_EXEC_NO_SPOOL, .timeout_ms = ASK_MS};
    const struct sbi_host_prefix *prefix = sbi_session_prefix(session);
    sbx_exec_result *said = NULL;
    bool lacked;

    if (prefix == NULL || !prefix->computer || sbx_exec_status(result) != KILLED ||
        sbx_exec_argv(session, asks, &opts, &said, NULL) < 0)
        return false;
    lacked = said->end == SBX_EXEC_EXITED && tells_of_any(said->output);
    sbx_exec_result_free(said);
    return lacked;
}
