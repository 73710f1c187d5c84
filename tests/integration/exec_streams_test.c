/*
 * exec_streams_test.c - bytes in bulk: they arrive whole in both directions, in flat
 * memory, and neither a command that does not read nor a child that does not let go of a
 * stream holds the call.
 */
#include "support/ask.h"
#include "support/places.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MIB ((size_t)1024 * 1024)
#ifdef TESTS_UNDER_ASAN
#define FLOOD (64 * MIB)
#define LINE (64 * MIB)
#define GROWTH_KIB (300 * 1024) /* what is freed stays with the sanitiser for a while */
#else
#define FLOOD (500 * MIB)
#define LINE (200 * MIB)
#define GROWTH_KIB (16 * 1024)
#endif

/* Counts and sums up what comes, by stream. */
struct tally {
    size_t count[2];
    uint64_t hash[2];
};

static void add_up(struct tally *tally, int at, const unsigned char *bytes, size_t length)
{
    uint64_t hash = tally->hash[at];
    size_t i;

    for (i = 0; i < length; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    tally->hash[at] = hash;
    tally->count[at] += length;
}

static int on_bytes(int stream, const void *data, size_t length, void *userdata)
{
    add_up(userdata, stream - SBX_EXEC_STDOUT, data, length);
    return 0;
}

static int on_count(int stream, const void *data, size_t length, void *userdata)
{
    struct tally *tally = userdata;

    (void)data;
    tally->count[stream - SBX_EXEC_STDOUT] += length;
    return 0;
}

/* A file without a name that holds so many bytes which no two places share. */
static int make_file(size_t length, struct tally *tally)
{
    static unsigned char piece[1 << 16];
    uint64_t state = 88172645463325252u;
    int fd = memfd_create("input", MFD_CLOEXEC);
    size_t done, i;

    ck_assert_int_ge(fd, 0);
    for (done = 0; done < length; done += sizeof(piece)) {
        for (i = 0; i < sizeof(piece); i++) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            piece[i] = (unsigned char)state;
        }
        ck_assert_int_eq(write(fd, piece, sizeof(piece)), (ssize_t)sizeof(piece));
        add_up(tally, 0, piece, sizeof(piece));
    }
    ck_assert_int_eq(lseek(fd, 0, SEEK_SET), 0);
    return fd;
}

START_TEST(fifty_megabytes_go_through_cat_and_back)
{
    sbx_session *session = place_open(_i);
    struct tally sent = {0}, came = {0};
    int fd = make_file(50 * MIB, &sent);
    sbx_exec_opts opts =
        SBX_OPTS(sbx_exec_opts, .flags = SBX_EXEC_INPUT_FD | SBX_EXEC_NO_SPOOL,
                 .input_fd = fd, .on_output = on_bytes, .userdata = &came);
    sbx_exec_result *result = ask(session, "cat", &opts);

    expect_exit(result, 0);
    ck_assert_uint_eq(came.count[0], 50 * MIB);
    ck_assert_uint_eq(came.hash[0], sent.hash[0]);
    ck_assert_uint_eq(result->output_total, 50 * MIB);
    ck_assert_int_eq(result->output_truncated, 1);
    ck_assert_uint_eq(result->errors_total, 0);
    ck_assert_msg(lseek(fd, 0, SEEK_CUR) >= 0, "the descriptor stays the caller's");
    (void)close(fd);
    sbx_exec_result_free(result);
    sbx_session_free(session);
}
END_TEST

START_TEST(a_command_that_does_not_read_is_not_held_by_its_input)
{
    char *input = calloc(1, 10 * MIB);
    sbx_session *session = place_open(_i);
    sbx_exec_opts opts = SBX_OPTS(sbx_exec_opts, .input = input, .input_length = 10 * MIB,
                                  .timeout_ms = 60000);
    sbx_exec_result *result;

    result = ask(session, "true", &opts);
    expect_exit(result, 0);
    sbx_exec_result_free(result);
    result = ask(session, "exec <&-; printf closed; exit 3", &opts);
    expect_exit(result, 3);
    expect_text(result, "closed");
    sbx_exec_result_free(result);
    result = ask(session, "head -c 100 | wc -c", &opts);
    expect_exit(result, 0);
    ck_assert_int_eq(strtol(result->output, NULL, 10), 100);
    sbx_exec_result_free(result);
    sbx_session_free(session);
    free(input);
}
END_TEST

