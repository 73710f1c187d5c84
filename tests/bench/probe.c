/*
 * probe.c - measures probes of many sessions that are open.
 *
 *     bench_probe warm ROUNDS CONFIG PLACE HOSTS   that many at once, to the last one
 *     bench_probe cold ROUNDS CONFIG PLACES SBX    SBX top of all, less the half second
 *                                                  of sampling; xargs with as many ssh
 *     bench_probe cpu ROUNDS CONFIG PLACE          CPU time of the script over there
 *
 * Prints one row, "NAME UNIT OURS THEIRS RATIO", as bench_exec does.
 */
#include "probe/script.h"

#include "bench/measure.h"

#include <sandbox/exec.h>
#include <sandbox/probe.h>
#include <sandbox/task.h>

#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

#define MOST 200

static sbx_hosts *read_hosts(const char *config)
{
    sbx_hosts *hosts = NULL;
    sbx_error err = {0};

    if (sbx_hosts_parse("[]", 2, &SBX_OPTS(sbx_hosts_opts, .ssh_config = config), &hosts,
                        &err) < 0)
        fail("read hosts", err.text);
    return hosts;
}

static sbx_session *open_session(sbx_hosts *hosts, const char *place)
{
    sbx_session *session = NULL;
    sbx_error err = {0};

    if (sbx_session_open(hosts, place, NULL, &session, &err) < 0)
        fail("open a session", err.text);
    return session;
}

static int probe_once(sbx_cancel *cancel, void *session, sbx_error *err)
{
    sbx_probe_report *report = NULL;
    int rc = sbx_probe(session, NULL, &report, err);

    (void)cancel;
    sbx_probe_report_free(report);
    return rc;
}

static double probe_all(sbx_session **sessions, size_t count)
{
    sbx_task *tasks[MOST];
    double start = now();
    sbx_error err = {0};
    size_t i;

    for (i = 0; i < count; i++)
        if (sbx_task_start(probe_once, sessions[i], NULL, &tasks[i], &err) < 0)
            fail("start a probe", err.text);
    for (i = 0; i < count; i++) {
        (void)sbx_task_wait(tasks[i], -1);
        if (sbx_task_result(tasks[i], &err) < 0)
            fail("probe", err.text);
    }
    start = now() - start;
    for (i = 0; i < count; i++)
        sbx_task_free(tasks[i]);
    return start;
}

static void run_warm(size_t rounds, const char *config, const char *place, size_t count)
{
    sbx_session *sessions[MOST];
    sbx_hosts *hosts = read_hosts(config);
    double times[MOST];
    size_t i;

    if (rounds < 1 || rounds > MOST || count < 1 || count > MOST)
        fail("arguments", "out of range");
    for (i = 0; i < count; i++)
        sessions[i] = open_session(hosts, place);
    (void)probe_all(sessions, count);
    for (i = 0; i < rounds; i++)
        times[i] = probe_all(sessions, count);
    (void)printf("warm s %.3f - -\n", median(times, rounds));
    for (i = 0; i < count; i++)
        sbx_session_free(sessions[i]);
    sbx_hosts_free(hosts);
}

/* Seconds that a shell's script takes. */
static double spawn(const char *script, const char *config, const char *places,
                    const char *sbx)
{
    const char *const argv[] = {"/bin/sh", "-c", script, "sh", config, places, sbx, NULL};
    double start = now();
    int status = -1;
    pid_t pid;

    if (posix_spawn(&pid, argv[0], NULL, NULL, (char *const *)(uintptr_t)argv, environ) !=
            0 ||
        waitpid(pid, &status, 0) != pid || status != 0)
        fail("run", script);
    return now() - start;
}

static void run_cold(size_t rounds, const char *config, const char *places,
                     const char *sbx)
{
    static const char ours_script[] =
        "\"$3\" -F \"$1\" top --once -t 120 \"$2\" >/dev/null";
    static const char theirs_script[] =
        "echo \"$2\" | tr , '\\n' | xargs -P50 -I{} ssh -F \"$1\" {} cat /proc/loadavg "
        ">/dev/null";
    double ours[MOST], theirs[MOST], mine, other;
    size_t i;

    if (rounds < 1 || rounds > MOST)
        fail("arguments", "out of range");
    (void)spawn(ours_script, config, places, sbx);
    (void)spawn(theirs_script, config, places, sbx);
    for (i = 0; i < rounds; i++) {
        ours[i] = spawn(ours_script, config, places, sbx) - 0.5;
        theirs[i] = spawn(theirs_script, config, places, sbx);
    }
    mine = median(ours, rounds);
    other = median(theirs, rounds);
    (void)printf("cold s %.3f %.3f %.3f\n", mine, other, mine / other);
}

/* User and system time of the script and its children, as `times` of the shell has it. */
static double script_cpu(sbx_session *session)
{
    static const char measure[] =
        "script=$1; shift; /bin/sh -c \"$script\" sbx sbx:bench: 0.5 100 >/dev/null; times";
    const char *const argv[] = {"/bin/sh", "-c", measure, "sbx", sbi_probe_script, NULL};
    sbx_exec_result *result = NULL;
    sbx_error err = {0};
    double total;
    int minutes[2];
    double seconds[2];
    const char *line;

    if (sbx_exec_argv(session, argv, NULL, &result, &err) < 0)
        fail("exec", err.text);
    line = strchr(result->output, '\n');
    if (line == NULL || sscanf(line, " %dm%lfs %dm%lfs", &minutes[0], &seconds[0],
                               &minutes[1], &seconds[1]) != 4)
        fail("times", result->output);
    total = 60 * (minutes[0] + minutes[1]) + seconds[0] + seconds[1];
    sbx_exec_result_free(result);
    return total * 1000;
}

static void run_cpu(size_t rounds, const char *config, const char *place)
{
    sbx_hosts *hosts = read_hosts(config);
    sbx_session *session = open_session(hosts, place);
    double times[MOST];
    size_t i;

    if (rounds < 1 || rounds > MOST)
        fail("arguments", "out of range");
    (void)script_cpu(session);
    for (i = 0; i < rounds; i++)
        times[i] = script_cpu(session);
    (void)printf("cpu ms %.0f - -\n", median(times, rounds));
    sbx_session_free(session);
    sbx_hosts_free(hosts);
}

int main(int argc, char **argv)
{
    size_t rounds = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

    if (argc == 6 && strcmp(argv[1], "warm") == 0)
        run_warm(rounds, argv[3], argv[4], strtoul(argv[5], NULL, 10));
    else if (argc == 6 && strcmp(argv[1], "cold") == 0)
        run_cold(rounds, argv[3], argv[4], argv[5]);
    else if (argc == 5 && strcmp(argv[1], "cpu") == 0)
        run_cpu(rounds, argv[3], argv[4]);
    else
        fail("usage", "warm ROUNDS CONFIG PLACE HOSTS | cpu ROUNDS CONFIG PLACE");
    return 0;
}
