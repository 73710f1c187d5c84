/*
 * checks.c - the table, and what a failure to connect makes of its rows: the one it
 * names has failed, those before it on the same way held, those behind it wait.
 */
#include "doctor/checks.h"

#include <string.h>

enum { NETWORK = 1, OVER_THERE = 2 };

struct row {
    const char *name; /* as sbi_fix names it on an error */
    int flags;
    sbi_judge_fn judge;
};

static const struct row rows[] = {
    {"config", 0, sbi_judge_config},
    {"address", NETWORK, sbi_judge_address},
    {"route", NETWORK, sbi_judge_route},
    {"port", NETWORK, sbi_judge_port},
    {"jump", NETWORK, sbi_judge_jump},
    {"banner", NETWORK, sbi_judge_banner},
    {"kex", NETWORK, sbi_judge_kex},
    {"host-key", NETWORK, sbi_judge_host_key},
    {"auth", NETWORK, sbi_judge_auth},
    {"connect", 0, sbi_judge_connect},
    {"latency", 0, sbi_judge_latency},
    {"login-shell", OVER_THERE, sbi_judge_shell},
    {"rc-noise", NETWORK | OVER_THERE, sbi_judge_noise},
    {"terminal", OVER_THERE, sbi_judge_terminal},
    {"user", OVER_THERE, sbi_judge_user},
    {"system", OVER_THERE, sbi_judge_system},
    {"clock", OVER_THERE, sbi_judge_clock},
    {"load", OVER_THERE, sbi_judge_load},
    {"home", OVER_THERE, sbi_judge_home},
    {"tmp", OVER_THERE, sbi_judge_tmp},
    {"tools", OVER_THERE, sbi_judge_tools},
    {"tmux", OVER_THERE, sbi_judge_tmux},
    {"linger", OVER_THERE, sbi_judge_linger},
    {"kill-user-processes", OVER_THERE, sbi_judge_kill},
    {"containers", OVER_THERE, sbi_judge_containers},
    {"gpu", OVER_THERE, sbi_judge_gpu},
    {"session-limit", OVER_THERE, sbi_judge_sessions},
    {"tcp-forwarding", NETWORK | OVER_THERE, sbi_judge_forwarding},
    {"agent-forwarding", NETWORK | OVER_THERE, sbi_judge_agent},
};

#define COUNT (sizeof(rows) / sizeof(rows[0]))
#define SHELL_ROW "login-shell"

size_t sbi_check_count(void)
{
    return COUNT;
}

static size_t row_named(const char *name)
{
    size_t i;

    for (i = 0; i < COUNT; i++)
        if (strcmp(rows[i].name, name) == 0)
            return i;
    return COUNT;
}

/* The row that kept us from connecting; an error that names none is `connect`'s. */
static size_t failed_row(const struct sbi_gathered *gathered)
{
    size_t row = row_named(gathered->fault.check);
    size_t last = row_named("connect");

    return row < last ? row : last;
}

static void fail(const sbx_error *fault, struct sbi_finding *finding)
{
    sbi_find(finding, SBX_DOCTOR_FAIL, "%s", fault->text);
    sbi_find_fix(finding, "%s", fault->fix);
}

static bool is_straight(const struct sbi_gathered *gathered)
{
    return sbi_gathered_text(gathered->settings, "proxyjump") == NULL &&
           sbi_gathered_text(gathered->settings, "proxycommand") == NULL;
}

static void judge_unconnected(const struct sbi_gathered *gathered, size_t at,
                              struct sbi_finding *finding)
{
    size_t failed = failed_row(gathered);
    bool named = rows[failed].flags & NETWORK;

    if (at == failed)
        fail(&gathered->fault, finding);
    else if (at > failed)
        sbi_find(finding, SBX_DOCTOR_SKIPPED, "needs '%s'", rows[failed].name);
    else if (at > 0 && !(named && is_straight(gathered)))
        sbi_find(finding, SBX_DOCTOR_UNKNOWN, "the failure may lie before or behind it");
    else
        rows[at].judge(gathered, finding);
}

/* The login shell let nothing run: what the script would have told waits for it. */
static bool shell_failed(const struct sbi_gathered *gathered)
{
    return strcmp(gathered->told_fault.check, SHELL_ROW) == 0;
}

static void judge_over_there(const struct sbi_gathered *gathered, size_t at,
                             struct sbi_finding *finding)
{
    if (!shell_failed(gathered))
        rows[at].judge(gathered, finding);
    else if (strcmp(rows[at].name, SHELL_ROW) == 0)
        fail(&gathered->told_fault, finding);
    else
        sbi_find(finding, SBX_DOCTOR_SKIPPED, "needs '%s'", SHELL_ROW);
    if (finding->state == 0)
        sbi_find(finding, SBX_DOCTOR_UNKNOWN, "%s",
                 gathered->told_fault.text[0] != '\0' ? gathered->told_fault.text
                                                      : "it was not told");
}

static void judge(const struct sbi_gathered *gathered, size_t at,
                  struct sbi_finding *finding)
{
    if (gathered->local && (rows[at].flags & NETWORK))
        sbi_find(finding, SBX_DOCTOR_SKIPPED, "this machine needs no network");
    else if (gathered->prefixed && (rows[at].flags & NETWORK) &&
             (gathered->connected || at != failed_row(gathered)))
        sbi_find(finding, SBX_DOCTOR_SKIPPED, "asked of the place that it stands on");
    else if (!gathered->connected)
        judge_unconnected(gathered, at, finding);
    else if (rows[at].flags & OVER_THERE)
        judge_over_there(gathered, at, finding);
    else
        rows[at].judge(gathered, finding);
}

void sbi_check_all(const struct sbi_gathered *gathered, struct sbi_finding *findings)
{
    size_t i;

    for (i = 0; i < COUNT; i++) {
        findings[i] = (struct sbi_finding){.name = rows[i].name};
        judge(gathered, i, &findings[i]);
    }
}
