#include "session/parting.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/wait.h"
#include "session/shell.h"

#define UNAWARE_MS 4000 /* a watchdog's look, and its time to get there */
#define AWAIT_MS 1000

void sbi_parting_note(struct sbi_partings *partings, int64_t watchdog)
{
    partings->recent[partings->next].watchdog = watchdog;
    partings->recent[partings->next].ended_at = sbi_now_ms();
    partings->next = (partings->next + 1) % SBI_PARTINGS;
}

static size_t unaware(const struct sbi_partings *partings, int64_t *watchdogs)
{
    int64_t since = sbi_now_ms() - UNAWARE_MS;
    size_t count = 0, i;

    for (i = 0; i < SBI_PARTINGS; i++)
        if (partings->recent[i].watchdog > 1 && partings->recent[i].ended_at >= since)
            watchdogs[count++] = partings->recent[i].watchdog;
    return count;
}

static bool is_there(struct sbi_process *process, enum sbi_parting_until until)
{
    struct sbi_end end;

    if (sbi_process_end(process, &end))
        return true;
    if (until == SBI_UNTIL_ASKED)
        return end.sent;
    return until == SBI_UNTIL_SENT && !sbi_process_unsent(process);
}

void sbi_parting_await(struct sbi_process *process, enum sbi_parting_until until)
{
    int64_t deadline = sbi_deadline(AWAIT_MS);
    struct pollfd fds[4];
    int rc = SBX_OK;

    while (rc == SBX_OK && !is_there(process, until))
        rc = sbi_wait_any(fds, sbi_process_poll(process, false, fds, 4), deadline, NULL);
}

void sbi_parting_say(const struct sbi_partings *partings, struct sbi_line *line)
{
    int64_t watchdogs[SBI_PARTINGS];
    size_t count = unaware(partings, watchdogs);
    SBI_AUTOFREE char *command = NULL;
    struct sbi_process_spec spec = {0};
    struct sbi_process *process = NULL;

    if (count == 0 || sbi_shell_farewell(watchdogs, count, &command, NULL) < 0)
        return;
    spec.command = command;
    if (sbi_line_start(line, &spec, &process, NULL) < 0)
        return;
    sbi_parting_await(process, SBI_UNTIL_ASKED);
    sbi_process_free(process);
}
