/* check_host.c - judges the account and the machine by what the script told. */
#include "doctor/checks.h"

#include <string.h>

#define SLOW_SHELL_MS 2000
#define MOST_SKEW_S 5
#define SHORT_KB (INT64_C(1) << 20)
#define NO_KB (INT64_C(10) << 10)
#define SHORT_INODES 1000

static const char *told(const struct sbi_gathered *gathered, const char *key)
{
    const char *value = sbi_told(&gathered->told, key);

    return value == NULL ? "" : value;
}

void sbi_judge_shell(const struct sbi_gathered *gathered, struct sbi_finding *finding)
{
    const char *shell = sbi_told(&gathered->told, "shell");

    if (shell == NULL)
        return;
    shell = shell[0] == '\0' ? "it lets commands run; SHELL is not set" : shell;
    sbi_find(finding, SBX_DOCTOR_OK, "%s", shell);
    if (gathered->first_word_ms > SLOW_SHELL_MS) {
        sbi_find(finding, SBX_DOCTOR_WARN, "%s takes %lld ms to begin a command", shell,
                 (long long)gathered->first_word_ms);
        sbi_find_fix(finding, "let its rc files return early without a terminal");
    }
}

/* What is read by a shell that sshd starts for a command. */
static const char *usual_rc_file(const char *shell)
{
    static const struct {
        const char *shell;
        const char *file;
    } files[] = {
        {"bash", "~/.bashrc"},
        {"zsh", "~/.zshenv"},
        {"fish", "~/.config/fish/config.fish"},
        {"tcsh", "~/.tcshrc or ~/.cshrc"},
        {"csh", "~/.cshrc"},
    };
    const char *name = strrchr(shell, '/');
    size_t i;

    name = name == NULL ? shell : name + 1;
    for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        if (strcmp(files[i].shell, name) == 0)
            return files[i].file;
    return "its start-up files";
}

/* It does no harm here; rsync, scp and sftp break on it. */
void sbi_judge_noise(const struct sbi_gathered *gathered, struct sbi_finding *finding)
{
    const char *noise = sbi_told(&gathered->told, "noise");
    bool known = gathered->rc_file[0] != '\0';
    const char *file = known ? gathered->rc_file : usual_rc_file(told(gathered, "shell"));

    if (sbi_told_task(&gathered->told, "noise") == SBI_TASK_LATE) {
        sbi_find(finding, SBX_DOCTOR_WARN, "%s takes over 3 s to begin a command",
                 told(gathered, "shell"));
        sbi_find_fix(finding, "let %s return early without a terminal", file);
    } else if (noise != NULL && noise[0] != '\0') {
        sbi_find(
            finding, SBX_DOCTOR_WARN,
            "printed ahead of each command, %s %s: '%s'; no harm to commands here, but "
            "to rsync, scp and sftp",
            known ? "by" : "likely by", file, noise);
        sbi_find_fix(finding, "let %s print nothing where there is no terminal", file);
    } else if (sbi_told_task(&gathered->told, "noise") == SBI_TASK_WELL) {
        sbi_find(finding, SBX_DOCTOR_OK, "nothing is printed ahead of a command");
    }
}

/* What was asked for and not granted hinders nothing but itself. */
static void judge_tried(const struct sbi_tried *tried, const char *granted,
                        struct sbi_finding *finding)
{
    if (!tried->asked)
        return;
    sbi_find(finding, tried->fault.code == SBX_OK ? SBX_DOCTOR_OK : SBX_DOCTOR_WARN, "%s",
             tried->fault.code == SBX_OK ? granted : tried->fault.text);
    sbi_find_fix(finding, "%s", tried->fault.fix);
}

void sbi_judge_terminal(const struct sbi_gathered *gathered, struct sbi_finding *finding)
{
    judge_tried(&gathered->terminal, "a command gets one if it asks", finding);
}

