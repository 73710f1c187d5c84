/* helper.c - starts a program beside a test and talks to it by lines. */
#include "support/helper.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define PATIENCE_MS 60000

extern char **environ;

void helper_start(struct helper *helper, const char *const *argv)
{
    char *const *words = (char *const *)(uintptr_t)argv;
    posix_spawn_file_actions_t actions;
    int in[2], out[2];

    ck_assert_int_eq(pipe2(in, O_CLOEXEC), 0);
    ck_assert_int_eq(pipe2(out, O_CLOEXEC), 0);
    ck_assert_int_eq(posix_spawn_file_actions_init(&actions), 0);
    ck_assert_int_eq(posix_spawn_file_actions_adddup2(&actions, in[0], 0), 0);
    ck_assert_int_eq(posix_spawn_file_actions_adddup2(&actions, out[1], 1), 0);
    ck_assert_int_eq(posix_spawnp(&helper->pid, argv[0], &actions, NULL, words, environ),
                     0);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)close(in[0]);
    (void)close(out[1]);
    helper->in = in[1];
    helper->out = out[0];
}

const char *helper_program(const char *name)
{
    static char path[512];

    (void)snprintf(path, sizeof(path), "%s/tests/%s", getenv("SBX_BUILD"), name);
    return path;
}

void helper_say(const struct helper *helper, const char *line)
{
    ck_assert_int_gt(dprintf(helper->in, "%s\n", line), 0);
}

static int waits(const struct helper *helper, int ms)
{
    struct pollfd ready = {.fd = helper->out, .events = POLLIN};

    return poll(&ready, 1, ms) > 0;
}

int helper_has_said(const struct helper *helper)
{
    return waits(helper, 0);
}

void helper_hear(const struct helper *helper, char *line, size_t room)
{
    size_t length = 0;
    char byte = '\0';

    for (;;) {
        ck_assert_msg(waits(helper, PATIENCE_MS), "no word from the helper");
        ck_assert_msg(read(helper->out, &byte, 1) == 1, "the helper ended");
        if (byte == '\n')
            break;
        if (length + 1 < room)
            line[length++] = byte;
    }
    line[length] = '\0';
}

void helper_end(struct helper *helper)
{
    if (helper->in >= 0)
        (void)close(helper->in);
    (void)close(helper->out);
    while (waitpid(helper->pid, NULL, 0) < 0 && errno == EINTR)
        continue;
    *helper = (struct helper){.in = -1, .out = -1};
}
