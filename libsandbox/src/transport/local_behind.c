/* local_behind.c - a program that goes on by itself. */
#include "transport/local_spawn.h"

#include "base/cleanup.h"
#include "base/strv.h"
#include "transport/local_fresh.h"

#include <errno.h>
#include <fcntl.h>
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

static int wire(posix_spawn_file_actions_t *actions, const void *ends)
{
    int fd, rc = 0;

    (void)ends;

    for (fd = 0; rc == 0 && fd <= 2; fd++)
        rc = posix_spawn_file_actions_addopen(actions, fd, "/dev/null", O_RDWR, 0);
    return rc != 0 ? rc : posix_spawn_file_actions_addclosefrom_np(actions, 3);
}

int sbi_local_spawn_behind(char **argv, pid_t *pid, sbx_error *err)
{
    SBI_AUTO_STRV environment = NULL;
    struct sbi_fresh fresh = {.argv = argv, .flags = POSIX_SPAWN_SETSID, .wire = wire};
    int rc = make_environment(&environment, err);

    if (rc < 0)
        return rc;
    fresh.environment = environment;
    errno = sbi_local_fresh(&fresh, pid);
    return errno == 0 ? SBX_OK : sbi_fail_errno(err, SBX_ERR_IO, "start '%s'", argv[0]);
}