void sbi_judge_user(const struct sbi_gathered *gathered, struct sbi_finding *finding)
{
    if (told(gathered, "uid")[0] != '\0')
        sbi_find(finding, SBX_DOCTOR_OK, "%s (uid %s), groups %s", told(gathered, "user"),
                 told(gathered, "uid"), told(gathered, "groups"));
}

void sbi_judge_system(const struct sbi_gathered *gathered, struct sbi_finding *finding)
{
    if (told(gathered, "system")[0] != '\0')
        sbi_find(finding, SBX_DOCTOR_OK, "%s", told(gathered, "system"));
}

static bool number(const char *text, int64_t *value)
{
    size_t length = strspn(text, "0123456789");

    if (length == 0 || length > 18)
        return false;
    *value = strtoll(text, NULL, 10);
    return true;
}

/* It was asked between two moments of ours: only what lies outside them is a fault. */
static int64_t skew(const struct sbi_gathered *gathered, int64_t there)
{
    if (there > gathered->told_after_s)
        return there - gathered->told_after_s;
    return there < gathered->told_before_s ? there - gathered->told_before_s : 0;
}

void sbi_judge_clock(const struct sbi_gathered *gathered, struct sbi_finding *finding)
{
    int64_t there, off;

    if (!number(told(gathered, "clock"), &there))
        return;
    off = skew(gathered, there);
    if (off >= -1 && off <= 1) {
        sbi_find(finding, SBX_DOCTOR_OK, "as ours, within a second");
        return;
    }
    sbi_find(finding,
             off > MOST_SKEW_S || off < -MOST_SKEW_S ? SBX_DOCTOR_WARN : SBX_DOCTOR_OK,
             "%lld s %s ours", (long long)(off < 0 ? -off : off),
             off < 0 ? "behind" : "ahead of");
    if (finding->state == SBX_DOCTOR_WARN)
        sbi_find_fix(finding, "timedatectl set-ntp true");
}

void sbi_judge_load(const struct sbi_gathered *gathered, struct sbi_finding *finding)
{
    const char *load = told(gathered, "load");
    int64_t whole, cpus = 0;

    if (!number(load, &whole))
        return;
    (void)number(told(gathered, "cpus"), &cpus);
    sbi_find(finding, SBX_DOCTOR_OK, "%.*s on %s CPUs", (int)strcspn(load, " "), load,
             cpus > 0 ? told(gathered, "cpus") : "an unknown number of");
    if (cpus > 0 && whole > 4 * cpus) {
        finding->state = SBX_DOCTOR_WARN;
        sbi_find_fix(finding, "`sbx exec %s top -b -n 1` shows what runs",
                     gathered->place);
    }
}

struct disk {
    const char *name, *write, *space, *inodes;
};

/* What cannot be written to is a failure; what is short of room is a warning. */
static void judge_room(const struct sbi_gathered *gathered, const struct disk *disk,
                       int64_t kb, struct sbi_finding *finding)
{
    const char *folder = told(gathered, disk->name);
    int64_t inodes = -1, all = 0;

    if (sbi_told_df(&gathered->told, disk->inodes, 1, &all) && all > 0)
        (void)sbi_told_df(&gathered->told, disk->inodes, 3, &inodes);
    sbi_find(finding, SBX_DOCTOR_OK, "%s: %.1f GiB free", folder, (double)kb / (1 << 20));
    if (inodes >= 0)
        sbi_find(finding, SBX_DOCTOR_OK, "%s: %.1f GiB free, %lld inodes", folder,
                 (double)kb / (1 << 20), (long long)inodes);
    if (kb < SHORT_KB || (inodes >= 0 && inodes < SHORT_INODES))
        finding->state = SBX_DOCTOR_WARN;
    if (kb < NO_KB || inodes == 0)
        finding->state = SBX_DOCTOR_FAIL;
    if (finding->state != SBX_DOCTOR_OK)
        sbi_find_fix(finding, "du -xk '%s' | sort -n | tail", folder);
}

