/*
 * mcp.c - measures the MCP server: how fast it answers, and what it adds to a command.
 *
 *     bench_mcp ping ROUNDS CONFIG PLACE SERVER     99 of 100 pings are answered within
 *     bench_mcp rate ROUNDS CONFIG PLACE SERVER     calls a second on one pipe
 *     bench_mcp start ROUNDS CONFIG PLACE SERVER    from its start to its first answer
 *     bench_mcp exec ROUNDS CONFIG PLACE SERVER     what a warm exec_bash of `true` takes
 *                                                   more than the same by the library
 *
 * Prints one row, "NAME UNIT OURS THEIRS RATIO", as bench_exec does.
 */
#include "bench/measure.h"

#include <sandbox/exec.h>

#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

#define LINE_ROOM (1 << 20)
#define CALLS 3000
#define SETTLE_MS 30

struct server {
    pid_t pid;
    FILE *to;
    FILE *from;
};

static struct server start(const char *program, const char *config)
{
    char *const words[] = {(char *)(uintptr_t)program, (char *)(uintptr_t) "-F",
                           (char *)(uintptr_t)config, NULL};
    posix_spawn_file_actions_t actions;
    struct server server = {0};
    int in[2], out[2];

    if (pipe(in) < 0 || pipe(out) < 0)
        fail("bench", "no pipe");
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_adddup2(&actions, in[0], 0);
    (void)posix_spawn_file_actions_adddup2(&actions, out[1], 1);
    (void)posix_spawn_file_actions_addclose(&actions, in[1]);
    (void)posix_spawn_file_actions_addclose(&actions, out[0]);
    if (posix_spawn(&server.pid, program, &actions, NULL, words, environ) != 0)
        fail("bench", "the server does not start");
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)close(in[0]);
    (void)close(out[1]);
    server.to = fdopen(in[1], "w");
    server.from = fdopen(out[0], "r");
    if (server.to == NULL || server.from == NULL)
        fail("bench", "out of memory");
    return server;
}

static void end(struct server *server)
{
    (void)fclose(server->to);
    (void)waitpid(server->pid, NULL, 0);
    (void)fclose(server->from);
}

static void hear(struct server *server, const char *wanted)
{
    static char line[LINE_ROOM];

    if (fgets(line, sizeof(line), server->from) == NULL || strstr(line, wanted) == NULL)
        fail("bench", "an answer is not what was asked for");
}

static void ping(struct server *server)
{
    (void)fputs("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n", server->to);
    (void)fflush(server->to);
}

static void bench_ping(const char *program, const char *config, size_t rounds)
{
    struct server server = start(program, config);
    double *took = calloc(rounds, sizeof(took[0]));
    size_t i;

    for (i = 0; took != NULL && i < rounds; i++) {
        double from = now_ms();

        ping(&server);
        hear(&server, "\"result\":{}");
        took[i] = now_ms() - from;
    }
    end(&server);
    (void)printf("ping ms %.3f - -\n", at_share(took, rounds, 0.99));
    free(took);
}

/* As fast as the pipe takes them, by a child of ours, so that nobody waits for anybody.
 */
static void bench_rate(const char *program, const char *config, size_t rounds)
{
    struct server server = start(program, config);
    double from = now_ms();
    size_t count = rounds * CALLS, i;
    pid_t child = fork();

    if (child == 0) {
        for (i = 0; i < count; i++)
            (void)fputs("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}\n",
                        server.to);
        (void)fflush(server.to);
        _exit(0);
    }
    for (i = 0; i < count; i++)
        hear(&server, "\"id\":7");
    (void)waitpid(child, NULL, 0);
    (void)printf("rate calls/s %.0f - -\n", (double)count / (now_ms() - from) * 1e3);
    end(&server);
}

static void bench_start(const char *program, const char *config, size_t rounds)
{
    double *took = calloc(rounds, sizeof(took[0]));
    size_t i;

    for (i = 0; took != NULL && i < rounds; i++) {
        double from = now_ms();
        struct server server = start(program, config);

        ping(&server);
        hear(&server, "\"result\":{}");
        took[i] = now_ms() - from;
        end(&server);
    }
    (void)printf("start ms %.2f - -\n", at_share(took, rounds, 0.5));
    free(took);
}

static void settle(void)
{
    const struct timespec pause = {.tv_nsec = SETTLE_MS * 1000000L};

    (void)nanosleep(&pause, NULL);
}

static double time_tool(struct server *server, const char *place)
{
    double from = now_ms();

    (void)fprintf(server->to,
                  "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{"
                  "\"name\":\"exec_bash\",\"arguments\":{\"command\":\"true\","
                  "\"sandbox\":\"%s\"}}}\n",
                  place);
    (void)fflush(server->to);
    hear(server, "\"exit_code\":0");
    return now_ms() - from;
}

static double time_library(sbx_session *session)
{
    const sbx_exec_opts opts = {.size = sizeof(opts), .timeout_ms = 45000};
    sbx_exec_result *result = NULL;
    double from = now_ms();

    if (sbx_exec_shell(session, "true", &opts, &result, NULL) < 0)
        fail("bench", "the library cannot run it");
    sbx_exec_result_free(result);
    return now_ms() - from;
}

/*
 * Turn by turn, so that what else runs hits both. Each begins when what the one before
 * left has ended: a supervisor is started ahead over there, for the next one.
 */
static void bench_exec(const char *program, const char *config, const char *place,
                       size_t rounds)
{
    struct server server = start(program, config);
    double *ours = calloc(rounds, sizeof(ours[0]));
    double *theirs = calloc(rounds, sizeof(theirs[0]));
    sbx_hosts *hosts = NULL;
    sbx_session *session = NULL;
    double a, b;
    size_t i;

    if (sbx_hosts_parse("[]", 2, &SBX_OPTS(sbx_hosts_opts, .ssh_config = config), &hosts,
                        NULL) < 0 ||
        sbx_session_open(hosts, place, NULL, &session, NULL) < 0)
        fail("bench", "no session");
    (void)time_tool(&server, place);
    (void)time_library(session);
    for (i = 0; ours != NULL && theirs != NULL && i < rounds; i++) {
        settle();
        ours[i] = time_tool(&server, place);
        settle();
        theirs[i] = time_library(session);
    }
    a = at_share(ours, rounds, 0.5);
    b = at_share(theirs, rounds, 0.5);
    (void)fprintf(stderr, "exec_bash %.2f ms, by the library %.2f ms\n", a, b);
    (void)printf("exec ms %.2f - -\n", a - b);
    sbx_session_free(session);
    sbx_hosts_free(hosts);
    free(ours);
    free(theirs);
    end(&server);
}

int main(int argc, char **argv)
{
    size_t rounds = argc == 6 ? (size_t)strtoul(argv[2], NULL, 10) : 0;

    if (rounds == 0)
        fail("bench", "usage: ping|rate|start|exec ROUNDS CONFIG PLACE SERVER");
    if (strcmp(argv[1], "ping") == 0)
        bench_ping(argv[5], argv[3], rounds);
    else if (strcmp(argv[1], "rate") == 0)
        bench_rate(argv[5], argv[3], rounds);
    else if (strcmp(argv[1], "start") == 0)
        bench_start(argv[5], argv[3], rounds);
    else
        bench_exec(argv[5], argv[3], argv[4], rounds);
    return 0;
}
