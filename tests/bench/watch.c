/*
 * watch.c - what a watchdog with 500 watches on 50 hosts takes of this machine.
 *
 *     bench_watch cpu SECONDS CONFIG HOSTS SBX
 *     bench_watch memory SECONDS CONFIG HOSTS SBX
 *
 * cpu is the percentage of a core: of a round each five minutes and of what so many
 * seconds of nothing to do take. memory is what is resident after that. HOSTS is
 * "h1,h2..."; of the one account behind them ten jobs are watched on each. Prints one
 * row, "NAME UNIT OURS THEIRS RATIO", as bench_exec does.
 */
#include "bench/measure.h"

#include <sandbox/job.h>
#include <sandbox/watch.h>

#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define JOBS 10
#define ROUND_S 300.0
#define WAIT_MS 240000

static char state[64];
static pid_t dog;

static void start_jobs(const char *config, const char *place, char *ids[JOBS])
{
    sbx_session *session = NULL;
    sbx_hosts *hosts = NULL;
    sbx_error err = {0};
    const sbx_job_start_opts opts = {.size = sizeof(opts), .flags = SBX_JOB_NO_TERMINAL};
    int i;

    if (sbx_hosts_parse("[]", 2, &SBX_OPTS(sbx_hosts_opts, .ssh_config = config), &hosts,
                        &err) < 0 ||
        sbx_session_open(hosts, place, NULL, &session, &err) < 0)
        fail("open a session", err.text);
    for (i = 0; i < JOBS; i++) {
        sbx_job *job = NULL;

        if (sbx_job_start(session, "exec sleep 900", &opts, &job, &err) < 0)
            fail("start a job", err.text);
        ids[i] = strdup(job->id);
        sbx_job_free(job);
    }
    sbx_session_free(session);
    sbx_hosts_free(hosts);
}

static void add_watches(sbx_ledger *ledger, const char *config, const char *place,
                        char *ids[JOBS])
{
    const sbx_watch_opts opts = {.size = sizeof(opts), .ssh_config = config};
    sbx_error err = {0};
    int i;

    for (i = 0; i < JOBS; i++)
        if (sbx_watch_add(ledger, place, ids[i], &opts, NULL, &err) < 0)
            fail("add a watch", err.text);
}

static bool all_looked_at(sbx_ledger *ledger)
{
    const sbx_watch_query query = {.size = sizeof(query)};
    sbx_watch_list *list = NULL;
    sbx_error err = {0};
    bool all;
    size_t i;

    if (sbx_watch_list_all(ledger, &query, &list, &err) < 0)
        fail("list watches", err.text);
    all = list->count > 0;
    for (i = 0; i < list->count; i++) {
        if (list->items[i]->error != NULL)
            fail("look", list->items[i]->error);
        all = all && list->items[i]->state != NULL;
    }
    sbx_watch_list_free(list);
    return all;
}

static void rest(double seconds)
{
    (void)usleep((useconds_t)(seconds * 1e6));
}

static void start_dog(const char *sbx)
{
    const char *const argv[] = {sbx, "watch", "run", NULL};

    if (posix_spawn(&dog, sbx, NULL, NULL, (char *const *)(uintptr_t)argv, environ) != 0)
        fail("run", sbx);
}

static void end_dog(void)
{
    char command[128];

    if (dog > 0 && kill(dog, SIGTERM) == 0)
        (void)waitpid(dog, NULL, 0);
    (void)snprintf(command, sizeof(command), "rm -rf '%s'", state);
    (void)!system(command);
}

/* Seconds of user and system time so far. */
static double cpu_of_dog(void)
{
    unsigned long user = 0, system_time = 0;
    char path[64], line[1024] = "";
    const char *at;
    FILE *file;

    (void)snprintf(path, sizeof(path), "/proc/%ld/stat", (long)dog);
    file = fopen(path, "re");
    if (file == NULL || fgets(line, sizeof(line), file) == NULL)
        fail("read", path);
    (void)fclose(file);
    at = strrchr(line, ')');
    if (at == NULL ||
        sscanf(at + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user,
               &system_time) != 2)
        fail("read", path);
    return (double)(user + system_time) / (double)sysconf(_SC_CLK_TCK);
}

static double memory_of_dog(void)
{
    char path[64], line[256];
    unsigned long kibibytes = 0;
    FILE *file;

    (void)snprintf(path, sizeof(path), "/proc/%ld/status", (long)dog);
    file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL)
        (void)sscanf(line, "VmRSS: %lu", &kibibytes);
    if (file != NULL)
        (void)fclose(file);
    return (double)kibibytes * 1024 / 1e6;
}

static void prepare(char **argv, sbx_ledger **ledger)
{
    char *ids[JOBS], *places = strdup(argv[4]), *place, *rest_of = NULL;
    char path[128];
    sbx_error err = {0};

    (void)snprintf(state, sizeof(state), "/tmp/sbxb.XXXXXX");
    if (mkdtemp(state) == NULL || setenv("XDG_STATE_HOME", state, 1) != 0)
        fail("make a folder", state);
    (void)atexit(end_dog);
    (void)snprintf(path, sizeof(path), "%s/sbx/ledger.db", state);
    if (sbx_ledger_open(path, ledger, &err) < 0)
        fail("open a ledger", err.text);
    for (place = strtok_r(places, ",", &rest_of); place != NULL;
         place = strtok_r(NULL, ",", &rest_of)) {
        if (place == places)
            start_jobs(argv[3], place, ids);
        add_watches(*ledger, argv[3], place, ids);
    }
    free(places);
}

int main(int argc, char **argv)
{
    sbx_ledger *ledger = NULL;
    double begun, round, idle, seconds;

    if (argc != 6 || (strcmp(argv[1], "cpu") != 0 && strcmp(argv[1], "memory") != 0))
        fail("usage", "cpu|memory SECONDS CONFIG HOSTS SBX");
    seconds = strtod(argv[2], NULL);
    prepare(argv, &ledger);
    start_dog(argv[5]);
    begun = now_ms();
    while (!all_looked_at(ledger)) {
        if (now_ms() - begun > WAIT_MS)
            fail("wait", "the first round does not end");
        rest(0.5);
    }
    rest(2);
    round = cpu_of_dog();
    rest(seconds);
    idle = cpu_of_dog() - round;
    if (strcmp(argv[1], "cpu") == 0)
        (void)printf("cpu %% %.3f - -\n", 100 * (round / ROUND_S + idle / seconds));
    else
        (void)printf("memory MB %.1f - -\n", memory_of_dog());
    sbx_ledger_close(ledger);
    return 0;
}
