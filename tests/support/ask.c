/* ask.c - commands run in a test, and what they left behind. */
#include "support/ask.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

sbx_exec_result *ask(sbx_session *session, const char *command, const sbx_exec_opts *opts)
{
    sbx_exec_result *result = NULL;
    sbx_error err = {0};
    int rc = sbx_exec_shell(session, command, opts, &result, &err);

    ck_assert_msg(rc == SBX_OK, "'%.200s': %s", command, err.text);
    return result;
}

sbx_exec_result *ask_argv(sbx_session *session, const char *const *argv,
                          const sbx_exec_opts *opts)
{
    sbx_exec_result *result = NULL;
    sbx_error err = {0};
    int rc = sbx_exec_argv(session, argv, opts, &result, &err);

    ck_assert_msg(rc == SBX_OK, "'%.200s': %s", argv[0], err.text);
    return result;
}

void expect_exit(const sbx_exec_result *result, int code)
{
    ck_assert_msg(result->end == SBX_EXEC_EXITED && result->exit_code == code,
                  "want exit %d, got %s %d %s; stdout '%.300s', stderr '%.300s', %s",
                  code, sbx_exec_end_name(result->end), result->exit_code,
                  result->signal_name == NULL ? "" : result->signal_name, result->output,
                  result->errors, result->error.text);
}

void expect_bytes(const sbx_exec_result *result, const void *bytes, size_t length)
{
    ck_assert_msg(result->errors_length == 0, "stderr '%.300s'", result->errors);
    ck_assert_msg(result->output_length == length &&
                      memcmp(result->output, bytes, length) == 0,
                  "want %zu bytes '%.300s', got %zu '%.300s'", length,
                  (const char *)bytes, result->output_length, result->output);
    ck_assert_uint_eq(result->output_total, length);
    ck_assert_int_eq(result->output[length], '\0');
}

void expect_text(const sbx_exec_result *result, const char *text)
{
    expect_bytes(result, text, strlen(text));
}

void expect_says(sbx_session *session, const char *command, const sbx_exec_opts *opts,
                 const char *text)
{
    sbx_exec_result *result = ask(session, command, opts);

    expect_exit(result, 0);
    expect_text(result, text);
    sbx_exec_result_free(result);
}

void expect_holds(sbx_session *session, const char *command)
{
    expect_says(session, command, NULL, "");
}

static void nap(void)
{
    struct timespec time = {.tv_nsec = 20 * 1000 * 1000};

    (void)nanosleep(&time, NULL);
}

void expect_soon(sbx_session *session, const char *command, int seconds)
{
    int64_t end = now_ms() + seconds * 1000;
    sbx_exec_result *result;
    bool holds = false;

    while (!holds) {
        ck_assert_msg(now_ms() < end, "not within %d s: %s", seconds, command);
        result = ask(session, command, NULL);
        holds = result->end == SBX_EXEC_EXITED && result->exit_code == 0;
        sbx_exec_result_free(result);
        if (!holds)
            nap();
    }
}

int64_t now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* At most room - 1 bytes of a file of /proc, NUL-terminated; -1 if it is not there. */
static ssize_t read_proc(pid_t pid, const char *name, char *text, size_t room)
{
    char path[64];
    ssize_t got, length = 0;
    int fd;

    (void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    while ((got = read(fd, text + length, room - 1 - (size_t)length)) > 0)
        length += got;
    (void)close(fd);
    text[length] = '\0';
    return got < 0 ? -1 : length;
}

bool is_gone(pid_t pid)
{
    char stat[1024];
    const char *after;

    if (read_proc(pid, "stat", stat, sizeof(stat)) <= 0)
        return true;
    after = strrchr(stat, ')');
    return after != NULL && (after[2] == 'Z' || after[2] == 'X');
}

bool is_gone_within(pid_t pid, int64_t ms)
{
    int64_t end = now_ms() + ms;

    while (!is_gone(pid)) {
        if (now_ms() >= end)
            return false;
        nap();
    }
    return true;
}

pid_t pid_after(const char *text, const char *word)
{
    const char *at = strstr(text, word);

    return at == NULL ? 0 : (pid_t)strtol(at + strlen(word), NULL, 10);
}

int processes_of_run(const char *run_id)
{
    static char environment[1024 * 1024];
    DIR *proc = opendir("/proc");
    struct dirent *entry;
    char wanted[64];
    ssize_t length;
    int count = 0;
    pid_t pid;

    (void)snprintf(wanted, sizeof(wanted), "SBX_RUN=%s", run_id);
    while ((entry = readdir(proc)) != NULL) {
        pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (!isdigit((unsigned char)entry->d_name[0]) || is_gone(pid))
            continue;
        length = read_proc(pid, "environ", environment, sizeof(environment));
        if (length > 0 &&
            memmem(environment, (size_t)length, wanted, strlen(wanted)) != NULL)
            count++;
    }
    (void)closedir(proc);
    return count;
}
