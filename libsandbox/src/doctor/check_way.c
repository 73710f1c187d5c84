/* check_way.c - judges the way to a place: its name, the connection, the login. */
#include "doctor/checks.h"

#include <string.h>

#define SLOW_CONNECT_MS 3000
#define SLOW_ANSWER_US 500000

static const char *setting(const struct sbi_gathered *gathered, const char *key)
{
    const char *text = sbi_gathered_text(gathered->settings, key);

    return text == NULL ? "" : text;
}

static int port(const struct sbi_gathered *gathered)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(gathered->settings, "port");

    return cJSON_IsNumber(item) ? item->valueint : 22;
}

/* A fact as it is, or what stands for it where the login came no further. */
static const char *fact(const struct sbi_gathered *gathered, const char *key,
                        const char *otherwise)
{
    const char *text = sbi_gathered_text(gathered->facts, key);

    return text == NULL ? otherwise : text;
}

static const char *source_words(int source)
{
    static const char *const words[] = {
        [SBX_HOST_BUILTIN] = "built in",
        [SBX_HOST_LIST] = "in the list of hosts",
        [SBX_HOST_ENVIRONMENT] = "in the environment",
        [SBX_HOST_SSH_CONFIG] = "in ssh_config",
        [SBX_HOST_NAME] = "in no list: taken as the name of a machine",
    };

    return source >= SBX_HOST_BUILTIN && source <= SBX_HOST_NAME ? words[source] : "?";
}

void sbi_judge_config(const struct sbi_gathered *gathered, struct sbi_finding *finding)
{
    const cJSON *warnings =
        cJSON_GetObjectItemCaseSensitive(gathered->settings, "warnings");
    const cJSON *first = cJSON_GetArrayItem(warnings, 0);
    int more = cJSON_GetArraySize(warnings) - 1;

    sbi_find(finding, SBX_DOCTOR_OK, "%s", source_words(gathered->source));
    if (gathered->nearest != NULL) {
        sbi_find(finding, SBX_DOCTOR_WARN, "%s", source_words(gathered->source));
        sbi_find_fix(finding, "did you mean '%s'?", gathered->nearest);
    }
    if (cJSON_IsString(first)) {
        sbi_find(finding, SBX_DOCTOR_WARN, more > 0 ? "%s (and %d more)" : "%s",
                 first->valuestring, more);
        sbi_find_fix(finding, "mend or take out that line");
    }
}

void sbi_judge_address(const struct sbi_gathered *gathered, struct sbi_finding *finding)
{
    const char *peer = fact(gathered, "peer", "");
    const char *name = setting(gathered, "hostname");
    bool is_other = peer[0] != '\0' && strcmp(peer, name) != 0;

    sbi_find(finding, SBX_DOCTOR_OK, "%s port %d%s%s", name, port(gathered),
             is_other ? ", reached at " : "", is_other ? peer : "");
}

void sbi_judge_route(const struct sbi_gathered *gathered, struct sbi_finding *finding)
{
    const char *jump = setting(gathered, "proxyjump");
    const char *command = setting(gathered, "proxycommand");
    const char *via = fact(gathered, "via", "");

    if (via[0] != '\0')
        sbi_find(finding, SBX_DOCTOR_OK, "over the connection that '%s' has", via);
    else if (jump[0] != '\0')
        sbi_find(finding, SBX_DOCTOR_OK, "through '%s'", jump);
    else if (command[0] != '\0')
        sbi_find(finding, SBX_DOCTOR_OK, "through ProxyCommand '%s'", command);
    else
        sbi_find(finding, SBX_DOCTOR_OK, "direct");
}

void sbi_judge_port(const struct sbi_gathered *gathered, struct sbi_finding *finding)
{
    sbi_find(finding, SBX_DOCTOR_OK, "%d takes connections", port(gathered));
}

void sbi_judge_jump(const struct sbi_gathered *gathered, struct sbi_finding *finding)
{
    const char *jump = setting(gathered, "proxyjump");

    if (jump[0] == '\0')
        sbi_find(finding, SBX_DOCTOR_SKIPPED, "no host between");
    else
        sbi_find(finding, SBX_DOCTOR_OK, "'%s' lets connections through", jump);
}

void sbi_judge_banner(const struct sbi_gathered *gathered, struct sbi_finding *finding)
{
    sbi_find(finding, SBX_DOCTOR_OK, "%s",
             fact(gathered, "server", "an SSH server answers"));
}

void sbi_judge_kex(const struct sbi_gathered *gathered, struct sbi_finding *finding)
{
    if (gathered->facts == NULL)
        sbi_find(finding, SBX_DOCTOR_OK, "keys were exchanged");
    else
        sbi_find(finding, SBX_DOCTOR_OK, "%s, %s, %s", fact(gathered, "kex", "?"),
                 fact(gathered, "cipher", "?"), fact(gathered, "mac", "?"));
}

void sbi_judge_host_key(const struct sbi_gathered *gathered, struct sbi_finding *finding)
{
    const char *key = fact(gathered, "host_key", "it is the one that is known");

    if (strcmp(setting(gathered, "stricthostkeychecking"), "no") == 0) {
        sbi_find(finding, SBX_DOCTOR_WARN, "%s; a changed one would pass", key);
        sbi_find_fix(finding, "StrictHostKeyChecking accept-new");
        return;
    }
    sbi_find(finding, SBX_DOCTOR_OK, "%s", key);
}

void sbi_judge_auth(const struct sbi_gathered *gathered, struct sbi_finding *finding)
{
    sbi_find(finding, SBX_DOCTOR_OK, "logged in as '%s'", setting(gathered, "user"));
}

void sbi_judge_connect(const struct sbi_gathered *gathered, struct sbi_finding *finding)
{
    bool slow = gathered->connect_ms > SLOW_CONNECT_MS;

    sbi_find(finding, slow ? SBX_DOCTOR_WARN : SBX_DOCTOR_OK, "%lld ms",
             (long long)gathered->connect_ms);
    if (slow)
        sbi_find_fix(finding, "`ssh -v %s true` shows which step is slow",
                     gathered->place);
}

void sbi_judge_latency(const struct sbi_gathered *gathered, struct sbi_finding *finding)
{
    bool slow = gathered->answer_us > SLOW_ANSWER_US;
    int fault = gathered->answer_fault.code;

    if (gathered->answers < 3 &&
        (fault == SBX_ERR_TIMEOUT || fault == SBX_ERR_UNSUPPORTED) &&
        gathered->told.count > 0) {
        sbi_find(finding, SBX_DOCTOR_WARN,
                 "the server runs commands and answers no keepalive");
        return;
    }
    if (gathered->answers < 3) {
        sbi_find(finding, SBX_DOCTOR_FAIL, "%s", gathered->answer_fault.text);
        sbi_find_fix(finding, "%s", gathered->answer_fault.fix);
        return;
    }
    sbi_find(finding, slow ? SBX_DOCTOR_WARN : SBX_DOCTOR_OK, "%.1f ms, median of 3",
             (double)gathered->answer_us / 1000);
    if (slow)
        sbi_find_fix(finding, "`ping %s` tells the network from the machine",
                     setting(gathered, "hostname"));
}
