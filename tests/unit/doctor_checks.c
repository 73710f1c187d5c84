/* doctor_checks.c - tests of what the checks make of what was gathered. */
#include "support/unit.h"

#include "doctor/checks.h"

#include <stdio.h>
#include <string.h>

#define TOOLS "tool=tar\ntool=tmux\ntools=all\n"
#define DISK(free, inodes)                                                               \
    "home=/home/ada\ntask=home-write\ndone=0\ntask=home-space\n/dev/a 9 9 " free         \
    " 1% /\ndone=0\ntask=home-inodes\n/dev/a 9 9 " inodes " 1% /\ndone=0\n"

static struct sbi_gathered gathered;
static struct sbi_finding findings[64];

static void settle(const char *json)
{
    sbi_json_clear(&gathered.settings);
    ck_assert_int_eq(sbi_json_parse(json, strlen(json), &gathered.settings, NULL),
                     SBX_OK);
}

static void setup(void)
{
    gathered = (struct sbi_gathered){.place = "gpu1",
                                     .source = SBX_HOST_LIST,
                                     .connected = true,
                                     .answers = 3,
                                     .told_before_s = 1000,
                                     .told_after_s = 1002};
    settle("{\"hostname\":\"192.0.2.10\",\"port\":22,\"user\":\"ada\"}");
}

static void tear_down(void)
{
    sbi_gathered_clear(&gathered);
}

static const struct sbi_finding *found(const char *name)
{
    size_t i;

    ck_assert_uint_le(sbi_check_count(), 64);
    sbi_check_all(&gathered, findings);
    for (i = 0; i < sbi_check_count(); i++)
        if (strcmp(findings[i].name, name) == 0)
            return &findings[i];
    ck_abort_msg("no check '%s'", name);
}

static void tell(const char *text)
{
    sbi_told_clear(&gathered.told);
    ck_assert_int_eq(sbi_told_parse(text, strlen(text), &gathered.told, NULL), SBX_OK);
}

static void stay_out(int code, const char *check)
{
    gathered.connected = false;
    (void)sbi_fail(&gathered.fault, code, "what happened");
    if (check != NULL)
        (void)sbi_fix(&gathered.fault, code, check, "what mends it");
}

static void expect(const char *check, int state, const char *seen, const char *fix)
{
    const struct sbi_finding *finding = found(check);

    ck_assert_str_eq(sbx_doctor_state_name(finding->state), sbx_doctor_state_name(state));
    ck_assert_msg(strstr(finding->seen, seen) != NULL, "'%s' has no '%s'", finding->seen,
                  seen);
    ck_assert_msg(strstr(finding->fix, fix) != NULL &&
                      (fix[0] != '\0') == (finding->fix[0] != '\0'),
                  "the fix is '%s'", finding->fix);
}