/* The end may come ahead of the last bytes, and of the first. */
START_TEST(a_quick_end_is_told_right_each_time)
{
    char *input = calloc(1, MIB);
    sbx_session *session = place_open(_i);
    sbx_exec_opts opts =
        SBX_OPTS(sbx_exec_opts, .input = input, .input_length = MIB, .timeout_ms = 60000);
    sbx_exec_result *result;
    int round;

    for (round = 0; round < 25; round++) {
        opts.cwd = NULL;
        result = ask(session, "printf out; printf err >&2; exit 7", &opts);
        expect_exit(result, 7);
        ck_assert_str_eq(result->output, "out");
        ck_assert_str_eq(result->errors, "err");
        sbx_exec_result_free(result);
        opts.cwd = "/no/such/folder";
        ck_assert_int_eq(sbx_exec_shell(session, "true", &opts, &result, NULL),
                         SBX_ERR_NOT_FOUND);
    }
    sbx_session_free(session);
    free(input);
}
END_TEST

/* A pipe with nothing in it and a writer that stays: not read, and not waited for. */
START_TEST(an_input_that_says_nothing_does_not_hold_a_command_that_ends)
{
    sbx_session *session = place_open(_i);
    sbx_exec_result *result;
    int ends[2];

    ck_assert_int_eq(pipe(ends), 0);
    result = ask(session, "printf out",
                 &SBX_OPTS(sbx_exec_opts, .flags = SBX_EXEC_INPUT_FD, .input_fd = ends[0],
                           .timeout_ms = 60000));
    expect_exit(result, 0);
    expect_text(result, "out");
    (void)close(ends[0]);
    (void)close(ends[1]);
    sbx_exec_result_free(result);
    sbx_session_free(session);
}
END_TEST

START_TEST(both_streams_flooded_at_once_arrive_whole)
{
    const size_t length = 10 * MIB;
    sbx_session *session = place_open(_i);
    struct tally came = {0};
    sbx_exec_result *result =
        ask(session,
            "head -c 10485760 /dev/zero | tr '\\000' a & "
            "head -c 10485760 /dev/zero | tr '\\000' b >&2; wait",
            &SBX_OPTS(sbx_exec_opts, .output_limit = -1, .flags = SBX_EXEC_NO_SPOOL,
                      .on_output = on_count, .userdata = &came));

    expect_exit(result, 0);
    ck_assert_uint_eq(came.count[0], length);
    ck_assert_uint_eq(came.count[1], length);
    ck_assert_uint_eq(result->output_length, length);
    ck_assert_uint_eq(result->errors_length, length);
    ck_assert_uint_eq(strspn(result->output, "a"), length);
    ck_assert_uint_eq(strspn(result->errors, "b"), length);
    sbx_exec_result_free(result);
    sbx_session_free(session);
}
END_TEST

START_TEST(a_background_child_that_holds_a_stream_does_not_hold_the_call)
{
    sbx_session *session = place_open(_i);
    sbx_exec_result *result = ask(
        session, "sleep 100 & echo \"pid $!\" >&2; head -c 1048576 /dev/zero; printf end",
        &SBX_OPTS(sbx_exec_opts, .timeout_ms = 60000, .output_limit = -1));
    pid_t pid;

    expect_exit(result, 0);
    if (_i != DROPBEAR) /* which ends the streams with the command */
        ck_assert_int_eq(result->holds_output, 1);
    ck_assert_uint_eq(result->output_length, MIB + 3);
    ck_assert_str_eq(result->output + MIB, "end");
    pid = pid_after(result->errors, "pid ");
    ck_assert_int_gt(pid, 1);
    ck_assert_msg(!is_gone(pid), "the child was the command's own affair");
    (void)kill(pid, SIGKILL);
    sbx_exec_result_free(result);
    sbx_session_free(session);
}
END_TEST

START_TEST(a_background_child_without_streams_is_no_matter)
{
    sbx_session *session = place_open(_i);
    sbx_exec_result *result =
        ask(session,
            "sleep 100 </dev/null >/dev/null 2>&1 & "
            "until [ \"$(readlink /proc/$!/fd/2)\" = /dev/null ]; do :; done; "
            "printf \"pid $!\"",
            NULL);

    expect_exit(result, 0);
    ck_assert_int_eq(result->holds_output, 0);
    (void)kill(pid_after(result->output, "pid "), SIGKILL);
    sbx_exec_result_free(result);
    sbx_session_free(session);
}
END_TEST

START_TEST(a_terminal_is_one)
{
    sbx_session *session = place_open(_i);
    sbx_exec_opts opts =
        SBX_OPTS(sbx_exec_opts, .flags = SBX_EXEC_PTY, .timeout_ms = 60000,
                 .pty_rows = 33, .pty_columns = 123);
    sbx_exec_result *result;

    result = ask(session,
                 "[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && stty size; printf err >&2; exit 5",
                 &opts);
    expect_exit(result, 5);
    expect_text(result, "33 123\r\nerr");
    sbx_exec_result_free(result);

    opts = SBX_OPTS(sbx_exec_opts, .flags = SBX_EXEC_PTY, .timeout_ms = 60000,
                    .input = "it's typed\n", .input_length = 11);
    result =
        ask(session, "stty -echo; read x; printf '<%s>' \"$x\"; cat; stty size", &opts);
    expect_exit(result, 0);
    ck_assert_msg(strstr(result->output, "<it's typed>24 80\r\n") != NULL, "'%s'",
                  result->output);
    sbx_exec_result_free(result);
    expect_says(session, "[ -t 0 ] || printf none", NULL, "none");
    sbx_session_free(session);
}
END_TEST

