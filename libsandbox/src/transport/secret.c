#include "transport/secret.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/path.h"
#include "base/wait.h"
#include "transport/local_spawn.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>

#define TEXT_LIMIT 4096
#define LOOK_MS 10

bool sbi_secret_has_password(const struct sbi_ssh_target *target)
{
    return target->password != NULL || target->password_file != NULL ||
           target->password_command != NULL;
}

static int take(const char *text, size_t length, const char *from, char *secret,
                size_t room, sbx_error *err)
{
    if (length == 0)
        return sbi_fail(err, SBX_ERR_AUTH, "read the password from %s: it is empty",
                        from);
    if (length >= room)
        return sbi_fail(err, SBX_ERR_LIMIT, "read the password from %s: over %zu bytes",
                        from, room - 1);
    memcpy(secret, text, length);
    secret[length] = '\0';
    return SBX_OK;
}

static int from_file(const char *path, char *secret, size_t room, sbx_error *err)
{
    SBI_AUTOFREE char *text = NULL;
    size_t length;
    int rc;

    rc = sbi_path_read(path, 4096, &text, &length, err);
    if (rc == SBX_ERR_NOT_FOUND)
        rc = SBX_ERR_AUTH; /* that code means that no password is named at all */
    if (rc < 0) {
        (void)sbi_wrap(err, rc, "read the password");
        return sbi_fix(err, rc, "auth", "check password_file in the host's entry");
    }
    rc = sbi_path_guard(path, 0077, err);
    if (rc < 0) {
        explicit_bzero(text, length);
        return sbi_wrap(err, SBX_ERR_AUTH, "read the password from '%s'", path);
    }
    rc = take(text, strcspn(text, "\r\n"), "password_file", secret, room, err);
    explicit_bzero(text, length);
    return rc;
}

struct command {
    pid_t pid;
    int out;    /* also its standard input, which is at its end */
    int status; /* as waitpid(2) gives it */
    char text[TEXT_LIMIT];
    size_t length;
};

static int start(const char *line, struct command *command, sbx_error *err)
{
    int pair[2];
    int rc;

    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
        return sbi_fail_errno(err, SBX_ERR_IO, "make a pair of sockets");
    rc = sbi_local_spawn_on(line, pair[1], &command->pid, err);
    (void)close(pair[1]);
    if (rc < 0) {
        (void)close(pair[0]);
        return rc;
    }
    (void)shutdown(pair[0], SHUT_WR);
    command->out = pair[0];
    return SBX_OK;
}

/* Takes what is there, and drops what is over the limit. False at the end. */
static bool read_some(struct command *command)
{
    char piece[512];
    ssize_t got;
    size_t room;

    while ((got = recv(command->out, piece, sizeof(piece), MSG_DONTWAIT)) > 0) {
        room = sizeof(command->text) - 1 - command->length;
        if (room > (size_t)got)
            room = (size_t)got;
        memcpy(command->text + command->length, piece, room);
        command->length += room;
    }
    explicit_bzero(piece, sizeof(piece));
    return got < 0 && (errno == EAGAIN || errno == EINTR);
}

/*
 * Its end is its exit, not that of its output: an agent that it started in the
 * background may hold that open for ever.
 */
static int await_end(struct command *command, int64_t deadline, sbx_cancel *cancel)
{
    struct pollfd more = {command->out, POLLIN, 0};
    int64_t look;
    pid_t ended;
    int rc = SBX_OK;

    for (;;) {
        ended = waitpid(command->pid, &command->status, WNOHANG);
        if (!read_some(command))
            more.fd = -1;
        if (ended == command->pid)
            return SBX_OK;
        if (ended < 0 && errno != EINTR)
            return SBX_ERR_IO;
        if (rc < 0)
            return rc;
        look = sbi_deadline(LOOK_MS);
        rc = sbi_wait_any(&more, 1, look < deadline ? look : deadline, cancel);
        if (rc == SBX_ERR_TIMEOUT && look < deadline)
            rc = SBX_OK;
    }
}

static int explain(const struct command *command, int rc, sbx_error *err)
{
    if (rc == SBX_ERR_TIMEOUT)
        return sbi_fail(err, rc, "it did not end in time");
    if (rc == SBX_ERR_CANCELLED)
        return sbi_fail(err, rc, "cancelled");
    if (rc < 0)
        return sbi_fail(err, rc, "its end was not to be learnt");
    if (WIFSIGNALED(command->status))
        return sbi_fail(err, SBX_ERR_AUTH, "signal %d ended it",
                        WTERMSIG(command->status));
    if (WEXITSTATUS(command->status) != 0)
        return sbi_fail(err, SBX_ERR_AUTH, "it ended with status %d",
                        WEXITSTATUS(command->status));
    return SBX_OK;
}

static int from_command(const char *line, int64_t deadline, sbx_cancel *cancel,
                        char *secret, size_t room, sbx_error *err)
{
    struct command command = {.out = -1};
    int rc;

    rc = start(line, &command, err);
    if (rc < 0)
        return sbi_wrap(err, rc, "run password_command");
    rc = await_end(&command, deadline, cancel);
    if (rc < 0) {
        (void)kill(-command.pid, SIGKILL);
        sbi_local_bury(command.pid);
    }
    rc = explain(&command, rc, err);
    command.text[command.length] = '\0';
    if (rc == SBX_OK)
        rc = take(command.text, strcspn(command.text, "\r\n"), "what it printed", secret,
                  room, err);
    (void)close(command.out);
    explicit_bzero(command.text, sizeof(command.text));
    if (rc == SBX_OK)
        return SBX_OK;
    (void)sbi_wrap(err, rc, "run password_command");
    return sbi_fix(err, rc, "auth",
                   "run it by hand: it has to print the password and end "
                   "with status 0, without asking");
}

int sbi_secret_password(const struct sbi_ssh_target *target, int64_t deadline,
                        sbx_cancel *cancel, char *secret, size_t room, sbx_error *err)
{
    if (target->password != NULL)
        return take(target->password, strlen(target->password), "the host list", secret,
                    room, err);
    if (target->password_file != NULL)
        return from_file(target->password_file, secret, room, err);
    if (target->password_command != NULL)
        return from_command(target->password_command, deadline, cancel, secret, room,
                            err);
    return SBX_ERR_NOT_FOUND;
}