static const struct {
    const char *told;
    const char *check;
    int state;
    const char *seen;
    const char *fix;
} told_rows[] = {
    {"shell=/usr/bin/fish\n", "login-shell", SBX_DOCTOR_OK, "/usr/bin/fish", ""},
    {"shell=\n", "login-shell", SBX_DOCTOR_OK, "SHELL is not set", ""},
    {"task=noise\ndone=0\n", "rc-noise", SBX_DOCTOR_OK, "nothing is printed", ""},
    {"shell=/bin/bash\ntask=noise\nhello\ndone=0\n", "rc-noise", SBX_DOCTOR_WARN,
     "likely by ~/.bashrc: 'hello'", "~/.bashrc print nothing"},
    {"shell=/usr/bin/zsh\ntask=noise\ndone=late\n", "rc-noise", SBX_DOCTOR_WARN,
     "over 3 s", "~/.zshenv return early"},
    {"user=ada\n", "rc-noise", SBX_DOCTOR_UNKNOWN, "not told", ""},
    {"uid=7\nuser=ada\ngroups=ada gpu\n", "user", SBX_DOCTOR_OK,
     "ada (uid 7), groups ada gpu", ""},
    {"system=Linux 6.1 x86_64\n", "system", SBX_DOCTOR_OK, "Linux 6.1", ""},
    {"clock=1001\n", "clock", SBX_DOCTOR_OK, "within a second", ""},
    {"clock=999\n", "clock", SBX_DOCTOR_OK, "within a second", ""},
    {"clock=1005\n", "clock", SBX_DOCTOR_OK, "3 s ahead of ours", ""},
    {"clock=1062\n", "clock", SBX_DOCTOR_WARN, "60 s ahead of ours", "set-ntp"},
    {"clock=940\n", "clock", SBX_DOCTOR_WARN, "60 s behind ours", "set-ntp"},
    {"clock=\n", "clock", SBX_DOCTOR_UNKNOWN, "not told", ""},
    {"load=0.50 1 1\ncpus=8\n", "load", SBX_DOCTOR_OK, "0.50 on 8 CPUs", ""},
    {"load=40.10 1 1\ncpus=8\n", "load", SBX_DOCTOR_WARN, "40.10", "top"},
    {"load=40.10 1 1\ncpus=\n", "load", SBX_DOCTOR_OK, "unknown number", ""},
    {DISK("2097152", "5000"), "home", SBX_DOCTOR_OK, "2.0 GiB free, 5000 inodes", ""},
    {DISK("102400", "5000"), "home", SBX_DOCTOR_WARN, "0.1 GiB", "du -xk"},
    {DISK("0", "5000"), "home", SBX_DOCTOR_FAIL, "0.0 GiB", "du -xk"},
    {DISK("2097152", "0"), "home", SBX_DOCTOR_FAIL, "0 inodes", "du -xk"},
    {"home=/x\ntask=home-write\ndone=1\n", "home", SBX_DOCTOR_FAIL, "'/x'", "ls -ld"},
    {"home=/x\ntask=home-write\ndone=late\n", "home", SBX_DOCTOR_FAIL, "not answer",
     "mount"},
    {"home=/x\ntask=home-write\n", "home", SBX_DOCTOR_UNKNOWN, "not told", ""},
    {"home=/\ntask=home-write\ndone=0\ntask=home-space\nFilesystem\nno mount\ndone=1\n",
     "home", SBX_DOCTOR_UNKNOWN, "no mount", ""},
    {TOOLS, "tools", SBX_DOCTOR_OK, "tar tmux; not there: gzip", ""},
    {"tool=tmux\ntools=all\nmanager=apk\n", "tools", SBX_DOCTOR_WARN, "tmux; not",
     "apk add tar"},
    {"tools=all\n", "tools", SBX_DOCTOR_WARN, "none; not there", "install tar tmux"},
    {"tool=tar\n", "tools", SBX_DOCTOR_UNKNOWN, "not told", ""},
    {TOOLS "task=tmux\ntmux 3.3a\ndone=0\n", "tmux", SBX_DOCTOR_OK, "tmux 3.3a", ""},
    {"tools=all\n", "tmux", SBX_DOCTOR_SKIPPED, "no tmux", ""},
    {"systemd=no\nlinger=no\n", "linger", SBX_DOCTOR_SKIPPED, "no systemd", ""},
    {"systemd=yes\nlinger=yes\n", "linger", SBX_DOCTOR_OK, "yes", ""},
    {"user=ada\nsystemd=yes\nlinger=no\n", "linger", SBX_DOCTOR_WARN, "may be ended",
     "enable-linger ada"},
    {"systemd=yes\nlinger=no\ntask=kill\nb false\ndone=0\n", "linger", SBX_DOCTOR_OK,
     "no", ""},
    {"systemd=yes\nlinger=no\ntask=kill\nb true\ndone=0\n", "kill-user-processes",
     SBX_DOCTOR_WARN, "on", "KillUserProcesses=no"},
    {"systemd=yes\nlinger=yes\ntask=kill\nb true\ndone=0\n", "kill-user-processes",
     SBX_DOCTOR_OK, "linger", ""},
    {"systemd=yes\n", "kill-user-processes", SBX_DOCTOR_UNKNOWN, "did not say", ""},
    {TOOLS, "containers", SBX_DOCTOR_SKIPPED, "no engine", ""},
    {TOOLS "task=docker\n24.0.5\ndone=0\n", "containers", SBX_DOCTOR_OK, "docker 24.0.5",
     ""},
    {TOOLS "user=ada\ntask=docker\npermission denied while\ndone=1\n", "containers",
     SBX_DOCTOR_WARN, "permission denied", "usermod -aG docker ada"},
    {TOOLS "systemd=yes\ntask=docker\nCannot connect\ndone=1\n", "containers",
     SBX_DOCTOR_WARN, "Cannot connect", "systemctl start docker"},
    {TOOLS "task=docker\ndone=late\ntask=podman\n4.3.1\ndone=0\n", "containers",
     SBX_DOCTOR_OK, "podman 4.3.1", ""},
    {TOOLS "end=1\n", "gpu", SBX_DOCTOR_OK, "none", ""},
    {TOOLS, "gpu", SBX_DOCTOR_UNKNOWN, "not told", ""},
    {TOOLS "task=nvidia-smi\nGPU 0: NVIDIA L40S (UUID: GPU-1)\n  MIG 1g.5gb Device 0: "
           "(UUID: MIG-1)\ndone=0\nend=1\n",
     "gpu", SBX_DOCTOR_OK, "NVIDIA L40S", ""},
    {TOOLS "task=rocm-smi\nGPU[0]\t\t: Card Series: \t\tInstinct MI210\ndone=0\n", "gpu",
     SBX_DOCTOR_OK, "Instinct MI210", ""},
    {TOOLS "task=nvidia-smi\nno driver\ndone=9\nend=1\n", "gpu", SBX_DOCTOR_WARN,
     "nvidia-smi fails: no driver", "dmesg"},
    {TOOLS "task=nvidia-smi\ndone=late\nend=1\n", "gpu", SBX_DOCTOR_WARN, "hangs",
     "dmesg"},
    {TOOLS "task=nvidia-smi\n", "gpu", SBX_DOCTOR_UNKNOWN, "did not end", ""},
};

