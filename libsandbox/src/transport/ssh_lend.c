/*
 * ssh_lend.c - agent forwarding: for each client of the socket over there, the server
 * opens a channel, and a thread of its own relays that to the agent here.
 *
 * Each command asks for it, though OpenSSH makes one socket a connection: dropbear makes
 * one a command.
 */
#include "transport/ssh_lend.h"

#include "transport/ssh_accept.h"
#include "transport/ssh_auth.h"
#include "transport/ssh_listen.h"

#include <string.h>

/* Room for one more; those that have ended make it. NULL: there is none. */
static struct sbi_relay **free_place(struct sbi_ssh_line *line)
{
    struct sbi_relay **free_one = NULL;
    size_t i;

    for (i = 0; i < SBI_SSH_MOST_LENT; i++) {
        if (line->lent[i] != NULL && sbi_relay_over(line->lent[i]))
            sbi_relay_free(SBI_STEAL(line->lent[i]));
        if (line->lent[i] == NULL)
            free_one = &line->lent[i];
    }
    return free_one;
}

/* The agent takes the connection at once, or the I/O thread does not wait for it. */
static bool lend(struct sbi_ssh_line *line, ssh_message request)
{
    struct sbi_relay **place = line->agent == NULL ? NULL : free_place(line);
    struct sbi_ssh_process *process;
    int fd;

    if (place == NULL || sbi_agent_dial(line->agent, &fd, NULL) < 0)
        return false;
    process = sbi_ssh_accept(line, request, line->agent, true);
    if (process == NULL) {
        (void)close(fd);
        return false;
    }
    (void)sbi_relay_start(&process->base, fd, place, NULL);
    return true;
}

/* libssh would keep what nobody answers, as much of it as a server sends. 1: refuse it.
 */
static int on_request(ssh_session session, ssh_message request, void *userdata)
{
    struct sbi_ssh_line *line = userdata;
    bool taken = false;

    (void)session;
    if (sbi_libssh.ssh_message_type(request) == SSH_REQUEST_CHANNEL_OPEN)
        taken = sbi_libssh.ssh_message_subtype(request) == SSH_CHANNEL_AUTH_AGENT
                    ? lend(line, request)
                    : sbi_ssh_listen_take(line, request);
    return taken ? 0 : 1;
}

static const char *agent_to_lend(const struct sbi_ssh_options *options)
{
    const char *path = options->forward_agent_path;

    if (path == NULL)
        return sbi_auth_agent_path(options);
    return strcmp(path, "none") == 0 ? NULL : path;
}

static int refuse(const struct sbi_ssh_target *target, const char *why, sbx_error *err)
{
    (void)sbi_fail(err, SBX_ERR_AUTH, "lend the agent to '%s': %s", target->place, why);
    return sbi_fix(err, SBX_ERR_AUTH, "agent-forwarding",
                   "start one: eval \"$(ssh-agent)\", then ssh-add");
}

int sbi_ssh_lend_begin(struct sbi_ssh_line *line, const struct sbi_ssh_target *target,
                       sbx_error *err)
{
    const char *path = agent_to_lend(target->options);
    bool wanted = target->lend_agent || target->options->forward_agent;
    sbx_error why = {0};
    int fd, rc;

    sbi_libssh.ssh_set_message_callback(line->session, on_request, line);
    if (!wanted)
        return SBX_OK;
    if (path == NULL || path[0] == '\0')
        rc = sbi_fail(&why, SBX_ERR_AUTH, "there is none here");
    else
        rc = sbi_agent_dial(path, &fd, &why);
    if (rc < 0)
        return target->lend_agent ? refuse(target, why.text, err) : SBX_OK;
    (void)close(fd);
    line->agent = strdup(path);
    return line->agent == NULL ? sbi_fail(err, SBX_ERR_NO_MEMORY, "out of memory")
                               : SBX_OK;
}

void sbi_ssh_lend_end(struct sbi_ssh_line *line)
{
    size_t i;

    for (i = 0; i < SBI_SSH_MOST_LENT; i++)
        sbi_relay_free(line->lent[i]);
    free(line->agent);
}
