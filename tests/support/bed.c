/* bed.c - starts sshd.sh and prog_proxy for C tests, and talks to them. */
#include "support/bed.h"

#include <check.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MOST_WORDS 32
#define PATIENCE_MS 30000

struct bed bed = {.server_in = -1, .proxy_in = -1, .proxy_out = -1};

int64_t bed_now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int bed_wait(int64_t ms, int (*holds)(const void *), const void *what)
{
    const struct timespec moment = {0, 10000000};
    int64_t end = bed_now_ms() + ms;

    while (!holds(what)) {
        if (bed_now_ms() >= end)
            return 0;
        (void)nanosleep(&moment, NULL);
    }
    return 1;
}

const char *bed_path(const char *name)
{
    static char paths[8][320];
    static unsigned next;
    char *path = paths[next++ % 8];

    (void)snprintf(path, sizeof(paths[0]), "%s/work/%s", bed.folder, name);
    return path;
}

int bed_exists(const void *file)
{
    return access(file, F_OK) == 0;
}

static void read_file(const char *file, char *text, size_t room)
{
    int fd = open(file, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, text, room - 1);

    if (fd >= 0)
        (void)close(fd);
    text[got < 0 ? 0 : got] = '\0';
}

long bed_read_number(const char *file)
{
    char text[64];

    read_file(file, text, sizeof(text));
    return strtol(text, NULL, 10);
}

static int pid_is_gone(long pid)
{
    char file[64], text[512];
    const char *state;

    (void)snprintf(file, sizeof(file), "/proc/%ld/stat", pid);
    read_file(file, text, sizeof(text));
    state = strrchr(text, ')');
    return state == NULL || strlen(state) < 3 || state[2] == 'Z' || state[2] == 'X';
}

int bed_is_gone(const void *file)
{
    long pid = bed_read_number(file);

    return pid > 0 && pid_is_gone(pid);
}

/* A child with its standard input, and its output, in our hands. */
static pid_t start(const char *const *argv, int *in, int *out)
{
    int input[2], output[2];
    pid_t pid;

    ck_assert_int_eq(pipe2(input, O_CLOEXEC), 0);
    ck_assert_int_eq(pipe2(output, O_CLOEXEC), 0);
    pid = fork();
    ck_assert_int_ge(pid, 0);
    if (pid == 0) {
        (void)dup2(input[0], STDIN_FILENO);
        (void)dup2(output[1], STDOUT_FILENO);
        (void)execvp(argv[0], (char *const *)(uintptr_t)argv);
        _exit(127);
    }
    (void)close(input[0]);
    (void)close(output[1]);
    *in = input[1];
    *out = output[0];
    return pid;
}

/* One line, without its end. */
static void read_line(int fd, char *line, size_t room)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    size_t length = 0;
    char byte = '\0';

    for (;;) {
        ck_assert_msg(poll(&ready, 1, PATIENCE_MS) > 0, "no word from the fixture");
        ck_assert_msg(read(fd, &byte, 1) == 1, "the fixture ended");
        if (byte == '\n')
            break;
        if (length + 1 < room)
            line[length++] = byte;
    }
    line[length] = '\0';
}

static void take_setting(const char *line)
{
    if (strncmp(line, "SSHD_PORT=", 10) == 0)
        bed.port = (int)strtol(line + 10, NULL, 10);
    else if (strncmp(line, "SSHD_PID=", 9) == 0)
        bed.sshd = (pid_t)strtol(line + 9, NULL, 10);
    else if (strncmp(line, "SSHD_DIR=", 9) == 0)
        (void)snprintf(bed.folder, sizeof(bed.folder), "%s", line + 9);
}

/* The account's name stands in the block `Host plain` of the fixture's ssh_config. */
static void read_user(void)
{
    char file[300], text[4096];
    const struct passwd *user;
    const char *at;

    (void)snprintf(file, sizeof(file), "%s/ssh_config", bed.folder);
    read_file(file, text, sizeof(text));
    at = strstr(text, "Host plain\n");
    at = at == NULL ? NULL : strstr(at, "User ");
    ck_assert_ptr_nonnull(at);
    ck_assert_int_eq(sscanf(at, "User %63s", bed.user), 1);
    user = getpwnam(bed.user);
    ck_assert_ptr_nonnull(user);
    bed.uid = user->pw_uid;
}

static void make_work_folder(void)
{
    char folder[300];

    (void)snprintf(folder, sizeof(folder), "%s/work", bed.folder);
    ck_assert_int_eq(mkdir(folder, 0700), 0);
    ck_assert_int_eq(chmod(folder, 01777), 0);
}

void bed_make(const char *const *lines)
{
    const char *argv[MOST_WORDS] = {"sh", NULL, "serve", "plain:/bin/sh", "--"};
    char script[512], line[200] = "";
    size_t count = 5;
    int out;

    (void)snprintf(script, sizeof(script), "%s/sshd.sh", getenv("TEST_SUPPORT"));
    argv[1] = script;
    while (lines != NULL && *lines != NULL && count + 1 < MOST_WORDS)
        argv[count++] = *lines++;
    bed.server = start(argv, &bed.server_in, &out);
    while (strcmp(line, "ready") != 0) {
        read_line(out, line, sizeof(line));
        take_setting(line);
    }
    (void)close(out);
    read_user();
    make_work_folder();
}

