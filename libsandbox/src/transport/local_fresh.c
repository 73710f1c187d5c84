#include "transport/local_fresh.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static int spawn(const struct sbi_fresh *fresh, posix_spawn_file_actions_t *actions,
                 posix_spawnattr_t *attributes, pid_t *pid)
{
    char **environment = fresh->environment == NULL ? environ : fresh->environment;
    sigset_t all, none;
    int rc;

    (void)sigfillset(&all);
    (void)sigemptyset(&none);
    (void)posix_spawnattr_setflags(
        attributes,
        (short)(fresh->flags | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK));
    (void)posix_spawnattr_setsigdefault(attributes, &all);
    (void)posix_spawnattr_setsigmask(attributes, &none);
    rc = fresh->wire(actions, fresh->ends);
    return rc != 0 ? rc
                   : posix_spawnp(pid, fresh->argv[0], actions, attributes, fresh->argv,
                                  environment);
}

int sbi_local_fresh(const struct sbi_fresh *fresh, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    int rc = posix_spawn_file_actions_init(&actions);

    if (rc != 0)
        return rc;
    rc = posix_spawnattr_init(&attributes);
    if (rc == 0) {
        rc = spawn(fresh, &actions, &attributes, pid);
        (void)posix_spawnattr_destroy(&attributes);
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    return rc;
}
