/* local_behind.c - a program that goes on by itself. */
#include "transport/local_spawn.h"

#include "base/cleanup.h"
#include "base/strv.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>

#define ASKPASS "SSH_ASKPASS_REQUIRE="

static int make_environment(char ***out, sbx_error *err)
{
    char **at;
    int rc = sbi_strv_add(out, ASKPASS "never", err);

    for (at = environ; rc == SBX_OK && *at != NULL; at++)
        if (strncmp(*at, ASKPASS, strlen(ASKPASS)) != 0)
            rc = sbi_strv_add(out, *at, err);
    return rc;
}

static int wire(posix_spawn_file_actions_t *actions)
{
    int fd, rc = 0;

    for (fd = 0; rc == 0 && fd <= 2; fd++)
        rc = posix_spawn_file_actions_addopen(actions, fd, "/dev/null", O_RDWR, 0);
    return rc != 0 ? rc : posix_spawn_file_actions_addclosefrom_np(actions, 3);
}

static int spawn(char **argv, char **environment, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t all, none;
    int rc;

    (void)sigfillset(&all);
    (void)sigemptyset(&none);
    rc = posix_spawn_file_actions_init(&actions);
    if (rc != 0)
        return rc;
    rc = posix_spawnattr_init(&attributes);
    if (rc == 0) {
        (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID |
                                                        POSIX_SPAWN_SETSIGDEF |
                                                        POSIX_SPAWN_SETSIGMASK);
        (void)posix_spawnattr_setsigdefault(&attributes, &all);
        (void)posix_spawnattr_setsigmask(&attributes, &none);
        rc = wire(&actions);
        if (rc == 0)
            rc = posix_spawnp(pid, argv[0], &actions, &attributes, argv, environment);
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return rc;
}

int sbi_local_spawn_behind(char **argv, pid_t *pid, sbx_error *err)
{
    SBI_AUTO_STRV environment = NULL;
    int rc = make_environment(&environment, err);

    if (rc < 0)
        return rc;
    errno = spawn(argv, environment, pid);
    return errno == 0 ? SBX_OK : sbi_fail_errno(err, SBX_ERR_IO, "start '%s'", argv[0]);
}