void bed_unmake(void)
{
    if (bed.server_in >= 0)
        (void)close(bed.server_in);
    bed.server_in = -1;
    (void)waitpid(bed.server, NULL, 0);
}

void bed_line(void)
{
    const char *argv[] = {NULL, "0", NULL, NULL};
    char program[512], port[16], line[64];

    (void)snprintf(program, sizeof(program), "%s/tests/prog_proxy", getenv("SBX_BUILD"));
    (void)snprintf(port, sizeof(port), "%d", bed.port);
    argv[0] = program;
    argv[2] = port;
    bed.proxy = start(argv, &bed.proxy_in, &bed.proxy_out);
    read_line(bed.proxy_out, line, sizeof(line));
    bed.proxy_port = (int)strtol(line, NULL, 10);
}

void bed_order(const char *order, char *answer, size_t room)
{
    char line[128];

    ck_assert_int_gt(dprintf(bed.proxy_in, "%s\n", order), 0);
    read_line(bed.proxy_out, line, sizeof(line));
    if (answer != NULL)
        (void)snprintf(answer, room, "%s", line);
    else
        ck_assert_str_eq(line, "ok");
}

void bed_say(const char *order)
{
    bed_order(order, NULL, 0);
}

/* "CONNECTIONS UP DOWN" */
static long count(int which)
{
    char answer[128];
    char *at = answer;
    long value = 0;

    bed_order("count", answer, sizeof(answer));
    while (which-- >= 0)
        value = strtol(at, &at, 10);
    return value;
}

long bed_connections(void)
{
    return count(0);
}

long bed_bytes_down(void)
{
    return count(2);
}

static void write_config(const char *file, int port)
{
    FILE *config = fopen(file, "we");

    ck_assert_ptr_nonnull(config);
    (void)fprintf(config,
                  "Host t\n    HostName 127.0.0.1\n    Port %d\n    User %s\n"
                  "    IdentityFile %s/key\n"
                  "    IdentitiesOnly yes\n    UserKnownHostsFile /dev/null\n"
                  "    GlobalKnownHostsFile /dev/null\n    StrictHostKeyChecking no\n",
                  port, bed.user, bed.folder);
    (void)fclose(config);
}

static int try_port(int port, int64_t connect_ms, int64_t keepalive_ms, sbx_session **out,
                    sbx_error *err)
{
    const char *file = bed_path("c_config");
    sbx_hosts *hosts = NULL;
    int rc;

    write_config(file, port);
    rc = sbx_hosts_parse("[]", 2, &SBX_OPTS(sbx_hosts_opts, .ssh_config = file), &hosts,
                         err);
    if (rc == SBX_OK)
        rc =
            sbx_session_open(hosts, "t",
                             &SBX_OPTS(sbx_session_opts, .connect_timeout_ms = connect_ms,
                                       .keepalive_ms = keepalive_ms),
                             out, err);
    sbx_hosts_free(hosts);
    return rc;
}

int bed_try(int64_t connect_ms, int64_t keepalive_ms, sbx_session **out, sbx_error *err)
{
    return try_port(bed.proxy_port, connect_ms, keepalive_ms, out, err);
}

static sbx_session *must_open(int port, int64_t connect_ms, int64_t keepalive_ms)
{
    sbx_session *session = NULL;
    sbx_error err = {0};

    ck_assert_msg(try_port(port, connect_ms, keepalive_ms, &session, &err) == SBX_OK,
                  "%s", err.text);
    return session;
}

sbx_session *bed_open(int64_t connect_ms, int64_t keepalive_ms)
{
    return must_open(bed.proxy_port, connect_ms, keepalive_ms);
}

sbx_session *bed_open_straight(void)
{
    return must_open(bed.port, 0, 0);
}

/* The last child of a process that still runs, 0: none. */
static pid_t last_child(pid_t parent)
{
    char file[64], text[4096];
    pid_t last = 0;
    char *at = text;
    long pid;

    (void)snprintf(file, sizeof(file), "/proc/%d/task/%d/children", (int)parent,
                   (int)parent);
    read_file(file, text, sizeof(text));
    while ((pid = strtol(at, &at, 10)) > 0)
        if (!pid_is_gone(pid))
            last = (pid_t)pid;
    return last;
}

static int is_of_user(const void *pid)
{
    char folder[64];
    struct stat at;

    (void)snprintf(folder, sizeof(folder), "/proc/%d", (int)*(const pid_t *)pid);
    return stat(folder, &at) == 0 && at.st_uid == bed.uid;
}

static int serves(const void *pid)
{
    pid_t *out = (pid_t *)(uintptr_t)pid;

    *out = last_child(last_child(bed.sshd));
    return *out > 0 && is_of_user(out);
}

/* Below sshd's privileged process of the connection is the one that talks. */
pid_t bed_connection_pid(void)
{
    pid_t pid = 0;

    ck_assert_msg(bed_wait(PATIENCE_MS, serves, &pid), "nobody serves the connection");
    return pid;
}
