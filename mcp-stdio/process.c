#include "process.h"

#include "fault.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>

extern char **environ;

static void add_streams(posix_spawn_file_actions_t *actions, int input)
{
    int fd;

    for (fd = 0; fd < 3; fd++)
        if (fd == 0 && input >= 0)
            (void)posix_spawn_file_actions_adddup2(actions, input, fd);
        else
            (void)posix_spawn_file_actions_addopen(actions, fd, "/dev/null", O_RDWR, 0);
}

int process_start(const struct serve_opts *opts, const char *const *words, int input,
                  pid_t *out, sbx_error *err)
{
    AUTO_WORDS argv = {0};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    size_t i;
    int rc;

    for (i = 0; opts->self[i] != NULL; i++)
        words_add(&argv, opts->self[i]);
    for (i = 0; words[i] != NULL; i++)
        words_add(&argv, words[i]);
    (void)posix_spawn_file_actions_init(&actions);
    add_streams(&actions, input);
    (void)posix_spawnattr_init(&attributes);
    (void)sigemptyset(&none);
    (void)posix_spawnattr_setsigmask(&attributes, &none);
    (void)posix_spawnattr_setflags(&attributes,
                                   POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK);
    rc = posix_spawn(out, "/proc/self/exe", &actions, &attributes,
                     (char *const *)(uintptr_t)argv.items, environ);
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&actions);
    if (rc == 0)
        return SBX_OK;
    errno = rc;
    return fault_errno(err, SBX_ERR_IO, "start the process of '%s'", words[0]);
}