START_TEST(what_the_script_tells_is_judged)
{
    size_t i;

    for (i = 0; i < sizeof(told_rows) / sizeof(told_rows[0]); i++) {
        tell(told_rows[i].told);
        expect(told_rows[i].check, told_rows[i].state, told_rows[i].seen,
               told_rows[i].fix);
    }
}
END_TEST

START_TEST(a_script_that_ended_early_makes_the_rest_unknown)
{
    tell("uid=0\nuser=root\ngroups=root\n");
    (void)sbi_fail(&gathered.told_fault, SBX_ERR_TIMEOUT, "no answer within 9 s");
    expect("user", SBX_DOCTOR_OK, "root", "");
    expect("gpu", SBX_DOCTOR_UNKNOWN, "no answer within 9 s", "");
    expect("session-limit", SBX_DOCTOR_UNKNOWN, "no answer within 9 s", "");
}
END_TEST

START_TEST(a_login_shell_that_runs_nothing_fails_and_the_rest_waits)
{
    (void)sbi_fail(&gathered.told_fault, SBX_ERR_REMOTE, "ran nothing");
    (void)sbi_fix(&gathered.told_fault, SBX_ERR_REMOTE, "login-shell",
                  "see what it says");
    expect("latency", SBX_DOCTOR_OK, "0.0 ms", "");
    expect("login-shell", SBX_DOCTOR_FAIL, "ran nothing", "see what");
    expect("user", SBX_DOCTOR_SKIPPED, "needs 'login-shell'", "");
    expect("session-limit", SBX_DOCTOR_SKIPPED, "needs 'login-shell'", "");
}
END_TEST

