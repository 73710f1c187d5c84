/*
 * exec.c - measures commands of ours against the installed ssh, turn by turn.
 *
 *     bench_exec warm ROUNDS CONFIG PLACE SOCKET   a warm session; ssh -S SOCKET
 *     bench_exec fresh ROUNDS CONFIG PLACE SBX     whole programs: SBX exec; ssh
 *     bench_exec kept ROUNDS CONFIG PLACE SBX SOCKET   SBX exec over a keeper; ssh -S
 * SOCKET bench_exec down ROUNDS CONFIG PLACE FILE     the file, read over there
 *     bench_exec up ROUNDS CONFIG PLACE FILE       the file, sent there
 *     bench_exec crowd ROUNDS CONFIG PLACES SBX    `true` on all of them at once, from
 *                                                  cold; xargs with as many ssh
 *     bench_exec programs ROUNDS CONFIG PLACE OURS THEIRS   two lines of shell text
 *     bench_exec rates ROUNDS CONFIG PLACE OURS THEIRS MB   the same, in MB/s
 *     bench_exec memory SESSIONS CONFIG PLACE      resident memory of that many
 *
 * Prints one row, as print_row does; `memory` has no THEIRS.
 */
#include "bench/measure.h"

#include <sandbox/exec.h>

#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_ROUNDS 1000

extern char **environ;

struct bench {
    const char *config;
    const char *place;
    const char *thing;  /* what the word behind the place names */
    const char *other;  /* the word behind that */
    const char *socket; /* the last word, of `warm` and `kept` */
    sbx_session *session;
    double size; /* of the file, in MB */
};

/* Seconds of one turn. */
typedef double (*turn_fn)(struct bench *bench);

static sbx_session *open_session(struct bench *bench)
{
    sbx_session *session = NULL;
    sbx_hosts *hosts = NULL;
    sbx_error err = {0};

    if (sbx_hosts_parse("[]", 2, &SBX_OPTS(sbx_hosts_opts, .ssh_config = bench->config),
                        &hosts, &err) < 0 ||
        sbx_session_open(hosts, bench->place, NULL, &session, &err) < 0)
        fail("open a session", err.text);
    sbx_hosts_free(hosts);
    return session;
}

static uint64_t run(struct bench *bench, const char *const *argv, sbx_exec_opts *opts)
{
    sbx_exec_result *result = NULL;
    sbx_error err = {0};
    uint64_t total;

    if (sbx_exec_argv(bench->session, argv, opts, &result, &err) < 0)
        fail("exec", err.text);
    if (result->end != SBX_EXEC_EXITED || result->exit_code != 0)
        fail("exec", sbx_exec_end_name(result->end));
    total = result->output_total;
    sbx_exec_result_free(result);
    return total;
}

/* A whole program, its standard input and output being these files. */
static double spawn(const char *const *argv, const char *input, const char *output)
{
    posix_spawn_file_actions_t files;
    double begin = now();
    int status = 0;
    pid_t pid;

    (void)posix_spawn_file_actions_init(&files);
    (void)posix_spawn_file_actions_addopen(&files, STDIN_FILENO, input, O_RDONLY, 0);
    (void)posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, output, O_WRONLY, 0);
    if (posix_spawnp(&pid, argv[0], &files, NULL, (char *const *)(uintptr_t)argv,
                     environ) != 0)
        fail(argv[0], "cannot be started");
    (void)posix_spawn_file_actions_destroy(&files);
    (void)waitpid(pid, &status, 0);
    if (status != 0)
        fail(argv[0], "failed");
    return now() - begin;
}

static double warm_ours(struct bench *bench)
{
    const char *const argv[] = {"true", NULL};
    double begin = now();

    (void)run(bench, argv, NULL);
    return now() - begin;
}

static double warm_theirs(struct bench *bench)
{
    const char *const argv[] = {"ssh",         "-S",         bench->socket, "-F",
                                bench->config, bench->place, "true",        NULL};

    return spawn(argv, "/dev/null", "/dev/null");
}

static double fresh_ours(struct bench *bench)
{
    const char *const argv[] = {bench->thing, "-F",   bench->config, "exec",
                                bench->place, "true", NULL};

    return spawn(argv, "/dev/null", "/dev/null");
}

static double fresh_theirs(struct bench *bench)
{
    const char *const argv[] = {"ssh", "-F", bench->config, bench->place, "true", NULL};

    return spawn(argv, "/dev/null", "/dev/null");
}

/* A line of shell text, to which the place is $1 and the ssh_config $2. */
static double shell(struct bench *bench, const char *text)
{
    const char *const argv[] = {"sh",         "-c",          text, "sh",
                                bench->place, bench->config, NULL};

    return spawn(argv, "/dev/null", "/dev/null");
}

static double shell_ours(struct bench *bench)
{
    return shell(bench, bench->thing);
}

static double shell_theirs(struct bench *bench)
{
    return shell(bench, bench->other);
}

static double crowd_theirs(struct bench *bench)
{
    static const char script[] =
        "echo \"$2\" | tr , '\\n' | xargs -P50 -I{} ssh -F \"$1\" {} true";
    const char *const argv[] = {"sh",          "-c",         script, "sh",
                                bench->config, bench->place, NULL};

    return spawn(argv, "/dev/null", "/dev/null");
}

