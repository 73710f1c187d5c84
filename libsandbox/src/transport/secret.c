#include "transport/secret.h"

#include "base/cleanup.h"
#include "base/path.h"
#include "base/wait.h"
#include "transport/local.h"

#include <string.h>

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
    rc = take(text, strcspn(text, "\r\n"), "password_file", secret, room, err);
    explicit_bzero(text, length);
    return rc;
}

/* Reads a process's output up to room; its end is left to the caller. */
static int read_all(struct sbi_process *process, int64_t deadline, sbx_cancel *cancel,
                    char *text, size_t room, size_t *length)
{
    struct pollfd fds[4];
    ssize_t got = -1;
    int rc = SBX_OK;

    *length = 0;
    while (rc == SBX_OK && *length < room) {
        got = sbi_process_read(process, SBI_STDOUT, text + *length, room - *length);
        if (got == 0)
            break;
        if (got > 0)
            *length += (size_t)got;
        else
            rc = sbi_wait_any(fds, sbi_process_poll(process, false, fds, 4), deadline,
                              cancel);
    }
    return rc;
}

static int from_command(const char *command, int64_t deadline, sbx_cancel *cancel,
                        char *secret, size_t room, sbx_error *err)
{
    const struct sbi_process_spec spec = {.command = command};
    struct sbi_process *process = NULL;
    struct sbi_line *line = NULL;
    char text[4096];
    size_t length = 0;
    int rc;

    rc = sbi_local_open(&line, err);
    if (rc == SBX_OK)
        rc = sbi_line_start(line, &spec, &process, err);
    if (rc == SBX_OK) {
        sbi_process_close_input(process);
        rc = read_all(process, deadline, cancel, text, sizeof(text) - 1, &length);
        if (rc < 0)
            rc = sbi_fail(err, rc, "no answer in time, or cancelled");
    }
    sbi_process_free(process);
    sbi_line_free(line);
    text[length] = '\0';
    if (rc == SBX_OK)
        rc = take(text, strcspn(text, "\r\n"), "it", secret, room, err);
    explicit_bzero(text, sizeof(text));
    if (rc == SBX_OK)
        return rc;
    (void)sbi_wrap(err, rc, "run password_command");
    return sbi_fix(err, rc, "auth",
                   "run password_command by hand: its first line is the password");
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