START_TEST(a_slow_login_shell_is_told)
{
    tell("shell=/bin/bash\n");
    gathered.first_word_ms = 8400;
    expect("login-shell", SBX_DOCTOR_WARN, "/bin/bash takes 8400 ms", "rc files");
}
END_TEST

START_TEST(of_a_failed_connection_the_steps_before_held_and_the_rest_wait)
{
    stay_out(SBX_ERR_CONNECT, "kex");
    expect("config", SBX_DOCTOR_OK, "list of hosts", "");
    expect("address", SBX_DOCTOR_OK, "192.0.2.10 port 22", "");
    expect("route", SBX_DOCTOR_OK, "direct", "");
    expect("banner", SBX_DOCTOR_OK, "answers", "");
    expect("kex", SBX_DOCTOR_FAIL, "what happened", "what mends it");
    expect("host-key", SBX_DOCTOR_SKIPPED, "needs 'kex'", "");
    expect("gpu", SBX_DOCTOR_SKIPPED, "needs 'kex'", "");
}
END_TEST

START_TEST(behind_a_jump_host_the_steps_before_are_unknown)
{
    settle("{\"hostname\":\"192.0.2.10\",\"port\":22,\"proxyjump\":\"bastion\"}");
    stay_out(SBX_ERR_AUTH, "auth");
    expect("config", SBX_DOCTOR_OK, "list", "");
    expect("address", SBX_DOCTOR_UNKNOWN, "before or behind", "");
    expect("host-key", SBX_DOCTOR_UNKNOWN, "before or behind", "");
    expect("auth", SBX_DOCTOR_FAIL, "what happened", "what mends it");
}
END_TEST

START_TEST(a_failure_that_names_no_check_is_that_of_connect)
{
    stay_out(SBX_ERR_IO, NULL);
    expect("config", SBX_DOCTOR_OK, "list", "");
    expect("port", SBX_DOCTOR_UNKNOWN, "before or behind", "");
    expect("connect", SBX_DOCTOR_FAIL, "what happened", "");
    expect("latency", SBX_DOCTOR_SKIPPED, "needs 'connect'", "");
}
END_TEST

START_TEST(a_check_of_the_far_side_does_not_stand_for_a_connection)
{
    stay_out(SBX_ERR_IO, "gpu");
    expect("connect", SBX_DOCTOR_FAIL, "what happened", "what mends it");
    expect("gpu", SBX_DOCTOR_SKIPPED, "needs 'connect'", "");
}
END_TEST

START_TEST(a_host_that_cannot_be_resolved_fails_in_its_configuration)
{
    sbi_json_clear(&gathered.settings);
    stay_out(SBX_ERR_CONFIG, "config");
    expect("config", SBX_DOCTOR_FAIL, "what happened", "what mends it");
    expect("address", SBX_DOCTOR_SKIPPED, "needs 'config'", "");
}
END_TEST

START_TEST(a_word_near_a_known_name_and_a_line_not_understood_are_warned_of)
{
    gathered.source = SBX_HOST_NAME;
    gathered.nearest = "gpu1";
    expect("config", SBX_DOCTOR_WARN, "in no list", "did you mean 'gpu1'?");
    settle("{\"warnings\":[\"line 3: unknown\",\"line 4: unknown\"]}");
    expect("config", SBX_DOCTOR_WARN, "line 3: unknown (and 1 more)", "that line");
}
END_TEST

START_TEST(an_agent_is_looked_for_where_one_is_to_be_lent)
{
    expect("agent-forwarding", SBX_DOCTOR_SKIPPED, "nobody asks", "");
    (void)cJSON_AddBoolToObject(gathered.settings, "forwardagent", true);
    expect("agent-forwarding", SBX_DOCTOR_UNKNOWN, "not told", "");
    tell("agent=no\n");
    expect("agent-forwarding", SBX_DOCTOR_WARN, "no agent is seen",
           "AllowAgentForwarding");
    tell("agent=yes\n");
    expect("agent-forwarding", SBX_DOCTOR_OK, "may use an agent", "");
}
END_TEST

