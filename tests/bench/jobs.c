/*
 * jobs.c - measures jobs on a session that is open.
 *
 *     bench_jobs start ROUNDS CONFIG PLACE SOCKET  a start; beside it nohup through ssh
 *     bench_jobs trips ROUNDS CONFIG PLACE FAR     round trips that a start takes
 *     bench_jobs ls ROUNDS CONFIG PLACE FAR        round trips of the list of 100 jobs
 *     bench_jobs cpu ROUNDS CONFIG PLACE           CPU time of that script over there
 *
 * FAR is the place behind a line of 200 ms a round trip. Trips are told by the quickest
 * of all rounds there and here: what else runs on the machine only ever adds.
 *
 * Prints one row, "NAME UNIT OURS THEIRS RATIO", as bench_exec does.
 */
#include "job/script.h"

#include "bench/measure.h"

#include <sandbox/exec.h>
#include <sandbox/job.h>

#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

#define MOST 200
#define JOBS 100
#define TRIP_MS 200

static sbx_session *open_session(sbx_hosts *hosts, const char *place)
{
    sbx_session *session = NULL;
    sbx_error err = {0};

    if (sbx_session_open(hosts, place, NULL, &session, &err) < 0)
        fail("open a session", err.text);
    return session;
}

static void start(sbx_session *session, const char *command)
{
    const sbx_job_start_opts opts = {.size = sizeof(opts), .flags = SBX_JOB_NO_TERMINAL};
    sbx_job *job = NULL;
    sbx_error err = {0};

    if (sbx_job_start(session, command, &opts, &job, &err) < 0)
        fail("start a job", err.text);
    sbx_job_free(job);
}

static void start_one(sbx_session *session)
{
    start(session, "true");
}

static void list(sbx_session *session)
{
    sbx_job_list *all = NULL;
    sbx_error err = {0};

    if (sbx_job_list_all(session, NULL, &all, &err) < 0)
        fail("list jobs", err.text);
    if (all->count < JOBS)
        fail("list jobs", "some are missing");
    sbx_job_list_free(all);
}

/* Of rounds calls, after one that does not count: the first in order of time, and so on.
 */
static double measure(void (*call)(sbx_session *session), sbx_session *session,
                      size_t rounds, size_t which)
{
    double times[MOST];
    size_t i;

    call(session);
    for (i = 0; i < rounds; i++) {
        double begin = now_ms();

        call(session);
        times[i] = now_ms() - begin;
    }
    qsort(times, rounds, sizeof(times[0]), compare);
    return times[which];
}

static double spawn(const char *config, const char *place, const char *socket)
{
    static const char script[] = "exec ssh -F \"$1\" -S \"$3\" \"$2\" "
                                 "'nohup setsid sh -c true >/dev/null 2>&1 & echo $!' "
                                 ">/dev/null";
    const char *const argv[] = {"/bin/sh", "-c",  script, "sh",
                                config,    place, socket, NULL};
    double begin = now_ms();
    int status = -1;
    pid_t pid;

    if (posix_spawn(&pid, argv[0], NULL, NULL, (char *const *)(uintptr_t)argv, environ) !=
            0 ||
        waitpid(pid, &status, 0) != pid || status != 0)
        fail("run", script);
    return now_ms() - begin;
}

static void run_start(size_t rounds, char **argv, sbx_hosts *hosts)
{
    sbx_session *session = open_session(hosts, argv[4]);
    double ours = measure(start_one, session, rounds, rounds / 2), theirs[MOST];
    size_t i;

    for (i = 0; i < rounds; i++)
        theirs[i] = spawn(argv[3], argv[4], argv[5]);
    qsort(theirs, rounds, sizeof(theirs[0]), compare);
    (void)printf("start ms %.1f %.1f %.2f\n", ours, theirs[rounds / 2],
                 ours / theirs[rounds / 2]);
    sbx_session_free(session);
}

static void run_trips(size_t rounds, char **argv, sbx_hosts *hosts,
                      void (*call)(sbx_session *session))
{
    sbx_session *near = open_session(hosts, argv[4]), *far = open_session(hosts, argv[5]);
    double here, there;

    here = measure(call, near, rounds, 0);
    there = measure(call, far, rounds, 0);
    (void)printf("%s trips %.2f - -\n", argv[1], (there - here) / TRIP_MS);
    sbx_session_free(near);
    sbx_session_free(far);
}

static void make_jobs(sbx_hosts *hosts, const char *place)
{
    sbx_session *session = open_session(hosts, place);
    int i;

    for (i = 0; i < JOBS; i++)
        start(session, i % 2 == 0 ? "sleep 300" : "true");
    sbx_session_free(session);
}

/* User and system time of the script and its children, as `times` of the shell has it. */
static double script_cpu(sbx_session *session)
{
    static const char measuring[] =
        "script=$1; shift; /bin/sh -c \"$script\" sbx '' >/dev/null; times";
    const char *const argv[] = {"/bin/sh",           "-c", measuring, "sbx",
                                sbi_job_script_list, NULL};
    sbx_exec_result *result = NULL;
    sbx_error err = {0};
    int minutes[2];
    double seconds[2];
    const char *line;

    if (sbx_exec_argv(session, argv, NULL, &result, &err) < 0)
        fail("exec", err.text);
    line = strchr(result->output, '\n');
    if (line == NULL || sscanf(line, " %dm%lfs %dm%lfs", &minutes[0], &seconds[0],
                               &minutes[1], &seconds[1]) != 4)
        fail("times", result->output);
    sbx_exec_result_free(result);
    return (60 * (minutes[0] + minutes[1]) + seconds[0] + seconds[1]) * 1000;
}

static void run_cpu(size_t rounds, char **argv, sbx_hosts *hosts)
{
    sbx_session *session = open_session(hosts, argv[4]);
    double times[MOST];
    size_t i;

    for (i = 0; i < rounds; i++)
        times[i] = script_cpu(session);
    qsort(times, rounds, sizeof(times[0]), compare);
    (void)printf("cpu ms %.0f - -\n", times[rounds / 2]);
    sbx_session_free(session);
}

int main(int argc, char **argv)
{
    size_t rounds = argc > 4 ? strtoul(argv[2], NULL, 10) : 0;
    sbx_hosts *hosts = NULL;
    sbx_error err = {0};

    if (argc < 5 || rounds < 1 || rounds > MOST)
        fail("usage", "start|trips|ls|cpu ROUNDS CONFIG PLACE [SOCKET|FAR]");
    if (sbx_hosts_parse("[]", 2, &SBX_OPTS(sbx_hosts_opts, .ssh_config = argv[3]), &hosts,
                        &err) < 0)
        fail("read hosts", err.text);
    if (argc == 6 && strcmp(argv[1], "start") == 0) {
        run_start(rounds, argv, hosts);
    } else if (argc == 6 && strcmp(argv[1], "trips") == 0) {
        run_trips(rounds, argv, hosts, start_one);
    } else if (argc == 6 && strcmp(argv[1], "ls") == 0) {
        make_jobs(hosts, argv[4]);
        run_trips(rounds, argv, hosts, list);
    } else if (strcmp(argv[1], "cpu") == 0) {
        run_cpu(rounds, argv, hosts);
    } else {
        fail("usage", argv[1]);
    }
    sbx_hosts_free(hosts);
    return 0;
}
