/* places.c - starts places.sh beside the tests, and opens sessions to what it serves. */
#include "support/places.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* spec: for places.sh; NULL needs no server. */
static const struct {
    const char *name;
    const char *spec;
} places[PLACES] = {
    [LOCAL] = {"local", NULL},
    [BASH] = {"bash", "bash:plain:/bin/bash"},
    [CHROOT] = {"chroot", "chroot:chroot"},
    [DROPBEAR] = {"bash.dropbear", "bash:dropbear"},
    [TINYSSHD] = {"bash.tinysshd", "bash:tinysshd"},
    [SH] = {"sh", "sh:plain:/bin/sh"},
    [ZSH] = {"zsh", "zsh:plain:/bin/zsh"},
    [KSH] = {"ksh", "ksh:plain:/bin/ksh93"},
    [MKSH] = {"mksh", "mksh:plain:/bin/mksh"},
    [FISH] = {"fish", "fish:plain:/usr/bin/fish"},
    [TCSH] = {"tcsh", "tcsh:plain:/bin/tcsh"},
    [CSH] = {"csh", "csh:plain:/bin/bsd-csh"},
    [ASH] = {"ash", "ash:plain:ash"},
    [NOISY_BASH] = {"noisy-bash", "noisy-bash:noisy:/bin/bash"},
    [NOISY_ZSH] = {"noisy-zsh", "noisy-zsh:noisy:/bin/zsh"},
    [NOISY_TCSH] = {"noisy-tcsh", "noisy-tcsh:noisy:/bin/tcsh"},
    [NOISY_FISH] = {"noisy-fish", "noisy-fish:noisy:/usr/bin/fish"},
};

static int serve_first, serve_last;
static pid_t server;
static int server_input = -1;
static char told[4096]; /* what it printed, lines as words */

/* The servers end with the last copy of this descriptor: tests must not hold one. */
static void let_go(void)
{
    if (server_input >= 0)
        (void)close(server_input);
    server_input = -1;
}

static void read_until_ready(int fd)
{
    size_t length = 0;
    ssize_t got;

    while (strstr(told, "ready\n") == NULL) {
        got = read(fd, told + length, sizeof(told) - 1 - length);
        if (got <= 0)
            ck_abort_msg("places.sh did not come up");
        length += (size_t)got;
    }
}

static pid_t spawn_server(char *const *argv, int input, int output)
{
    posix_spawn_file_actions_t actions;
    pid_t pid;

    ck_assert_int_eq(posix_spawn_file_actions_init(&actions), 0);
    ck_assert_int_eq(posix_spawn_file_actions_adddup2(&actions, input, 0), 0);
    ck_assert_int_eq(posix_spawn_file_actions_adddup2(&actions, output, 1), 0);
    ck_assert_int_eq(posix_spawnp(&pid, "sh", &actions, NULL, argv, environ), 0);
    (void)posix_spawn_file_actions_destroy(&actions);
    return pid;
}

static void start(void)
{
    const char *support = getenv("TEST_SUPPORT");
    const char *argv[PLACES + 3] = {"sh"};
    char script[4096];
    int input[2], output[2], place, count = 2;

    ck_assert_msg(support != NULL, "TEST_SUPPORT is not set: run it by ctest");
    (void)snprintf(script, sizeof(script), "%s/places.sh", support);
    argv[1] = script;
    for (place = serve_first; place < serve_last; place++)
        if (places[place].spec != NULL)
            argv[count++] = places[place].spec;
    ck_assert_int_eq(pipe2(input, O_CLOEXEC), 0);
    ck_assert_int_eq(pipe2(output, O_CLOEXEC), 0);
    server = spawn_server((char *const *)argv, input[0], output[1]);
    (void)close(input[0]);
    (void)close(output[1]);
    server_input = input[1];
    read_until_ready(output[0]);
    (void)close(output[0]);
    (void)setenv("XDG_STATE_HOME", places_told("STATE_HOME"), 1);
}

static void stop(void)
{
    int status;

    let_go();
    while (waitpid(server, &status, 0) < 0 && errno == EINTR)
        continue;
}

void places_serve(TCase *tests, int first, int last)
{
    serve_first = first;
    serve_last = last;
    tcase_add_unchecked_fixture(tests, start, stop);
    tcase_set_timeout(tests, 240);
}

const char *place_name(int place)
{
    return places[place].name;
}

bool place_is_root(int place)
{
    return place == LOCAL && geteuid() == 0;
}

const char *places_told(const char *name)
{
    static char value[1024];
    const char *at = strstr(told, name);
    size_t length;

    ck_assert_msg(at != NULL, "places.sh told no %s", name);
    at += strlen(name) + 1;
    length = strcspn(at, "\n");
    ck_assert_uint_lt(length, sizeof(value));
    memcpy(value, at, length);
    value[length] = '\0';
    return value;
}

pid_t places_pid(const char *name)
{
    return (pid_t)strtol(places_told(name), NULL, 10);
}

sbx_hosts *place_hosts(void)
{
    const char *config = places_told("SSHD_CONFIG");
    sbx_hosts *hosts = NULL;
    sbx_error err = {0};
    int rc;

    rc = sbx_hosts_parse("[]", 2, &SBX_OPTS(sbx_hosts_opts, .ssh_config = config), &hosts,
                         &err);
    ck_assert_msg(rc == SBX_OK, "%s", err.text);
    return hosts;
}

sbx_session *place_open(int place)
{
    sbx_session *session = NULL;
    sbx_hosts *hosts;
    sbx_error err = {0};
    int rc;

    let_go();
    hosts = place_hosts();
    rc = sbx_session_open(hosts, places[place].name, NULL, &session, &err);
    ck_assert_msg(rc == SBX_OK, "%s: %s", places[place].name, err.text);
    sbx_hosts_free(hosts);
    return session;
}
