/* gather_more.c - what the script cannot see: it is tried, or asked for once more. */
#include "doctor/gather.h"

#include <sandbox/exec.h>

#include <stdio.h>
#include <string.h>

#define NOBODY "127.0.0.1"
#define NO_PORT 1

static sbx_exec_opts options(int64_t timeout_ms, uint64_t flags, sbx_cancel *cancel)
{
    return (sbx_exec_opts){.size = sizeof(sbx_exec_opts),
                           .flags = flags | SBX_EXEC_NO_SPOOL,
                           .cwd = "/",
                           .timeout_ms = timeout_ms,
                           .kill_after_ms = 500,
                           .grace_ms = 1000,
                           .cancel = cancel};
}

void sbi_try_terminal(sbx_session *session, int64_t timeout_ms, sbx_cancel *cancel,
                      struct sbi_tried *out)
{
    static const char *const argv[] = {"/bin/sh", "-c", "test -t 0", NULL};
    const sbx_exec_opts opts = options(timeout_ms, SBX_EXEC_PTY, cancel);
    sbx_exec_result *result = NULL;

    out->asked = true;
    if (sbx_exec_argv(session, argv, &opts, &result, &out->fault) < 0)
        return;
    if (result->end != SBX_EXEC_EXITED || result->exit_code != 0)
        (void)sbi_fail(&out->fault, SBX_ERR_REMOTE, "a command with a terminal %s",
                       sbx_exec_end_name(result->end));
    sbx_exec_result_free(result);
}

/* Nothing listens there, as a rule; that it was tried is what is asked. */
void sbi_try_forwarding(sbx_session *session, int64_t timeout_ms, sbx_cancel *cancel,
                        struct sbi_tried *out)
{
    sbx_error fault = {0};
    int rc = sbx_session_reach(session, NOBODY, NO_PORT, timeout_ms, cancel, &fault);

    out->asked = true;
    if (rc < 0 && rc != SBX_ERR_CONNECT)
        out->fault = fault;
}

void sbi_find_rc_file(sbx_session *session, const char *line, int64_t timeout_ms,
                      sbx_cancel *cancel, char *out, size_t room)
{
    static const char script[] =
        "for file in ~/.bashrc ~/.zshenv ~/.config/fish/config.fish "
        "~/.config/fish/conf.d/*.fish ~/.tcshrc ~/.cshrc ~/.kshrc ~/.profile \"$ENV\" "
        "\"$BASH_ENV\" /etc/bash.bashrc /etc/bashrc /etc/zsh/zshenv /etc/zshenv "
        "/etc/csh.cshrc /etc/profile; do\n"
        "    [ -f \"$file\" ] && grep -qF -e \"$1\" \"$file\" 2>/dev/null &&\n"
        "        { printf %s \"$file\"; exit; }\n"
        "done\n";
    const char *const argv[] = {"/bin/sh", "-c", script, "sbx", line, NULL};
    const sbx_exec_opts opts = options(timeout_ms, 0, cancel);
    sbx_exec_result *result = NULL;

    if (sbx_exec_argv(session, argv, &opts, &result, NULL) < 0)
        return;
    if (result->output_length < room)
        (void)snprintf(out, room, "%s", result->output);
    sbx_exec_result_free(result);
}
