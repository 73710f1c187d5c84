#include "keyring.h"
#include "fault.h"

#include <errno.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#define TOOL "secret-tool"

extern char **environ;

static int explain(const char *place, int status, sbx_error *err)
{
    (void)fault(err, SBX_ERR_IO,
                "store the password of '%s' in the keyring: " TOOL " ended with %d",
                place, WIFEXITED(status) ? WEXITSTATUS(status) : -1);
    return fault_fix(
        err, SBX_ERR_IO,
        "unlock the keyring of this desktop; without one: --password-command");
}

static int explain_missing(const char *place, int cause, sbx_error *err)
{
    errno = cause;
    (void)fault_errno(err, SBX_ERR_NOT_FOUND,
                      "store the password of '%s' in the keyring: start " TOOL, place);
    return fault_fix(
        err, SBX_ERR_NOT_FOUND,
        "apt-get install libsecret-tools, or the like; or --password-command");
}

int keyring_store(const char *place, sbx_error *err)
{
    AUTO_TEXT label = {0};
    char *argv[] = {(char[]){TOOL},
                    (char[]){"store"},
                    NULL,
                    (char[]){"service"},
                    (char[]){"sbx"},
                    (char[]){"host"},
                    (char *)(uintptr_t)place,
                    NULL};
    int status = 0, cause;
    pid_t pid;

    text_addf(&label, "--label=sbx: password of %s", place);
    argv[2] = label.data;
    cause = posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ);
    if (cause != 0)
        return explain_missing(place, cause, err);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? SBX_OK
                                                         : explain(place, status, err);
}

/* A place's name holds nothing that a shell would take for more than a word. */
void keyring_command(struct text *command, const char *place)
{
    text_addf(command, TOOL " lookup service sbx host '%s'", place);
}
