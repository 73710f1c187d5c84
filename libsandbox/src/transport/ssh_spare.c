/*
 * ssh_spare.c - one channel is opened ahead, so that the next command need not wait for
 * the server to grant one.
 */
#include "transport/ssh_line.h"

#include "base/cleanup.h"

#include <string.h>

/* A server may have closed what it had opened: there it is not tried again. */
static void drop_closed_spare(struct sbi_ssh_line *line)
{
    if (line->spare == NULL || !line->spare_open ||
        sbi_libssh.ssh_channel_is_open(line->spare))
        return;
    sbi_libssh.ssh_channel_free(line->spare);
    line->spare = NULL;
    line->spare_open = false;
    line->spare_refused = true;
}

ssh_channel sbi_ssh_line_channel(struct sbi_ssh_line *line)
{
    drop_closed_spare(line);
    if (line->spare != NULL)
        return SBI_STEAL(line->spare);
    return sbi_libssh.ssh_channel_new(line->session);
}

/* dropbear closes a channel without a command when another one's ends. */
static bool bears_a_spare(struct sbi_ssh_line *line)
{
    const char *banner = sbi_libssh.ssh_get_serverbanner(line->session);

    return banner != NULL && strstr(banner, "OpenSSH") != NULL;
}

/* Only once a command has been run: a connection that is just tried needs none. */
static void open_ahead(struct sbi_ssh_line *line)
{
    int rc;

    if (line->spare_refused || line->spare_open)
        return;
    if (line->spare == NULL && !bears_a_spare(line)) {
        line->spare_refused = true;
        return;
    }
    if (line->spare == NULL)
        line->spare = sbi_libssh.ssh_channel_new(line->session);
    if (line->spare == NULL)
        return;
    rc = sbi_libssh.ssh_channel_open_session(line->spare);
    line->spare_open = rc == SSH_OK;
    if (rc == SSH_ERROR) {
        line->spare_refused = true;
        sbi_libssh.ssh_channel_free(line->spare);
        line->spare = NULL;
    }
}

void sbi_ssh_line_tend_spare(struct sbi_ssh_line *line)
{
    struct sbi_ssh_process *process;

    if (line->spare == NULL)
        line->spare_open = false;
    for (process = line->processes; process != NULL; process = process->next)
        if (process->ahead)
            return;
    for (process = line->processes; process != NULL; process = process->next)
        if (process->stage == SBI_STAGE_RUNNING || process->stage == SBI_STAGE_OVER) {
            open_ahead(line);
            return;
        }
    if (line->spare != NULL && !line->spare_open)
        open_ahead(line);
}
