#include "transport/local_fresh.h"

#include "base/cleanup.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whoever we start could read them in its environment. Ours reads them once and for all.
 */
static bool is_secret(const char *variable)
{
    static const char *const names[] = {
        "REMOTE_PASSWORD=", "REMOTE_KEY_PASSPHRASE=", "REMOTE_SANDBOX_LIST="};
    size_t i;

    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strncmp(variable, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* Ours but the secrets; the texts are borrowed. */
static char **environment_without_secrets(void)
{
    char **told, **at;
    size_t count = 0;

    for (at = environ; *at != NULL; at++)
        count++;
    told = calloc(count + 1, sizeof(*told));
    if (told == NULL)
        return NULL;
    count = 0;
    for (at = environ; *at != NULL; at++)
        if (!is_secret(*at))
            told[count++] = *at;
    return told;
}

static int spawn(const struct sbi_fresh *fresh, posix_spawn_file_actions_t *actions,
                 posix_spawnattr_t *attributes, pid_t *pid)
{
    SBI_AUTOFREE char **told = NULL;
    sigset_t all, none;
    int rc;

    if (fresh->environment == NULL)
        told = environment_without_secrets();
    if (fresh->environment == NULL && told == NULL)
        return ENOMEM;

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
                                  told != NULL ? told : fresh->environment);
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
