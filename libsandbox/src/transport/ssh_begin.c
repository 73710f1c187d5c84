/*
 * ssh_begin.c - how a process begins, stage by stage: a channel, a terminal, the request.
 *
 * The first bytes of input are sent right behind the request that starts the
 * command, without waiting for its answer: the start costs one round trip.
 */
#include "transport/ssh_line.h"

#include <string.h>

/* What the server said of a channel; libssh puts a number of its own ahead of that. */
static const char *reason(struct sbi_ssh_process *process)
{
    static const char opening[] = "Channel opening failure: ";
    const char *text = sbi_libssh.ssh_get_error(process->line->session);
    const char *words = text == NULL ? NULL : strstr(text, "error (");

    if (words != NULL && strncmp(text, opening, strlen(opening)) == 0 &&
        (words = strchr(words, ')')) != NULL)
        text = words + 1 + strspn(words + 1, " ");
    return text == NULL || text[0] == '\0' ? "the server gave no reason" : text;
}

/*
 * The server said no: to the channel (LIMIT: another may do), or to its use. A line
 * that broke said nothing: the process is lost with it.
 */
static void refuse(struct sbi_ssh_process *process, int code, const char *what,
                   const char *check, const char *fix)
{
    sbx_error why = {0};

    if (!sbi_libssh.ssh_is_connected(process->line->session))
        return;
    (void)sbi_fail(&why, code, "%s: %s", what, reason(process));
    if (check != NULL)
        (void)sbi_fix(&why, code, check, "%s", fix);
    process->stage = SBI_STAGE_OVER;
    sbi_ssh_process_end(process, SBI_END_REFUSED, &why);
}

bool sbi_ssh_process_commit(struct sbi_ssh_process *process)
{
    bool wanted;

    (void)pthread_mutex_lock(&process->lock);
    wanted = !process->abandoned && !process->line->dead;
    if (wanted) {
        process->end.sent = true;
        sbi_ssh_process_tell(process);
    }
    (void)pthread_mutex_unlock(&process->lock);
    return wanted;
}

/*
 * libssh tells the reason by its number in RFC 4254 alone: 1 is a rule of the server, 3 a
 * server that knows no such thing.
 */
static void refuse_connection(struct sbi_ssh_process *process)
{
    const char *text = sbi_libssh.ssh_get_error(process->line->session);

    if (strstr(text, "error (1)") != NULL || strstr(text, "error (3)") != NULL)
        refuse(process, SBX_ERR_UNSUPPORTED, "it lets no connection through to there",
               NULL, NULL);
    else
        refuse(process, SBX_ERR_CONNECT, "open a connection from there", NULL, NULL);
}

/* A connection from over there: it is open, or it is refused. */
static bool open_connection(struct sbi_ssh_process *process)
{
    int rc;

    if (process->channel == NULL) {
        process->channel = sbi_libssh.ssh_channel_new(process->line->session);
        if (process->channel == NULL ||
            sbi_libssh.ssh_set_channel_callbacks(process->channel, &process->callbacks) !=
                SSH_OK) {
            refuse(process, SBX_ERR_NO_MEMORY, "open a channel", NULL, NULL);
            return true;
        }
    }
    if (process->connect_port == SBI_CONNECT_SOCKET)
        rc = sbi_libssh.ssh_channel_open_forward_unix(
            process->channel, process->connect_host, "127.0.0.1", 0);
    else
        rc = sbi_libssh.ssh_channel_open_forward(process->channel, process->connect_host,
                                                 process->connect_port, "127.0.0.1", 0);
    if (rc == SSH_AGAIN)
        return false;
    if (rc != SSH_OK) {
        refuse_connection(process);
        return true;
    }
    process->stage = SBI_STAGE_RUNNING;
    sbi_ssh_window_start(process);
    (void)sbi_ssh_process_commit(process);
    return true;
}

static bool open_channel(struct sbi_ssh_process *process)
{
    int rc;

    if (process->connect_host != NULL)
        return open_connection(process);
    if (process->channel == NULL) {
        process->channel = sbi_ssh_line_channel(process->line);
        if (process->channel == NULL ||
            sbi_libssh.ssh_set_channel_callbacks(process->channel, &process->callbacks) !=
                SSH_OK) {
            refuse(process, SBX_ERR_NO_MEMORY, "open a channel", NULL, NULL);
            return true;
        }
    }
    rc = sbi_libssh.ssh_channel_is_open(process->channel)
             ? SSH_OK
             : sbi_libssh.ssh_channel_open_session(process->channel);
    if (rc == SSH_AGAIN)
        return false;
    if (rc != SSH_OK)
        refuse(process, SBX_ERR_LIMIT, "open a channel", NULL, NULL);
    else
        process->stage = process->pty ? SBI_STAGE_TERMINAL : SBI_STAGE_STARTING;
    sbi_ssh_window_start(process);
    return true;
}

static bool ask_terminal(struct sbi_ssh_process *process)
{
    int rc = sbi_libssh.ssh_channel_request_pty_size(process->channel, process->term,
                                                     process->columns, process->rows);

    if (rc == SSH_AGAIN)
        return false;
    if (rc != SSH_OK)
        refuse(process, SBX_ERR_REMOTE, "the server gives this account no terminal",
               "terminal",
               "do without one; or PermitTTY yes in its sshd_config, and no `no-pty` or "
               "`restrict` before the key");
    else
        process->stage = SBI_STAGE_STARTING;
    return true;
}

/*
 * Asked ahead of the request: a line that the other side has closed, unseen by us as
 * yet, would take it, and then nobody could tell whether the command ran.
 */
bool sbi_ssh_process_is_cut(const struct sbi_ssh_process *process)
{
    struct pollfd fd = {process->line->fd, POLLRDHUP, 0};

    return poll(&fd, 1, 0) > 0;
}

static bool ask_exec(struct sbi_ssh_process *process)
{
    bool first = !process->asked;
    int rc;

    if (first) {
        if (sbi_ssh_process_is_cut(process))
            return false;
        if (process->ahead ? sbi_ssh_process_abandoned(process)
                           : !sbi_ssh_process_commit(process)) {
            process->stage = SBI_STAGE_OVER;
            return true;
        }
        process->asked = true;
        if (process->line->agent != NULL)
            (void)sbi_libssh.ssh_channel_request_auth_agent(process->channel);
    }
    rc = process->command[0] == '\0'
             ? sbi_libssh.ssh_channel_request_shell(process->channel)
             : sbi_libssh.ssh_channel_request_exec(process->channel, process->command);
    if (rc == SSH_AGAIN)
        return first;
    if (rc != SSH_OK)
        refuse(
            process, SBX_ERR_REMOTE, "the server started no command", "login-shell",
            "use an account with a shell, if this server serves something else, as sftp "
            "or a console; or see whether the account may start more processes there");
    else
        process->stage = SBI_STAGE_RUNNING;
    return true;
}

bool sbi_ssh_process_begin(struct sbi_ssh_process *process)
{
    switch (process->stage) {
    case SBI_STAGE_OPENING:
        return open_channel(process);
    case SBI_STAGE_TERMINAL:
        return ask_terminal(process);
    default:
        return ask_exec(process);
    }
}
