#include "session/keep.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "base/strv.h"
#include "session/session_state.h"
#include "transport/local_spawn.h"

#include <string.h>

#define OWN_WAY (SBX_SESSION_OWN | SBX_SESSION_NO_KEEPER | SBX_SESSION_FORWARD_AGENT)

/* What the environment says goes ahead of the list. */
static bool is_wanted(const sbx_session *session)
{
    const char *said = getenv("SBX_KEEPER");

    if (session->target == NULL || (session->flags & OWN_WAY) != 0 || session->asked ||
        session->facts.via[0] != '\0' || session->target->unlisted ||
        session->target->options->forward_agent)
        return false;
    if (said != NULL && (strcmp(said, "on") == 0 || strcmp(said, "off") == 0))
        return said[1] == 'n';
    return session->target->keeper;
}

/* By the files that the place was found by: so it is the same connection. */
static int make_argv(const struct sbi_ssh_target *target, const char *program,
                     char ***out, sbx_error *err)
{
    const char *const config = target->ssh_config, *const list = target->hosts_file;
    const char *const words[] = {program, config == NULL ? NULL : "-F",
                                 config,  list == NULL ? NULL : "--config",
                                 list,    "keeper",
                                 "run",   target->place};
    size_t i;
    int rc = SBX_OK;

    for (i = 0; rc == SBX_OK && i < sizeof(words) / sizeof(words[0]); i++)
        rc = sbi_strv_add(out, words[i], err);
    return rc;
}

void sbi_keep_start(const sbx_session *session, const char *program)
{
    SBI_AUTO_STRV argv = NULL;
    sbx_error why = {0};
    pid_t pid = 0;
    int rc;

    if (!is_wanted(session))
        return;
    rc = make_argv(session->target, program == NULL ? "sbx" : program, &argv, &why);
    if (rc == SBX_OK)
        rc = sbi_local_spawn_behind(argv, &pid, &why);
    if (rc == SBX_OK)
        sbi_local_bury(pid);
    sbi_log(SBX_LOG_INFO, "%s: %s%s", session->place,
            rc == SBX_OK ? "a keeper is started" : "no keeper is started: ",
            rc == SBX_OK ? "" : why.text);
}
