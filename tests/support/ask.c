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

enum { FIRST_LIMIT_MS = 600, MOST_LIMIT_MS = 20000 };

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

static int count_words(const char *bytes, size_t length, const char *word)
{
    const char *end = bytes + length;
    const char *at = bytes;
    int count = 0;

    while ((at = memmem(at, (size_t)(end - at), word, strlen(word))) != NULL) {
        at += strlen(word);
        count++;
    }
    return count;
}

static bool has_said(const sbx_exec_result *result, const char *word, int times)
{
    return count_words(result->output, result->output_length, word) +
               count_words(result->errors, result->errors_length, word) >=
           times;
}

sbx_exec_result *ask_to_limit(sbx_session *session, const char *command,
                              sbx_exec_opts *opts, const char *word, int times)
{
    sbx_exec_result *result = NULL;
    sbx_error err = {0};
    int rc;

    if (opts->timeout_ms == 0)
        opts->timeout_ms = FIRST_LIMIT_MS;
    for (;; opts->timeout_ms *= 3) {
        ck_assert_msg(opts->timeout_ms < MOST_LIMIT_MS, "'%.200s' never began", command);
        rc = sbx_exec_shell(session, command, opts, &result, &err);
        if (rc == SBX_OK && has_said(result, word, times))
            return result;
        ck_assert_msg(rc == SBX_OK || rc == SBX_ERR_TIMEOUT, "'%.200s': %s", command,
                      err.text);
        ck_assert_msg(rc != SBX_OK || result->end == SBX_EXEC_TIMED_OUT, "'%.200s': %s",
                      command, sbx_exec_end_name(result->end));
        if (rc == SBX_OK)
            sbx_exec_result_free(result);
    }
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

void expect_stopped(const sbx_exec_result *result, int end, const char *what)
{
    char *json = sbx_exec_result_json(result);
    char want[64];

    ck_assert_msg(result->end == end, "%s: %s, stderr '%.200s'", what,
                  sbx_exec_end_name(result->end), result->errors);
    ck_assert_msg(result->confirmed_dead == 1 && result->survivor_count == 0,
                  "%s: not confirmed dead, %zu survivors", what, result->survivor_count);
    ck_assert_int_eq(result->exit_code, -1);
    ck_assert_ptr_null(result->signal_name);
    (void)snprintf(want, sizeof(want), "\"end\":\"%s\"", sbx_exec_end_name(end));
    ck_assert_msg(strstr(json, want) != NULL, "%s", json);
    ck_assert_msg(strstr(json, "\"confirmed_dead\":true,\"survivors\":[]") != NULL, "%s",
                  json);
    ck_assert_msg(strstr(json, "\"exit_code\":null") != NULL, "%s", json);
    ck_assert_int_eq(processes_of_run(result->run_id), 0);
    sbx_free(json);
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
