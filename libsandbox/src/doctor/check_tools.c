/* check_tools.c - judges what is installed over there, and whether it works. */
#include "doctor/checks.h"

#include "base/str.h"

#include <string.h>

static const struct {
    const char *name;
    bool wanted; /* something here is worse without it */
} tools[] = {{"tar", true},         {"gzip", false},   {"zstd", false},
             {"rsync", false},      {"tmux", true},    {"git", false},
             {"python3", false},    {"setsid", false}, {"nvidia-smi", false},
             {"rocm-smi", false},   {"docker", false}, {"podman", false},
             {"systemd-run", false}};

#define TOOLS (sizeof(tools) / sizeof(tools[0]))

static bool has(const struct sbi_gathered *gathered, const char *tool)
{
    return sbi_told_has(&gathered->told, "tool", tool);
}

const char *sbi_task_words(const struct sbi_gathered *gathered, const char *task)
{
    const char *words = sbi_told(&gathered->told, task);

    return words == NULL ? "it printed nothing" : words;
}

static const char *install_words(const struct sbi_gathered *gathered)
{
    static const char *const words[][2] = {
        {"apt-get", "apt-get install"}, {"dnf", "dnf install"},  {"yum", "yum install"},
        {"zypper", "zypper install"},   {"pacman", "pacman -S"}, {"apk", "apk add"},
        {"brew", "brew install"},       {"pkg", "pkg install"},
    };
    size_t i;

    for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (sbi_told_has(&gathered->told, "manager", words[i][0]))
            return words[i][1];
    return "install";
}

void sbi_judge_tools(const struct sbi_gathered *gathered, struct sbi_finding *finding)
{
    SBI_AUTO_STR here = {0}, gone = {0}, wanted = {0};
    size_t i;

    if (sbi_told(&gathered->told, "tools") == NULL)
        return;
    for (i = 0; i < TOOLS; i++) {
        bool there = has(gathered, tools[i].name);

        sbi_str_addf(there ? &here : &gone, " %s", tools[i].name);
        if (!there && tools[i].wanted)
            sbi_str_addf(&wanted, " %s", tools[i].name);
    }
    sbi_find(finding, wanted.length > 0 ? SBX_DOCTOR_WARN : SBX_DOCTOR_OK, "%s%s%s",
             here.length > 0 ? here.data + 1 : "none",
             gone.length > 0 ? "; not there:" : "", gone.length > 0 ? gone.data : "");
    if (wanted.length > 0)
        sbi_find_fix(finding, "%s%s", install_words(gathered), wanted.data);
}

/* A tool's task that did not end well: told, and true. */
static bool ended_badly(const struct sbi_gathered *gathered, const char *task,
                        struct sbi_finding *finding)
{
    switch (sbi_told_task(&gathered->told, task)) {
    case SBI_TASK_ILL:
        sbi_find(finding, SBX_DOCTOR_WARN, "%s fails: %s", task,
                 sbi_task_words(gathered, task));
        return true;
    case SBI_TASK_LATE:
        sbi_find(finding, SBX_DOCTOR_WARN, "%s hangs: it was given up", task);
        return true;
    case SBI_TASK_UNKNOWN:
        sbi_find(finding, SBX_DOCTOR_UNKNOWN, "%s did not end", task);
        return true;
    default:
        return false;
    }
}

static bool tools_told(const struct sbi_gathered *gathered)
{
    return sbi_told(&gathered->told, "tools") != NULL;
}

void sbi_judge_tmux(const struct sbi_gathered *gathered, struct sbi_finding *finding)
{
    if (!tools_told(gathered) || ended_badly(gathered, "tmux", finding))
        return;
    if (sbi_told_task(&gathered->told, "tmux") == SBI_TASK_WELL)
        sbi_find(finding, SBX_DOCTOR_OK, "%s", sbi_task_words(gathered, "tmux"));
    else if (!has(gathered, "tmux"))
        sbi_find(finding, SBX_DOCTOR_SKIPPED, "no tmux there");
}

/* 1: logind ends what a user left when the last login ends; 0: not; -1: unknown. */
static int kills(const struct sbi_gathered *gathered)
{
    if (sbi_told_has(&gathered->told, "kill", "b true"))
        return 1;
    return sbi_told_has(&gathered->told, "kill", "b false") ? 0 : -1;
}

static bool without_systemd(const struct sbi_gathered *gathered,
                            struct sbi_finding *finding)
{
    if (!sbi_told_has(&gathered->told, "systemd", "no"))
        return false;
    sbi_find(finding, SBX_DOCTOR_SKIPPED, "no systemd there");
    return true;
}

void sbi_judge_linger(const struct sbi_gathered *gathered, struct sbi_finding *finding)
{
    const char *linger = sbi_told(&gathered->told, "linger");

    if (linger == NULL || without_systemd(gathered, finding))
        return;
    sbi_find(finding, SBX_DOCTOR_OK, "%s", linger);
    if (strcmp(linger, "no") != 0 || kills(gathered) == 0)
        return;
    sbi_find(finding, SBX_DOCTOR_WARN,
             kills(gathered) == 1 ? "no: what runs on is ended at the last log-out"
                                  : "no: what runs on may be ended at the last log-out");
    sbi_find_fix(finding, "loginctl enable-linger %s",
                 sbi_told(&gathered->told, "user") == NULL
                     ? ""
                     : sbi_told(&gathered->told, "user"));
}

