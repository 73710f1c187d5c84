/* ssh_accept.c - channels that the server opens. */
#include "transport/ssh_accept.h"

/* Taken up in the thread's next turn: it may be going through its list right now. */
static void take_up(struct sbi_ssh_line *line, struct sbi_ssh_process *process)
{
    sbi_ssh_line_lock(line);
    process->next = line->incoming;
    line->incoming = process;
    sbi_ssh_line_unlock(line);
}

struct sbi_ssh_process *sbi_ssh_accept(struct sbi_ssh_line *line, ssh_message request,
                                       const char *peer, bool aside)
{
    const struct sbi_process_spec spec = {.connect_host = peer, .aside = aside};
    struct sbi_ssh_process *process = NULL;

    if (sbi_ssh_process_new(line, &spec, &process, NULL) < 0)
        return NULL;
    process->channel = sbi_libssh.ssh_message_channel_request_open_reply_accept(request);
    process->stage = process->channel == NULL ? SBI_STAGE_OVER : SBI_STAGE_RUNNING;
    process->closed = process->eof =
        process->channel == NULL || sbi_libssh.ssh_set_channel_callbacks(
                                        process->channel, &process->callbacks) != SSH_OK;
    take_up(line, process);
    return process;
}