/* Written out as ssh writes it, so that both do the same work. */
static int write_out(int stream, const void *data, size_t length, void *userdata)
{
    (void)stream;
    return write(*(int *)userdata, data, length) == (ssize_t)length ? 0 : 1;
}

static double down_ours(struct bench *bench)
{
    const char *const argv[] = {"cat", bench->thing, NULL};
    int sink = open("/dev/null", O_WRONLY | O_CLOEXEC);
    sbx_exec_opts opts = SBX_OPTS(sbx_exec_opts, .flags = SBX_EXEC_NO_SPOOL,
                                  .on_output = write_out, .userdata = &sink);
    double begin = now(), took;

    if ((double)run(bench, argv, &opts) != bench->size * 1e6)
        fail("down", "bytes are missing");
    took = now() - begin;
    (void)close(sink);
    return took;
}

static double down_theirs(struct bench *bench)
{
    const char *const argv[] = {"ssh",        "-S",  "none",       "-F", bench->config,
                                bench->place, "cat", bench->thing, NULL};

    return spawn(argv, "/dev/null", "/dev/null");
}

static double up_ours(struct bench *bench)
{
    const char *const argv[] = {"sh", "-c", "cat >/dev/null", NULL};
    int source = open(bench->thing, O_RDONLY | O_CLOEXEC);
    sbx_exec_opts opts =
        SBX_OPTS(sbx_exec_opts, .flags = SBX_EXEC_NO_SPOOL | SBX_EXEC_INPUT_FD,
                 .input_fd = source);
    double begin = now(), took;

    (void)run(bench, argv, &opts);
    took = now() - begin;
    (void)close(source);
    return took;
}

static double up_theirs(struct bench *bench)
{
    const char *const argv[] = {"ssh",         "-S",         "none",           "-F",
                                bench->config, bench->place, "cat >/dev/null", NULL};

    return spawn(argv, bench->thing, "/dev/null");
}

static const struct mode {
    const char *name;
    turn_fn ours;
    turn_fn theirs;
    int is_rate; /* MB/s, else milliseconds */
} modes[] = {
    {"warm", warm_ours, warm_theirs, 0},    {"fresh", fresh_ours, fresh_theirs, 0},
    {"kept", fresh_ours, warm_theirs, 0},   {"programs", shell_ours, shell_theirs, 0},
    {"rates", shell_ours, shell_theirs, 1}, {"down", down_ours, down_theirs, 1},
    {"up", up_ours, up_theirs, 1},          {"crowd", fresh_ours, crowd_theirs, 0},
};

/* Both take turns, so that what else the machine does hits both. */
static void measure(const struct mode *mode, struct bench *bench, size_t rounds)
{
    static double ours[MOST_ROUNDS], theirs[MOST_ROUNDS];
    size_t i;

    (void)mode->ours(bench);
    (void)mode->theirs(bench);
    for (i = 0; i < rounds; i++) {
        ours[i] = mode->ours(bench);
        theirs[i] = mode->theirs(bench);
    }
    print_row(mode->name, mode->is_rate ? "MB/s" : "ms", mode->is_rate ? bench->size : 0,
              ours, theirs, rounds);
}

static long resident_kib(void)
{
    FILE *status = fopen("/proc/self/status", "re");
    char line[256];
    long kib = 0;

    while (status != NULL && fgets(line, sizeof(line), status) != NULL)
        if (strncmp(line, "VmRSS:", 6) == 0)
            kib = strtol(line + 6, NULL, 10);
    if (status != NULL)
        (void)fclose(status);
    return kib;
}

/* Each session has run a command, as it would have in use. */
static void measure_memory(struct bench *bench, size_t count)
{
    static sbx_session *sessions[MOST_ROUNDS];
    size_t i;

    for (i = 0; i < count; i++) {
        bench->session = sessions[i] = open_session(bench);
        (void)warm_ours(bench);
    }
    (void)printf("memory MB %.2f - -\n", (double)resident_kib() / 1024);
    for (i = 0; i < count; i++)
        sbx_session_free(sessions[i]);
}

static size_t read_count(const char *word)
{
    unsigned long count = strtoul(word, NULL, 10);

    if (count == 0 || count > MOST_ROUNDS)
        fail(word, "not a number of rounds");
    return count;
}

int main(int argc, char **argv)
{
    struct bench bench = {0};
    struct stat file;
    size_t i;

    if (argc < 5)
        fail("usage", "MODE ROUNDS CONFIG PLACE [THING]");
    bench.config = argv[3];
    bench.place = argv[4];
    bench.thing = argc > 5 ? argv[5] : "";
    bench.other = argc > 6 ? argv[6] : "";
    bench.socket = argv[argc - 1];
    if (strcmp(argv[1], "memory") == 0) {
        measure_memory(&bench, read_count(argv[2]));
        return 0;
    }
    if (strcmp(argv[1], "rates") == 0)
        bench.size = strtod(bench.socket, NULL);
    else if (stat(bench.thing, &file) == 0)
        bench.size = (double)file.st_size / 1e6;
    for (i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
        if (strcmp(argv[1], modes[i].name) == 0) {
            if (modes[i].ours != shell_ours && strcmp(argv[1], "crowd") != 0)
                bench.session = open_session(&bench);
            measure(&modes[i], &bench, read_count(argv[2]));
            sbx_session_free(bench.session);
            return 0;
        }
    fail(argv[1], "no such mode");
}
