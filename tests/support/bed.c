/* bed.c - a place and prog_proxy before it, for C tests that break the line. */
#include "support/bed.h"

#include "support/ask.h"
#include "support/helper.h"
#include "support/places.h"

#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PATIENCE_MS 30000

struct bed bed;

static struct helper proxy;

int bed_wait(int64_t ms, int (*holds)(const void *), const void *what)
{
    const struct timespec moment = {0, 10000000};
    int64_t end = now_ms() + ms;

    while (!holds(what)) {
        if (now_ms() >= end)
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

    (void)snprintf(path, sizeof(paths[0]), "%s/%s", places_told("WORK"), name);
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

int bed_is_gone(const void *file)
{
    long pid = bed_read_number(file);

    return pid > 0 && is_gone((pid_t)pid);
}

/* The account's name stands in the block `Host sh` of the fixture's ssh_config. */
static void read_user(void)
{
    char text[4096];
    const struct passwd *entry;
    const char *at;

    read_file(places_told("SSHD_CONFIG"), text, sizeof(text));
    at = strstr(text, "Host sh\n");
    at = at == NULL ? NULL : strstr(at, "User ");
    ck_assert_ptr_nonnull(at);
    ck_assert_int_eq(sscanf(at, "User %63s", bed.user), 1);
    entry = getpwnam(bed.user);
    ck_assert_ptr_nonnull(entry);
    bed.uid = entry->pw_uid;
}

void bed_make(const char *const *lines)
{
    char text[512] = "";
    size_t length = 0;

    for (; lines != NULL && *lines != NULL; lines++) {
        ck_assert_uint_lt(length + strlen(*lines) + 1, sizeof(text));
        length += (size_t)snprintf(text + length, sizeof(text) - length, "%s\n", *lines);
    }
    places_start(SH, SH + 1, text);
    bed.sshd = (pid_t)places_number("SSHD_PID");
    bed.port = (int)places_number("SSHD_PORT");
    (void)snprintf(bed.folder, sizeof(bed.folder), "%s", places_told("SSHD_DIR"));
    read_user();
}

void bed_unmake(void)
{
    places_stop();
}

void bed_line(void)
{
    const char *argv[] = {helper_program("prog_proxy"), "0", places_told("SSHD_PORT"),
                          NULL};
    char line[64];

    helper_start(&proxy, argv);
    helper_hear(&proxy, line, sizeof(line));
    bed.proxy_port = (int)strtol(line, NULL, 10);
}

void bed_say(const char *order)
{
    char line[128];

    helper_say(&proxy, order);
    helper_hear(&proxy, line, sizeof(line));
    ck_assert_str_eq(line, "ok");
}

/* The answer is "CONNECTIONS UP DOWN". */
static long count(int which)
{
    char line[128];
    char *at = line;
    long value = 0;

    helper_say(&proxy, "count");
    helper_hear(&proxy, line, sizeof(line));
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

static void write_config(const char *file)
{
    FILE *config = fopen(file, "we");

    ck_assert_ptr_nonnull(config);
    (void)fprintf(config,
                  "Host t\n    HostName 127.0.0.1\n    Port %d\n    User %s\n"
                  "    IdentityFile %s/key\n"
                  "    IdentitiesOnly yes\n    UserKnownHostsFile /dev/null\n"
                  "    GlobalKnownHostsFile /dev/null\n    StrictHostKeyChecking no\n",
                  bed.proxy_port, bed.user, bed.folder);
    (void)fclose(config);
}

int bed_try(int64_t connect_ms, int64_t keepalive_ms, sbx_session **out, sbx_error *err)
{
    const char *file = bed_path("c_config");
    sbx_hosts *hosts = NULL;
    int rc;

    write_config(file);
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

sbx_session *bed_open(int64_t connect_ms, int64_t keepalive_ms)
{
    sbx_session *session = NULL;
    sbx_error err = {0};

    ck_assert_msg(bed_try(connect_ms, keepalive_ms, &session, &err) == SBX_OK, "%s",
                  err.text);
    return session;
}

sbx_session *bed_open_straight(void)
{
    return place_open(SH);
}

sbx_exec_result *bed_run(sbx_session *session, const char *command, int64_t timeout_ms,
                         uint64_t flags)
{
    return ask(session, command,
               &SBX_OPTS(sbx_exec_opts, .timeout_ms = timeout_ms,
                         .kill_after_ms = BED_KILL_MS, .grace_ms = BED_GRACE_MS,
                         .flags = flags));
}

void bed_works(sbx_session *session)
{
    sbx_exec_result *result = bed_run(session, "echo works", 20000, 0);

    expect_exit(result, 0);
    ck_assert_str_eq(result->output, "works\n");
    sbx_exec_result_free(result);
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
        if (!is_gone((pid_t)pid))
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