START_TEST(a_terminal_ends_at_its_limit_too)
{
    sbx_session *session = place_open(_i);
    sbx_exec_opts opts = SBX_OPTS(sbx_exec_opts, .flags = SBX_EXEC_PTY,
                                  .kill_after_ms = 500, .grace_ms = 20000);
    sbx_exec_result *result = ask_to_limit(
        session, "trap '' HUP TERM; echo \"pid $$\"; sleep 300 & wait; sleep 300", &opts,
        "pid ", 1);

    expect_stopped(result, SBX_EXEC_TIMED_OUT, "a terminal");
    ck_assert(is_gone(pid_after(result->output, "pid ")));
    sbx_exec_result_free(result);
    sbx_session_free(session);
}
END_TEST

/* The most that this process ever had in memory. */
static long most_kib(void)
{
    char line[256];
    FILE *status = fopen("/proc/self/status", "re");
    long kib = 0;

    while (fgets(line, sizeof(line), status) != NULL)
        if (sscanf(line, "VmHWM: %ld", &kib) == 1)
            break;
    (void)fclose(status);
    return kib;
}

static void expect_flat(sbx_session *session, const char *command, size_t length)
{
    struct tally came = {0};
    sbx_exec_result *result;
    long before;

    expect_says(session, "printf warm", NULL, "warm");
    before = most_kib();
    result = ask(session, command,
                 &SBX_OPTS(sbx_exec_opts, .flags = SBX_EXEC_NO_SPOOL,
                           .on_output = on_count, .userdata = &came));
    expect_exit(result, 0);
    ck_assert_uint_eq(came.count[0], length);
    ck_assert_uint_eq(result->output_total, length);
    ck_assert_int_eq(result->output_truncated, 1);
    ck_assert_uint_lt(result->output_length, 65 * 1024);
    ck_assert_msg(most_kib() - before < GROWTH_KIB, "grew by %ld KiB",
                  most_kib() - before);
    sbx_exec_result_free(result);
}

START_TEST(a_flood_passes_in_flat_memory)
{
    sbx_session *session = place_open(_i);
    char command[64];

    (void)snprintf(command, sizeof(command), "yes | head -c %zu", FLOOD);
    expect_flat(session, command, FLOOD);
    sbx_session_free(session);
}
END_TEST

START_TEST(one_endless_line_passes_in_flat_memory)
{
    sbx_session *session = place_open(_i);
    char command[64];

    (void)snprintf(command, sizeof(command), "head -c %zu /dev/zero | tr '\\000' x",
                   LINE);
    expect_flat(session, command, LINE);
    sbx_session_free(session);
}
END_TEST

void unit_add(TCase *tests)
{
    places_serve(tests, LOCAL, TINYSSHD);
    /* dropbear may close a channel whose input nobody reads without telling the end */
    tcase_add_loop_test(tests, fifty_megabytes_go_through_cat_and_back, LOCAL, TINYSSHD);
    tcase_add_loop_test(tests, a_command_that_does_not_read_is_not_held_by_its_input,
                        LOCAL, DROPBEAR);
    tcase_add_loop_test(tests, a_quick_end_is_told_right_each_time, LOCAL, DROPBEAR);
    tcase_add_loop_test(tests,
                        an_input_that_says_nothing_does_not_hold_a_command_that_ends,
                        LOCAL, TINYSSHD);
    tcase_add_loop_test(tests, both_streams_flooded_at_once_arrive_whole, LOCAL,
                        TINYSSHD);
    tcase_add_loop_test(tests,
                        a_background_child_that_holds_a_stream_does_not_hold_the_call,
                        LOCAL, TINYSSHD);
    tcase_add_loop_test(tests, a_background_child_without_streams_is_no_matter, LOCAL,
                        TINYSSHD);
    tcase_add_loop_test(tests, a_terminal_is_one, LOCAL, TINYSSHD);
    tcase_add_loop_test(tests, a_terminal_ends_at_its_limit_too, LOCAL, TINYSSHD);
    tcase_add_loop_test(tests, a_flood_passes_in_flat_memory, LOCAL, CHROOT);
    tcase_add_loop_test(tests, one_endless_line_passes_in_flat_memory, LOCAL, CHROOT);
}
