/* places.c - starts places.sh beside the tests, and opens sessions to what it serves. */
#include "support/places.h"

#include "support/helper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* spec: for places.sh; NULL needs no server. */
static const struct {
    const char *name;
    const char *spec;
} places[PLACES] = {
    [LOCAL] = {"local", NULL},
    [PREFIX] = {"prefix", NULL},
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
static const char *serve_lines;
static struct helper server = {.in = -1, .out = -1};
static pid_t starter;
static char told[4096]; /* what it printed */

/* The servers end with the last copy of this descriptor: tests must not hold one. */
static void let_go(void)
{
    if (server.in >= 0 && getpid() != starter) {
        (void)close(server.in);
        server.in = -1;
    }
}

static void read_until_ready(void)
{
    char line[512] = "";
    size_t length = 0;

    while (strcmp(line, "ready") != 0) {
        helper_hear(&server, line, sizeof(line));
        ck_assert_uint_lt(length + strlen(line) + 2, sizeof(told));
        length += (size_t)snprintf(told + length, sizeof(told) - length, "%s\n", line);
    }
}

void places_start(int first, int last, const char *lines)
{
    const char *support = getenv("TEST_SUPPORT");
    const char *argv[PLACES + 3] = {"sh"};
    char script[4096];
    int place, count = 2;

    ck_assert_msg(support != NULL, "TEST_SUPPORT is not set: run it by ctest");
    (void)snprintf(script, sizeof(script), "%s/places.sh", support);
    argv[1] = script;
    for (place = first; place < last; place++)
        if (places[place].spec != NULL)
            argv[count++] = places[place].spec;
    let_go();
    (void)setenv("SSHD_LINES", lines == NULL ? "" : lines, 1);
    helper_start(&server, argv);
    starter = getpid();
    read_until_ready();
    (void)setenv("XDG_STATE_HOME", places_told("STATE_HOME"), 1);
}

void places_stop(void)
{
    helper_end(&server);
}

static void start(void)
{
    places_start(serve_first, serve_last, serve_lines);
}

void places_serve_as(TCase *tests, int first, int last, const char *lines)
{
    serve_first = first;
    serve_last = last;
    serve_lines = lines;
    tcase_add_unchecked_fixture(tests, start, places_stop);
    tcase_set_timeout(tests, 240);
}

void places_serve(TCase *tests, int first, int last)
{
    places_serve_as(tests, first, last, NULL);
}

const char *place_name(int place)
{
    return places[place].name;
}

bool place_is_here(int place)
{
    return place == LOCAL || place == PREFIX;
}

bool place_is_root(int place)
{
    return place_is_here(place) && geteuid() == 0;
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

long places_number(const char *name)
{
    return strtol(places_told(name), NULL, 10);
}

sbx_hosts *place_hosts(void)
{
    static const char list[] = "{\"name\":\"prefix\",\"prefix\":[\"nsenter\","
                               "\"--pid=/proc/self/ns/pid\"]}";
    const char *config = places_told("SSHD_CONFIG");
    sbx_hosts *hosts = NULL;
    sbx_error err = {0};
    int rc;

    rc = sbx_hosts_parse(list, strlen(list),
                         &SBX_OPTS(sbx_hosts_opts, .ssh_config = config), &hosts, &err);
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