void sbi_judge_kill(const struct sbi_gathered *gathered, struct sbi_finding *finding)
{
    bool lingers = sbi_told_has(&gathered->told, "linger", "yes");

    if (sbi_told(&gathered->told, "systemd") == NULL ||
        without_systemd(gathered, finding))
        return;
    if (kills(gathered) == 0)
        sbi_find(finding, SBX_DOCTOR_OK, "off");
    else if (kills(gathered) < 0)
        sbi_find(finding, SBX_DOCTOR_UNKNOWN, "logind did not say");
    else
        sbi_find(finding, lingers ? SBX_DOCTOR_OK : SBX_DOCTOR_WARN, "on%s",
                 lingers ? ", but not for users that linger" : "");
    if (finding->state == SBX_DOCTOR_WARN)
        sbi_find_fix(finding, "KillUserProcesses=no in logind.conf, or linger");
}

static void engine_fix(const struct sbi_gathered *gathered, const char *engine,
                       struct sbi_finding *finding)
{
    const char *user = sbi_told(&gathered->told, "user");

    if (strcasestr(finding->seen, "permission denied") != NULL && user != NULL)
        sbi_find_fix(finding, "usermod -aG %s %s, then log in anew", engine, user);
    else if (sbi_told_has(&gathered->told, "systemd", "yes"))
        sbi_find_fix(finding, "systemctl start %s", engine);
    else
        sbi_find_fix(finding, "start the daemon of %s", engine);
}

void sbi_judge_containers(const struct sbi_gathered *gathered,
                          struct sbi_finding *finding)
{
    static const char *const engines[] = {"docker", "podman"};
    SBI_AUTO_STR seen = {0};
    size_t i;

    if (!tools_told(gathered))
        return;
    for (i = 0; i < sizeof(engines) / sizeof(engines[0]); i++) {
        if (sbi_told_task(&gathered->told, engines[i]) == SBI_TASK_WELL)
            sbi_str_addf(&seen, "%s%s %s", seen.length > 0 ? ", " : "", engines[i],
                         sbi_task_words(gathered, engines[i]));
    }
    if (seen.length > 0)
        sbi_find(finding, SBX_DOCTOR_OK, "%s", seen.data);
    else if (ended_badly(gathered, "docker", finding))
        engine_fix(gathered, "docker", finding);
    else if (!ended_badly(gathered, "podman", finding) && !has(gathered, "docker") &&
             !has(gathered, "podman"))
        sbi_find(finding, SBX_DOCTOR_SKIPPED, "no engine there");
}

/* "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-...)" gives "NVIDIA H100 80GB HBM3". */
static void add_nvidia(const char *line, struct sbi_str *seen)
{
    const char *name = strstr(line, ": ");
    const char *end = strstr(line, " (UUID");

    if (strncmp(line, "GPU ", 4) == 0 && name != NULL && end != NULL && end > name)
        sbi_str_addf(seen, "%s%.*s", seen->length > 0 ? ", " : "", (int)(end - name - 2),
                     name + 2);
}

/* "GPU[0] : Card series: Instinct MI210", and other spellings of the key. */
static void add_amd(const char *line, struct sbi_str *seen)
{
    const char *name = strcasestr(line, "card series:");

    if (strncmp(line, "GPU[", 4) == 0 && name != NULL) {
        name += strlen("card series:");
        sbi_str_addf(seen, "%s%s", seen->length > 0 ? ", " : "",
                     name + strspn(name, " "));
    }
}

void sbi_judge_gpu(const struct sbi_gathered *gathered, struct sbi_finding *finding)
{
    SBI_AUTO_STR seen = {.limit = 1024};
    size_t i;

    if (!tools_told(gathered))
        return;
    for (i = 0; i < gathered->told.count; i++) {
        if (strcmp(gathered->told.lines[i].key, "nvidia-smi") == 0)
            add_nvidia(gathered->told.lines[i].value, &seen);
        else if (strcmp(gathered->told.lines[i].key, "rocm-smi") == 0)
            add_amd(gathered->told.lines[i].value, &seen);
    }
    if (ended_badly(gathered, "nvidia-smi", finding) ||
        ended_badly(gathered, "rocm-smi", finding)) {
        if (finding->state == SBX_DOCTOR_WARN)
            sbi_find_fix(finding,
                         "`dmesg | grep -iE 'nvrm|amdgpu'` shows the driver's side");
    } else if (seen.length > 0) {
        sbi_find(finding, SBX_DOCTOR_OK, "%s", seen.data);
    } else if (sbi_told(&gathered->told, "end") != NULL) {
        sbi_find(finding, SBX_DOCTOR_OK, "none");
    }
}