START_TEST(the_crowd_is_judged_by_how_many_came_and_over_what)
{
    expect("session-limit", SBX_DOCTOR_UNKNOWN, "not told", "");
    gathered.crowd = (struct sbi_crowd){.asked = 4, .ran = 4};
    gathered.crowd.connections = 1;
    expect("session-limit", SBX_DOCTOR_OK, "4 commands at once", "");
    gathered.crowd.connections = 2;
    expect("session-limit", SBX_DOCTOR_OK, "over 2 connections", "MaxSessions");
    gathered.crowd.ran = 2;
    expect("session-limit", SBX_DOCTOR_WARN, "of 4 commands at once 2 ran",
           "MaxSessions");
    gathered.crowd.late = 2;
    expect("session-limit", SBX_DOCTOR_UNKNOWN, "2 were too slow", "");
}
END_TEST

START_TEST(this_machine_has_no_network_to_look_at)
{
    gathered.local = true;
    gathered.source = SBX_HOST_BUILTIN;
    expect("config", SBX_DOCTOR_OK, "built in", "");
    expect("auth", SBX_DOCTOR_SKIPPED, "no network", "");
    expect("rc-noise", SBX_DOCTOR_SKIPPED, "no network", "");
    expect("connect", SBX_DOCTOR_OK, "ms", "");
}
END_TEST

START_TEST(a_host_key_that_is_not_looked_at_is_warned_of)
{
    settle("{\"stricthostkeychecking\":\"no\"}");
    expect("host-key", SBX_DOCTOR_WARN, "would pass", "accept-new");
}
END_TEST

START_TEST(no_answer_has_failed_and_a_slow_one_is_warned_of)
{
    gathered.answer_us = 900000;
    expect("latency", SBX_DOCTOR_WARN, "900.0 ms", "ping");
    gathered.answers = 1;
    (void)sbi_fail(&gathered.answer_fault, SBX_ERR_TIMEOUT, "no answer");
    expect("latency", SBX_DOCTOR_FAIL, "no answer", "");
    tell("uid=0\n");
    expect("latency", SBX_DOCTOR_WARN, "answers no keepalive", "");
    gathered.connect_ms = 9000;
    expect("connect", SBX_DOCTOR_WARN, "9000 ms", "ssh -v");
}
END_TEST

void unit_add(TCase *tests)
{
    tcase_add_checked_fixture(tests, setup, tear_down);
    tcase_add_test(tests, what_the_script_tells_is_judged);
    tcase_add_test(tests, a_script_that_ended_early_makes_the_rest_unknown);
    tcase_add_test(tests, a_login_shell_that_runs_nothing_fails_and_the_rest_waits);
    tcase_add_test(tests, a_slow_login_shell_is_told);
    tcase_add_test(tests, an_agent_is_looked_for_where_one_is_to_be_lent);
    tcase_add_test(tests, of_a_failed_connection_the_steps_before_held_and_the_rest_wait);
    tcase_add_test(tests, behind_a_jump_host_the_steps_before_are_unknown);
    tcase_add_test(tests, a_failure_that_names_no_check_is_that_of_connect);
    tcase_add_test(tests, a_check_of_the_far_side_does_not_stand_for_a_connection);
    tcase_add_test(tests, a_host_that_cannot_be_resolved_fails_in_its_configuration);
    tcase_add_test(tests,
                   a_word_near_a_known_name_and_a_line_not_understood_are_warned_of);
    tcase_add_test(tests, the_crowd_is_judged_by_how_many_came_and_over_what);
    tcase_add_test(tests, this_machine_has_no_network_to_look_at);
    tcase_add_test(tests, a_host_key_that_is_not_looked_at_is_warned_of);
    tcase_add_test(tests, no_answer_has_failed_and_a_slow_one_is_warned_of);
}