static void judge_disk(const struct sbi_gathered *gathered, const struct disk *disk,
                       struct sbi_finding *finding)
{
    const char *folder = told(gathered, disk->name);
    int written = sbi_told_task(&gathered->told, disk->write);
    int64_t kb;

    if (written == SBI_TASK_LATE ||
        sbi_told_task(&gathered->told, disk->space) == SBI_TASK_LATE) {
        sbi_find(finding, SBX_DOCTOR_FAIL, "%s: the file system does not answer", folder);
        sbi_find_fix(finding, "`mount` shows what it is: a dead network mount?");
    } else if (written == SBI_TASK_ILL) {
        sbi_find(finding, SBX_DOCTOR_FAIL, "'%s' is not there, or cannot be written to",
                 folder);
        sbi_find_fix(finding, "ls -ld '%s'", folder);
    } else if (sbi_told_df(&gathered->told, disk->space, 3, &kb)) {
        judge_room(gathered, disk, kb, finding);
    } else if (sbi_told_task(&gathered->told, disk->space) == SBI_TASK_ILL) {
        sbi_find(finding, SBX_DOCTOR_UNKNOWN, "%s",
                 sbi_told_last(&gathered->told, disk->space));
    }
}

void sbi_judge_home(const struct sbi_gathered *gathered, struct sbi_finding *finding)
{
    static const struct disk disk = {"home", "home-write", "home-space", "home-inodes"};

    judge_disk(gathered, &disk, finding);
}

void sbi_judge_tmp(const struct sbi_gathered *gathered, struct sbi_finding *finding)
{
    static const struct disk disk = {"tmp", "tmp-write", "tmp-space", "tmp-inodes"};

    judge_disk(gathered, &disk, finding);
}

void sbi_judge_sessions(const struct sbi_gathered *gathered, struct sbi_finding *finding)
{
    const struct sbi_crowd *crowd = &gathered->crowd;

    if (crowd->asked == 0)
        return;
    sbi_find(finding, SBX_DOCTOR_OK, "%d commands at once", crowd->asked);
    if (crowd->late > 0) {
        sbi_find(finding, SBX_DOCTOR_UNKNOWN, "of %d commands at once %d were too slow",
                 crowd->asked, crowd->late);
    } else if (crowd->ran < crowd->asked) {
        sbi_find(finding, SBX_DOCTOR_WARN, "of %d commands at once %d ran", crowd->asked,
                 crowd->ran);
        sbi_find_fix(finding, "MaxSessions 10 and MaxStartups 10:30:100 in sshd_config");
    } else if (crowd->connections > 1) {
        sbi_find(finding, SBX_DOCTOR_OK, "%d commands at once, over %d connections",
                 crowd->asked, crowd->connections);
        sbi_find_fix(finding, "MaxSessions 10 in sshd_config makes one do");
    }
}

void sbi_judge_forwarding(const struct sbi_gathered *gathered,
                          struct sbi_finding *finding)
{
    judge_tried(&gathered->forwarding,
                "it lets connections through, as a jump host has to", finding);
}

/* Who does not ask for it is safer without it. */
void sbi_judge_agent(const struct sbi_gathered *gathered, struct sbi_finding *finding)
{
    const cJSON *wanted =
        cJSON_GetObjectItemCaseSensitive(gathered->settings, "forwardagent");

    if (!cJSON_IsTrue(wanted)) {
        sbi_find(finding, SBX_DOCTOR_SKIPPED, "no agent is lent: nobody asks for it");
    } else if (strcmp(told(gathered, "agent"), "yes") == 0) {
        sbi_find(finding, SBX_DOCTOR_OK, "what runs there may use an agent");
    } else if (strcmp(told(gathered, "agent"), "no") == 0) {
        sbi_find(finding, SBX_DOCTOR_WARN,
                 "ForwardAgent is set, and no agent is seen over there");
        sbi_find_fix(finding, "here an agent that runs (ssh-add -l); over there "
                              "AllowAgentForwarding yes, and no `restrict` or "
                              "`no-agent-forwarding` before the key");
    }
}
